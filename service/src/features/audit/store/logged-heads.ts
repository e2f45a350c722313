// The positions of chain heads in the log, blinded and from before blinding.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { JudgedLog } from '../domain/judged-log.ts'

export interface LoggedHeadIndex {
  readonly seq: number
  /** For a blinded head, the position of its commitment. */
  readonly leafIndex: number
  /** The ordinal of the blinded head; null if it is from before blinding. */
  readonly ordinal: number | null
}

/** SQL expressions for the realm. */
interface RealmSql {
  readonly tenantId: string
  readonly environment: string
}

/** SQL for `seq`, `leaf_index` and `ordinal` of a chain's newest head in a log of `size` leaves. */
export const newestLogged = ({ tenantId, environment, size }: RealmSql & { readonly size: string }) =>
  `select n.seq, n.leaf_index, n.ordinal from (
     (select p.seq, p.leaf_index, null::bigint as ordinal from log_chain_heads p
      where p.tenant_id = ${tenantId} and p.environment = ${environment} and p.leaf_index < ${size} order by p.seq desc limit 1)
     union all
     (select p.seq, p.leaf_index, p.ordinal from log_blinded_heads p
      where p.tenant_id = ${tenantId} and p.environment = ${environment} and p.leaf_index < ${size} order by p.ordinal desc limit 1)
   ) n order by n.leaf_index desc limit 1`

export const nextOrdinal = ({ tenantId, environment }: RealmSql) =>
  `select coalesce(max(p.ordinal) + 1, 0) from log_blinded_heads p
   where p.tenant_id = ${tenantId} and p.environment = ${environment}`

/** The position of this chain's newest head in a log of `size` leaves; null if there is none. */
export async function loadLoggedHead(tx: Tx, realm: Realm, size: number): Promise<LoggedHeadIndex | null> {
  const [row] = await tx.query<LoggedHeadIndex>(
    {
      name: 'load_logged_head',
      text: `select l.seq, l.leaf_index as "leafIndex", l.ordinal
             from (${newestLogged({ tenantId: '$1', environment: '$2', size: '$3' })}) l`,
    },
    [realm.tenantId, realm.environment, size],
  )
  return row ?? null
}

export async function insertBlindedHeads(
  tx: Tx,
  heads: readonly (Realm & { readonly ordinal: number; readonly seq: number; readonly leafIndex: number })[],
): Promise<void> {
  if (heads.length === 0) return
  await tx.query(
    {
      name: 'insert_blinded_heads',
      text: `insert into log_blinded_heads (tenant_id, environment, ordinal, seq, leaf_index)
             select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])`,
    },
    [
      heads.map(({ tenantId }) => tenantId),
      heads.map(({ environment }) => environment),
      heads.map(({ ordinal }) => ordinal),
      heads.map(({ seq }) => seq),
      heads.map(({ leafIndex }) => leafIndex),
    ],
  )
}

/** The record of the last check of all chains, with its MAC. */
export async function loadJudgedLog(tx: Tx): Promise<{ readonly log: JudgedLog; readonly mac: Buffer | null }> {
  const [row] = await tx.query<JudgedLog & { readonly mac: Buffer | null }>({
    name: 'load_judged_log',
    text: 'select judged_size as size, changed_chains as changed, judged_mac as mac from log_heads',
  })
  const { mac, ...log } = row ?? { size: 0, changed: [], mac: null }
  return { log, mac }
}

/** How many heads a check from `judgedSize` on keeps in memory, and how many entries and chains there are. */
export async function countForCheckAcrossTenants(
  tx: Tx,
  judgedSize: number,
): Promise<{ readonly heads: number; readonly entries: number; readonly chains: number }> {
  const [row] = await tx.query<{ heads: number; entries: number; chains: number }>(
    {
      name: 'count_for_check',
      text: `select (select count(*) from log_chain_heads)
                      + (select count(*) from log_blinded_heads where leaf_index >= $1) as heads,
                    h.entries, h.chains
             from (select coalesce(sum(seq), 0)::bigint as entries, count(*) as chains from audit_heads) h`,
    },
    [judgedSize],
  )
  return row ?? { heads: 0, entries: 0, chains: 0 }
}

export async function saveJudgedLog(tx: Tx, { size, changed }: JudgedLog, mac: Buffer): Promise<void> {
  const text = 'update log_heads set judged_size = $1, changed_chains = $2, judged_mac = $3'
  await tx.query({ name: 'save_judged_log', text }, [size, changed, mac])
}
