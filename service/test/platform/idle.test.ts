// Counts the statements of an idle worker in a minute.

import assert from 'node:assert/strict'
import test from 'node:test'
import { jobsFor } from '../../src/job-table.ts'
import { findDueJobs, runDueJob } from '../../src/platform/jobs/run-due-job.ts'
import { testService } from '../harness/service.ts'

/** As often as the worker of `platform/jobs/runner.ts` checks. */
const CHECK_MS = 5_000
/** For an idle minute, including the check. Raise it deliberately; lower it when fewer are needed. */
const STATEMENTS_MAX = 183

test('an idle minute of the job table sends few statements', async () => {
  const service = await testService()
  const { deps, clock } = service
  // Other jobs run every five minutes or less often.
  const frequent = jobsFor(deps.config).filter(({ everySeconds }) => everySeconds <= 60)
  const sent = new Map<string, number>()
  deps.db.watch(({ name }) => void sent.set(name, (sent.get(name) ?? 0) + 1))
  const minute = async () => {
    for (let checks = 0; checks < 60_000 / CHECK_MS; checks += 1) {
      clock.advance(CHECK_MS)
      for (const job of await findDueJobs(deps, frequent)) assert.equal(await runDueJob(deps, job), 'done', job.name)
    }
  }
  // The first runs create rows that later runs only update, and the log.
  await minute()
  sent.clear()
  await minute()
  const all = [...sent].toSorted(([, a], [, b]) => b - a)
  const count = all.reduce((sum, [, times]) => sum + times, 0)
  assert.ok(count <= STATEMENTS_MAX && count > STATEMENTS_MAX * 0.8, `${count}: ${JSON.stringify(all)}`)
})
