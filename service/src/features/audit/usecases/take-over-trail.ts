// Verifies the copied audit trail of a tenant that moves, in the other installation, and writes the MAC there.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { AuditHead } from '../domain/entry.ts'
import { createChainVerifier } from '../domain/verify-chain.ts'
import { writeHeadMac } from '../store/chain.ts'
import { loadAuditHead } from '../store/trail.ts'
import { feedChain, judgeEnd } from './scan-chain.ts'

type Needs = Pick<Deps, 'db' | 'audit'>

/** Verifies a copied trail in steps. So only its newest entries are left to verify once the original is closed. */
export interface TrailCopy {
  /** Reads the entries that were added since the last call. */
  read(): Promise<void>
  /** Reads the rest of the copy. null if the copy is whole and ends like the original, whose MAC is valid. */
  findProblem(): Promise<string | null>
  /** Writes a MAC of the other installation for the end that `findProblem` accepted. */
  guard(tx: Tx): Promise<void>
}

export function createTrailCopy(source: Needs, target: Needs, realm: Realm): TrailCopy {
  const verifier = createChainVerifier(realm, [])
  let after = 0
  let accepted: AuditHead | null = null
  async function read(): Promise<void> {
    for await (const { seq } of feedChain(target.db, realm, { verifier, after })) after = seq
  }
  async function findProblem(): Promise<string | null> {
    const original = await loadGuardedHead(source, realm)
    if (original === null) return 'its head has no MAC of this installation'
    await read()
    const head = await loadAuditHead(target.db, realm)
    const verdict = judgeEnd(verifier.verdict(), head)
    if (verdict.outcome !== 'whole') return `entry ${verdict.seq} ${verdict.problem}`
    const isSame = head?.seq === original.seq && Buffer.from(original.hash).equals(head.hash) && head.at === original.at
    if (!isSame) return 'the copy ends with another entry than the original'
    accepted = original
    return null
  }
  return {
    read,
    findProblem,
    async guard(tx) {
      if (accepted === null) throw new Error('bug: the copy of a trail was not verified')
      await writeHeadMac(tx, realm, target.audit.macs.make(realm, accepted))
    },
  }
}

/** Whether the trail's head has a valid MAC of this installation, which proves that it is genuine. */
export const isTrailGuarded = async (deps: Needs, realm: Realm): Promise<boolean> =>
  (await loadGuardedHead(deps, realm)) !== null

async function loadGuardedHead({ db, audit }: Needs, realm: Realm): Promise<AuditHead | null> {
  const head = await loadAuditHead(db, realm)
  return head !== null && audit.macs.holds(realm, head) ? head : null
}
