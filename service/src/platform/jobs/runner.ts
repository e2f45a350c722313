// Runs due jobs in a worker until it is stopped. Then a running job ends at its next item.

import { setTimeout as delay } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import { findDueJobs, type Job, runDueJob } from './run-due-job.ts'

const CHECK_EVERY_MS = 5_000
/** A statement may still be running. This leaves time to close the store before the process must exit. */
const STOP_MS_MAX = 5_000

export interface JobRunner {
  /** Resolves when the running jobs have ended, or at the timeout. */
  stop(): Promise<void>
}

export function startJobs(deps: Deps, jobs: readonly Job[]): JobRunner {
  const stopping = new AbortController()
  for (const { name, everySeconds } of jobs) deps.metrics.jobEvery.set({ name }, everySeconds)
  const running = runDueJobs(deps, jobs, stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await Promise.race([running, delay(STOP_MS_MAX, undefined, { ref: false })])
    },
  }
}

/** Starts due jobs without waiting for them, so that a job with a slow host does not delay the others. */
async function runDueJobs(deps: Deps, jobs: readonly Job[], stopped: AbortSignal): Promise<void> {
  const running = new Map<Job, Promise<unknown>>()
  while (!stopped.aborted) {
    const idle = jobs.filter((job) => !running.has(job))
    // Fails while the store is down. The next check tries again.
    const due = await findDueJobs(deps, idle).catch((error) => {
      deps.log.fault('due jobs could not be read', error)
      return []
    })
    for (const job of due) {
      const run = runDueJob(deps, job, stopped)
        .catch((error) => deps.log.fault('job not started', error, { job: job.name }))
        .finally(() => running.delete(job))
      running.set(job, run)
    }
    // Rejects only if it is aborted.
    await delay(CHECK_EVERY_MS, undefined, { signal: stopped, ref: false }).catch(() => undefined)
  }
  await Promise.all(running.values())
}
