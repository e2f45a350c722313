// Checkpoints that the service keeps itself: how each chain stands beside its last one, what was signed, and which chains
// have none.

import type { HeadWithMac } from '../../domain/audit/head-macs.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import type { Instant } from '../../domain/world.ts'
import type { Tx } from '../postgres/db.ts'

/** Under this name the job's runs are noted: a chain that was there at the last of them has a checkpoint. */
export const CHECKPOINT_JOB = 'keep-checkpoints'

export interface StandingChain extends Realm {
  /** null: there is none, though every chain begins with its tenant. */
  readonly head: HeadWithMac | null
  /** The newest checkpoint, and the bytes of the entry it covers last as they stand in the chain now. */
  readonly last: { readonly note: string; readonly entry: Buffer | null } | null
  /** It has no checkpoint, and should have. */
  readonly overdue: boolean
}

/** Every chain that should be there, whether anything of it is left or not. */
const CHAINS = `tenants t cross join (values ('test'), ('live')) as e (environment)
  left join audit_heads h on h.tenant_id = t.id and h.environment = e.environment`
/** An hour for tenants that were being made while the job ran: it may not have seen them. */
const OVERDUE = `t.created_at < coalesce(
  (select ran_at - interval '1 hour' from jobs where name = '${CHECKPOINT_JOB}'), $1)`
const LACKS_CHECKPOINT = `(${OVERDUE} and not exists (
  select from audit_checkpoints c where c.tenant_id = t.id and c.environment = e.environment))`
const WITHOUT_MAC = '(h.mac is null)'

/** All chains in a fixed order from behind `after` on. `dueSince`: what is older should have one, where no run is noted. */
export async function findChainsAcrossTenants(
  tx: Tx,
  page: { readonly after: Realm | null; readonly limit: number; readonly dueSince: Instant },
): Promise<StandingChain[]> {
  const rows = await tx.query<StandingRow>(
    {
      name: 'find_chains',
      text: `select t.id as "tenantId", e.environment, h.seq, h.hash, h.at, h.mac, c.note, a.bytes,
                    ${LACKS_CHECKPOINT} as overdue
             from ${CHAINS}
             left join lateral (select seq, note from audit_checkpoints
                                where tenant_id = t.id and environment = e.environment
                                order by seq desc limit 1) c on true
             left join audit_entries a on a.tenant_id = t.id and a.environment = e.environment and a.seq = c.seq
             where (t.id, e.environment) > ($2, $3) order by t.id, e.environment limit $4`,
    },
    [page.dueSince, page.after?.tenantId ?? '', page.after?.environment ?? '', page.limit],
  )
  return rows.map(({ tenantId, environment, note, bytes, overdue, ...head }) => ({
    tenantId,
    environment,
    head: head.seq === null ? null : head,
    last: note === null ? null : { note, entry: bytes },
    overdue,
  }))
}

type StandingRow = Realm & {
  readonly note: string | null
  readonly bytes: Buffer | null
  readonly overdue: boolean
} & (HeadWithMac | { readonly seq: null })

/** How many chains have no checkpoint although they should, and how many no MAC on their head, or no head. */
export async function countUnguardedAcrossTenants(
  tx: Tx,
  dueSince: Instant,
): Promise<{ readonly withoutCheckpoint: number; readonly withoutMac: number }> {
  const [row] = await tx.query<{ withoutCheckpoint: number; withoutMac: number }>(
    {
      name: 'count_unguarded_chains',
      text: `select count(*) filter (where ${LACKS_CHECKPOINT})::int as "withoutCheckpoint",
                    count(*) filter (where ${WITHOUT_MAC})::int as "withoutMac" from ${CHAINS}`,
    },
    [dueSince],
  )
  return row ?? { withoutCheckpoint: 0, withoutMac: 0 }
}

/** The same chains, one by one. */
export async function listUnguardedAcrossTenants(tx: Tx, dueSince: Instant): Promise<Realm[]> {
  return tx.query<Realm>(
    {
      name: 'list_unguarded_chains',
      text: `select t.id as "tenantId", e.environment from ${CHAINS}
             where ${WITHOUT_MAC} or ${LACKS_CHECKPOINT} order by t.id, e.environment`,
    },
    [dueSince],
  )
}

/** Whether this chain has no checkpoint although it should. */
export async function lacksCheckpoint(tx: Tx, realm: Realm, dueSince: Instant): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'lacks_audit_checkpoint',
      text: `select from ${CHAINS} where t.id = $2 and e.environment = $3 and ${LACKS_CHECKPOINT}`,
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
