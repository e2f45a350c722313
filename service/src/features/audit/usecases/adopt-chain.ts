// Adopts a chain whose head has no valid MAC, or that the log lacks. An operator vouches for it.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { instantOf } from '../../../platform/world.ts'
import { type GrowthNeeds, logTrail } from '../../transparency/usecases/grow-log.ts'
import { createChainVerifier } from '../domain/verify-chain.ts'
import { lockTrail, writeHeadMac } from '../store/chain.ts'
import { lacksCheckpoint } from '../store/checkpoints.ts'
import { dueSince } from './guard.ts'
import { feedChain, judgeEnd, readVerdict, type ScanVerdict } from './scan-chain.ts'
import { readSignedPoints } from './signed-points.ts'

type Needs = GrowthNeeds & Pick<Deps, 'random'>

type Adoption =
  | { readonly outcome: 'adopted'; readonly entries: number }
  | { readonly outcome: 'not_needed' }
  | { readonly outcome: 'refused'; readonly problem: string }

/**
 * Adopts only a chain that is complete and matches all its signed checkpoints and log entries. Never automatic, because
 * an attacker with the database could make a forged chain look like one from before MACs.
 */
export async function adoptTrail(deps: Needs, realm: Realm): Promise<Adoption> {
  const signed = await readSignedPoints(deps, realm, { log: 'whole' })
  if (typeof signed === 'string') return { outcome: 'refused', problem: signed }
  const verifier = createChainVerifier(realm, signed.checkpoints)
  await readVerdict(feedChain(deps.db, realm, { verifier, after: 0 }))
  const early = verifier.verdict()
  if (early.outcome !== 'whole') return refusedFor(early)
  return deps.db.transaction(async (tx) => {
    const now = instantOf(deps.clock.now())
    const chain = await lockTrail(tx, realm, now)
    const lacks = await lacksCheckpoint(tx, realm, dueSince(deps))
    if (deps.audit.macs.holds(realm, chain.head) && !lacks) return { outcome: 'not_needed' }
    // The trail is locked from here on: checks what was appended since.
    await readVerdict(feedChain(tx, realm, { verifier, after: early.entries }))
    const verdict = judgeEnd(verifier.verdict(), chain.head)
    if (verdict.outcome !== 'whole') return refusedFor(verdict)
    if (lacks) {
      const end = { seq: verdict.entries, hash: verdict.head }
      const logged = await logTrail(deps, tx, { realm, ordinal: signed.ordinal, end })
      if (logged.outcome === 'halted') return { outcome: 'refused', problem: `the log is halted: ${logged.why}` }
    }
    await writeHeadMac(tx, realm, deps.audit.macs.make(realm, chain.head))
    await deps.audit.record(tx, realm, {
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
