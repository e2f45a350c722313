// Lists the audit chains with their checkpoints, and finds chains that lack one.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { NoteOverEntry } from '../domain/checkpoint.ts'
import type { HeadWithMac } from '../domain/head-macs.ts'
import { type LoggedHeadIndex, newestLogged } from './logged-heads.ts'

export interface ListedChain extends Realm {
  /** null if the head is missing: every chain has one from its tenant's creation on. */
  readonly head: HeadWithMac | null
  /** The newest note from before the log. */
  readonly note: NoteOverEntry | null
  /** The newest head of the chain in a log of the requested size, as the store records it; null if there is none. */
  readonly logged: LoggedHeadIndex | null
  /** Whether the chain lacks a checkpoint although it should have one. */
  readonly overdue: boolean
}

/** All chains that should exist, even if their rows are gone; but not copies of tenants that were not opened here. */
const CHAINS = `tenants t join (values ('test'), ('live')) as e (environment)
    on t.closed_until is distinct from 'infinity' or t.moved_from is null or t.moved_to is not null or t.arrived_at is not null
  left join audit_heads h on h.tenant_id = t.id and h.environment = e.environment`
/**
 * A tenant younger than an hour at the last run is not overdue, because that run may have missed it. Releases before
 * the log signed checkpoints in the job `keep-checkpoints`.
 */
const OVERDUE = `t.created_at < coalesce(greatest(
  (select complete_at from log_heads), (select ran_at from jobs where name = 'keep-checkpoints')) - interval '1 hour', $1)`
/** SQL condition for `t` in `e`. If no run is recorded, tenants created before `$1` should have a checkpoint. */
export const LACKS_CHECKPOINT = `(${OVERDUE} and not exists (
    select from log_chain_heads c where c.tenant_id = t.id and c.environment = e.environment)
  and not exists (
    select from log_blinded_heads c where c.tenant_id = t.id and c.environment = e.environment)
  and not exists (
    select from audit_checkpoints c where c.tenant_id = t.id and c.environment = e.environment))`
/** SQL for the newest `note` of `t` in `e`, and the `bytes` of the last entry that it covers. */
export const NEWEST_NOTE = `select k.note, a.bytes from audit_checkpoints k
  left join audit_entries a on a.tenant_id = k.tenant_id and a.environment = k.environment and a.seq = k.seq
  where k.tenant_id = t.id and k.environment = e.environment order by k.seq desc limit 1`
const WITHOUT_MAC = '(h.mac is null)'

/** Lists all chains in a fixed order, starting after `after`. */
export async function findChainsAcrossTenants(
  tx: Tx,
  page: {
    readonly after: Realm | null
    readonly limit: number
    readonly dueSince: Instant
    /** The number of leaves in the log. */
    readonly size: number
  },
): Promise<ListedChain[]> {
  const rows = await tx.query<ChainRow>(
    {
      name: 'find_chains',
      text: `select t.id as "tenantId", e.environment, h.seq, h.hash, h.at, h.mac, c.note, c.bytes,
                    l.seq as "loggedSeq", l.leaf_index as "leafIndex", l.ordinal, ${LACKS_CHECKPOINT} as overdue
             from ${CHAINS}
             left join lateral (${NEWEST_NOTE}) c on true
             left join lateral (${newestLogged({ tenantId: 't.id', environment: 'e.environment', size: '$5' })}) l on true
             where (t.id, e.environment) > ($2, $3) order by t.id, e.environment limit $4`,
    },
    [page.dueSince, page.after?.tenantId ?? '', page.after?.environment ?? '', page.limit, page.size],
  )
  return rows.map(({ tenantId, environment, note, bytes, loggedSeq, leafIndex, ordinal, overdue, ...head }) => ({
    tenantId,
    environment,
    head: head.seq === null ? null : head,
    note: note === null ? null : { note, entry: bytes },
    logged: loggedSeq === null ? null : { seq: loggedSeq, leafIndex, ordinal },
    overdue,
  }))
}

type ChainRow = Realm & {
  readonly note: string | null
  readonly bytes: Buffer | null
  readonly loggedSeq: number | null
  readonly leafIndex: number
  readonly ordinal: number | null
  readonly overdue: boolean
} & (HeadWithMac | { readonly seq: null })

/** Counts chains that lack a checkpoint although they should have one, and chains without a head or a MAC on it. */
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

/** Lists the chains that `countUnguardedAcrossTenants` counts. */
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

/** Whether this chain lacks a checkpoint although it should have one. */
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

/** Notes from before the log, oldest first. */
export async function listCheckpoints(tx: Tx, realm: Realm): Promise<{ seq: number; note: string }[]> {
  return tx.query(
    {
      name: 'list_audit_checkpoints',
      text: 'select seq, note from audit_checkpoints where tenant_id = $1 and environment = $2 order by seq',
    },
    [realm.tenantId, realm.environment],
  )
}

/** Any checkpoint that this service signed; null if there is none. */
export async function findAnyCheckpointAcrossTenants(tx: Tx): Promise<string | null> {
  const [row] = await tx.query<{ note: string }>({
    name: 'find_any_checkpoint',
    text: 'select note from audit_checkpoints limit 1',
  })
  return row?.note ?? null
}
