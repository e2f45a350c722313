// Runs and reports the actions of set-up: one line per action, the full output only of failures.

import { spawnSync } from 'node:child_process'
import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, join, sep } from 'node:path'

export function say(text) {
  process.stderr.write(`set-up: ${text}\n`)
}

/** Ends set-up after the reason was printed. */
export class Stopped extends Error {}

export function stop(text) {
  say(text)
  throw new Stopped(text)
}

/** Runs a program. If it fails, prints all output and ends set-up. */
export function run(what, command, args, cwd) {
  const began = Date.now()
  process.stderr.write(`set-up: ${what} ... `)
  const result = attempt(command, args, { cwd })
  process.stderr.write(result.ok ? `done in ${((Date.now() - began) / 1000).toFixed(1)} s\n` : 'failed\n')
  if (!result.ok) {
    process.stderr.write(`${result.output}\n`)
    throw new Stopped(what)
  }
}

export function attempt(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, ...options })
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`
  return { ok: result.status === 0, output }
}

/** The path of a program on the PATH, or null. */
export function findProgram(name, except = null) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name)
    try {
      accessSync(path, constants.X_OK)
      if (except === null || !realpathSync(path).startsWith(except + sep)) return path
    } catch {
      // The program is not in this folder.
    }
  }
  return null
}

/** Finds a Node outside of `folder`, which may be replaced. Returns the running Node if there is no other. */
export function nodeOutside(folder) {
  if (!realpathSync(process.execPath).startsWith(folder + sep)) return process.execPath
  return findProgram('node', folder) ?? process.execPath
}
