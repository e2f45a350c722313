// A file that failed among others is run once more, alone, after everything else. What passes then was unsteady: told in
// full, and forgiven only to a few files that wait for browsers, servers and other processes (docs/decisions/0050).

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importsOf } from '../imports.ts'
import { isUnit } from './choose-files.ts'
import type { Tally } from './tally.ts'
import { countPassed, type FailedFile, runFile } from './test-files.ts'

/** One in a hundred files: more is not a slow machine. */
const FORGIVEN_MAX = 4
/** More is not one test: nothing is learned by running half of the suite again. */
const AGAIN_MAX = 10
/** What passes or fails by chance is what these are about: a second run proves nothing. */
const ABOUT_CHANCE = /\/test\/fuzz\/|(?:races|chaos|crash|killed)\.test\.ts$/

export async function runAgain(root: string, failed: readonly FailedFile[], result: Tally): Promise<void> {
  const unsteady: FailedFile[] = []
  for (const { job, first } of failed) {
    const again = failed.length > AGAIN_MAX ? first : await runFile(root, job)
    if (again.failures.length === 0) {
      countPassed(job, again, result)
      unsteady.push({ job, first })
    } else {
      result.pass(again.passed)
      const failedAgain = new Set(again.failures.map(({ what }) => what))
      const onlyThen = first.failures.filter(({ what }) => !failedAgain.has(what))
      for (const { what, detail } of [...again.failures, ...onlyThen]) result.fail(what, detail)
    }
  }
  for (const { job, first } of unsteady) {
    const refusal = refusalOf(root, job.file, unsteady.length)
    const text = first.failures.map(({ what, detail }) => `${what}\n${detail}`).join('\n')
    if (refusal === null) result.unsteady(job.file + job.label, text)
    else result.fail(job.file + job.label, `UNSTEADY, ${refusal}\n${text}`)
  }
}

/** Why a file may not be unsteady. */
function refusalOf(root: string, file: string, howMany: number): string | null {
  if (isUnit(root, file)) return 'though nothing in it depends on the speed of the machine'
  if (ABOUT_CHANCE.test(file) || drawsAtRandom(root, file)) return 'and what it tests is what happens now and then'
  if (howMany > FORGIVEN_MAX) return `one of ${howMany} files that are: at most ${FORGIVEN_MAX} may be`
  return null
}

const drawsAtRandom = (root: string, file: string) =>
  importsOf(readFileSync(join(root, file), 'utf8')).some(({ specifier }) => specifier === 'fast-check')
