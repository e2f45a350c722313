// Once a day every audit chain that grew gets a signed checkpoint, over what was judged from its last one on. A chain that is
// not as the service wrote it, or has lost its checkpoints, gets none, and an alarm until an operator adopts it.

import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { checkpointKey, openCheckpoint, signCheckpoint } from '../../domain/audit/checkpoint.ts'
import { entryHash } from '../../domain/audit/entry.ts'
import type { ChainPoint } from '../../domain/audit/verify-chain.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { type Instant, instantOf, NEVER_STOPPED } from '../../domain/world.ts'
import {
  countUnguardedAcrossTenants,
  findChainsAcrossTenants,
  insertCheckpoint,
  type StandingChain,
} from '../../store/audit/checkpoints.ts'
import { judgedChain, scanChain } from './scan-chain.ts'

export { CHECKPOINT_JOB } from '../../store/audit/checkpoints.ts'

const PAGE = 500
/** Where no run of the job is noted, a tenant of this age should have met one. */
const OVERDUE_MS = 2 * 86_400_000

type Needs = Pick<Deps, 'db' | 'clock' | 'sealer' | 'headMacs' | 'metrics' | 'log'>

export async function keepCheckpoints(
  deps: Needs,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<{ readonly kept: number; readonly changed: number; readonly missing: number }> {
  const key = checkpointKey(deps.sealer)
  const counts = { kept: 0, changed: 0, missing: 0 }
  let after: StandingChain | null = null
  for (;;) {
    const chains = await findChainsAcrossTenants(deps.db, { after, limit: PAGE, dueSince: dueSince(deps) })
    for (const chain of chains) {
      stopped.throwIfAborted()
      if (chain.overdue) {
        counts.missing += 1
        alarm(deps, chain, {
          name: 'audit_checkpoint_missing',
          words: 'an audit chain should have a checkpoint and has no checkpoint',
        })
      }
      const kept = await keepCheckpoint(deps, chain, key)
      if (kept === 'kept') counts.kept += 1
      if (kept === 'changed') {
        counts.changed += 1
        const words = 'an audit chain is not as the service wrote it: no checkpoint was signed'
        alarm(deps, chain, { name: 'audit_chain_changed', words })
      }
    }
    after = chains.at(-1) ?? null
    if (chains.length < PAGE) return counts
  }
}

/** Chains that have entries and no checkpoint although they should, or no MAC on their head; for metrics and `doctor`. */
export const countUnguarded = (deps: Pick<Deps, 'db' | 'clock'>) => countUnguardedAcrossTenants(deps.db, dueSince(deps))

/** Chains whose head has a MAC that is not this service's: put there by somebody else, or made with another key. */
export async function countForgedHeads(deps: Pick<Deps, 'db' | 'clock' | 'headMacs'>): Promise<number> {
  let forged = 0
  let after: StandingChain | null = null
  for (;;) {
    const chains = await findChainsAcrossTenants(deps.db, { after, limit: PAGE, dueSince: dueSince(deps) })
    forged += chains.filter(({ head, ...realm }) => isForged(deps, realm, head)).length
    after = chains.at(-1) ?? null
    if (chains.length < PAGE) return forged
  }
}

const isForged = ({ headMacs }: Pick<Deps, 'headMacs'>, realm: Realm, head: StandingChain['head']) =>
  head !== null && head.mac !== null && !headMacs.holds(realm, head)

export const dueSince = (deps: Pick<Deps, 'clock'>): Instant => instantOf(deps.clock.now() - OVERDUE_MS)

async function keepCheckpoint(
  deps: Needs,
  chain: StandingChain,
  key: KeyObject,
): Promise<'kept' | 'changed' | 'not_moved'> {
  const { tenantId, environment, head, last, overdue } = chain
  const realm = { tenantId, environment }
  const from = last === null ? null : signedPoint(chain, createPublicKey(key))
  if (from === 'unknown' || head === null || !deps.headMacs.holds(realm, head)) return 'changed'
  // Signing would remove the last sign that somebody has deleted them, and what they covered with them.
  if (overdue) return 'not_moved'
  if (from !== null && from.seq === head.seq) return from.hash.equals(head.hash) ? 'not_moved' : 'changed'
  const verdict = await judgedChain(scanChain(deps, realm, { checkpoints: [], ...(from === null ? {} : { from }) }))
  if (verdict.outcome !== 'whole') return 'changed'
  const at = instantOf(deps.clock.now())
  const note = signCheckpoint(key, { ...realm, head: { seq: verdict.entries, hash: verdict.head, at }, at })
  await insertCheckpoint(deps.db, realm, { seq: verdict.entries, note })
  return 'kept'
}

/** The entry that the last checkpoint was signed over, where it still stands there: from it on the chain is judged. */
function signedPoint({ last, tenantId, environment }: StandingChain, key: KeyObject): ChainPoint | 'unknown' {
  const opened = openCheckpoint(last?.note ?? '', key)
  const entry = last?.entry ?? null
  if (opened.outcome !== 'signed' || entry === null) return 'unknown'
  const { checkpoint } = opened
  const ofChain = checkpoint.tenantId === tenantId && checkpoint.environment === environment
  if (!ofChain || !checkpoint.hash.equals(entryHash(entry))) return 'unknown'
  // Only now: these are bytes that the service signed.
  const { at } = JSON.parse(entry.toString('utf8'))
  return { seq: checkpoint.size, hash: checkpoint.hash, at }
}

function alarm(deps: Needs, chain: StandingChain, raised: { readonly name: string; readonly words: string }): void {
  deps.metrics.alarms.inc({ alarm: raised.name })
  deps.log.error(raised.words, { tenant: chain.tenantId, environment: chain.environment })
}
