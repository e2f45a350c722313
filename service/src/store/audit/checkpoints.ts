// Checkpoints that the service keeps itself: how each chain stands beside its last one, what was signed, and which chains
// have none.

import type { SealedHead } from '../../domain/audit/head-seal.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import type { Environment, Instant } from '../../domain/world.ts'
import type { Tx } from '../postgres/db.ts'

/** Under this name the job's runs are noted: a chain that was there at the last of them has a checkpoint. */
export const CHECKPOINT_JOB = 'keep-checkpoints'

export interface StandingChain extends Realm {
  readonly head: SealedHead
  /** The newest checkpoint, and the bytes of the entry it covers last as they stand in the chain now. */
  readonly last: { readonly note: string; readonly entry: Buffer | null } | null
  /** It has no checkpoint, and should have. */
  readonly overdue: boolean
}

const OVERDUE = `t.created_at < coalesce((select ran_at from jobs where name = '${CHECKPOINT_JOB}'), $1)`

/** Chains that have begun, in a fixed order from behind `after` on. `dueSince`: what is older should have one, where no run is noted. */
export async function findChainsAcrossTenants(
  tx: Tx,
  page: { readonly after: Realm | null; readonly limit: number; readonly dueSince: Instant },
): Promise<StandingChain[]> {
  const rows = await tx.query<
    SealedHead & {
      tenant_id: string
      environment: Environment
      note: string | null
      bytes: Buffer | null
      overdue: boolean
    }
  >(
    {
      name: 'find_chains',
      text: `select h.tenant_id, h.environment, h.seq, h.hash, h.at, h.mac, c.note, e.bytes,
                    c.note is null and ${OVERDUE} as overdue
             from audit_heads h join tenants t on t.id = h.tenant_id
             left join lateral (select seq, note from audit_checkpoints
                                where tenant_id = h.tenant_id and environment = h.environment
                                order by seq desc limit 1) c on true
             left join audit_entries e on e.tenant_id = h.tenant_id and e.environment = h.environment and e.seq = c.seq
             where (h.tenant_id, h.environment) > ($2, $3) and (h.seq > 0 or c.note is not null)
             order by h.tenant_id, h.environment limit $4`,
    },
    [page.dueSince, page.after?.tenantId ?? '', page.after?.environment ?? '', page.limit],
  )
  return rows.map(({ tenant_id, environment, note, bytes, overdue, ...head }) => ({
    tenantId: tenant_id,
    environment,
    head,
    last: note === null ? null : { note, entry: bytes },
    overdue,
  }))
}

/** How many chains have entries and no checkpoint although they should, and how many have no seal on their head. */
export async function countUnguardedAcrossTenants(
  tx: Tx,
  dueSince: Instant,
): Promise<{ readonly withoutCheckpoint: number; readonly withoutSeal: number }> {
  const [row] = await tx.query<{ withoutCheckpoint: number; withoutSeal: number }>(
    {
      name: 'count_unguarded_chains',
      text: `select count(*) filter (where ${OVERDUE} and not exists (
                      select from audit_checkpoints c
                      where c.tenant_id = h.tenant_id and c.environment = h.environment))::int as "withoutCheckpoint",
                    count(*) filter (where h.mac is null)::int as "withoutSeal"
             from audit_heads h join tenants t on t.id = h.tenant_id where h.seq > 0`,
    },
    [dueSince],
  )
  return row ?? { withoutCheckpoint: 0, withoutSeal: 0 }
}

/** The same of one chain. */
export async function lacksCheckpoint(tx: Tx, realm: Realm, dueSince: Instant): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'lacks_audit_checkpoint',
      text: `select from audit_heads h join tenants t on t.id = h.tenant_id
             where h.tenant_id = $2 and h.environment = $3 and h.seq > 0 and ${OVERDUE} and not exists (
               select from audit_checkpoints c where c.tenant_id = h.tenant_id and c.environment = h.environment)`,
    },
    [dueSince, realm.tenantId, realm.environment],
  )
  return rows.length === 1
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
