// Runs periodic jobs like a worker, by their names in the table. A job that is not in the table never runs.

import assert from 'node:assert/strict'
import type { Deps } from '../../src/deps.ts'
import { JOBS } from '../../src/job-table.ts'
import { NEVER_STOPPED } from '../../src/platform/world.ts'

export async function runJob(deps: Deps, name: string): Promise<void> {
  const job = JOBS.find((one) => one.name === name)
  assert.ok(job !== undefined, `no worker runs ${name}`)
  await job.run(deps, NEVER_STOPPED)
}
