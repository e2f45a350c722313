// Which test files may fail once and pass alone. A file declares itself in its head comment, with a reason; the declaration is
// refused for everything about races, kills and money (docs/decisions/0050).

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importsOf } from '../imports.ts'
import { isUnit, KILLS, reachesOne, testFiles } from './choose-files.ts'
import type { Tally } from './tally.ts'
import { countPassed, type FailedFile, runFile } from './test-files.ts'

/** One in a hundred files: more is not a slow machine. */
const FLAKY_MAX = 4
/** More failed files are not run again: that is no slow machine either. */
const RETRIED_MAX = 10

/** `// flaky: the reason`, in the head comment of the file. */
const DECLARATION = /^\/\/ flaky(:.*|\s*)$/m
const REASON = /^: \S.{18,}$/
/** Tests in these folders wait for a browser or for programs of others. All other folders have no excuse. */
const WAIT_FOR_OTHERS = /(?:^|\/)(?:service\/test\/(?:browser|docs|sdk)|sdk\/typescript\/test|tools\/test)\//
/** These kill servers and processes, or run several of them side by side. */
const KILL_HARNESSES = ['own-postgres', 'embedded', 'replicas'].map((name) => `service/test/harness/servers/${name}.ts`)
/** In the path of a file, or in a title of its tests. */
const ABOUT_RACES_KILLS_OR_MONEY =
  /\b(?:rac(?:es?|ing)|kill\w*|crash\w*|chaos|durab\w*|failover|lost|twice|double|at once|cancel\w*|quotas?|usage|charg\w*|bill\w*|pay\w*|paid|prices?|amounts?|money|transactions?)\b/i
const TITLES = /\b(?:it|test|describe)\(\s*(['"`])([\s\S]*?)\1/g

export async function retryFailed(root: string, failed: readonly FailedFile[], result: Tally): Promise<void> {
  const flaky: FailedFile[] = []
  for (const { job, first } of failed) {
    const again = failed.length > RETRIED_MAX ? first : await runFile(root, job)
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
    const refusal = refusalOf(root, job.file, flaky.length)
    const text = first.failures.map(({ what, detail }) => `${what}\n${detail}`).join('\n')
    if (refusal === null) result.flaky(job.file + job.label, text)
    else result.fail(job.file + job.label, `FLAKY, ${refusal}\n${text}`)
  }
}

function refusalOf(root: string, file: string, count: number): string | null {
  if (declarationOf(root, file) === null) return 'and it does not declare that it may be'
  const refusal = refuseDeclaration(root, file)
  if (refusal !== null) return `and may not be: ${refusal}`
  if (count > FLAKY_MAX) return `one of ${count} files that are: at most ${FLAKY_MAX} may be`
  return null
}

/** Sentences about declarations that do not count. */
export function flakyProblems(root: string, files: readonly string[] = testFiles(root)): string[] {
  return files.flatMap((file) => {
    const refusal = declarationOf(root, file) === null ? null : refuseDeclaration(root, file)
    return refusal === null ? [] : [`${file} declares that it may be flaky, and may not be: ${refusal}`]
  })
}

/** What follows "// flaky" in the comment at the head of the file. */
function declarationOf(root: string, file: string): string | null {
  const [head = ''] = /^(?:\/\/.*(?:\n|$)|\s*\n)*/.exec(readFileSync(join(root, file), 'utf8')) ?? []
  return DECLARATION.exec(head)?.[1] ?? null
}

function refuseDeclaration(root: string, file: string): string | null {
  const text = readFileSync(join(root, file), 'utf8')
  const titles = [...text.matchAll(TITLES)].map(([, , title = '']) => title)
  const name = file.slice(file.lastIndexOf('/') + 1).replace(/\W/g, ' ')
  if (!REASON.test(declarationOf(root, file) ?? '')) return 'the form is "// flaky: a reason of 20 characters or more"'
  if (!WAIT_FOR_OTHERS.test(file)) return 'tests of its folder wait for nothing but our own code'
  if (isUnit(root, file)) return 'nothing in it depends on the speed of the machine'
  if (KILLS.test(text) || reachesOne(root, file, KILL_HARNESSES)) return 'it kills, or runs, several processes of ours'
  if (importsOf(text).some(({ specifier }) => specifier === 'fast-check')) return 'it draws its cases at random'
  const found = [name, ...titles].find((words) => ABOUT_RACES_KILLS_OR_MONEY.test(words))
  return found === undefined ? null : `"${found}" is about a race, a kill or money`
}
