// Creates a batch of verifications in two statements. Each is one round trip, because both lock a tenant's busiest rows.

import { hasSqlState } from '../../../platform/postgres/connection.ts'
import type { Sealing, Transaction, Tx } from '../../../platform/postgres/db.ts'
import { ctesOf, type KeyedRows, type Part, scoped } from '../../../platform/postgres/fragments.ts'
import {
  type Column,
  type DefinedStatement,
  defineForOneOrMany,
  finishStatement,
  namesOf,
  type ParameterList,
  runStatement,
  selectOf,
} from '../../../platform/postgres/statement.ts'
import type { Environment, Instant } from '../../../platform/world.ts'
import { SIGN_IN_PARTS } from '../../quota/domain/quota.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import type { TenantSettings } from '../../tenants/domain/settings.ts'
import { PLANS } from '../../tenants/domain/tenant.ts'
import { type NewVerification, type SealedVerification, WRITTEN } from './columns.ts'
import { sealResponse } from './idempotency.ts'
import { sealVerification } from './sealed-verifications.ts'
import { type IfLocked, joinLocks, lockColumns, lockCtes, type TenantLock } from './tenant-lock.ts'

export interface Wanted {
  readonly signIns: number
  readonly others: number
}

export interface Opening {
  /**
   * How many of the wanted verifications the day's quota allows. Sign-ins only need a day with some quota left, because
   * they are counted when they are answered.
   */
  readonly granted: Wanted
  readonly settings: Pick<TenantSettings, 'haip' | 'clientIdPrefix' | 'responseMode' | 'retentionDays'>
  /** The columns that the locks of contributions read. */
  readonly row: object
}

interface WantedOf extends Wanted {
  readonly tenantId: string
}

interface QuotaRequest {
  readonly environment: Environment
  readonly day: string
  /** At most one entry per tenant, because a tenant's environments share its day. */
  readonly wanted: readonly WantedOf[]
}

/**
 * Spends at most the wanted amount of the day's quota, then takes the locks of contributions. All transactions lock in
 * this order. The locks last until the transaction ends; a rollback returns the quota.
 */
export async function openCreation(
  tx: Tx,
  realm: Realm,
  { statements, ...input }: Wanted & Pick<NewDay, 'day' | 'now'> & { readonly statements: CreationStatements },
): Promise<Opening> {
  const { tenantId, environment } = realm
  const { signIns, others, day } = input
  const request = { environment, day, wanted: [{ tenantId, signIns, others }] }
  const opened = (await openAll(tx, request, statements.waiting)).get(tenantId)
  if (opened !== undefined) return opened
  await tx.query(
    {
      name: 'begin_usage_day',
      text: 'insert into usage_days (tenant_id, day, created) values ($1, $2, 0) on conflict do nothing',
    },
    [tenantId, day],
  )
  // The rows exist since the tenant was created. If one was deleted by hand, creations must still work.
  for (const lock of statements.locks) await lock.ensure(tx, realm, input.now)
  const begun = (await openAll(tx, request, statements.waiting)).get(tenantId)
  if (begun === undefined) throw new Error('bug: a day of usage, or a row locked with it, vanished')
  return begun
}

/** The time of a creation, and the day whose quota it spends. */
interface NewDay {
  readonly day: string
  readonly now: Instant
}

/**
 * Like `openCreation`, for many tenants. Spends nothing for tenants whose rows are locked or missing, and leaves them
 * out.
 */
export const openFreeCreations = (
  tx: Tx,
  statements: CreationStatements,
  request: QuotaRequest,
): Promise<ReadonlyMap<string, Opening>> => openAll(tx, request, statements.free)

type OpeningRow = Opening['settings'] & WantedOf

async function openAll(
  tx: Tx,
  request: QuotaRequest,
  statements: OpeningStatements,
): Promise<ReadonlyMap<string, Opening>> {
  const rows = await runStatement<OpeningRow, QuotaRequest>(tx, statements[request.environment], request)
  return new Map(
    rows.map((row) => {
      const { tenantId, others, signIns, haip, clientIdPrefix, responseMode, retentionDays } = row
      const settings = { haip, clientIdPrefix, responseMode, retentionDays }
      return [tenantId, { granted: { others, signIns }, settings, row }]
    }),
  )
}

/** What contributions add to the statements. */
export interface CreationParts {
  readonly locks: readonly TenantLock[]
  readonly parts: readonly Part[]
}

export interface CreationStatements extends Pick<CreationParts, 'locks'> {
  /** Waits for rows that other transactions have locked. */
  readonly waiting: OpeningStatements
  readonly free: OpeningStatements
  readonly write: DefinedStatement<SealedBatch>
}

export const defineCreations = ({ locks, parts }: CreationParts): CreationStatements => ({
  locks,
  waiting: opening('open_creation', locks, ''),
  free: opening('open_free_creations', locks, 'skip locked'),
  write: defineCreation('write_creation', WRITTEN, parts),
})

const WANTED: readonly Column<WantedOf>[] = [
  { name: 'tenant_id', type: 'text', get: (one) => one.tenantId },
  { name: 'others', type: 'integer', get: (one) => one.others },
  { name: 'sign_ins', type: 'integer', get: (one) => one.signIns },
]

type OpeningStatements = Readonly<Record<Environment, DefinedStatement<QuotaRequest>>>

const opening = (name: string, locks: readonly TenantLock[], ifLocked: IfLocked): OpeningStatements => ({
  test: defineOpening(`${name}_test`, { environment: 'test', locks, ifLocked }),
  live: defineOpening(`${name}_live`, { environment: 'live', locks, ifLocked }),
})

interface OpeningTerms extends Pick<CreationParts, 'locks'> {
  readonly environment: Environment
  readonly ifLocked: IfLocked
}

/**
 * Locks rows in the order of their tenants. A tenant's quota is spent only if its day and the rows of contributions
 * could be locked.
 */
function defineOpening(name: string, { environment, locks, ifLocked }: OpeningTerms) {
  const column = `${environment}_sign_ins`
  return defineForOneOrMany<QuotaRequest>(name, (parameters) => {
    const wanted = parameters.rows(WANTED, (request) => request.wanted)
    const day = parameters.one((request) => request.day)
    const plans = parameters.one(() => JSON.stringify(PLANS))
    const parts = parameters.one(() => SIGN_IN_PARTS[environment])
    return `with input as (
              select * from ${wanted.unnest('g')}
            ), terms as (
              select t.id, coalesce(t.daily_quota, (${plans}::json ->> t.plan)::int) as quota, t.haip, t.client_id_prefix, t.response_mode, t.retention_days
              from input join tenants t on t.id = input.tenant_id
            ), before as (
              select u.tenant_id, u.created, u.${column} as sign_ins from usage_days u join input on input.tenant_id = u.tenant_id
              where u.day = ${day} order by u.tenant_id for update of u ${ifLocked}
            )${lockCtes(locks, { tenants: 'select tenant_id from before', environment: `'${environment}'`, ifLocked })}, room as (
              select before.tenant_id, input.others, input.sign_ins, greatest(0, terms.quota - before.created) as day,
                     (terms.quota + ${parts}::int - 1) / ${parts}::int - before.sign_ins as share
              from before ${joinLocks(locks, 'before')} join input on input.tenant_id = before.tenant_id join terms on terms.id = before.tenant_id
            ), granted as (
              select tenant_id, least(others, day) as others,
                     case when share > 0 and day > least(others, day) then sign_ins else 0 end as sign_ins from room
            ), spent as (
              update usage_days u set created = before.created + granted.others
              from before join granted using (tenant_id)
              where u.tenant_id = before.tenant_id and u.day = ${day}
              returning u.tenant_id, granted.others, granted.sign_ins
            )
            select spent.tenant_id as "tenantId", spent.others, spent.sign_ins as "signIns", terms.haip,
                   terms.client_id_prefix as "clientIdPrefix", terms.response_mode as "responseMode", terms.retention_days as "retentionDays"${lockColumns(locks)}
            from spent join terms on terms.id = spent.tenant_id ${joinLocks(locks, 'spent')}`
  })
}

export interface RecordedResponse {
  readonly realm: Realm
  readonly key: string
  readonly fence: string
  readonly verificationId: string
  readonly answer: string
  /** The warnings as JSON; null: none. */
  readonly warnings: string | null
}

/** The rows to write for one realm or for many. */
export interface CreationBatch {
  readonly verifications: readonly NewVerification[]
  readonly answers: readonly RecordedResponse[]
  /** The rows that contributions add. */
  readonly keyedRows: KeyedRows
}

/** The SQLSTATE that the database function `refuse_creation_of_lost_key` raises. */
const KEY_LOST = 'VK001'

/** Another request took over the idempotency key of this creation. */
export class KeyLost extends Error {
  override readonly name = 'KeyLost'
}

/** Also commits. Resolves with the number of rows. Throws KeyLost, and writes nothing, if a creation lost its key. */
export async function writeCreation<Batch extends CreationBatch>(
  tx: Transaction,
  statement: DefinedStatement<Omit<Batch, keyof CreationBatch> & SealedBatch>,
  batch: Batch,
): Promise<number> {
  try {
    return await finishStatement(tx, statement, { ...batch, ...sealedBatch(tx, batch) })
  } catch (error) {
    if (hasSqlState(error, KEY_LOST)) throw new KeyLost('another request took the key', { cause: error })
    throw error
  }
}

/** The batch as the columns store it. */
export interface SealedBatch extends Pick<CreationBatch, 'keyedRows'> {
  readonly verifications: readonly SealedVerification[]
  readonly answers: readonly SealedResponse[]
}

type SealedResponse = Omit<RecordedResponse, 'answer'> & { readonly sealedResponse: Uint8Array }

function sealedBatch(tx: Sealing, batch: CreationBatch): SealedBatch {
  return {
    ...batch,
    verifications: batch.verifications.map((one) => sealVerification(tx, one)),
    answers: batch.answers.map(({ answer, ...rest }) => ({ ...rest, sealedResponse: sealResponse(tx, rest, answer) })),
  }
}

const ANSWER: readonly Column<SealedResponse>[] = [
  { name: 'tenant_id', type: 'text', get: ({ realm }) => realm.tenantId },
  { name: 'environment', type: 'text', get: ({ realm }) => realm.environment },
  { name: 'key', type: 'text', get: (one) => one.key },
  { name: 'fence', type: 'text', get: (one) => one.fence },
  { name: 'verification_id', type: 'text', get: (one) => one.verificationId },
  { name: 'answer', type: 'bytea', get: (one) => one.sealedResponse },
  { name: 'warnings', type: 'json', get: (one) => one.warnings },
]

/** Writes these columns of each verification. The rest of the statement is the same for all tables. */
export function defineCreation(name: string, columns: readonly Column<SealedVerification>[], parts: readonly Part[]) {
  return defineForOneOrMany<SealedBatch>(name, (parameters) => {
    const { ctes, check } = writingCreation(parameters, columns, parts)
    return `with ${ctes} select ${check}`
  })
}

/** If a response was not recorded, `check` raises KEY_LOST. Only an error can stop the commit in the same message. */
export function writingCreation<Batch extends SealedBatch>(
  parameters: ParameterList<Batch>,
  columns: readonly Column<SealedVerification>[],
  parts: readonly Part[],
): { readonly ctes: string; readonly check: string } {
  const verifications = parameters.rows(columns, (batch) => batch.verifications)
  parameters.ofDays((batch) => batch.verifications.map(({ day }) => day))
  const contributed = ctesOf(
    parts,
    scoped(parameters, ({ keyedRows }: Batch) => keyedRows),
  )
  const answers = parameters.rows(ANSWER, (batch) => batch.answers, { noneAsNulls: true })
  const many = parameters.one((batch) => batch.answers.length)
  return {
    ctes: `verification as (
              insert into verifications (${namesOf(columns)}) select ${selectOf(columns)} from ${verifications.unnest('g')}
            ), ${[...contributed, ''].join(', ')}recorded as (
              update idempotency_keys k set verification_id = a.verification_id, answer = a.answer,
                warnings = a.warnings::json
              from ${answers.unnest('a')}
              where k.tenant_id = a.tenant_id and k.environment = a.environment and k.key = a.key and k.fence = a.fence
                and k.answer is null
              returning 1
            )`,
    check: `(select case when count(*) = ${many}::int then 1 else refuse_creation_of_lost_key() end from recorded) as "allRecorded"`,
  }
}
