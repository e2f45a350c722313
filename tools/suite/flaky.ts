// Runs a failed test file again, alone and three times, and reports it as flaky if it passes each time (docs/decisions/0050).

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importsOf } from '../imports.ts'
import { KILLS, reachesOne } from './choose-files.ts'
import type { Tally } from './tally.ts'
import { countPassed, type FailedFile, type FileOutcome, runFile, type TestFile } from './test-files.ts'

/** How many files may be flaky. A slow machine does not cause more. */
const FLAKY_MAX = 2
/** How often a file has to pass alone. */
const ALONE = 3
/** If more files failed, none is run again, because a slow machine does not cause that many failures. */
const RETRIED_MAX = 10

/** Harnesses that kill servers and processes, or run several of them side by side. */
const KILL_HARNESSES = ['own-postgres', 'embedded', 'replicas'].map((name) => `service/test/harness/servers/${name}.ts`)
/**
 * A failed file is never flaky if its name or the title of a failed test has one of these words. If the file failed as a
 * whole, the titles of all its tests count.
 */
const ABOUT_RACES_KILLS_OR_MONEY =
  /\b(?:rac(?:es?|ing)|kill\w*|crash\w*|chaos|durab\w*|failover|lost|twice|double|at once|cancel\w*|quotas?|usage|charg\w*|bill\w*|pay\w*|paid|prices?|amounts?|money|transactions?)\b/i
const TITLES = /\b(?:it|test|describe)\(\s*(['"`])([\s\S]*?)\1/g
const FAILED_TEST = /:\d+ (.*)$/s

export async function retryFailed(root: string, failed: readonly FailedFile[], result: Tally): Promise<void> {
  const flaky: FailedFile[] = []
  for (const { job, first } of failed) {
    const again = failed.length > RETRIED_MAX ? first : await runAlone(root, job)
    if (again.failures.length === 0) {
      countPassed(job, again, result)
      flaky.push({ job, first })
    } else {
      result.pass(again.passed)
      const failedAgain = new Set(again.failures.map(({ what }) => what))
      const onlyThen = first.failures.filter(({ what }) => !failedAgain.has(what))
      for (const { what, detail } of [...again.failures, ...onlyThen]) result.fail(what, detail)
    }
  }
  for (const { job, first } of flaky) {
    const refusal = refusalOf(root, job.file, first, flaky.length)
    const text = first.failures.map(({ what, detail }) => `${what}\n${detail}`).join('\n')
    if (refusal === null) result.flaky(job.file + job.label, text)
    else result.fail(job.file + job.label, `FLAKY, ${refusal}\n${text}`)
  }
}

/** Runs a file alone up to three times. Returns the first run that failed, or the last. */
async function runAlone(root: string, job: TestFile): Promise<FileOutcome> {
  let result = await runFile(root, job)
  for (let run = 1; run < ALONE && result.failures.length === 0; run++) result = await runFile(root, job)
  return result
}

function refusalOf(root: string, file: string, first: FileOutcome, count: number): string | null {
  const refusal = whyNever(root, file, first)
  if (refusal !== null) return `and may not be: ${refusal}`
  if (count > FLAKY_MAX) return `one of ${count} such files, more than ${FLAKY_MAX}`
  return null
}

function whyNever(root: string, file: string, { failures }: FileOutcome): string | null {
  const text = readFileSync(join(root, file), 'utf8')
  const name = file.slice(file.lastIndexOf('/') + 1).replace(/\W/g, ' ')
  if (KILLS.test(text) || reachesOne(root, file, KILL_HARNESSES)) return 'it kills, or runs, several processes of ours'
  if (importsOf(text).some(({ specifier }) => specifier === 'fast-check')) return 'it draws its cases at random'
  const failed = failures.flatMap(({ what }) => FAILED_TEST.exec(what)?.[1] ?? titlesOf(text))
  const found = [name, ...failed].find((words) => ABOUT_RACES_KILLS_OR_MONEY.test(words))
  return found === undefined ? null : `"${found}" is about a race, a kill or money`
}

const titlesOf = (text: string): string[] => [...text.matchAll(TITLES)].map(([, , title = '']) => title)
