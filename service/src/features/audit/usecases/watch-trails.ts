// Reports the state of audit trails to operators, in `vidimus doctor` and as metrics.

import type { Deps } from '../../../deps.ts'
import type { Diagnosis } from '../../../platform/diagnosis.ts'
import type { Metrics } from '../../../platform/metrics/metrics.ts'
import { countForgedTrails, countUnguarded } from './guard.ts'

export async function diagnoseTrails(deps: Pick<Deps, 'db' | 'clock' | 'audit'>): Promise<Diagnosis> {
  const { withoutMac, withoutCheckpoint } = await countUnguarded(deps)
  const forged = await countForgedTrails(deps)
  const area = 'audit trail'
  if (forged > 0) {
    return {
      area,
      status: 'problem',
      finding: `${forged} chains have a head whose MAC is not this service's: another program wrote them`,
      remedy: 'verify them (`vidimus audit verify`) against your stored checkpoints, then `vidimus audit adopt`',
    }
  }
  if (withoutMac > 0) {
    return {
      area,
      status: 'problem',
      finding: `${withoutMac} chains have a head without a MAC: another program emptied or rewrote them, or they are from before there were MACs`,
      remedy: 'verify them (`vidimus audit verify`) against your stored checkpoints, then `vidimus audit adopt`',
    }
  }
  if (withoutCheckpoint > 0) {
    return {
      area,
      status: 'problem',
      finding: `${withoutCheckpoint} chains have no checkpoint in the log: none was written, or its record was deleted; they get no further ones`,
      remedy:
        'make sure that a process with VIDIMUS_ROLE=all or worker runs, compare the chains with your stored exports, then `vidimus audit adopt`',
    }
  }
  return { area, status: 'ok', finding: 'every head has its MAC and is in the log' }
}

export function addTrailGauges(metrics: Metrics, input: Pick<Deps, 'db' | 'clock'>): void {
  const count = () => countUnguarded(input)
  metrics.gauge(
    'vidimus_audit_chains_without_checkpoint',
    'Audit chains that should have a checkpoint in the log, but have none',
    async () => (await count()).withoutCheckpoint,
  )
  metrics.gauge(
    'vidimus_audit_chains_without_seal',
    'Audit chains whose head has no MAC of this service',
    async () => (await count()).withoutMac,
  )
}
