// The two statements of a batch of creations. They do in one round trip each what usage.ts, audit.ts and idempotency.ts would
// do in seven: while they run, a tenant's hottest rows are locked.

import {
  appendingParts,
  ensureTrail,
  type LockedTrail,
  lockingTrails,
  type NewEntries,
  type TrailRow,
  trailColumns,
  trailOf,
} from '../../../features/audit/store/chain.ts'
import { isDivisionByZero } from '../../../platform/postgres/connection.ts'
import type { Sealing, Transaction, Tx } from '../../../platform/postgres/db.ts'
import {
  type Column,
  type DefinedStatement,
  defineForOneOrMany,
  finishStatement,
  namesOf,
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

export interface Wanted {
  readonly signIns: number
  readonly others: number
}

export interface Opening {
  /** How many of the wanted ones the day's quota has left. Sign-ins are counted when they are answered: they need a day that is not spent. */
  readonly granted: Wanted
  readonly settings: Pick<TenantSettings, 'haip' | 'clientIdPrefix' | 'responseMode'>
  readonly trail: LockedTrail
}

export interface WantedOf extends Wanted {
  readonly tenantId: string
}

interface Asked {
  readonly environment: Environment
  readonly day: string
  /** At most one for each tenant: a tenant's environments share its day. */
  readonly wanted: readonly WantedOf[]
}

/**
 * Spends what is left of the day's quota, at most what is wanted, then locks the audit trail: the order of locks that everybody
 * keeps. Both stay locked until the transaction ends; a rollback gives the quota back.
 */
export async function openCreation(
  tx: Tx,
  realm: Realm,
  given: Wanted & { readonly day: string; readonly now: Instant },
): Promise<Opening> {
  const { tenantId, environment } = realm
  const { signIns, others, day } = given
  const asked = { environment, day, wanted: [{ tenantId, signIns, others }] }
  const opened = (await openAll(tx, asked, WAITING)).get(tenantId)
  if (opened !== undefined) return opened
  await tx.query(
    {
      name: 'begin_usage_day',
      text: 'insert into usage_days (tenant_id, day, created) values ($1, $2, 0) on conflict do nothing',
    },
    [tenantId, day],
  )
  // There since the tenant was made, unless somebody removed it: that must not stop the business.
  await ensureTrail(tx, realm, given.now)
  const begun = (await openAll(tx, asked, WAITING)).get(tenantId)
  if (begun === undefined) throw new Error('bug: an audit trail or a day of usage that vanished')
  return begun
}

/** The same for many tenants, by their ids. Left out is whoever's rows are held by somebody, or not there yet: of them nothing was spent. */
export const openFreeCreations = (tx: Tx, asked: Asked): Promise<ReadonlyMap<string, Opening>> =>
  openAll(tx, asked, SKIPPING)

type OpeningRow = Opening['settings'] & TrailRow & WantedOf

async function openAll(tx: Tx, asked: Asked, statements: OpeningStatements): Promise<ReadonlyMap<string, Opening>> {
  const { environment } = asked
  const rows = await runStatement<OpeningRow, Asked>(tx, statements[environment], asked)
  return new Map(
    rows.map(({ tenantId, others, signIns, haip, clientIdPrefix, responseMode, ...row }) => {
      const trail = trailOf({ tenantId, environment }, row)
      if (trail === null) throw new Error('bug: a day was spent without its audit trail')
      return [tenantId, { granted: { others, signIns }, settings: { haip, clientIdPrefix, responseMode }, trail }]
    }),
  )
}

const WANTED: readonly Column<WantedOf>[] = [
  { name: 'tenant_id', type: 'text', get: (one) => one.tenantId },
  { name: 'others', type: 'integer', get: (one) => one.others },
  { name: 'sign_ins', type: 'integer', get: (one) => one.signIns },
]

type OpeningStatements = Readonly<Record<Environment, DefinedStatement<Asked>>>

const opening = (name: string, held: '' | 'skip locked'): OpeningStatements => ({
  test: defineOpening(`${name}_test`, 'test', held),
  live: defineOpening(`${name}_live`, 'live', held),
})

/** Rows are locked in the order of their tenants; a trail only where the day is locked, and a day spent only where its trail is. */
function defineOpening(name: string, environment: Environment, held: '' | 'skip locked') {
  const column = `${environment}_sign_ins`
  return defineForOneOrMany<Asked>(name, (parameters) => {
    const wanted = parameters.rows(WANTED, (asked) => asked.wanted)
    const day = parameters.one((asked) => asked.day)
    const plans = parameters.one(() => JSON.stringify(PLANS))
    const parts = parameters.one(() => SIGN_IN_PARTS[environment])
    return `with given as (
              select * from ${wanted.unnest('g')}
            ), terms as (
              select t.id, coalesce(t.daily_quota, (${plans}::json ->> t.plan)::int) as quota, t.haip, t.client_id_prefix, t.response_mode
              from given join tenants t on t.id = given.tenant_id
            ), before as (
              select u.tenant_id, u.created, u.${column} as sign_ins from usage_days u join given on given.tenant_id = u.tenant_id
              where u.day = ${day} order by u.tenant_id for update of u ${held}
            ), trails as (
              ${lockingTrails('select tenant_id from before', `'${environment}'`, held)}
            ), room as (
              select tenant_id, given.others, given.sign_ins, greatest(0, terms.quota - before.created) as day,
                     (terms.quota + ${parts}::int - 1) / ${parts}::int - before.sign_ins as share
              from trails join before using (tenant_id) join given using (tenant_id) join terms on terms.id = tenant_id
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
                   terms.client_id_prefix as "clientIdPrefix", terms.response_mode as "responseMode",
                   ${trailColumns('trails')}
            from spent join terms on terms.id = spent.tenant_id join trails on trails.tenant_id = spent.tenant_id`
  })
}

const WAITING = opening('open_creation', '')
const SKIPPING = opening('open_free_creations', 'skip locked')

export interface RecordedResponse {
  readonly realm: Realm
  readonly key: string
  readonly fence: string
  readonly verificationId: string
  readonly answer: string
  /** What it warned of, as JSON; null: of nothing. */
  readonly warnings: string | null
}

/** Of one realm or of many, whose trails are locked. */
export interface CreationBatch extends NewEntries {
  readonly verifications: readonly NewVerification[]
  readonly answers: readonly RecordedResponse[]
}

/** The owner of an idempotency key has lost it to another. */
export class KeyLost extends Error {
  override readonly name = 'KeyLost'
}

/** And commits, unless an owner has lost its key: then it throws KeyLost, and nothing was written. */
export async function writeCreation(tx: Transaction, batch: CreationBatch): Promise<void> {
  try {
    await finishStatement(tx, WRITE, sealedBatch(tx, batch))
  } catch (error) {
    if (isDivisionByZero(error)) throw new KeyLost('another request took the key', { cause: error })
    throw error
  }
}

/** As the columns hold it. */
interface SealedBatch extends NewEntries {
  readonly verifications: readonly SealedVerification[]
  readonly answers: readonly SealedResponse[]
}

type SealedResponse = Omit<RecordedResponse, 'answer'> & { readonly sealedAnswer: Uint8Array }

function sealedBatch(tx: Sealing, batch: CreationBatch): SealedBatch {
  return {
    ...batch,
    verifications: batch.verifications.map((one) => sealVerification(tx, one)),
    answers: batch.answers.map(({ answer, ...rest }) => ({ ...rest, sealedAnswer: sealResponse(tx, rest, answer) })),
  }
}

const ANSWER: readonly Column<SealedResponse>[] = [
  { name: 'tenant_id', type: 'text', get: ({ realm }) => realm.tenantId },
  { name: 'environment', type: 'text', get: ({ realm }) => realm.environment },
  { name: 'key', type: 'text', get: (one) => one.key },
  { name: 'fence', type: 'text', get: (one) => one.fence },
  { name: 'verification_id', type: 'text', get: (one) => one.verificationId },
  { name: 'answer', type: 'bytea', get: (one) => one.sealedAnswer },
  { name: 'warnings', type: 'json', get: (one) => one.warnings },
]

/**
 * Writes these columns of each verification, whatever they are; the rest of the statement is the same for all tables. Where an answer
 * was not recorded it divides by zero, so that its transaction cannot be committed.
 */
export function defineCreation(name: string, columns: readonly Column<SealedVerification>[]) {
  return defineForOneOrMany<SealedBatch>(name, (parameters) => {
    const verifications = parameters.rows(columns, (batch) => batch.verifications)
    const answers = parameters.rows(ANSWER, (batch) => batch.answers, { noneAsNulls: true })
    const many = parameters.one((batch) => batch.answers.length)
    return `with verification as (
              insert into verifications (${namesOf(columns)}) select ${selectOf(columns)} from ${verifications.unnest('g')}
            ), ${appendingParts(parameters)}, recorded as (
              update idempotency_keys k set verification_id = a.verification_id, answer = a.answer,
                warnings = a.warnings::json
              from ${answers.unnest('a')}
              where k.tenant_id = a.tenant_id and k.environment = a.environment and k.key = a.key and k.fence = a.fence
                and k.answer is null
              returning 1
            )
            select 1 / (count(*) = ${many}::int)::int as "allRecorded" from recorded`
  })
}

const WRITE = defineCreation('write_creation', WRITTEN)
