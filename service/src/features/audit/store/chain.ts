// Appends to the audit chains. Lock order everywhere: business rows, then usage, then the audit head.

import type { AuditEvent } from '../../../core/ports/audit.ts'
import { type Closed, requireServed } from '../../../core/tenants/domain/closed.ts'
import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import { isOpen } from '../../../core/tenants/store/closed.ts'
import { SINGLY } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { defineFragment, type Fragment } from '../../../platform/postgres/fragments.ts'
import {
  type Column,
  namesOf,
  type ParameterList,
  runStatement,
  selectOf,
} from '../../../platform/postgres/statement.ts'
import type { Instant, Random } from '../../../platform/world.ts'
import { type AuditEntry, type AuditHead, commitmentTo, genesisHash, nextEntry } from '../domain/entry.ts'
import type { HeadMacs, HeadWithMac } from '../domain/head-macs.ts'

const SALT_BYTES = 32

/** A realm's trail whose last entry this transaction has locked. No other transaction appends until it ends. */
export interface LockedTrail {
  readonly realm: Realm
  readonly head: HeadWithMac
}

interface Append {
  readonly now: Instant
  readonly random: Random
  readonly events: readonly AuditEvent[]
  readonly macs: HeadMacs
}

/** Called once, when the tenant is created. Apart from an adoption, nothing else creates a MAC where there was none. */
export async function beginTrail(tx: Tx, realm: Realm, append: Append): Promise<void> {
  const { head } = await lockTrail(tx, realm, append.now)
  if (head.seq !== 0) throw new Error('bug: a new tenant whose audit chain has begun')
  const trail = { realm, head: { ...head, mac: append.macs.make(realm, head) } }
  await insertEntries(tx, makeEntries(trail, append))
}

/** The row lock serializes all writers. */
export async function lockTrail(tx: Tx, realm: Realm, now: Instant): Promise<LockedTrail> {
  const found = await selectHeadForUpdate(tx, realm)
  if (found !== null) return { realm, head: found }
  await ensureTrail(tx, realm, now)
  const locked = await selectHeadForUpdate(tx, realm)
  if (locked === null) throw new Error('bug: an audit head vanished')
  return { realm, head: locked }
}

/** Locks the trails of several realms, in the order of tenant ids, test before live. */
export async function lockTrails(
  tx: Tx,
  realms: readonly Realm[],
  now: Instant,
): Promise<ReadonlyMap<string, LockedTrail>> {
  const rows = await tx.query<Realm>(
    {
      name: 'lock_audit_heads',
      text: `select g.tenant_id as "tenantId", g.environment, ${trailColumns('h')}
             from (select * from unnest($1::text[], $2::text[]) as g (tenant_id, environment) order by 1, 2 desc) g
             left join lateral (select * from audit_heads a where a.tenant_id = g.tenant_id and a.environment = g.environment
               and ${isOpen('a')} for update offset 0) h on true`,
    },
    [realms.map(({ tenantId }) => tenantId), realms.map(({ environment }) => environment)],
  )
  const trails = new Map<string, LockedTrail>()
  for (const row of rows) trails.set(realmName(row), trailOf(row, row) ?? (await lockTrail(tx, row, now)))
  return trails
}

/**
 * Creates a missing head without a MAC, so that business continues. Later heads have no MAC either, until an operator
 * adopts the chain. Refuses if the tenant is not served here.
 */
export async function ensureTrail(tx: Tx, realm: Realm, now: Instant): Promise<void> {
  await tx.query(
    {
      name: 'insert_audit_head',
      text: `insert into audit_heads (tenant_id, environment, seq, hash, at) values ($1, $2, 0, $3, $4)
             on conflict do nothing`,
    },
    [realm.tenantId, realm.environment, genesisHash(realm), now],
  )
  const [head] = await tx.query<{ closed: Closed }>(
    {
      name: 'find_closed_of_trail',
      text: `select case when h.closed_until > clock_timestamp() then coalesce(t.moved_to, '') end as closed
             from audit_heads h join tenants t on t.id = h.tenant_id where h.tenant_id = $1 and h.environment = $2`,
    },
    [realm.tenantId, realm.environment],
  )
  requireServed(head?.closed ?? null)
}

interface PreparedEntry extends AuditEntry {
  readonly realm: Realm
  readonly objectId: string
  /** The partition of its details. */
  readonly day: number
  readonly salt: Uint8Array | null
  readonly details: string | null
}

interface NextHead {
  readonly last: PreparedEntry
  readonly mac: Uint8Array | null
}

/** Entries to write, for realms whose trails are locked. */
export interface NewEntries {
  readonly entries: readonly PreparedEntry[]
  /** The new end of each chain. */
  readonly heads: readonly NextHead[]
}

/** Creates the entries without writing them, so that a caller can use their times first. */
export function makeEntries({ realm, head: before }: LockedTrail, append: Append): NewEntries {
  let head: AuditHead = before
  const entries = append.events.map((event) => {
    const salt = event.details === undefined ? null : append.random(SALT_BYTES)
    const commitment = event.details === undefined || salt === null ? null : commitmentTo(event.details, salt)
    const entry = nextEntry(realm, head, { event, now: append.now, commitment })
    head = entry
    const details = event.details === undefined ? null : JSON.stringify(event.details)
    return { ...entry, realm, objectId: event.object.id, day: event.day ?? SINGLY, salt, details }
  })
  const last = entries.at(-1)
  const heads = last === undefined ? [] : [{ last, mac: append.macs.follow(realm, before, last) }]
  return { entries, heads }
}

/** Entries of several realms, to be written by one statement. */
export const joinEntries = (all: readonly NewEntries[]): NewEntries => ({
  entries: all.flatMap(({ entries }) => entries),
  heads: all.flatMap(({ heads }) => heads),
})

export async function insertEntries(tx: Tx, appended: NewEntries): Promise<void> {
  if (appended.entries.length > 0) await runStatement(tx, APPEND, appended)
}

/**
 * SQL that locks the trails of tenants, always in the same order. `tenants` is a query of `tenant_id`. A lateral join
 * looks up each trail, so that the planner does not read all of them.
 */
export const lockingTrails = (tenants: string, environment: string, onLock: '' | 'skip locked') =>
  `select h.tenant_id, h.seq, h.hash, h.at, h.mac from (select distinct tenant_id from (${tenants}) t order by 1) t
   cross join lateral (select * from audit_heads a where a.tenant_id = t.tenant_id and a.environment = ${environment}
     and ${isOpen('a')} for update ${onLock} offset 0) h`

/** SQL for the columns that `trailOf` reads, from a `lockingTrails` query with this name. */
export const trailColumns = (name: string) =>
  `${name}.seq as "trailSeq", ${name}.hash as "trailHash", ${name}.at as "trailAt", ${name}.mac as "trailMac"`

/** Reads a row with these columns; null if the realm has no trail. */
export function trailOf({ tenantId, environment }: Realm, row: object): LockedTrail | null {
  const { trailSeq: seq, trailHash: hash, trailAt: at, trailMac: mac } = row as TrailRow
  return seq === null ? null : { realm: { tenantId, environment }, head: { seq, hash, at, mac } }
}

interface TrailRow {
  readonly trailSeq: number | null
  readonly trailHash: Uint8Array
  readonly trailAt: Instant
  readonly trailMac: Uint8Array | null
}

/** SQL condition: all these trails are locked under this name, and have the remembered heads. */
export function trailsUnchanged<Input>(
  name: string,
  parameters: ParameterList<Input>,
  trailsOf: (input: Input) => readonly LockedTrail[],
): string {
  const remembered = parameters.rows(TRAIL, trailsOf)
  return `not exists (
    select from ${remembered.unnest('remembered')} left join ${name} found
      on found.tenant_id = remembered.tenant_id and found.seq = remembered.seq and found.hash = remembered.hash
      and found.at = remembered.at and found.mac is not distinct from remembered.mac
    where found.tenant_id is null)`
}

const TRAIL: readonly Column<LockedTrail>[] = [
  { name: 'tenant_id', type: 'text', get: ({ realm }) => realm.tenantId },
  { name: 'seq', type: 'bigint', get: ({ head }) => head.seq },
  { name: 'hash', type: 'bytea', get: ({ head }) => head.hash },
  { name: 'at', type: 'timestamptz', get: ({ head }) => head.at },
  { name: 'mac', type: 'bytea', get: ({ head }) => head.mac },
]

const ENTRY: readonly Column<PreparedEntry>[] = [
  { name: 'tenant_id', type: 'text', get: ({ realm }) => realm.tenantId },
  { name: 'environment', type: 'text', get: ({ realm }) => realm.environment },
  { name: 'seq', type: 'bigint', get: (entry) => entry.seq },
  { name: 'object_id', type: 'text', get: (entry) => entry.objectId },
  { name: 'day', type: 'integer', get: (entry) => entry.day },
]
const BYTES: readonly Column<PreparedEntry>[] = [
  { name: 'bytes', type: 'bytea', get: (entry) => entry.bytes },
  { name: 'hash', type: 'bytea', get: (entry) => entry.hash },
]
const DETAILS: readonly Column<PreparedEntry>[] = [
  { name: 'salt', type: 'bytea', get: (entry) => entry.salt },
  { name: 'details', type: 'jsonb', get: (entry) => entry.details },
]
const HEAD: readonly Column<NextHead>[] = [
  { name: 'tenant_id', type: 'text', get: ({ last }) => last.realm.tenantId },
  { name: 'environment', type: 'text', get: ({ last }) => last.realm.environment },
  { name: 'seq', type: 'bigint', get: ({ last }) => last.seq },
  { name: 'hash', type: 'bytea', get: ({ last }) => last.hash },
  { name: 'at', type: 'timestamptz', get: ({ last }) => last.at },
  { name: 'mac', type: 'bytea', get: ({ mac }) => mac },
]

/** Appends entries. The caller has locked the trails. */
export const APPENDING: Fragment<NewEntries> = {
  name: 'append_audit',
  ctes(parameters) {
    const rows = parameters.rows([...ENTRY, ...BYTES, ...DETAILS], ({ entries }) => entries)
    const heads = parameters.rows(HEAD, (appended) => appended.heads)
    parameters.ofDays(({ entries }) => entries.filter(({ salt }) => salt !== null).map(({ day }) => day))
    return `appended as (
            select * from ${rows.unnest('g')}
          ), entries as (
            insert into audit_entries (${namesOf([...ENTRY, ...BYTES])})
            select ${selectOf([...ENTRY, ...BYTES])} from appended
          ), details as (
            insert into audit_details (${namesOf([...ENTRY, ...DETAILS])})
            select ${selectOf([...ENTRY, ...DETAILS])} from appended where salt is not null
          ), heads as (
            update audit_heads h set seq = n.seq, hash = n.hash, at = n.at, mac = n.mac from ${heads.unnest('n')}
            where h.tenant_id = n.tenant_id and h.environment = n.environment
          )`
  },
}

const APPEND = defineFragment(APPENDING)

/** Changes only the MAC. The caller has locked the chain. */
export async function writeHeadMac(tx: Tx, realm: Realm, mac: Uint8Array): Promise<void> {
  await tx.query(
    { name: 'write_audit_head_mac', text: 'update audit_heads set mac = $3 where tenant_id = $1 and environment = $2' },
    [realm.tenantId, realm.environment, mac],
  )
}

async function selectHeadForUpdate(tx: Tx, realm: Realm): Promise<HeadWithMac | null> {
  const [row] = await tx.query<HeadWithMac>(
    {
      name: 'lock_audit_head',
      text: `select h.seq, h.hash, h.at, h.mac from audit_heads h
             where h.tenant_id = $1 and h.environment = $2 and ${isOpen('h')} for update`,
    },
    [realm.tenantId, realm.environment],
  )
  return row ?? null
}
