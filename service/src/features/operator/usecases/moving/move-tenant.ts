// Moves a tenant to another installation. At most one installation serves it: this one until `handOverTenant` commits.

import type { Deps } from '../../../../deps.ts'
import { ENVIRONMENTS, type Environment, type Instant, instantOf } from '../../../../platform/world.ts'
import { adoptTrail, createTrailCopy, disownTrails, type TrailCopy } from '../../../audit/index.ts'
import { CORRELATION_LABEL, correlationKeyOf, subjectKeyOf } from '../../../oidc/index.ts'
import { blindingKeyOf, hasUnsignedReceipts, signReceipts } from '../../../transparency/index.ts'
import { dropContradictedMarks, nameTenantOfListedKeys } from '../../../trust/index.ts'
import {
  closeForMove,
  handOverTenant,
  holdArriving,
  loadUnservedCopy,
  loadWhereabouts,
  millisecondsSinceClosing,
  noteCopy,
  noteOpenedThere,
  reopen,
  settle,
  type Whereabouts,
  whileMoving,
} from '../../store/closings.ts'
import { withdrawSignIns } from '../../store/moved-accounts.ts'
import {
  copyReceiptKeys,
  copyTenantRow,
  findLastPending,
  keepTenantKey,
  readMigrationsOf,
  readStoreId,
  refreshTenantRow,
} from '../../store/moved-people.ts'
import {
  type Copying,
  changeThere,
  compareTables,
  copyPass,
  MoveRefused,
  readShapes,
  type TableCount,
} from './copy-rows.ts'
import { deleteArrivingRows, deleteMovedRows, subjectLabel } from './delete-copies.ts'
import { copyPeople, deleteLeftPeople, findPeopleProblems } from './move-people.ts'
import { handOverTo } from './moved-away.ts'
import { openHere } from './open-arrived-tenants.ts'

export interface Move {
  readonly source: Deps
  readonly target: Deps
  readonly tenantId: string
  /** Called before each step. */
  readonly onStep?: (step: string) => void | Promise<void>
}

/** Runs one command per tenant at a time: two would overwrite each other's copies. The lock ends with the process. */
export async function moveAlone<T>(move: Move, work: (move: Move) => Promise<T>): Promise<T> {
  const done = await whileMoving(move.source.db, move.tenantId, () => work(move))
  if (done === 'under_way') throw new MoveRefused('another command is moving this tenant: wait until it ends')
  return done
}

/** Processes cache an API key for at most a second, and older writes have ended by then. */
const SETTLE_SECONDS = 1.2
const COMPARED_WHOLE_MAX = 20_000

export interface Copied {
  readonly counts: readonly TableCount[]
  /** Staff whose account was opened by another tenant: invite them again. */
  readonly peopleLeft: number
}

/** Copies the tenant while it is served, and compares all rows. Repeatable; callers of the tenant notice nothing. */
export async function copyTenant(move: Move): Promise<Copied> {
  const { movedTo } = await requireTarget(move)
  if (movedTo !== null) throw new MoveRefused(`the tenant has moved to ${movedTo}`)
  const { copied } = await copyWhileServed(move)
  return copied
}

export interface Switched extends Copied {
  /** How long no installation served the tenant, by the store's clock; null if an earlier run stopped it. */
  readonly stoppedMs: number | null
}

export interface StopBounds {
  readonly stopSeconds: number
  /** Up to this many rows, the stop compares all rows again; with more, only rows that changed since the copy. */
  readonly comparedWholeMax?: number
}

/**
 * Copies, stops the tenant for at most `stopSeconds`, copies the rest, verifies, and opens it in the target. If that
 * takes longer by the store's clock, this installation serves it again. Repeat it after a crash.
 */
export async function switchTenant(
  move: Move,
  { stopSeconds, comparedWholeMax = COMPARED_WHOLE_MAX }: StopBounds,
): Promise<Switched> {
  const { source, target, tenantId } = move
  const step = async (name: string) => move.onStep?.(name)
  const { movedTo } = await requireTarget(move)
  if (movedTo !== null) {
    await step('arrive')
    await arrive(move)
    return { counts: [], peopleLeft: 0, stoppedMs: null }
  }
  const before = await copyWhileServed(move)
  const { shapes, mark, trails } = before
  await step('close')
  const until = await closeForMove(source.db, tenantId, stopSeconds)
  if (until === null)
    throw new MoveRefused('another move of this tenant is under way, or its retention is being applied: try again')
  try {
    await settle(source.db, SETTLE_SECONDS)
    // Only this installation has the receipt key.
    await signReceipts(source)
    if (await hasUnsignedReceipts(source.db, tenantId))
      throw new MoveRefused(
        'receipts cannot be signed, because their key is not available; this installation still serves the tenant',
      )
    await step('copy the rest')
    await dropContradictedMarks(source.db, tenantId)
    await refreshTenantRow(source.db, target.db, tenantId)
    const staff = await copyPeople(before.copying, { isClosed: true })
    const havePeopleChanged = !areSamePeople(staff.people, before.copying.people)
    const copying = { ...before.copying, people: staff.people, havePeopleChanged }
    await copyPass(copying, shapes, { since: mark, isClosed: true })
    await deleteLeftPeople(copying, staff)
    await step('verify')
    const rows = before.copied.counts.reduce((all, one) => all + one.rows, 0)
    const { problems, counts } = await compareTables(copying, shapes, {
      since: rows <= comparedWholeMax ? null : mark,
      isClosed: true,
    })
    const wrong = [...problems, ...(await findPeopleProblems(copying)), ...(await trailProblems(trails))]
    if (wrong.length > 0)
      throw new MoveRefused(`the copy differs: ${wrong.join('; ')}. This installation still serves the tenant`)
    await step('prepare')
    await prepareThere(move, trails)
    await step('give away')
    if (
      !(await handOverTenant(source.db, tenantId, {
        until,
        ...handOverTo(source, tenantId, target.config.baseUrl),
      }))
    )
      throw tooSlow(stopSeconds)
    await step('open')
    await openHere(target, tenantId)
    await noteOpenedThere(source.db, tenantId, instantOf(source.clock.now()))
    const stoppedMs = await millisecondsSinceClosing(source.db, { until, seconds: stopSeconds })
    await step('log')
    await enterLog(move)
    return { counts, peopleLeft: staff.left, stoppedMs }
  } catch (error) {
    await cancelSwitch(move, until).catch((failure: unknown) => {
      throw withFailure(error, failure)
    })
    throw error
  }
}

/** Gives up the move. Changes nothing after `handOverTenant`. */
async function cancelSwitch(move: Move, until: string): Promise<void> {
  await reopen(move.source.db, move.tenantId, until)
  if ((await loadWhereabouts(move.source.db, move.tenantId))?.movedTo === null) await withdrawThere(move)
}

/** Reports the error that ended the move first, then the failure of the clean-up. */
function withFailure(error: unknown, failure: unknown): Error {
  const [why, also] = [error, failure].map((one) => (one instanceof Error ? one.message : String(one)))
  const message = `${why}; taking the move back failed, too: ${also}`
  return error instanceof MoveRefused
    ? new MoveRefused(message, { cause: failure })
    : new AggregateError([error, failure], message, { cause: error })
}

const areSamePeople = (...both: ReadonlyMap<string, string>[]) =>
  new Set(both.map((people) => JSON.stringify([...people]))).size === 1

const tooSlow = (seconds: number) =>
  new MoveRefused(`the rest was not copied and verified within ${seconds} s; this installation still serves the tenant`)

/** Opens the tenant in the target after a crash that followed `handOverTenant`. */
async function arrive(move: Move): Promise<void> {
  const there = await loadWhereabouts(move.target.db, move.tenantId)
  // `prepareThere` has verified and marked the copy; `openHere` requires the mark.
  if (there?.arrivedAt === null) await openHere(move.target, move.tenantId)
  await noteOpenedThere(move.source.db, move.tenantId, instantOf(move.source.clock.now()))
  await enterLog(move)
}

async function requireTarget({ source, target, tenantId }: Move): Promise<{ readonly movedTo: string | null }> {
  const here = await loadWhereabouts(source.db, tenantId)
  if (here === null) throw new MoveRefused(`there is no tenant ${tenantId}`)
  if ((await readStoreId(source.db)) === (await readStoreId(target.db)))
    throw new MoveRefused('the target is this installation: it has the same store')
  if (source.config.baseUrl === target.config.baseUrl)
    throw new MoveRefused('both installations have the same VIDIMUS_BASE_URL')
  await requireSameSchema(source, target)
  const there = await loadWhereabouts(target.db, tenantId)
  if (here.movedTo !== null) {
    if (here.movedTo !== target.config.baseUrl || there?.movedFrom !== source.config.baseUrl)
      throw new MoveRefused(`the tenant has moved to ${here.movedTo}`)
    return here
  }
  // Blinding keys are derived from master keys: with the same one, the tenant could be recognized in both logs.
  if (blindingKeyOf(source.derivedKeys, tenantId).equals(blindingKeyOf(target.derivedKeys, tenantId)))
    throw new MoveRefused('both installations have the same master key: each needs its own')
  if (there !== null && !isArriving(source, there))
    throw new MoveRefused('the other installation has this tenant already')
  return here
}

/** With different schemas, tables that this release does not know would be left out. */
async function requireSameSchema(source: Deps, target: Deps): Promise<void> {
  if ((await readMigrationsOf(source.db)) !== (await readMigrationsOf(target.db)))
    throw new MoveRefused('the installations have different schemas: upgrade both to the same release first')
}

const isArriving = (source: Deps, there: Whereabouts | null): boolean =>
  there?.isClosed === true && there.movedTo === null && there.movedFrom === source.config.baseUrl

async function copyWhileServed(move: Move) {
  const { source, target, tenantId } = move
  const step = async (name: string) => move.onStep?.(name)
  await step('copy')
  await copyTenantRow(source.db, target.db, tenantId, source.config.baseUrl)
  await noteCopy(target.db, tenantId, instantOf(target.clock.now()))
  await nameTenantOfListedKeys(source.db, tenantId)
  await dropContradictedMarks(source.db, tenantId)
  const between = { source: source.db, target: target.db, tenantId }
  const { people, left } = await copyPeople(between, { isClosed: false })
  await copyKeys(move)
  const copying: Copying = { ...between, people }
  const shapes = await readShapes(copying)
  const first = await copyPass(copying, shapes, { since: null, isClosed: false })
  await step('catch up')
  const mark = await copyPass(copying, shapes, { since: first, isClosed: false })
  await step('compare')
  const { problems, counts } = await compareTables(copying, shapes, { since: null, isClosed: false })
  if (problems.length > 0)
    throw new MoveRefused(`the copy differs: ${problems.join('; ')}. This installation still serves the tenant`)
  const trails = trailsOf(move)
  for (const { copy } of trails) await copy.read()
  return { copying, shapes, mark, trails, copied: { counts, peopleLeft: left } }
}

/** Copies the keys that the tenant's rows depend on: of subjects and correlations, and the public keys of receipts. */
async function copyKeys({ source, target, tenantId }: Move): Promise<void> {
  const at = instantOf(target.clock.now())
  for (const environment of ENVIRONMENTS) {
    const key = subjectKeyOf(source.derivedKeys, { tenantId, environment })
    await keepTenantKey(target.db, tenantId, { label: subjectLabel(environment), key, at })
  }
  const key = correlationKeyOf(source.derivedKeys, tenantId)
  await keepTenantKey(target.db, tenantId, { label: CORRELATION_LABEL, key, at })
  await copyReceiptKeys(source.db, target.db, tenantId)
}

interface RealmTrail {
  readonly environment: Environment
  readonly copy: TrailCopy
}

const trailsOf = ({ source, target, tenantId }: Move): RealmTrail[] =>
  ENVIRONMENTS.map((environment) => ({
    environment,
    copy: createTrailCopy(source, target, { tenantId, environment }),
  }))

async function trailProblems(trails: readonly RealmTrail[]): Promise<string[]> {
  const problems: string[] = []
  for (const { environment, copy } of trails) {
    const problem = await copy.findProblem()
    if (problem !== null) problems.push(`audit trail of ${environment}: ${problem}`)
  }
  return problems
}

/** Marks the verified copy, so that the target can open it without this command after `handOverTenant`. */
const prepareThere = ({ target, tenantId }: Move, trails: readonly RealmTrail[]): Promise<void> =>
  target.db.transaction(async (tx) => {
    if (!(await holdArriving(tx, tenantId)))
      throw new MoveRefused('the other installation has opened the tenant already')
    for (const { copy } of trails) await copy.guard(tx)
  })

/** The tenant stays here: its copy cannot be opened, its accounts cannot sign in, and a job deletes it later. */
const withdrawThere = ({ target, tenantId }: Move): Promise<void> =>
  changeThere({ target: target.db, tenantId }, async (tx) => {
    await disownTrails(tx, tenantId)
    await withdrawSignIns(tx, tenantId)
  })

/** Adds the trails to the target's log. They are older than the log, so the operator vouches for them. */
async function enterLog({ target, tenantId }: Move): Promise<void> {
  for (const environment of ENVIRONMENTS) {
    const adopted = await adoptTrail(target, { tenantId, environment })
    if (adopted.outcome === 'refused') throw new MoveRefused(`the tenant has moved, but ${adopted.problem}`)
  }
}

/** Deletes the moved rows. `waitUntil`: not yet, because wallets may still fetch requests here until then. */
export async function finishMove(move: Move): Promise<{ readonly waitUntil: Instant | null }> {
  const { source, target, tenantId } = move
  const { movedTo } = await requireTarget(move)
  const there = await loadWhereabouts(target.db, tenantId)
  const isStopped = there?.isClosed === true && there.movedTo === null
  if (movedTo === null || there === null || isStopped || there.arrivedAt === null)
    throw new MoveRefused('the other installation does not serve the tenant yet: switch first')
  const waitUntil = await findLastPending(source.db, tenantId, instantOf(source.clock.now()))
  if (waitUntil !== null) return { waitUntil }
  const copy = await loadUnservedCopy(source.db, tenantId)
  if (copy !== null) await deleteMovedRows(source, copy)
  return { waitUntil: null }
}

/** Deletes a copy that is not opened: this installation still serves the tenant, or a third one has opened it. */
export async function abortMove(move: Move): Promise<void> {
  const { source, target, tenantId } = move
  const here = await loadWhereabouts(source.db, tenantId)
  // Unless another place has opened the tenant, this may be the only copy: the target's address may have changed.
  const isElsewhere = here?.openedThereAt != null && here.movedTo !== target.config.baseUrl
  const isLeft = isElsewhere && isArriving(source, await loadWhereabouts(target.db, tenantId))
  if (!isLeft && (await requireTarget(move)).movedTo !== null)
    throw new MoveRefused('the tenant has moved already, and cannot come back: `finish` deletes what is left here')
  await requireSameSchema(source, target)
  const copy = await loadUnservedCopy(target.db, tenantId)
  if (copy !== null) await deleteArrivingRows(target, copy)
}
