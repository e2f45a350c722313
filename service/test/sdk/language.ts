// Finds the installed runtime of an SDK client's language.

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

/**
 * Returns the path of its program; null, with a message, if there is none. In CI the languages that set-up installs
 * must be there.
 */
export function findLanguage(name: keyof typeof LANGUAGES): string | null {
  const { find, isInstalledBySetup } = LANGUAGES[name]
  const path = find()
  if (path !== null) return path
  if (process.env.CI !== undefined && isInstalledBySetup)
    throw new Error(`set-up installs ${name}, and there is none: CI requires its tests`)
  console.log(`skipped: no ${name} on this machine, so its client is not tested`)
  return null
}

/** Leaves nothing in the tree, fetches nothing from the network, and asks the machine directly. */
export const QUIET = {
  PYTHONDONTWRITEBYTECODE: '1',
  GOPROXY: 'off',
  GOTOOLCHAIN: 'local',
  // Builds without optimization and C, because the first build of a standard library then takes a third less.
  GOFLAGS: "-buildvcs=false '-gcflags=all=-N -l'",
  CGO_ENABLED: '0',
  NO_PROXY: 'localhost,127.0.0.1',
  no_proxy: 'localhost,127.0.0.1',
}

/** Runs it in a folder of the SDK; rejects with its output if it fails. */
export async function runIn(folder: string, program: string, args: readonly string[]): Promise<string> {
  const options = { cwd: join(SDK, folder), env: { ...process.env, ...QUIET }, maxBuffer: 16 * 1024 * 1024 }
  const { stdout, stderr } = await promisify(execFile)(program, args, options).catch((error) => {
    throw new Error(`${program} ${args.join(' ')} failed:\n${error.stdout}${error.stderr}`)
  })
  return `${stdout}${stderr}`
}
