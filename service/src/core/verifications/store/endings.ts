// Ends verifications, each only once. One statement ends verifications of many tenants.

import { inDays } from '../../../platform/postgres/days.ts'
import type { Transaction, Tx } from '../../../platform/postgres/db.ts'
import { ctesOf, type KeyedRows, onlyIf, type Part, resultsOf, scoped } from '../../../platform/postgres/fragments.ts'
import {
  type Column,
  type DefinedStatement,
  dayParameters,
  defineForOneOrMany,
  finishStatement,
  type ParameterList,
  runStatement,
} from '../../../platform/postgres/statement.ts'
import type { Environment, Instant } from '../../../platform/world.ts'
import { type AnswerChannel, CHANNEL_NAMES, channelOf } from '../../channels/table.ts'
import type { BoundBy } from '../domain/browser-binding.ts'
import type { KeptResult } from '../domain/verification.ts'
import { sealResult } from './sealed-results.ts'
import {
  AS_REMEMBERED,
  type IfLocked,
  joinLocks,
  leftJoinLocks,
  lockColumns,
  lockCtes,
  rememberedCte,
  selectRemembered,
  type TenantLock,
} from './tenant-lock.ts'
import type { Fetched } from './wallet-verifications.ts'

export interface Ending {
  readonly tenantId: string
  readonly id: string
  readonly day: number
  readonly status: 'completed' | 'failed'
  readonly result: KeptResult
  readonly errorCode: string | null
  /** The channel of the answer. */
  readonly channelName: AnswerChannel
  readonly responseCodeHash: Uint8Array | null
  /** What bound the answer to the browser; null: nothing, or nothing yet. */
  readonly boundBy: BoundBy | null
  /** The latest time at which the content is deleted; null: with the verification. */
  readonly forgetAt: Instant | null
  /** Set if the content was never stored. */
  readonly forgottenAt: Instant | null
  /** A fetch of the request object that this process has not stored yet. */
  readonly fetched: Pick<Fetched, 'at' | 'sameDevice' | 'sha256'> | null
}

/** The outcome for a verification whose row this transaction has locked. */
export interface Ended {
  /** False: the verification had ended before, or has expired. */
  readonly ended: boolean
  /** Whether an OpenID client created the verification; false if it had ended before. */
  readonly isSignIn: boolean
  /** The hash of the request object that was served first; null if it was not recorded. */
  readonly requestHash: Buffer | null
  readonly tenantId: string
  /** The columns that the locks of contributions read. */
  readonly row: object
}

export interface Endings {
  readonly environment: Environment
  readonly endings: readonly Ending[]
  readonly at: Instant
}

/** What contributions add to the statement. */
interface EndingParts {
  readonly locks: readonly TenantLock[]
  /** CTEs that write from the rows of `ended`, named after their contribution. */
  readonly fromEnded: readonly FromEnded[]
  /** Parts that are written at the end of the transaction. */
  readonly last: readonly Part[]
}

/** `at`: when the verifications ended. Both are SQL expressions. */
export type FromEnded = (sql: { readonly environment: string; readonly at: string }) => string

export interface EndingStatements {
  /** Waits for rows that other transactions have locked. */
  readonly waiting: DefinedStatement<SealedEndings>
  /** Leaves out verifications if another transaction has locked their row or rows of their tenant. */
  readonly free: DefinedStatement<SealedEndings>
  /** Ends, writes what contributions add, and commits. null if a lock does not cache its rows (`LockMemory`). */
  readonly atOnce: DefinedStatement<SealedAtOnce> | null
}

export const defineEndings = (parts: EndingParts): EndingStatements => ({
  waiting: defineEnding('end_verifications', parts, ''),
  free: defineEnding('end_free_verifications', parts, 'skip locked'),
  atOnce: parts.locks.some(({ memory }) => memory === undefined) ? null : defineAtOnce(parts),
})

type EndedRow = { readonly id: string } & Pick<Ended, 'tenantId' | 'ended' | 'isSignIn' | 'requestHash'>

/**
 * Ends open verifications, destroys their encryption keys and clears `transaction_data`, because the result contains
 * what the holder agreed to. Leaves out verifications that no longer exist. The second of two concurrent answers ends nothing.
 */
export async function endVerifications(
  tx: Tx,
  statement: DefinedStatement<SealedEndings>,
  input: Endings,
): Promise<ReadonlyMap<string, Ended>> {
  const rows = await runStatement<EndedRow, SealedEndings>(tx, statement, sealedEndings(tx, input))
  return new Map(
    rows.map((row) => {
      const { id, tenantId, ended, isSignIn, requestHash } = row
      return [id, { tenantId, ended, isSignIn, requestHash, row }]
    }),
  )
}

/** What was read of a verification before its answer was verified. */
export interface ReadBefore {
  readonly requestHash: Uint8Array | null
}

/**
 * Call it after contributions have put their rows into `keyedRows`. Also commits. False, and nothing is written, if a
 * verification is not open, is a sign-in, or has changed since it was read.
 */
export async function endAtOnce(
  tx: Transaction,
  statement: DefinedStatement<SealedAtOnce>,
  { readBefore, keyedRows, ...input }: Endings & Pick<SealedAtOnce, 'readBefore' | 'keyedRows'>,
): Promise<boolean> {
  return (await finishStatement(tx, statement, { ...sealedEndings(tx, input), readBefore, keyedRows })) === 1
}

function sealedEndings(tx: Tx, input: Endings): SealedEndings {
  const endings = input.endings.map((one) => {
    const owner = { tenantId: one.tenantId, environment: input.environment, id: one.id }
    return { ...one, sealedResult: sealResult(tx, owner, one.result) }
  })
  return { ...input, endings }
}

type SealedEnding = Ending & { readonly sealedResult: Uint8Array }

interface SealedAtOnce extends SealedEndings {
  /** One for each ending, by id. */
  readonly readBefore: readonly (ReadBefore & { readonly id: string })[]
  readonly keyedRows: KeyedRows
}

export interface SealedEndings extends Endings {
  readonly endings: readonly SealedEnding[]
}

const ENDING: readonly Column<SealedEnding>[] = [
  { name: 'tenant_id', type: 'text', get: (one) => one.tenantId },
  { name: 'id', type: 'text', get: (one) => one.id },
  { name: 'status', type: 'text', get: (one) => one.status },
  { name: 'sealed', type: 'bytea', get: (one) => one.sealedResult },
  { name: 'error_code', type: 'text', get: (one) => one.errorCode },
  { name: 'answered_by', type: 'text', get: (one) => one.channelName },
  { name: 'code_hash', type: 'bytea', get: (one) => one.responseCodeHash },
  { name: 'bound_by', type: 'text', get: (one) => one.boundBy },
  { name: 'forget_at', type: 'timestamptz', get: (one) => one.forgetAt },
  { name: 'forgotten_at', type: 'timestamptz', get: (one) => one.forgottenAt },
  { name: 'fetched_at', type: 'timestamptz', get: (one) => one.fetched?.at ?? null },
  { name: 'same_device', type: 'boolean', get: (one) => one.fetched?.sameDevice ?? null },
  { name: 'fetched_sha256', type: 'bytea', get: (one) => one.fetched?.sha256 ?? null },
]

/** One of `COUNTED_CHANNELS`. A sign-in counts as `openid`, even if it was answered on another channel. */
const CHANNEL_NAME = `case when v.actor_type = 'oidc_client' then 'openid' else case input.answered_by ${CHANNEL_NAMES.map(
  (name) => `when '${name}' then ${countedAs(name)}`,
).join(' ')} end end`

function countedAs(name: AnswerChannel): string {
  const counted = channelOf(name).countedAs
  return counted === 'by_device' ? `case when v.same_device then 'same_device' else 'qr' end` : `'${counted}'`
}

/** The channels that use the link of the age profile. */
const BY_AGE_LINK = CHANNEL_NAMES.filter((name) => channelOf(name).asks === 'age_request').map((name) => `'${name}'`)

/**
 * Locks rows of each kind in the same order everywhere, so that two batches cannot deadlock. Finds each row by its id
 * alone, as `unnestIds` does: on a fresh table the planner might otherwise scan all rows of a tenant.
 */
function endingCtes<Batch extends SealedEndings>(
  parameters: ParameterList<Batch>,
  { locks, fromEnded }: EndingParts,
  { ifLocked, remembered = null }: { readonly ifLocked: IfLocked; readonly remembered?: string | null },
): string {
  const environment = parameters.one((input) => input.environment)
  const at = parameters.one((input) => input.at)
  const input = parameters.rows(ENDING, ({ endings }) => endings)
  const days = dayParameters(parameters, ({ endings }) => endings.map(({ day }) => day))
  return `input as (
              select * from ${input.unnest('g')}
            ), locked as (
              select v.id, v.tenant_id, v.request_sha256, v.actor_type, v.status = 'pending' and v.responded_at is null and v.expires_at > ${at} as open
              from (select id, tenant_id from input order by id) g
              cross join lateral (select * from verifications where id = g.id and ${inDays('day', days)} for update ${ifLocked} offset 0) v
              where v.tenant_id = g.tenant_id and v.environment = ${environment}
            )${lockCtes(locks, { tenants: 'select tenant_id from locked', environment, ifLocked })}${remembered === null ? '' : `, ${remembered}`}, ended as (
              update verifications v
              set status = input.status, responded_at = ${at}, response_code_hash = input.code_hash,
                  bound_by = input.bound_by,
                  request_fetched_at = coalesce(v.request_fetched_at, input.fetched_at),
                  same_device = coalesce(v.same_device, input.same_device),
                  request_sha256 = coalesce(v.request_sha256, input.fetched_sha256),
                  encryption_key = null, request_object = null, served_requests = null, transaction_data = null,
                  answered_by_age_link = input.answered_by in (${BY_AGE_LINK.join()})
              from input join locked on locked.id = input.id ${joinLocks(locks, 'locked')}
              where v.id = input.id and v.tenant_id is not distinct from input.tenant_id and v.id = any (${input.arrayOf('id')}) and ${inDays('v.day', days)} and locked.open${remembered === null ? '' : ` and ${AS_REMEMBERED}`}
              returning v.id, v.tenant_id, v.day, v.request_sha256, v.created_at, v.template, v.actor_type, v.actor_id, input.status,
                input.sealed, input.error_code, input.answered_by, ${CHANNEL_NAME} as channel, input.forget_at, input.forgotten_at
            ), results as (
              insert into verification_results
                (verification_id, tenant_id, environment, day, sealed, error_code, answered_by, channel, forget_at, forgotten_at)
              select id, tenant_id, ${environment}, day, sealed, error_code, answered_by, channel, forget_at, forgotten_at from ended
            )${fromEnded.map((part) => `, ${part({ environment, at })}`).join('')}`
}

function defineEnding(name: string, parts: EndingParts, ifLocked: IfLocked) {
  const { locks } = parts
  return defineForOneOrMany<SealedEndings>(
    name,
    (parameters) => `with ${endingCtes(parameters, parts, { ifLocked })}
            select locked.id, locked.tenant_id as "tenantId", ended.id is not null as ended, coalesce(ended.actor_type = 'oidc_client', false) as "isSignIn",
                   ended.request_sha256 as "requestHash"${lockColumns(locks)}
            from locked ${ifLocked === '' ? leftJoinLocks(locks, 'locked') : joinLocks(locks, 'locked')} left join ended on ended.id = locked.id`,
  )
}

const READ_BEFORE: readonly Column<ReadBefore & { readonly id: string }>[] = [
  { name: 'id', type: 'text', get: (one) => one.id },
  { name: 'request_sha256', type: 'bytea', get: (one) => one.requestHash },
]

/** Never waits: a row that another transaction has locked counts as changed. */
function defineAtOnce(parts: EndingParts) {
  const { locks, last } = parts
  return defineForOneOrMany<SealedAtOnce>('end_at_once', (parameters) => {
    const readBefore = parameters.rows(READ_BEFORE, (input) => input.readBefore)
    const many = parameters.one((input) => input.endings.length)
    const ofKeyedRows = scoped(parameters, ({ keyedRows }: { readonly keyedRows: KeyedRows }) => keyedRows)
    const asReadBefore = `(
      select count(*) from locked join ${readBefore.unnest('f')} on f.id = locked.id
      where locked.open and locked.request_sha256 is not distinct from f.request_sha256
        and locked.actor_type <> 'oidc_client') = ${many}::int`
    const remembered = rememberedCte(locks, asReadBefore, ofKeyedRows)
    const ending = endingCtes(parameters, parts, { ifLocked: 'skip locked', remembered })
    const ctes = [ending, ...ctesOf(last, onlyIf(AS_REMEMBERED, ofKeyedRows))]
    return `with ${ctes.join(', ')} ${selectRemembered('ended', many, resultsOf(last, ofKeyedRows))}`
  })
}
