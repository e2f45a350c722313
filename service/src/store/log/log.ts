// The log in the store: one head, whose row its one writer holds, and tiles that only grow.

import type { HeadWithMac } from '../../domain/audit/head-macs.ts'
import { keyOfTile, type TileName } from '../../domain/log/tiles.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import type { Instant } from '../../domain/world.ts'
import type { Tx } from '../postgres/db.ts'

/** The level under which the leaves themselves are kept. */
export const ENTRIES_LEVEL = -1

export interface StoredLogHead {
  readonly size: number
  /** null: nothing was signed yet; so is the note. */
  readonly origin: string | null
  readonly note: string | null
  /** Lines of witnesses under that note. */
  readonly cosignatures: string
  readonly signedAt: Instant | null
  /** Why nothing is appended any more. */
  readonly halted: string | null
}

const HEAD = 'select size, origin, note, cosignatures, signed_at as "signedAt", halted from log_heads'

export async function loadLogHead(tx: Tx): Promise<StoredLogHead> {
  return demandHead(await tx.query<StoredLogHead>({ name: 'load_log_head', text: HEAD }))
}

/** Until the transaction ends nobody else appends. */
export async function lockLog(tx: Tx): Promise<StoredLogHead> {
  return demandHead(await tx.query<StoredLogHead>({ name: 'lock_log_head', text: `${HEAD} for update` }))
}

function demandHead([row]: readonly StoredLogHead[]): StoredLogHead {
  if (row === undefined) throw new Error('the log has lost its head: restore it from a backup')
  return row
}

export async function saveLogHead(
  tx: Tx,
  head: { readonly size: number; readonly origin: string; readonly note: string; readonly at: Instant },
): Promise<void> {
  await tx.query(
    {
      name: 'save_log_head',
      text: `update log_heads set size = $1, origin = $2, note = $3, signed_at = $4, cosignatures = ''`,
    },
    [head.size, head.origin, head.note, head.at],
  )
}

/** Only under the note they were made for. */
export async function saveCosignatures(tx: Tx, note: string, lines: string): Promise<void> {
  await tx.query({ name: 'save_cosignatures', text: 'update log_heads set cosignatures = $2 where note = $1' }, [
    note,
    lines,
  ])
}

/** The first reason stands. */
export async function haltLog(tx: Tx, why: string): Promise<void> {
  await tx.query({ name: 'halt_log', text: 'update log_heads set halted = coalesce(halted, $1)' }, [why])
}

/** Bytes by `keyOfTile`; what is not there is left out. */
export async function loadTiles(tx: Tx, tiles: readonly TileName[]): Promise<Map<string, Buffer>> {
  if (tiles.length === 0) return new Map()
  const rows = await tx.query<TileName & { bytes: Buffer }>(
    {
      name: 'load_log_tiles',
      text: `select t.level, t.index, t.bytes from unnest($1::integer[], $2::bigint[]) as g (level, index)
             join log_tiles t on t.level = g.level and t.index = g.index`,
    },
    [tiles.map(({ level }) => level), tiles.map(({ index }) => index)],
  )
  return new Map(rows.map((row) => [keyOfTile(row), row.bytes]))
}

export async function saveTiles(tx: Tx, tiles: readonly (TileName & { readonly bytes: Uint8Array })[]): Promise<void> {
  await tx.query(
    {
      name: 'save_log_tiles',
      text: `insert into log_tiles (level, index, bytes) select * from unnest($1::integer[], $2::bigint[], $3::bytea[])
             on conflict (level, index) do update set bytes = excluded.bytes`,
    },
    [tiles.map(({ level }) => level), tiles.map(({ index }) => index), tiles.map(({ bytes }) => bytes)],
  )
}

export interface GrownChain {
  readonly realm: Realm
  readonly head: HeadWithMac
}

/** Chains that went further than the log knows. */
export async function findGrownChainsAcrossTenants(tx: Tx, rowsMax: number): Promise<GrownChain[]> {
  const rows = await tx.query<Realm & HeadWithMac>(
    {
      name: 'find_grown_chains',
      text: `select h.tenant_id as "tenantId", h.environment, h.seq, h.hash, h.at, h.mac from audit_heads h
             where h.mac is not null and h.seq > coalesce(
               (select max(l.seq) from log_chain_heads l where l.tenant_id = h.tenant_id and l.environment = h.environment), 0)
             limit $1`,
    },
    [rowsMax],
  )
  return rows.map(({ tenantId, environment, ...head }) => ({ realm: { tenantId, environment }, head }))
}

/** The newest head of this chain that stands in the log; null: none does. */
export async function loadLoggedHead(
  tx: Tx,
  realm: Realm,
): Promise<{ readonly seq: number; readonly leafIndex: number } | null> {
  const [row] = await tx.query<{ seq: number; leafIndex: number }>(
    {
      name: 'load_logged_head',
      text: `select seq, leaf_index as "leafIndex" from log_chain_heads
             where tenant_id = $1 and environment = $2 order by seq desc limit 1`,
    },
    [realm.tenantId, realm.environment],
  )
  return row ?? null
}

export async function insertLoggedHeads(
  tx: Tx,
  heads: readonly (Realm & { readonly seq: number; readonly leafIndex: number })[],
): Promise<void> {
  if (heads.length === 0) return
  await tx.query(
    {
      name: 'insert_logged_heads',
      text: `insert into log_chain_heads (tenant_id, environment, seq, leaf_index)
             select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])`,
    },
    [
      heads.map(({ tenantId }) => tenantId),
      heads.map(({ environment }) => environment),
      heads.map(({ seq }) => seq),
      heads.map(({ leafIndex }) => leafIndex),
    ],
  )
}

/** In the order of their ids, which are random: the log does not tell in which order things ended. */
export async function findUnloggedReceiptsAcrossTenants(
  tx: Tx,
  rowsMax: number,
): Promise<{ readonly verificationId: string; readonly jws: string }[]> {
  return tx.query(
    {
      name: 'find_unlogged_receipts',
      text: `select verification_id as "verificationId", jws from receipts where leaf_index is null
             order by verification_id limit $1`,
    },
    [rowsMax],
  )
}

export async function noteLoggedReceipts(
  tx: Tx,
  logged: readonly { readonly verificationId: string; readonly leafIndex: number }[],
): Promise<void> {
  if (logged.length === 0) return
  await tx.query(
    {
      name: 'note_logged_receipts',
      text: `update receipts r set leaf_index = g.leaf_index from unnest($1::text[], $2::bigint[]) as g (id, leaf_index)
             where r.verification_id = g.id`,
    },
    [logged.map(({ verificationId }) => verificationId), logged.map(({ leafIndex }) => leafIndex)],
  )
}
