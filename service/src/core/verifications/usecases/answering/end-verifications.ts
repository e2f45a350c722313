// Ends verifications in batches across tenants. One transaction commits state, results and what features add.

import { jsonLength } from '@vidimus/engine/claims'
import type { Deps } from '../../../../deps.ts'
import { addShared, createSharedBatchJob } from '../../../../platform/event-loop/batch.ts'
import type { Transaction } from '../../../../platform/postgres/db.ts'
import { KeyedRows } from '../../../../platform/postgres/fragments.ts'
import { type DefinedStatement, finishStatement, runStatement } from '../../../../platform/postgres/statement.ts'
import { StoreUnavailable } from '../../../../platform/store-unavailable.ts'
import { instantOf } from '../../../../platform/world.ts'
import { isInBrowser } from '../../../channels/table.ts'
import { utcDayOf } from '../../../quota/domain/quota.ts'
import { chargeAnsweredSignIn } from '../../../quota/store/usage.ts'
import { type Realm, TRAIL_BATCHES } from '../../../tenants/domain/realm.ts'
import { type ReceiptBinding, receiptBinding } from '../../domain/browser-binding.ts'
import { type Keeping, keepingOf } from '../../domain/keeping.ts'
import { RESULT_SALT_BYTES } from '../../domain/sealed-result.ts'
import { finishPathWithin } from '../../domain/sign-in-path.ts'
import type { WalletVerification } from '../../store/columns.ts'
import { endAtOnce, endVerifications, type SealedEndings } from '../../store/endings.ts'
import { LockMissing } from '../../store/tenant-lock.ts'
import type { Fetched } from '../../store/wallet-verifications.ts'
import type { ComposedEndings, EndedAnswer, EndingBatch } from './contributions.ts'
import type { Answer, Endings, NewEnding } from './ending.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'batcher' | 'config' | 'log' | 'metrics' | 'fetchNotes'> & {
  readonly composed: ComposedEndings
}

export const createEndings = (needs: Needs): Endings => ({
  end: (ending) => endVerification(needs, ending),
  keepsRequest: (verification) => needs.composed.all.some((one) => one.keepsRequest?.(verification) === true),
})

/** Has no presentation, to save memory while it waits. Contributions have already prepared what they need. */
type PreparedEnding = Omit<NewEnding, 'judgement'> & Pick<Answer, 'salt'>

interface Item {
  readonly realm: Realm
  readonly ending: PreparedEnding
  readonly prepared: KeyedRows
  /** The size of the result's claims as JSON. */
  readonly bytes: number
}

const ENDINGS = createSharedBatchJob<Needs, Item, Outcome>({
  ...TRAIL_BATCHES,
  bytes: ({ bytes }) => bytes,
  shared: (deps, items) => endTogether(deps, items),
  own: (deps, items) => commitBatch(deps, items),
})

async function endVerification(deps: Needs, { judgement, ...ending }: NewEnding): Promise<boolean> {
  const { verification, channelName, clientId, result } = ending
  const { tenantId, environment } = verification
  const salt = deps.random(RESULT_SALT_BYTES)
  const answer = { verification, channelName, ...(clientId !== undefined && { clientId }), judgement, salt }
  const prepared = new KeyedRows()
  for (const contribution of deps.composed.all) await contribution.prepare?.(answer, prepared)
  const outcome = await addShared(deps, ENDINGS, {
    realm: { tenantId, environment },
    ending: { ...ending, salt },
    prepared,
    bytes: claimBytesOf(result),
  })
  if ('error' in outcome) throw outcome.error
  if (outcome.ended && outcome.isSignIn && result.outcome === 'completed') await chargeSignIn(deps, verification)
  if (outcome.ended)
    deps.metrics.presentations.inc({ outcome: result.outcome === 'completed' ? 'completed' : result.error.code })
  return outcome.ended
}

function claimBytesOf(result: NewEnding['result']): number {
  if (result.outcome === 'failed') return 0
  return jsonLength([result.claims, ...result.credentials.map((one) => one.claims)])
}

/**
 * Strangers can start sign-ins, so these count when they are answered. Charged after the commit, because other code
 * locks the day's row before the rows of contributions. If the process dies in between, one sign-in is not charged.
 */
async function chargeSignIn(deps: Needs, verification: WalletVerification): Promise<void> {
  try {
    await chargeAnsweredSignIn(deps.db, verification, utcDayOf(deps.clock.now()))
  } catch (error) {
    // The answer is already committed.
    deps.log.fault('an answered sign-in was not counted', error)
  }
}

type Outcome = { readonly ended: boolean; readonly isSignIn: boolean } | { readonly error: unknown }

/** Items that fail before the commit are retried per realm, so that only the realm at fault gets the error. */
async function endTogether(deps: Needs, items: readonly Item[]): Promise<readonly (Outcome | null)[]> {
  let decided = false
  try {
    const known = await endRemembered(deps, items)
    if (known !== null) return known
    return await commitEndings(deps, items, {
      statement: deps.composed.statements.free,
      onDecided: () => {
        decided = true
      },
    })
  } catch (error) {
    return items.map(() => (decided || error instanceof StoreUnavailable ? { error } : null))
  }
}

/** If a batch fails, each item is retried alone, so that one failure does not affect the others. */
async function commitBatch(deps: Needs, items: readonly Item[]): Promise<readonly Outcome[]> {
  // After an error that follows `onDecided`, only the store knows whether the transaction was committed. A retry would
  // take its own ending for that of another answer.
  let decided = false
  const onDecided = () => {
    decided = true
  }
  try {
    const outcomes = await withLocks(deps, items, () =>
      commitEndings(deps, items, { statement: deps.composed.statements.waiting, onDecided }),
    )
    // null: the verification no longer exists, so it was not ended.
    return outcomes.map((outcome) => outcome ?? { ended: false, isSignIn: false })
  } catch (error) {
    if (items.length === 1 || decided || error instanceof StoreUnavailable) return items.map(() => ({ error }))
    const outcomes: Outcome[] = []
    for (const item of items) outcomes.push(...(await commitBatch(deps, [item])))
    return outcomes
  }
}

/** Creates a missing row that must be locked, then retries once. Nothing of the first attempt was written. */
async function withLocks<T>(deps: Needs, [first]: readonly Item[], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof LockMissing) || first === undefined) throw error
    await error.lock.ensure(deps.db, first.realm, instantOf(deps.clock.now()))
    return work()
  }
}

interface Attempt {
  readonly statement: DefinedStatement<SealedEndings>
  readonly onDecided: () => void
}

/** Returns the outcomes in the order of the items; null: the row does not exist or was locked. */
async function commitEndings(
  deps: Needs,
  items: readonly Item[],
  { statement, onDecided }: Attempt,
): Promise<readonly (Outcome | null)[]> {
  const { environment, nowMs, chosen } = chooseEndings(deps, items)
  const now = instantOf(nowMs)
  const keyedRows = await beginBatch(deps.composed, nowMs)
  const endings = [...chosen.values()].map((one) => rowOf(deps, one))
  const found = await deps.db.transaction(async (tx) => {
    const rows = await endVerifications(tx, statement, { environment, endings, at: now })
    const locked = [...rows.values()].map(({ tenantId, row }) => ({ realm: { tenantId, environment }, row }))
    for (const lock of deps.composed.locks) lock.read(locked, keyedRows)
    const done = [...chosen.values()].flatMap((one) => {
      const row = rows.get(one.ending.verification.id)
      return row?.ended === true ? [endedOf(one, row.requestHash)] : []
    })
    if (done.length > 0) {
      await writeEnded(tx, deps.composed, done, { now, keyedRows })
      for (const { memory } of deps.composed.locks) memory?.remember(keyedRows)
    }
    onDecided()
    return rows
  })
  return items.map(({ ending }) => {
    const row = found.get(ending.verification.id)
    if (row === undefined) return null
    return { ended: row.ended && chosen.get(ending.verification.id)?.ending === ending, isSignIn: row.isSignIn }
  })
}

/**
 * Ends in one statement. null, and nothing is written, if this process does not remember enough, a contribution needs
 * its own statement, or the store has changed. The next attempt reads, which corrects the memory.
 */
async function endRemembered(deps: Needs, items: readonly Item[]): Promise<readonly Outcome[] | null> {
  const { all, locks, own, statements } = deps.composed
  if (statements.atOnce === null) return null
  const { environment, nowMs, chosen } = chooseEndings(deps, items)
  const done = [...chosen.values()].map((one) => endedOf(one, one.ending.verification.requestSha256))
  const isSignIn = ({ verification }: EndedAnswer) =>
    finishPathWithin(verification.redirectUrl, deps.config.baseUrl) !== null
  const hasOwn = (ended: EndedAnswer) => own.some(({ of }) => of.hasOwn?.(ended) !== false)
  if (done.some((one) => isSignIn(one) || hasOwn(one))) return null
  const realms = done.map(({ realm }) => realm)
  const keyedRows = await beginBatch(deps.composed, nowMs)
  if (!locks.every(({ memory }) => memory?.recall(realms, keyedRows) === true)) return null
  const now = instantOf(nowMs)
  for (const contribution of all) contribution.collect?.(done, { now, keyedRows })
  const endings = [...chosen.values()].map((one) => rowOf(deps, one))
  const readBefore = done.map(({ verification, servedHash }) => ({ id: verification.id, requestHash: servedHash }))
  const { atOnce } = statements
  try {
    const batch = { environment, endings, at: now, readBefore, keyedRows }
    if (!(await deps.db.transaction((tx) => endAtOnce(tx, atOnce, batch)))) {
      deps.metrics.batchRetries.inc({ batch: 'endings', reason: 'stale' })
      return null
    }
  } catch (error) {
    for (const { memory } of locks) memory?.forget(realms)
    if (error instanceof StoreUnavailable) return items.map(() => ({ error }))
    deps.metrics.batchRetries.inc({ batch: 'endings', reason: 'failed' })
    deps.log.fault('endings were not written from memory', error)
    return null
  }
  for (const { memory } of locks) memory?.remember(keyedRows)
  return items.map(({ ending }) => ({ ended: chosen.get(ending.verification.id)?.ending === ending, isSignIn: false }))
}

/** By the id of the verification. Two answers to one verification may be in one batch. The first counts. */
function chooseEndings(deps: Needs, items: readonly Item[]) {
  const nowMs = deps.clock.now()
  const chosen = new Map<string, ChosenEnding>()
  for (const { ending, prepared } of items) {
    if (chosen.has(ending.verification.id)) continue
    const kept = keepingOf(ending.result, ending.verification.settings, {
      nowMs,
      forwardEverywhere: deps.config.forwardOnly,
    })
    chosen.set(ending.verification.id, { ending, prepared, kept })
  }
  return { environment: items[0]?.realm.environment ?? 'test', nowMs, chosen }
}

export async function beginBatch({ all }: ComposedEndings, nowMs: number): Promise<KeyedRows> {
  const keyedRows = new KeyedRows()
  for (const contribution of all) await contribution.begin?.(nowMs, keyedRows)
  return keyedRows
}

/** Writes all rows that contributions add for the ended verifications, and commits. */
export async function writeEnded(
  tx: Transaction,
  { all, own, last }: ComposedEndings,
  ended: readonly EndedAnswer[],
  batch: EndingBatch,
): Promise<void> {
  const withRows = new Set(all.filter((contribution) => contribution.collect?.(ended, batch) === true))
  for (const { of, statement } of own) if (withRows.has(of)) await runStatement(tx, statement, batch.keyedRows)
  await finishStatement(tx, last, batch.keyedRows)
}

interface ChosenEnding {
  readonly ending: PreparedEnding
  readonly prepared: KeyedRows
  readonly kept: Keeping
}

function rowOf({ fetchNotes }: Needs, { ending, kept }: ChosenEnding) {
  const { verification, result, checks, responseCodeHash, channelName, salt } = ending
  const receiptSalt = Buffer.from(salt).toString('base64url')
  const withChecks = kept.forgottenAt === null ? { ...kept.result, checks } : kept.result
  return {
    tenantId: verification.tenantId,
    id: verification.id,
    day: verification.day,
    status: result.outcome,
    result: { ...withChecks, receiptSalt },
    errorCode: result.outcome === 'failed' ? result.error.code : null,
    channelName,
    responseCodeHash,
    boundBy: BOUND_AT_END.has(bindingOf(ending)) ? ('browser_api' as const) : null,
    forgetAt: kept.forgetAt,
    forgottenAt: kept.forgottenAt,
    fetched: fetchOf(fetchNotes.unwritten(verification.id)),
  }
}

/** null for a request under another client id, which is only in the sent requests. */
const fetchOf = (fetched: Fetched | null) => (fetched?.sha256 == null ? null : fetched)

function endedOf({ ending, prepared, kept }: ChosenEnding, servedHash: Uint8Array | null) {
  const { verification, channelName, result, salt } = ending
  const realm = { tenantId: verification.tenantId, environment: verification.environment }
  const binding = bindingOf(ending)
  return { realm, verification, channelName, outcome: result.outcome, kept, salt, binding, servedHash, prepared }
}

/** Bindings that are complete with the answer. Others are complete when the holder returns to the browser. */
const BOUND_AT_END: ReadonlySet<ReceiptBinding> = new Set(['browser_api', 'first_browser'])

function bindingOf({ verification, channelName }: Pick<NewEnding, 'verification' | 'channelName'>): ReceiptBinding {
  const { browserBinding, origin, settings } = verification
  return receiptBinding(
    { browserBinding, hasOwnOrigin: origin !== null, setting: settings.browserBinding },
    isInBrowser(channelName),
  )
}
