// A language that a client of the SDK is written in, as it is installed on this machine.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findGo, findPhp, findPython, findPythonWithCryptography } from '../../../tools/setup/programs.mjs'

export const SDK = join(import.meta.dirname, '..', '..', '..', 'sdk')

const LANGUAGES = {
  Python: { find: findPython, isInstalledBySetup: true },
  'Python with cryptography': { find: findPythonWithCryptography, isInstalledBySetup: false },
  PHP: { find: findPhp, isInstalledBySetup: true },
  Go: { find: findGo, isInstalledBySetup: false },
} as const

/** The path of its program; null, and a word about it, where there is none. In CI what set-up installs must be there. */
export function findLanguage(name: keyof typeof LANGUAGES): string | null {
  const { find, isInstalledBySetup } = LANGUAGES[name]
  const path = find()
  if (path !== null) return path
  if (process.env.CI !== undefined && isInstalledBySetup)
    throw new Error(`set-up installs ${name}, and there is none: CI demands its tests`)
  console.log(`skipped: no ${name} on this machine, so its client is not tested`)
  return null
}

/** Nothing is left in the tree, nothing is fetched from the network, and what is on this machine is asked directly. */
export const QUIET = {
  PYTHONDONTWRITEBYTECODE: '1',
  GOPROXY: 'off',
  GOTOOLCHAIN: 'local',
  // Neither optimised nor linked with C: of a standard library that was never built before, a third less to do.
  GOFLAGS: "-buildvcs=false '-gcflags=all=-N -l'",
  CGO_ENABLED: '0',
  NO_PROXY: 'localhost,127.0.0.1',
  no_proxy: 'localhost,127.0.0.1',
}

/** Runs to its end in a folder of the SDK; rejects with what it said where it fails. */
export async function runIn(folder: string, program: string, args: readonly string[]): Promise<string> {
  const options = { cwd: join(SDK, folder), env: { ...process.env, ...QUIET }, maxBuffer: 16 * 1024 * 1024 }
  const { stdout, stderr } = await promisify(execFile)(program, args, options).catch((error) => {
    throw new Error(`${program} ${args.join(' ')} failed:\n${error.stdout}${error.stderr}`)
  })
  return `${stdout}${stderr}`
}
