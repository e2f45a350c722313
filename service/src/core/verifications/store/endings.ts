// Ends verifications, once each: those of many tenants in one statement.

import { inDays } from '../../../platform/postgres/days.ts'
import type { Transaction, Tx } from '../../../platform/postgres/db.ts'
import { ctesOf, type Filled, onlyIf, type Part, resultsOf, scoped } from '../../../platform/postgres/fragments.ts'
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
  type Held,
  joinLocks,
  leftJoinLocks,
  lockColumns,
  lockCtes,
  rememberedCte,
  selectRemembered,
  type TenantLock,
} from './tenant-lock.ts'

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
  /** What bound the answer to its browser; null: nothing, or nothing yet. */
  readonly boundBy: BoundBy | null
  /** The latest time at which its content is deleted; null: with the verification. */
  readonly forgetAt: Instant | null
  /** Set if its content was never stored. */
  readonly forgottenAt: Instant | null
}

/** The outcome for a verification whose row this transaction has locked. */
export interface Ended {
  /** False: it had ended before, or has expired. */
  readonly ended: boolean
  /** Whether an OpenID client created it; false if it had ended before. */
  readonly isSignIn: boolean
  /** The hash of the request object that was served first; null if it was not recorded. */
  readonly requestHash: Buffer | null
  readonly tenantId: string
  /** What the locks of contributions read. */
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
  /** CTEs that write from what has ended (`ENDED_COLUMNS` of `ended`), named after their contribution. */
  readonly fromEnded: readonly FromEnded[]
  /** Written at the end of the transaction. */
  readonly last: readonly Part[]
}

/** `at`: when they ended. Both are SQL. */
export type FromEnded = (sql: { readonly environment: string; readonly at: string }) => string

export interface EndingStatements {
  /** Waits for rows that others have locked. */
  readonly waiting: DefinedStatement<SealedEndings>
  /** Leaves out each verification whose row, or whose tenant's rows, another transaction has locked. */
  readonly free: DefinedStatement<SealedEndings>
  /** Ends, writes what contributions add, and commits; null if a lock has no memory. */
  readonly atOnce: DefinedStatement<SealedAtOnce> | null
}

export const defineEndings = (parts: EndingParts): EndingStatements => ({
  waiting: defineEnding('end_verifications', parts, ''),
  free: defineEnding('end_free_verifications', parts, 'skip locked'),
  atOnce: parts.locks.some(({ memory }) => memory === undefined) ? null : defineAtOnce(parts),
})

type EndedRow = { readonly id: string } & Pick<Ended, 'tenantId' | 'ended' | 'isSignIn' | 'requestHash'>

/**
 * Ends those that are still open, with their results, and destroys their encryption keys; their transaction is in the
 * result from now on. Of two concurrent responses the row lock lets one through, and the other finds nothing pending.
 * Verifications that no longer exist are left out. Rows of tenants are locked after the verifications, as everywhere.
 */
export async function endVerifications(
  tx: Tx,
  statement: DefinedStatement<SealedEndings>,
  given: Endings,
): Promise<ReadonlyMap<string, Ended>> {
  const rows = await runStatement<EndedRow, SealedEndings>(tx, statement, sealedEndings(tx, given))
  return new Map(
    rows.map((row) => {
      const { id, tenantId, ended, isSignIn, requestHash } = row
      return [id, { tenantId, ended, isSignIn, requestHash, row }]
    }),
  )
}

/** What was read of it before its answer was examined. */
export interface Foreseen {
  readonly requestHash: Uint8Array | null
}

/**
 * The same for endings whose contributions have collected their rows already. Also commits. False, and nothing is
 * written, if one is not open, is a sign-in, or anything is not as it was foreseen.
 */
export async function endAtOnce(
  tx: Transaction,
  statement: DefinedStatement<SealedAtOnce>,
  { foreseen, filled, ...given }: Endings & Pick<SealedAtOnce, 'foreseen' | 'filled'>,
): Promise<boolean> {
  return (await finishStatement(tx, statement, { ...sealedEndings(tx, given), foreseen, filled })) === 1
}

function sealedEndings(tx: Tx, given: Endings): SealedEndings {
  const endings = given.endings.map((one) => {
    const owner = { tenantId: one.tenantId, environment: given.environment, id: one.id }
    return { ...one, sealedResult: sealResult(tx, owner, one.result) }
  })
  return { ...given, endings }
}

type SealedEnding = Ending & { readonly sealedResult: Uint8Array }

interface SealedAtOnce extends SealedEndings {
  /** By the ids of the endings. */
  readonly foreseen: readonly (Foreseen & { readonly id: string })[]
  readonly filled: Filled
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
  { name: 'way', type: 'text', get: (one) => one.channelName },
  { name: 'code_hash', type: 'bytea', get: (one) => one.responseCodeHash },
  { name: 'bound_by', type: 'text', get: (one) => one.boundBy },
  { name: 'forget_at', type: 'timestamptz', get: (one) => one.forgetAt },
  { name: 'forgotten_at', type: 'timestamptz', get: (one) => one.forgottenAt },
]

/** One of `COUNTED_CHANNELS`: a sign-in counts as one, whatever the channel of its answer. */
const CHANNEL_NAME = `case when v.actor_type = 'oidc_client' then 'openid' else case given.way ${CHANNEL_NAMES.map(
  (name) => `when '${name}' then ${countedAs(name)}`,
).join(' ')} end end`

function countedAs(name: AnswerChannel): string {
  const counted = channelOf(name).countedAs
  return counted === 'by_device' ? `case when v.same_device then 'same_device' else 'qr' end` : `'${counted}'`
}

/** The channels that use the link of the age profile. */
const BY_AGE_LINK = CHANNEL_NAMES.filter((name) => channelOf(name).asks === 'age_request').map((name) => `'${name}'`)

/**
 * Rows of each kind are locked in one order everywhere, so that two batches that share some cannot deadlock. A row is
 * found by its id alone, as by `unnestIds`: on a fresh table the planner might otherwise scan all rows of a tenant. The
 * locks stay the same.
 */
function endingCtes<Given extends SealedEndings>(
  parameters: ParameterList<Given>,
  { locks, fromEnded }: EndingParts,
  { held, remembered = null }: { readonly held: Held; readonly remembered?: string | null },
): string {
  const environment = parameters.one((given) => given.environment)
  const at = parameters.one((given) => given.at)
  const given = parameters.rows(ENDING, ({ endings }) => endings)
  const days = dayParameters(parameters, ({ endings }) => endings.map(({ day }) => day))
  return `given as (
              select * from ${given.unnest('g')}
            ), locked as (
              select v.id, v.tenant_id, v.request_sha256, v.actor_type, v.status = 'pending' and v.responded_at is null and v.expires_at > ${at} as open
              from (select id, tenant_id from given order by id) g
              cross join lateral (select * from verifications where id = g.id and ${inDays('day', days)} for update ${held} offset 0) v
              where v.tenant_id = g.tenant_id and v.environment = ${environment}
            )${lockCtes(locks, { tenants: 'select tenant_id from locked', environment, held })}${remembered === null ? '' : `, ${remembered}`}, ended as (
              update verifications v
              set status = given.status, responded_at = ${at}, response_code_hash = given.code_hash,
                  bound_by = given.bound_by,
                  encryption_key = null, request_object = null, transaction_data = null,
                  answered_by_age_link = given.way in (${BY_AGE_LINK.join()})
              from given join locked on locked.id = given.id ${joinLocks(locks, 'locked')}
              where v.id = given.id and v.tenant_id is not distinct from given.tenant_id and v.id = any (${given.arrayOf('id')}) and ${inDays('v.day', days)} and locked.open${remembered === null ? '' : ` and ${AS_REMEMBERED}`}
              returning v.id, v.tenant_id, v.day, v.request_sha256, v.created_at, v.template, v.actor_type, v.actor_id, given.status,
                given.sealed, given.error_code, given.way, ${CHANNEL_NAME} as channel, given.forget_at, given.forgotten_at
            ), results as (
              insert into verification_results
                (verification_id, tenant_id, environment, day, sealed, error_code, answered_by, channel, forget_at, forgotten_at)
              select id, tenant_id, ${environment}, day, sealed, error_code, way, channel, forget_at, forgotten_at from ended
            )${fromEnded.map((part) => `, ${part({ environment, at })}`).join('')}`
}

function defineEnding(name: string, parts: EndingParts, held: Held) {
  const { locks } = parts
  return defineForOneOrMany<SealedEndings>(
    name,
    (parameters) => `with ${endingCtes(parameters, parts, { held })}
            select locked.id, locked.tenant_id as "tenantId", ended.id is not null as ended, coalesce(ended.actor_type = 'oidc_client', false) as "isSignIn",
                   ended.request_sha256 as "requestHash"${lockColumns(locks)}
            from locked ${held === '' ? leftJoinLocks(locks, 'locked') : joinLocks(locks, 'locked')} left join ended on ended.id = locked.id`,
  )
}

const FORESEEN: readonly Column<Foreseen & { readonly id: string }>[] = [
  { name: 'id', type: 'text', get: (one) => one.id },
  { name: 'request_sha256', type: 'bytea', get: (one) => one.requestHash },
]

/** A row that another transaction has locked counts as changed: this statement never waits. */
function defineAtOnce(parts: EndingParts) {
  const { locks, last } = parts
  return defineForOneOrMany<SealedAtOnce>('end_at_once', (parameters) => {
    const foreseen = parameters.rows(FORESEEN, (given) => given.foreseen)
    const many = parameters.one((given) => given.endings.length)
    const ofFilled = scoped(parameters, ({ filled }: { readonly filled: Filled }) => filled)
    const asForeseen = `(
      select count(*) from locked join ${foreseen.unnest('f')} on f.id = locked.id
      where locked.open and locked.request_sha256 is not distinct from f.request_sha256
        and locked.actor_type <> 'oidc_client') = ${many}::int`
    const remembered = rememberedCte(locks, asForeseen, ofFilled)
    const ending = endingCtes(parameters, parts, { held: 'skip locked', remembered })
    const ctes = [ending, ...ctesOf(last, onlyIf(AS_REMEMBERED, ofFilled))]
    return `with ${ctes.join(', ')} ${selectRemembered('ended', many, resultsOf(last, ofFilled))}`
  })
}
