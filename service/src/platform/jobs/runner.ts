// Runs the table of jobs in a worker: looks every few seconds whether one is due, and stops when told to. Then what runs ends at its
// next item, and its request to another host at once; the next worker goes on with it.

import { setTimeout as delay } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import { type Job, runDueJob } from './run-due-job.ts'

const LOOK_EVERY_MS = 5_000
/** A statement of the store may still run; of the time a process has to stop, some is left for the store to close. */
const STOP_MS_MAX = 5_000

export interface JobRunner {
  /** Resolves when what was running has ended, or has had its time to. */
  stop(): Promise<void>
}

export function startJobs(deps: Deps, jobs: readonly Job[]): JobRunner {
  const stopping = new AbortController()
  for (const { name, everySeconds } of jobs) deps.metrics.jobEvery.set({ name }, everySeconds)
  // Each for itself: a job that waits for somebody far away keeps none of the others.
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
    // Not even the lease could be had: the store is away, and will be asked again.
    await runDueJob(deps, job, stopped).catch((error) => deps.log.fault('job not started', error, { job: job.name }))
    // Rejects only because it was called off.
    await delay(LOOK_EVERY_MS, undefined, { signal: stopped, ref: false }).catch(() => undefined)
  }
}
