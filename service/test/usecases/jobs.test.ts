// Tests periodic jobs: each runs once when due, on one replica, and again after a failure or a crash.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { JOBS } from '../../src/job-table.ts'
import { type Job, runDueJob } from '../../src/platform/jobs/run-due-job.ts'
import { startJobs } from '../../src/platform/jobs/runner.ts'
import { testService } from '../harness/service.ts'
import { waitUntil, within } from '../harness/wait.ts'

const service = await testService()
const { deps, clock } = service

function counted(name: string, work: () => Promise<void> = async () => undefined): Job & { runs: number } {
  const job = {
    name,
    everySeconds: 60,
    leaseSeconds: 300,
    runs: 0,
    run: async () => {
      job.runs += 1
      await work()
    },
  }
  return job
}

test('a job runs when it is due, and not again before its time', async () => {
  const job = counted('due')
  assert.equal(await runDueJob(deps, job), 'done')
  assert.equal(await runDueJob(deps, job), 'not_due')
  clock.advance(59_999)
  assert.equal(await runDueJob(deps, job), 'not_due')
  clock.advance(1)
  assert.equal(await runDueJob(deps, job), 'done')
  assert.equal(job.runs, 2)
})

test('of many replicas one runs a job', async () => {
  const job = counted('once')
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => runDueJob(deps, job)))
  assert.equal(outcomes.filter((outcome) => outcome === 'done').length, 1)
  assert.equal(job.runs, 1)
})

test('a failed run is reported and retried when its lease expires', async () => {
  const job = counted('failing', async () => {
    throw new Error('no')
  })
  assert.equal(await runDueJob(deps, job), 'failed')
  assert.equal(await runDueJob(deps, job), 'not_due')
  clock.advance(300_000)
  assert.equal(await runDueJob(deps, job), 'failed')
  assert.ok(service.logged.some((line) => line.includes('job failed') && line.includes('"job":"failing"')))
})

test("a run that outlived its lease does not end its successor's", async () => {
  const gate = Promise.withResolvers<void>()
  const slow = counted('slow', () => gate.promise)
  const first = runDueJob(deps, slow)
  await waitUntil('the job runs', () => slow.runs > 0)
  clock.advance(300_000)
  const quick = counted('slow', async () => undefined)
  assert.equal(await runDueJob(deps, quick), 'done')
  gate.resolve()
  await first
  assert.equal(await runDueJob(deps, quick), 'not_due')
})

test('a stopping worker notifies running jobs: each ends at its next item, and the next worker can lease it at once', async () => {
  const begun = Promise.withResolvers<void>()
  const name = 'stoppable'
  let isOver = false
  const endless: Job = {
    name,
    everySeconds: 60,
    leaseSeconds: 300,
    run: async (_deps, stopped) => {
      // bounded: by the stop below.
      while (!isOver) {
        begun.resolve()
        await new Promise(setImmediate)
        stopped.throwIfAborted()
      }
    },
  }
  const runner = startJobs(deps, [endless])
  await within('the job runs', begun.promise)
  await runner.stop()
  isOver = true
  assert.ok(!service.logged.some((line) => line.includes(`"job":"${name}"`)), 'a stopped run does not count as failed')
  assert.equal(await runDueJob(deps, counted(name)), 'done')
})

test('a worker asks once for all jobs, and leases none that is not due', async () => {
  const jobs = [counted('quiet-one'), counted('quiet-two')]
  for (const job of jobs) assert.equal(await runDueJob(deps, job), 'done')
  const late = counted('quiet-late')
  const sent: string[] = []
  deps.db.watch(({ name }) => sent.push(name))
  const runner = startJobs(deps, [...jobs, late])
  await waitUntil('the job that is due ran', () => late.runs === 1 && sent.includes('finish_job'))
  await runner.stop()
  assert.deepEqual(sent, ['list_due_jobs', 'lease_job', 'finish_job'])
  assert.deepEqual(
    jobs.map(({ runs }) => runs),
    [1, 1],
  )
})

test('every job of the table has the name of its use case, and a worker runs them and stops on request', async () => {
  assert.equal(new Set(JOBS.map((job) => job.name)).size, JOBS.length)
  const runner = startJobs(deps, JOBS)
  const ran = { name: 'test_ran', text: 'select from jobs where name = $1 and ran_at is not null' }
  for (const { name } of JOBS) await waitUntil(`${name} ran`, async () => (await deps.db.query(ran, [name])).length > 0)
  await runner.stop()
})

test('each job of the table is run by a test that takes it from there', () => {
  const folder = fileURLToPath(new URL('..', import.meta.url))
  const texts = globSync('**/*.test.ts', { cwd: folder }).map((path) => readFileSync(join(folder, path), 'utf8'))
  const seen = texts.flatMap((text) => [...text.matchAll(/runJob\([\w.]+, '([a-z-]+)'\)/g)].map(([, name]) => name))
  assert.deepEqual([...new Set(seen)].sort(), JOBS.map(({ name }) => name).sort())
})
