// The two statements of a batch of creations. They do in one round trip each what usage.ts, audit.ts and idempotency.ts would
// do in seven: while they run, a tenant's hottest rows are locked.

import type { SealedHead } from '../../domain/audit/head-seal.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import type { TenantSettings } from '../../domain/tenant/settings.ts'
import { PLANS } from '../../domain/tenant/tenant.ts'
import type { ResponseMode } from '../../domain/verification/verification.ts'
import type { Instant } from '../../domain/world.ts'
import { ensureHead, type LockedChain, type PreparedEntry } from '../audit/chain.ts'
import type { Tx } from '../postgres/db.ts'

export interface Opening {
  /** How many of the wanted ones the day's quota has left. */
  readonly granted: number
  readonly settings: Pick<TenantSettings, 'haip' | 'clientIdPrefix' | 'responseMode'>
  readonly chain: LockedChain
}

/**
 * Spends what is left of the day's quota, at most `wanted`, then locks the audit chain: the order of locks that everybody
 * keeps. Both stay locked until the transaction ends; a rollback gives the quota back.
 */
export async function openCreation(
  tx: Tx,
  realm: Realm,
  wanted: { readonly day: string; readonly count: number; readonly now: Instant },
): Promise<Opening> {
  const opening = (await spendAndLock(tx, realm, wanted)) ?? (await beginDay(tx, realm, wanted))
  if (opening === null) throw new Error('bug: an audit head or a day of usage that vanished')
  return opening
}

async function beginDay(
  tx: Tx,
  realm: Realm,
  wanted: { day: string; count: number; now: Instant },
): Promise<Opening | null> {
  await tx.query(
    {
      name: 'begin_usage_day',
      text: 'insert into usage_days (tenant_id, day, created) values ($1, $2, 0) on conflict do nothing',
    },
    [realm.tenantId, wanted.day],
  )
  // There since the tenant was made, unless somebody removed it: that must not stop the business.
  await ensureHead(tx, realm, wanted.now)
  return spendAndLock(tx, realm, wanted)
}

type OpeningRow = Opening['settings'] & SealedHead & { readonly granted: number }

/** null when the day has no row yet, or the chain no head; then nothing was spent. */
async function spendAndLock(tx: Tx, realm: Realm, wanted: { day: string; count: number }): Promise<Opening | null> {
  const [row] = await tx.query<OpeningRow>(
    {
      name: 'open_creation',
      text: `with terms as (
               select coalesce(daily_quota, ($5::json ->> plan)::int) as quota, haip, client_id_prefix, response_mode
               from tenants where id = $1),
             before as (select created from usage_days where tenant_id = $1 and day = $3 for update),
             spent as (
               update usage_days u set created = before.created + greatest(0, least($4::int, quota - before.created))
               from before, terms where u.tenant_id = $1 and u.day = $3
               returning greatest(0, least($4::int, quota - before.created)) as granted)
             select spent.granted, terms.haip, terms.client_id_prefix as "clientIdPrefix",
                    terms.response_mode as "responseMode", h.seq, h.hash, h.at, h.mac
             from spent, terms, audit_heads h where h.tenant_id = $1 and h.environment = $2 for update of h`,
    },
    [realm.tenantId, realm.environment, wanted.day, wanted.count, JSON.stringify(PLANS)],
  )
  if (row === undefined) return null
  const { granted, seq, hash, at, mac, ...settings } = row
  return { granted, settings, chain: { realm, head: { seq, hash, at, mac } } }
}

export interface NewVerification {
  readonly id: string
  readonly createdAt: Instant
  readonly expiresAt: Instant
  readonly template: string | null
  /** JSON texts, stored as they are; no query where a built-in template says it. */
  readonly query: string | null
  readonly outputs: string | null
  readonly purpose: string | null
  /** As domain/sealed-particulars.ts seals and indexes them. */
  readonly sealedParticulars: Uint8Array | null
  readonly metadataIndex: Uint8Array | null
  readonly actor: { readonly type: string; readonly id: string }
  readonly nonce: string
  readonly state: string
  /** As domain/ephemeral-key.ts keeps it; null where the response is asked for in clear. */
  readonly encryptionKey: Uint8Array | null
  readonly idempotencyKey: string | null
}

export interface BatchTerms {
  readonly clientId: string
  readonly responseMode: ResponseMode
}

export interface RecordedAnswer {
  readonly key: string
  readonly fence: string
  readonly verificationId: string
  /** Sealed. */
  readonly answer: Uint8Array
}

export interface CreationBatch extends BatchTerms {
  readonly verifications: readonly NewVerification[]
  /** One for each verification, in the same order. */
  readonly entries: readonly PreparedEntry[]
  /** The seal of the last of them. */
  readonly headMac: Uint8Array | null
  readonly answers: readonly RecordedAnswer[]
}

/** How many answers were recorded: fewer than given means that an owner lost its key, and must not commit. */
export async function writeCreation(tx: Tx, realm: Realm, batch: CreationBatch): Promise<number> {
  const last = batch.entries.at(-1)
  if (last === undefined) return 0
  const [row] = await tx.query<{ recorded: number }>({ name: 'write_creation', text: WRITE }, [
    realm.tenantId,
    realm.environment,
    batch.clientId,
    batch.responseMode,
    ...columnsOf(batch.verifications),
    batch.entries.map((entry) => entry.seq),
    batch.entries.map((entry) => entry.bytes),
    batch.entries.map((entry) => entry.hash),
    batch.entries.map((entry) => entry.salt),
    batch.entries.map((entry) => entry.details),
    last.seq,
    last.hash,
    last.at,
    batch.headMac,
    batch.answers.map((one) => one.key),
    batch.answers.map((one) => one.fence),
    batch.answers.map((one) => one.verificationId),
    batch.answers.map((one) => one.answer),
  ])
  return row?.recorded ?? 0
}

const columnsOf = (all: readonly NewVerification[]) => [
  all.map((one) => one.id),
  all.map((one) => one.createdAt),
  all.map((one) => one.expiresAt),
  all.map((one) => one.template),
  all.map((one) => one.query),
  all.map((one) => one.outputs),
  all.map((one) => one.purpose),
  all.map((one) => one.sealedParticulars),
  all.map((one) => one.metadataIndex),
  all.map((one) => one.actor.type),
  all.map((one) => one.actor.id),
  all.map((one) => one.nonce),
  all.map((one) => one.state),
  all.map((one) => one.encryptionKey),
  all.map((one) => one.idempotencyKey),
]

const WRITE = `
  with given as (
    select * from unnest($5::text[], $6::timestamptz[], $7::timestamptz[], $8::text[], $9::text[], $10::text[], $11::text[],
        $12::bytea[], $13::bytea[], $14::text[], $15::text[], $16::text[], $17::text[], $18::bytea[], $19::text[],
        $20::bigint[], $21::bytea[], $22::bytea[], $23::bytea[], $24::text[])
      as v (id, created_at, expires_at, template, query, outputs, purpose, particulars, metadata_index, actor_type,
        actor_id, nonce, state, encryption_key, idempotency_key, seq, bytes, hash, salt, details)),
  verification as (
    insert into verifications (tenant_id, environment, client_id, response_mode, id, created_at, expires_at, template, query,
      outputs, purpose, particulars, metadata_index, actor_type, actor_id, nonce, state, encryption_key, idempotency_key)
    select $1, $2, $3, $4, id, created_at, expires_at, template, query::json, outputs::json, purpose, particulars,
      metadata_index, actor_type, actor_id, nonce, state, encryption_key, idempotency_key from given),
  entry as (
    insert into audit_entries (tenant_id, environment, seq, object_id, bytes, hash)
    select $1, $2, seq, id, bytes, hash from given),
  detail as (
    insert into audit_details (tenant_id, environment, seq, object_id, salt, details)
    select $1, $2, seq, id, salt, details::jsonb from given where salt is not null),
  head as (
    update audit_heads set seq = $25, hash = $26, at = $27, mac = $28 where tenant_id = $1 and environment = $2),
  recorded as (
    update idempotency_keys k set verification_id = a.verification_id, answer = a.answer
    from unnest($29::text[], $30::text[], $31::text[], $32::bytea[]) as a (key, fence, verification_id, answer)
    where k.tenant_id = $1 and k.environment = $2 and k.key = any ($29::text[])
      and k.key = a.key and k.fence = a.fence and k.answer is null
    returning 1)
  select count(*)::int as recorded from recorded`
