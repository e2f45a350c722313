// The audit chains. Appending locks the chain's head: call it as the last step before commit
// (lock order everywhere: business rows, then usage, then the audit head).

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import {
  type Column,
  defineStatement,
  namesOf,
  type ParameterList,
  runStatement,
  selectOf,
} from '../../../platform/postgres/statement.ts'
import type { Instant, Random } from '../../../platform/world.ts'
import {
  type AuditEntry,
  type AuditEvent,
  type AuditHead,
  commitmentTo,
  genesisHash,
  nextEntry,
} from '../domain/entry.ts'
import type { HeadMacs, HeadWithMac } from '../domain/head-macs.ts'

const SALT_BYTES = 32

/** A chain whose head this transaction holds: nobody else appends until it ends. */
export interface LockedChain {
  readonly realm: Realm
  readonly head: HeadWithMac
}

export interface Append {
  readonly now: Instant
  readonly random: Random
  readonly events: readonly AuditEvent[]
}

/** Locks the chain and appends: the usual way. Gives the time each entry bears, in order. */
export async function appendAudit(
  tx: Tx,
  realm: Realm,
  append: Append & { readonly headMacs: HeadMacs },
): Promise<Instant[]> {
  const chain = await lockChain(tx, realm, append.now)
  const entries = makeEntries(chain, append)
  await insertEntries(tx, chain, { entries, headMacs: append.headMacs })
  return entries.map((entry) => entry.at)
}

/** With its tenant, and never again: nothing but this makes a MAC where none stood before. */
export async function beginChain(
  tx: Tx,
  realm: Realm,
  append: Append & { readonly headMacs: HeadMacs },
): Promise<void> {
  const { head } = await lockChain(tx, realm, append.now)
  if (head.seq !== 0) throw new Error('bug: a new tenant whose audit chain has begun')
  const chain = { realm, head: { ...head, mac: append.headMacs.make(realm, head) } }
  await insertEntries(tx, chain, { entries: makeEntries(chain, append), headMacs: append.headMacs })
}

/** The row lock orders all who append. */
export async function lockChain(tx: Tx, realm: Realm, now: Instant): Promise<LockedChain> {
  const found = await selectHeadForUpdate(tx, realm)
  if (found !== null) return { realm, head: found }
  await ensureHead(tx, realm, now)
  const made = await selectHeadForUpdate(tx, realm)
  if (made === null) throw new Error('bug: an audit head vanished')
  return { realm, head: made }
}

/** Somebody has removed the head under the service: a chain whose head has no MAC is begun beside the business, which goes on. */
export class ChainMissing extends Error {
  override readonly name = 'ChainMissing'
}

/** Without a MAC: what follows has none either, until an operator adopts it. */
export async function ensureHead(tx: Tx, realm: Realm, now: Instant): Promise<void> {
  await tx.query(
    {
      name: 'insert_audit_head',
      text: `insert into audit_heads (tenant_id, environment, seq, hash, at) values ($1, $2, 0, $3, $4)
             on conflict do nothing`,
    },
    [realm.tenantId, realm.environment, genesisHash(realm), now],
  )
}

export interface PreparedEntry extends AuditEntry {
  readonly realm: Realm
  readonly objectId: string
  readonly salt: Uint8Array | null
  readonly details: string | null
}

/** Pure: what would be appended, so that a caller can use the entries' times before writing them. */
export function makeEntries(chain: LockedChain, append: Append): PreparedEntry[] {
  let head: AuditHead = chain.head
  return append.events.map((event) => {
    const salt = event.details === undefined ? null : append.random(SALT_BYTES)
    const commitment = event.details === undefined || salt === null ? null : commitmentTo(event.details, salt)
    const entry = nextEntry(chain.realm, head, { event, now: append.now, commitment })
    head = entry
    const details = event.details === undefined ? null : JSON.stringify(event.details)
    return { ...entry, realm: chain.realm, objectId: event.object.id, salt, details }
  })
}

export async function insertEntries(
  tx: Tx,
  chain: LockedChain,
  append: { readonly entries: readonly PreparedEntry[]; readonly headMacs: HeadMacs },
): Promise<void> {
  const { entries } = append
  const head = nextHead(append.headMacs, chain, entries)
  if (head !== null) await runStatement(tx, APPEND, { entries, heads: [head] })
}

/** Where a chain ends once its entries are written; null: there are none. */
export function nextHead(headMacs: HeadMacs, chain: LockedChain, entries: readonly PreparedEntry[]): NextHead | null {
  const last = entries.at(-1)
  return last === undefined ? null : { last, mac: headMacs.follow(chain.realm, chain.head, last) }
}

export interface NextHead {
  readonly last: PreparedEntry
  readonly mac: Uint8Array | null
}

/** Entries to write, of realms whose chains are locked, and where each of these chains then ends. */
export interface Appended {
  readonly entries: readonly PreparedEntry[]
  readonly heads: readonly NextHead[]
}

const ENTRY: readonly Column<PreparedEntry>[] = [
  { name: 'tenant_id', type: 'text', get: ({ realm }) => realm.tenantId },
  { name: 'environment', type: 'text', get: ({ realm }) => realm.environment },
  { name: 'seq', type: 'bigint', get: (entry) => entry.seq },
  { name: 'object_id', type: 'text', get: (entry) => entry.objectId },
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

/** The parts of a `with` that append, for a statement that may do more beside. */
export function appendingParts<Input extends Appended>(parameters: ParameterList<Input>): string {
  const given = parameters.rows([...ENTRY, ...BYTES, ...DETAILS], ({ entries }) => entries)
  const heads = parameters.rows(HEAD, (appended) => appended.heads)
  return `appended as (
            select * from ${given.unnest('g')}
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
}

const APPEND = defineStatement<Appended>('append_audit', (parameters) => `with ${appendingParts(parameters)} select`)

/** The head stays as it is; its chain must be locked. */
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
      text: 'select seq, hash, at, mac from audit_heads where tenant_id = $1 and environment = $2 for update',
    },
    [realm.tenantId, realm.environment],
  )
  return row ?? null
}
