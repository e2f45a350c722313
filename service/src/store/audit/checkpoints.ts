// Checkpoints that the service keeps itself: which chains have moved on from their last one, and what was signed.

import type { AuditHead } from '../../domain/audit/entry.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import type { Environment } from '../../domain/world.ts'
import type { Tx } from '../postgres/db.ts'

export interface MovedChain extends Realm {
  readonly head: AuditHead
  /** The newest checkpoint, and the bytes of the entry it covers last as they stand in the chain now. */
  readonly last: { readonly note: string; readonly entry: Buffer | null } | null
}

/** Chains that do not end where their last checkpoint does, in a fixed order from behind `after` on: grown, or cut off. */
export async function findMovedChainsAcrossTenants(
  tx: Tx,
  page: { readonly after: Realm | null; readonly limit: number },
): Promise<MovedChain[]> {
  const rows = await tx.query<
    AuditHead & { tenant_id: string; environment: Environment; note: string | null; bytes: Buffer | null }
  >(
    {
      name: 'find_moved_chains',
      text: `select h.tenant_id, h.environment, h.seq, h.hash, h.at, c.note, e.bytes
             from audit_heads h
             left join lateral (select seq, note from audit_checkpoints
                                where tenant_id = h.tenant_id and environment = h.environment
                                order by seq desc limit 1) c on true
             left join audit_entries e on e.tenant_id = h.tenant_id and e.environment = h.environment and e.seq = c.seq
             where (h.tenant_id, h.environment) > ($1, $2) and h.seq <> coalesce(c.seq, 0)
             order by h.tenant_id, h.environment limit $3`,
    },
    [page.after?.tenantId ?? '', page.after?.environment ?? '', page.limit],
  )
  return rows.map(({ tenant_id, environment, note, bytes, seq, hash, at }) => ({
    tenantId: tenant_id,
    environment,
    head: { seq, hash, at },
    last: note === null ? null : { note, entry: bytes },
  }))
}

/** One that another replica made over the same entries stays. */
export async function insertCheckpoint(
  tx: Tx,
  realm: Realm,
  made: { readonly seq: number; readonly note: string },
): Promise<void> {
  await tx.query(
    {
      name: 'insert_audit_checkpoint',
      text: `insert into audit_checkpoints (tenant_id, environment, seq, note) values ($1, $2, $3, $4)
             on conflict do nothing`,
    },
    [realm.tenantId, realm.environment, made.seq, made.note],
  )
}

/** Oldest first. */
export async function listCheckpoints(tx: Tx, realm: Realm): Promise<{ seq: number; note: string }[]> {
  return tx.query(
    {
      name: 'list_audit_checkpoints',
      text: 'select seq, note from audit_checkpoints where tenant_id = $1 and environment = $2 order by seq',
    },
    [realm.tenantId, realm.environment],
  )
}

/** One that was signed here, whichever it is; null where there is none. */
export async function findAnyCheckpointAcrossTenants(tx: Tx): Promise<string | null> {
  const [row] = await tx.query<{ note: string }>({
    name: 'find_any_checkpoint',
    text: 'select note from audit_checkpoints limit 1',
  })
  return row?.note ?? null
}
