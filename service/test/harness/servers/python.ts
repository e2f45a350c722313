// Packages of PyPI in a temporary folder. Where pip does not get them the run says so, and the tests that need them are left out.

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPython } from '../../../../tools/setup/programs.mjs'

const run = promisify(execFile)

export interface PythonPackages {
  readonly folder: string
  /** The interpreter that finds them. */
  readonly python: string
  remove(): Promise<void>
}

/** Null, after it said what is absent: `what` is missing, so `loss`. */
export async function installPython(
  packages: readonly string[],
  { what, loss }: { readonly what: string; readonly loss: string },
): Promise<PythonPackages | null> {
  const found: string | null = findPython()
  if (found === null) {
    console.log(`skipped: no Python from 3.9 on, so ${loss}`)
    return null
  }
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-python-'))
  const python = join(folder, 'venv', 'bin', 'python')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    // The machine's own pip, where there is one: installing another into the folder costs as much as the packages.
    const hasPip = await run(found, ['-m', 'pip', '--version']).then(
      () => true,
      () => false,
    )
    await run(found, ['-m', 'venv', ...(hasPip ? ['--without-pip'] : []), join(folder, 'venv')])
    const [program, ...parameters] = hasPip ? [found, '-m', 'pip', '--python', python] : [python, '-m', 'pip']
    const quietly = ['install', '--quiet', '--no-compile', '--disable-pip-version-check']
    await run(program ?? python, [...parameters, ...quietly, ...packages])
    return { folder, python, remove }
  } catch {
    console.log(`skipped: no ${what}: pip did not install ${packages.join(' and ')}, so ${loss}`)
    await remove()
    return null
  }
}
