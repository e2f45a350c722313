// An operator vouches for chains whose heads have no MAC (from before there were any, or behind one that did not hold), and
// for those that have lost their checkpoints. What was adopted gets a checkpoint at once.
// Never by itself: whoever owns the database can always make a chain look as old as they like.

import type { Deps } from '../../deps.ts'
import { checkpointKey, signCheckpoint } from '../../domain/audit/checkpoint.ts'
import { createChainVerifier } from '../../domain/audit/verify-chain.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { instantOf } from '../../domain/world.ts'
import { lockChain, writeHeadMac } from '../../store/audit/chain.ts'
import {
  insertCheckpoint,
  lacksCheckpoint,
  listCheckpoints,
  listUnguardedAcrossTenants,
} from '../../store/audit/checkpoints.ts'
import { dueSince } from './keep-checkpoints.ts'
import { recordEvent } from './record-event.ts'
import { feedChain, judgedChain, judgeEnd, type ScanVerdict } from './scan-chain.ts'
import { openNotes } from './verify-audit.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'sealer' | 'headMacs'>

export type Adoption =
  | { readonly outcome: 'adopted'; readonly entries: number }
  | { readonly outcome: 'guarded_already' }
  | { readonly outcome: 'refused'; readonly problem: string }

/** Chains whose heads have no MAC, or without a checkpoint although they should have one. */
export const listUnguarded = (deps: Pick<Deps, 'db' | 'clock'>): Promise<Realm[]> =>
  listUnguardedAcrossTenants(deps.db, dueSince(deps))

/** Only a chain that fits itself and every checkpoint that was kept. The trail says that it was adopted. */
export async function adoptChain(deps: Needs, realm: Realm): Promise<Adoption> {
  const checkpoints = openNotes(deps, realm, await listCheckpoints(deps.db, realm))
  if (typeof checkpoints === 'string') return { outcome: 'refused', problem: checkpoints }
  const verifier = createChainVerifier(realm, checkpoints)
  await judgedChain(feedChain(deps.db, realm, { verifier, after: 0 }))
  const early = verifier.verdict()
  if (early.outcome !== 'whole') return refusedFor(early)
  return deps.db.transaction(async (tx) => {
    const now = instantOf(deps.clock.now())
    const chain = await lockChain(tx, realm, now)
    const lacks = await lacksCheckpoint(tx, realm, dueSince(deps))
    if (deps.headMacs.holds(realm, chain.head) && !lacks) return { outcome: 'guarded_already' }
    // What was appended since; from here on nobody appends.
    await judgedChain(feedChain(tx, realm, { verifier, after: early.entries }))
    const verdict = judgeEnd(verifier.verdict(), chain.head)
    if (verdict.outcome !== 'whole') return refusedFor(verdict)
    const head = { seq: verdict.entries, hash: verdict.head, at: now }
    const note = signCheckpoint(checkpointKey(deps.sealer), { ...realm, head, at: now })
    await insertCheckpoint(tx, realm, { seq: head.seq, note })
    await writeHeadMac(tx, realm, deps.headMacs.make(realm, chain.head))
    await recordEvent(deps, tx, realm, {
      now,
      action: 'audit.adopted',
      actor: { type: 'operator', id: 'cli' },
      object: { type: 'tenant', id: realm.tenantId },
    })
    return { outcome: 'adopted', entries: verdict.entries }
  })
}

function refusedFor(verdict: Exclude<ScanVerdict, { outcome: 'whole' }>): Adoption {
  const at = verdict.outcome === 'untrusted' ? '' : `entry ${verdict.seq} `
  return { outcome: 'refused', problem: `${verdict.outcome}: ${at}${verdict.problem}` }
}
