// An operator vouches for chains whose heads have no seal: from before there were seals, or behind one that did not hold.
// Never by itself: whoever owns the database can always make a chain look as old as they like.

import type { Deps } from '../../deps.ts'
import { createChainVerifier } from '../../domain/audit/verify-chain.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { instantOf } from '../../domain/world.ts'
import { appendAudit, lockChain, sealHead } from '../../store/audit/chain.ts'
import { listCheckpoints } from '../../store/audit/checkpoints.ts'
import { listUnsealedAcrossTenants } from '../../store/audit/trail.ts'
import { feedChain, judgedChain, judgeEnd, type ScanVerdict } from './scan-chain.ts'
import { openNotes } from './verify-audit.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'sealer' | 'auditSeal'>

export type Adoption =
  | { readonly outcome: 'adopted'; readonly entries: number }
  | { readonly outcome: 'sealed_already' }
  | { readonly outcome: 'refused'; readonly problem: string }

/** Chains without any seal. */
export const listUnsealed = (deps: Pick<Deps, 'db'>): Promise<Realm[]> => listUnsealedAcrossTenants(deps.db)

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
    if (deps.auditSeal.holds(realm, chain.head)) return { outcome: 'sealed_already' }
    // What was appended since; from here on nobody appends.
    await judgedChain(feedChain(tx, realm, { verifier, after: early.entries }))
    const verdict = judgeEnd(verifier.verdict(), chain.head)
    if (verdict.outcome !== 'whole') return refusedFor(verdict)
    await sealHead(tx, realm, deps.auditSeal.make(realm, chain.head))
    await appendAudit(tx, realm, {
      now,
      random: deps.random,
      seal: deps.auditSeal,
      events: [
        {
          action: 'audit.adopted',
          actor: { type: 'operator', id: 'cli' },
          object: { type: 'tenant', id: realm.tenantId },
        },
      ],
    })
    return { outcome: 'adopted', entries: verdict.entries }
  })
}

function refusedFor(verdict: Exclude<ScanVerdict, { outcome: 'whole' }>): Adoption {
  const at = verdict.outcome === 'untrusted' ? '' : `entry ${verdict.seq} `
  return { outcome: 'refused', problem: `${verdict.outcome}: ${at}${verdict.problem}` }
}
