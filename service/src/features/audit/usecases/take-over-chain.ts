// Checks the copy of an audit chain in another installation, for a tenant that moves, and protects it there.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { AuditHead } from '../domain/entry.ts'
import { createChainVerifier } from '../domain/verify-chain.ts'
import { writeHeadMac } from '../store/chain.ts'
import { loadAuditHead } from '../store/trail.ts'
import { feedChain, judgeEnd } from './scan-chain.ts'

/** Reads a chain in steps, so that only its newest entries are left to read once it no longer grows. */
export interface ChainCopy {
  /** Reads the entries that were added since. */
  read(): Promise<void>
  /** What is wrong with the copy, read to its end; null: it is whole, and ends with the head of the original. */
  findProblem(original: AuditHead): Promise<string | null>
}

export function createChainCopy({ db }: Pick<Deps, 'db'>, realm: Realm): ChainCopy {
  const verifier = createChainVerifier(realm, [])
  let after = 0
  async function read(): Promise<void> {
    for await (const { seq } of feedChain(db, realm, { verifier, after })) after = seq
  }
  return {
    read,
    async findProblem(original) {
      await read()
      const head = await loadAuditHead(db, realm)
      const verdict = judgeEnd(verifier.verdict(), head)
      if (verdict.outcome !== 'whole') return `entry ${verdict.seq} ${verdict.problem}`
      const isSame =
        head?.seq === original.seq && Buffer.from(original.hash).equals(head.hash) && head.at === original.at
      return isSame ? null : 'the copy ends with another entry than the original'
    },
  }
}

/** The head of a chain whose MAC is this installation's; null: it has none, so nothing shows that the chain is genuine. */
export async function loadGuardedHead(deps: Pick<Deps, 'db' | 'audit'>, realm: Realm): Promise<AuditHead | null> {
  const head = await loadAuditHead(deps.db, realm)
  return head !== null && deps.audit.macs.holds(realm, head) ? head : null
}

/** The copy was checked against the original, whose MAC was valid: from now on it has one of this installation. */
export async function guardCopy(deps: Pick<Deps, 'audit'>, tx: Tx, realm: Realm, head: AuditHead): Promise<void> {
  await writeHeadMac(tx, realm, deps.audit.macs.make(realm, head))
}
