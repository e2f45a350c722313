// Packages of PyPI, kept between runs. If pip cannot get them, the run says so and skips the tests that need them.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPython } from '../../../../tools/setup/programs.mjs'

const run = promisify(execFile)
/** Packages are kept here, because installing them takes more CPU than the tests that need them. */
const KEPT = join(import.meta.dirname, '..', '..', '..', '..', 'node_modules', '.cache', 'python')

export interface PythonPackages {
  /** Empty, for the test. */
  readonly folder: string
  /** The interpreter that finds them. */
  readonly python: string
  remove(): Promise<void>
}

/** Returns null after it reported that `what` is missing, so `loss`. */
export async function installPython(
  packages: readonly string[],
  { what, loss }: { readonly what: string; readonly loss: string },
): Promise<PythonPackages | null> {
  const found: string | null = findPython()
  if (found === null) {
    console.log(`skipped: no Python from 3.9 on, so ${loss}`)
    return null
  }
  try {
    const python = await keptPython(found, packages)
    const folder = await mkdtemp(join(tmpdir(), 'vidimus-python-'))
    return { folder, python, remove: () => rm(folder, { recursive: true, force: true }) }
  } catch {
    console.log(`skipped: no ${what}: pip did not install ${packages.join(' and ')}, so ${loss}`)
    return null
  }
}

/** Keeps one folder for each set of packages and Python version; it has another name until it is complete. */
async function keptPython(found: string, packages: readonly string[]): Promise<string> {
  const { stdout: version } = await run(found, ['-VV'])
  const name = createHash('sha256')
    .update([found, version, ...packages].join('\n'))
    .digest('hex')
    .slice(0, 16)
  const kept = join(KEPT, name)
  const python = join(kept, 'bin', 'python')
  if (existsSync(python)) return python
  await mkdir(KEPT, { recursive: true })
  const folder = await mkdtemp(join(KEPT, 'new-'))
  try {
    await install(found, packages, folder)
    await rm(kept, { recursive: true, force: true })
    await rename(folder, kept)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    // Another process was first.
    if (!existsSync(python)) throw error
  }
  return python
}

async function install(found: string, packages: readonly string[], folder: string): Promise<void> {
  // The machine's own pip, if there is one: installing another one costs as much as the packages.
  const hasPip = await run(found, ['-m', 'pip', '--version']).then(
    () => true,
    () => false,
  )
  await run(found, ['-m', 'venv', ...(hasPip ? ['--without-pip'] : []), folder])
  const python = join(folder, 'bin', 'python')
  const [program, ...parameters] = hasPip ? [found, '-m', 'pip', '--python', python] : [python, '-m', 'pip']
  const quietly = ['install', '--quiet', '--no-compile', '--disable-pip-version-check']
  await run(program ?? python, [...parameters, ...quietly, ...packages])
}
