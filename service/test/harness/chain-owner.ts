// Changes an audit chain like an attacker who owns the database and can change everything except signatures.

import type { Realm } from '../../src/core/tenants/domain/realm.ts'
import { entryHash, genesisHash } from '../../src/features/audit/domain/entry.ts'
import { canonicalJson } from '../../src/platform/canonical-json.ts'
import type { Db, Tx } from '../../src/platform/postgres/db.ts'

export function chainOwner(db: Db) {
  /** Runs `work` as the owner of the database, with triggers off. */
  async function asOwner(work: (tx: Tx) => Promise<void>): Promise<void> {
    await db.transaction(async (tx) => {
      const guards = async (word: 'disable' | 'enable') => {
        for (const table of ['audit_entries', 'audit_checkpoints', 'log_chain_heads', 'log_blinded_heads'])
          await tx.query({ name: `test_${word}_${table}`, text: `alter table ${table} ${word} trigger user` })
      }
      await guards('disable')
      await work(tx)
      await guards('enable')
    })
  }

  /** Changes the purpose of an entry, and adapts all later entries and the head. */
  async function rewriteChain(realm: Realm, from: number): Promise<void> {
    const at = [realm.tenantId, realm.environment]
    await asOwner(async (tx) => {
      const rows = await tx.query<{ seq: number; bytes: Buffer }>(
        {
          name: 'test_entries',
          text: 'select seq, bytes from audit_entries where tenant_id = $1 and environment = $2 order by seq',
        },
        at,
      )
      let hash = genesisHash(realm)
      for (const { seq, bytes } of rows) {
        const entry = JSON.parse(bytes.toString('utf8'))
        const actor = seq === from ? { type: 'system', id: 'nobody' } : entry.actor
        const text = Buffer.from(canonicalJson({ ...entry, actor, prev: hash.toString('hex') }), 'utf8')
        hash = entryHash(text)
        await tx.query(
          {
            name: 'test_rewrite',
            text: 'update audit_entries set bytes = $4, hash = $5 where tenant_id = $1 and environment = $2 and seq = $3',
          },
          [...at, seq, text, hash],
        )
      }
      await tx.query(
        {
          name: 'test_rewrite_head',
          text: 'update audit_heads set hash = $3 where tenant_id = $1 and environment = $2',
        },
        [...at, hash],
      )
    })
  }

  async function cutOff(realm: Realm, seq: number): Promise<void> {
    await asOwner(async (tx) => {
      for (const table of ['audit_entries', 'audit_details']) {
        const text = `delete from ${table} where tenant_id = $1 and environment = $2 and seq > $3`
        await tx.query({ name: `test_cut_${table}`, text }, [realm.tenantId, realm.environment, seq])
      }
      await tx.query(
        {
          name: 'test_cut_head',
          text: `update audit_heads h set seq = e.seq, hash = e.hash from audit_entries e
                 where h.tenant_id = $1 and h.environment = $2 and e.tenant_id = $1 and e.environment = $2 and e.seq = $3`,
        },
        [realm.tenantId, realm.environment, seq],
      )
    })
  }

  return { asOwner, rewriteChain, cutOff }
}
