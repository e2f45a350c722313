// The two statements of a batch of creations. They do in one round trip each what usage.ts, audit.ts and idempotency.ts would
// do in seven: while they run, a tenant's hottest rows are locked.

import type { HeadWithMac } from '../../domain/audit/head-macs.ts'
import { SIGN_IN_PARTS } from '../../domain/tenant/quota.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import type { TenantSettings } from '../../domain/tenant/settings.ts'
import { PLANS } from '../../domain/tenant/tenant.ts'
import type { Instant } from '../../domain/world.ts'
import { type Appended, appendingParts, ensureHead, type LockedChain, type PreparedEntry } from '../audit/chain.ts'
import type { Tx } from '../postgres/db.ts'
import { type Column, defineStatement, namesOf, runStatement, selectOf } from '../postgres/statement.ts'
import { type NewVerification, WRITTEN } from './columns.ts'

export interface Wanted {
  readonly signIns: number
  readonly others: number
}

export interface Opening {
  /** How many of the wanted ones the day's quota has left: sign-ins come last, and have a share. */
  readonly granted: Wanted
  readonly settings: Pick<TenantSettings, 'haip' | 'clientIdPrefix' | 'responseMode'>
  readonly chain: LockedChain
}

interface Asked extends Wanted {
  readonly day: string
  readonly now: Instant
}

/**
 * Spends what is left of the day's quota, at most what is wanted, then locks the audit chain: the order of locks that everybody
 * keeps. Both stay locked until the transaction ends; a rollback gives the quota back.
 */
export async function openCreation(tx: Tx, realm: Realm, wanted: Asked): Promise<Opening> {
  const opening = (await spendAndLock(tx, realm, wanted)) ?? (await beginDay(tx, realm, wanted))
  if (opening === null) throw new Error('bug: an audit head or a day of usage that vanished')
  return opening
}

async function beginDay(tx: Tx, realm: Realm, wanted: Asked): Promise<Opening | null> {
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

type OpeningRow = Opening['settings'] & HeadWithMac & Wanted

/** null when the day has no row yet, or the chain no head; then nothing was spent. */
async function spendAndLock(tx: Tx, realm: Realm, wanted: Asked): Promise<Opening | null> {
  const column = `${realm.environment}_sign_ins`
  const [row] = await tx.query<OpeningRow>(
    {
      name: `open_creation_${realm.environment}`,
      text: `with terms as (
               select coalesce(daily_quota, ($5::json ->> plan)::int) as quota, haip, client_id_prefix, response_mode
               from tenants where id = $1),
             before as (select created, ${column} from usage_days where tenant_id = $1 and day = $3 for update),
             room as (select greatest(0, quota - created) as day, (quota + $7::int - 1) / $7::int - ${column} as share
                      from before, terms),
             granted as (select least($4::int, day) as others,
                                greatest(0, least($6::int, share, day - least($4::int, day))) as sign_ins from room),
             spent as (
               update usage_days u set created = before.created + granted.others + granted.sign_ins,
                                       ${column} = before.${column} + granted.sign_ins
               from before, granted where u.tenant_id = $1 and u.day = $3
               returning granted.others, granted.sign_ins)
             select spent.others, spent.sign_ins as "signIns", terms.haip, terms.client_id_prefix as "clientIdPrefix",
                    terms.response_mode as "responseMode", h.seq, h.hash, h.at, h.mac
             from spent, terms, audit_heads h where h.tenant_id = $1 and h.environment = $2 for update of h`,
    },
    [
      realm.tenantId,
      realm.environment,
      wanted.day,
      wanted.others,
      JSON.stringify(PLANS),
      wanted.signIns,
      SIGN_IN_PARTS[realm.environment],
    ],
  )
  if (row === undefined) return null
  const { others, signIns, seq, hash, at, mac, ...settings } = row
  return { granted: { others, signIns }, settings, chain: { realm, head: { seq, hash, at, mac } } }
}

export interface RecordedResponse {
  readonly key: string
  readonly fence: string
  readonly verificationId: string
  /** Sealed. */
  readonly answer: Uint8Array
  /** What it warned of, as JSON; null: of nothing. */
  readonly warnings: string | null
}

export interface CreationBatch {
  readonly verifications: readonly NewVerification[]
  /** One for each verification, in the same order. */
  readonly entries: readonly PreparedEntry[]
  /** The MAC of the last of them. */
  readonly headMac: Uint8Array | null
  readonly answers: readonly RecordedResponse[]
}

/** How many answers were recorded: fewer than given means that an owner lost its key, and must not commit. */
export async function writeCreation(tx: Tx, realm: Realm, batch: CreationBatch): Promise<number> {
  const last = batch.entries.at(-1)
  if (last === undefined) return 0
  const [row] = await runStatement<{ recorded: number }, WrittenBatch>(tx, WRITE, { ...batch, realm, last })
  return row?.recorded ?? 0
}

export type WrittenBatch = CreationBatch & Appended

const ANSWER: readonly Column<RecordedResponse>[] = [
  { name: 'key', type: 'text', get: (one) => one.key },
  { name: 'fence', type: 'text', get: (one) => one.fence },
  { name: 'verification_id', type: 'text', get: (one) => one.verificationId },
  { name: 'answer', type: 'bytea', get: (one) => one.answer },
  { name: 'warnings', type: 'json', get: (one) => one.warnings },
]

/** Writes these columns of each verification, whatever they are; the rest of the statement is the same for all tables. */
export function defineCreation(name: string, columns: readonly Column<NewVerification>[]) {
  return defineStatement<WrittenBatch>(name, (parameters) => {
    const tenant = parameters.one(({ realm }) => realm.tenantId)
    const environment = parameters.one(({ realm }) => realm.environment)
    const verifications = parameters.rows(columns, (batch) => batch.verifications)
    const answers = parameters.rows(ANSWER, (batch) => batch.answers)
    return `with verification as (
              insert into verifications (tenant_id, environment, ${namesOf(columns)})
              select ${tenant}, ${environment}, ${selectOf(columns)} from ${verifications.unnest('g')}
            ), ${appendingParts(parameters)}, recorded as (
              update idempotency_keys k set verification_id = a.verification_id, answer = a.answer,
                warnings = a.warnings::json
              from ${answers.unnest('a')}
              where k.tenant_id = ${tenant} and k.environment = ${environment} and k.key = any (${answers.arrayOf('key')})
                and k.key = a.key and k.fence = a.fence and k.answer is null
              returning 1
            )
            select count(*)::int as recorded from recorded`
  })
}

const WRITE = defineCreation('write_creation', WRITTEN)
