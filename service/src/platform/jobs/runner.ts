// Runs the job table in a worker: checks every few seconds whether a job is due, until it is stopped. A running job
// then ends at its next item, and its outbound request at once; the next worker continues it.

import { setTimeout as delay } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import { type Job, runDueJob } from './run-due-job.ts'

const LOOK_EVERY_MS = 5_000
/** A statement may still be running; this leaves time for the store to close before the process must exit. */
const STOP_MS_MAX = 5_000

export interface JobRunner {
  /** Resolves when the running jobs have ended, or at the timeout. */
  stop(): Promise<void>
}

export function startJobs(deps: Deps, jobs: readonly Job[]): JobRunner {
  const stopping = new AbortController()
  for (const { name, everySeconds } of jobs) deps.metrics.jobEvery.set({ name }, everySeconds)
  // Independent loops: a job that waits for a slow host does not delay the others.
  const running = Promise.all(jobs.map((job) => loop(deps, job, stopping.signal)))
  return {
    async stop() {
      stopping.abort()
      await Promise.race([running, delay(STOP_MS_MAX, undefined, { ref: false })])
    },
  }
}

async function loop(deps: Deps, job: Job, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    // Not even the lease could be read: the store is down, and the next check asks again.
    await runDueJob(deps, job, stopped).catch((error) => deps.log.fault('job not started', error, { job: job.name }))
    // Rejects only if it is aborted.
    await delay(LOOK_EVERY_MS, undefined, { signal: stopped, ref: false }).catch(() => undefined)
  }
}
