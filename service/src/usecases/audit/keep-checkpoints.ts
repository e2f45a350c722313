// Once a day every audit chain that grew gets a signed checkpoint. One that does not go on from its last checkpoint was
// written anew: it gets none, and an alarm.

import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { checkpointKey, openCheckpoint, signCheckpoint } from '../../domain/audit/checkpoint.ts'
import { entryHash } from '../../domain/audit/entry.ts'
import { instantOf } from '../../domain/world.ts'
import { findMovedChainsAcrossTenants, insertCheckpoint, type MovedChain } from '../../store/audit/checkpoints.ts'

const PAGE = 500

export async function keepCheckpoints(
  deps: Pick<Deps, 'db' | 'clock' | 'sealer' | 'metrics' | 'log'>,
): Promise<{ readonly kept: number; readonly changed: number }> {
  const key = checkpointKey(deps.sealer)
  const publicKey = createPublicKey(key)
  const counts = { kept: 0, changed: 0 }
  let after: MovedChain | null = null
  for (;;) {
    const chains = await findMovedChainsAcrossTenants(deps.db, { after, limit: PAGE })
    for (const chain of chains) {
      if (goesOn(chain, publicKey)) {
        const note = signCheckpoint(key, { ...chain, at: instantOf(deps.clock.now()) })
        await insertCheckpoint(deps.db, chain, { seq: chain.head.seq, note })
        counts.kept += 1
      } else {
        deps.metrics.alarms.inc({ alarm: 'audit_chain_changed' })
        deps.log.error('an audit chain does not go on from its last checkpoint', {
          tenant: chain.tenantId,
          environment: chain.environment,
        })
        counts.changed += 1
      }
    }
    after = chains.at(-1) ?? null
    if (chains.length < PAGE) return counts
  }
}

/** The whole chain is not read here: `vidimus audit verify` does. That its last known entry is the signed one is told at once. */
function goesOn({ last, tenantId, environment }: MovedChain, key: KeyObject): boolean {
  if (last === null) return true
  const opened = openCheckpoint(last.note, key)
  if (opened.outcome !== 'signed' || last.entry === null) return false
  const { checkpoint } = opened
  const ofChain = checkpoint.tenantId === tenantId && checkpoint.environment === environment
  return ofChain && checkpoint.hash.equals(entryHash(last.entry))
}
