// The steps of a worker with a delivery: `leaseDue`, `sendOne`, `writeDown`. The states of a delivery:
//
//   pending, due      its time has come and it has no worker, or the worker's lease has expired
//      leaseDue
//   pending, leased   one worker has it; its attempt is in the log without an outcome
//      sendOne        (changes nothing in the store)
//      writeDown
//   delivered         the receiver answered with a 2xx
//   pending, later    the attempt failed, and the schedule has another one
//   failed            the attempt failed, and the schedule is over or the receiver is gone (410)
//   held              not sent, because its destination is disabled; due again when staff enable the destination
//
// Delivery is at least once: attempts are stored before they are sent, and deliveries are retried when a lease expires.
// A worker that returns after its lease finds another fence on the delivery, so its write changes nothing.

import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import type { SensitiveFields } from '../../../core/verifications/domain/sensitive-fields.ts'
import type { Verification } from '../../../core/verifications/domain/verification.ts'
import { recordForgettings } from '../../../core/verifications/usecases/forgetting/forget-due-content.ts'
import {
  decryptVerification,
  decryptVerificationWith,
  sensitiveFieldsOrNull,
  turnFor,
} from '../../../core/verifications/usecases/reading/read-verification.ts'
import type { Deps } from '../../../deps.ts'
import type { BatchJob } from '../../../platform/event-loop/batch.ts'
import { instantOf, millisecondsOf } from '../../../platform/world.ts'
import { ANSWER_KEPT_MS } from '../domain/answer.ts'
import { ABANDONED_MAX, type AttemptEnd, type Exchange, gaveContent, nextAttemptMs } from '../domain/delivery.ts'
import { DELIVERY_CHANNEL } from '../store/deliveries.ts'
import { type EndedAttempt, endAttempts, type LeasedDelivery, leaseDeliveries } from '../store/delivery-leases.ts'
import { type Destination, findFailing } from '../store/destinations.ts'
import {
  type ChoiceTerms,
  chooseDueDeliveries,
  findDueTimeAcrossTenants,
  replaceDueTimes,
  type TooEarly,
} from '../store/due-times.ts'
import { loadWebhookSecretsOf, type SealedSecrets } from '../store/secrets.ts'
import { openSecrets, signingSecrets } from './manage-webhook-secret.ts'
import { type SendingNeeds, sendWebhook } from './send-webhook.ts'
import { noteDestinations, type WatchingNeeds } from './watch-destinations.ts'

export type DeliveryNeeds = SendingNeeds & WatchingNeeds & Pick<Deps, 'random' | 'batcher' | 'traces'>

/** Longer than twice the longest attempt, so that a running worker never loses its lease. */
const LEASE_MS = 45_000

/**
 * How long a realm is polled after it was due, so that busy realms write no due times. Once a realm was polled for
 * twice this time, one transaction replaces the due times of all such realms.
 */
const LOOK_AFTER_MS = 1_000

/**
 * Compared with one commit per delivery: 30 to 51 commits for 1,500 deliveries, 0.9 instead of 2.2 ms of CPU time each,
 * and 1.5 times the throughput (`bench` webhooks, busy machine). Delaying a batch to make it larger gained nothing.
 */
const ENDINGS: BatchJob<DeliveryNeeds, Ending, Written> = { itemsMax: 256, run: writeEndings }
/** One realm per batch. Records on the audit trail that receipts deleted content. */
const FORGETTINGS: BatchJob<DeliveryNeeds, Destination, null> = { itemsMax: 256, run: recordForgotten }
/**
 * A separate batch from ENDINGS: this one waits for locked audit trails, and writing outcomes must not wait for those.
 */
const NOTES: BatchJob<DeliveryNeeds, Ending, null> = { itemsMax: 256, run: noteEndings }

interface Written {
  /** Whether the receipt deleted the result's content. */
  readonly forgot: boolean
}

export type LeaseBounds = Omit<ChoiceTerms, 'now'>

export interface Leased {
  /** `tenant|environment`. */
  readonly realm: string
  readonly delivery: LeasedDelivery
  readonly destination: Destination
  /** null if the fields cannot be decrypted. */
  readonly sensitiveFields: SensitiveFields | null
  readonly batch: Batch
}

export interface LeasedDue {
  readonly leased: readonly Leased[]
  /** More may be due than the limits allowed, or rows were locked. The worker must look again as soon as slots are free. */
  readonly mayHaveMore: boolean
}

/** What deliveries of one lease share. */
interface Batch {
  readonly failing: ReadonlyMap<string, { disabled: boolean }>
  /** Returns the secrets that sign now, newest first; decrypted once per realm. */
  secretsOf(realm: Realm): Promise<readonly string[]>
}

/** An outcome that still has to be written. */
export interface Ending extends EndedAttempt {
  readonly destination: Destination
  /** Whether the destination had failed before, so that a success must be recorded. */
  readonly wasFailing: boolean
}

/**
 * Leases due deliveries within the limits; the caller must send each. Compared with a lease per delivery: at least four
 * times the throughput, for a sixth of the CPU time (`bench` webhooks, busy machine).
 */
export async function leaseDue(deps: DeliveryNeeds, terms: LeaseBounds): Promise<LeasedDue> {
  const nowMs = deps.clock.now()
  const now = instantOf(nowMs)
  const { deliveryIds, verificationIds, tooEarly, mayHaveMore } = await chooseDueDeliveries(deps.db, { ...terms, now })
  await replaceEarlyTimes(deps, tooEarly, nowMs)
  if (deliveryIds.length === 0) return { leased: [], mayHaveMore }
  const leased = await leaseDeliveries(
    deps.db,
    { deliveryIds, verificationIds },
    { now, leaseUntil: instantOf(nowMs + LEASE_MS) },
  )
  const bound = leased.map((delivery) => {
    const sensitiveFields = sensitiveFieldsOrNull(deps, delivery.verification)
    return { delivery, sensitiveFields, destination: destinationOf(delivery, sensitiveFields) }
  })
  const destinations = [...new Map(bound.map(({ destination }) => [nameOf(destination), destination])).values()]
  const [failing, sealed] = await Promise.all([
    findFailing(deps.db, destinations),
    loadWebhookSecretsOf(deps.db, destinations),
  ])
  const batch = { failing, secretsOf: openingOnce(deps, sealed) }
  return {
    leased: bound.map((one) => ({ ...one, realm: realmName(one.destination), batch })),
    mayHaveMore: mayHaveMore || leased.length < deliveryIds.length,
  }
}

/** Returns in how many milliseconds `leaseDue` can find a delivery; 0 or less: now. */
export async function untilDue({ db, clock }: DeliveryNeeds): Promise<number> {
  const dueAt = await findDueTimeAcrossTenants(db)
  return dueAt === null ? Number.POSITIVE_INFINITY : millisecondsOf(dueAt) - clock.now()
}

/** Replaces due times that were too early. After an error, the next poll tries again. */
async function replaceEarlyTimes(deps: DeliveryNeeds, tooEarly: readonly TooEarly[], nowMs: number): Promise<void> {
  const olderThan = (ms: number) => tooEarly.filter(({ dueAt }) => millisecondsOf(dueAt) <= nowMs - ms)
  if (olderThan(2 * LOOK_AFTER_MS).length === 0) return
  try {
    await replaceDueTimes(deps.db, olderThan(LOOK_AFTER_MS), instantOf(nowMs))
  } catch (error) {
    deps.log.fault('due times of webhooks were not replaced', error)
  }
}

/** Decrypts the secrets of a realm once, and creates the first secret of a realm that has none. */
function openingOnce(deps: DeliveryNeeds, sealed: ReadonlyMap<string, SealedSecrets>): Batch['secretsOf'] {
  const opening = new Map<string, Promise<readonly string[]>>()
  const open = async (realm: Realm, known: SealedSecrets | undefined) =>
    known === undefined ? signingSecrets(deps, realm) : openSecrets(deps, realm, known)
  return (realm) => {
    const name = realmName(realm)
    const secrets = opening.get(name) ?? open(realm, sealed.get(name))
    opening.set(name, secrets)
    return secrets
  }
}

/** Calls back when a delivery may be due. Returns a function that unsubscribes. */
export function onDue(deps: Pick<Deps, 'db'>, wakeUp: () => void): Promise<() => Promise<void>> {
  return deps.db.listen(DELIVERY_CHANNEL, wakeUp, wakeUp)
}

/** Sends a delivery and returns the outcome. Rejects only if the store is unavailable; after its lease the delivery is retried. */
export async function sendOne(deps: DeliveryNeeds, leased: Leased): Promise<Ending> {
  const { delivery, destination, batch } = leased
  const known = batch.failing.get(nameOf(destination))
  const facts = { destination, wasFailing: known !== undefined }
  if (known?.disabled === true) {
    const parked = {
      state: 'held',
      heldFor: destination.origin,
      attempts: delivery.attempts,
      nextAt: null,
      failedAtOrigin: destination.origin,
    } as const
    return {
      delivery,
      ...facts,
      outcome: 'destination_disabled',
      httpStatus: null,
      gaveContent: false,
      ...parked,
      ...NOT_SENT,
    }
  }
  const { end, exchange } = await attempt(deps, leased)
  const { sentAt, tookMs, answer } = exchange ?? NOT_SENT
  return { ...facts, ...judge(deps, { delivery, destination }, end), sentAt, tookMs, answer }
}

const NOT_SENT = { sentAt: null, tookMs: null, answer: null } as const

/** Writes an outcome, in a batch with others. Rejects as `sendOne` does. */
export async function writeDown(deps: DeliveryNeeds, ending: Ending): Promise<void> {
  const { forgot } = await deps.batcher.add(ENDINGS, deps, { lane: 'all', item: ending })
  const { destination } = ending
  if (forgot) await deps.batcher.add(FORGETTINGS, deps, { lane: realmName(destination), item: destination })
  if (isNoted(ending)) await deps.batcher.add(NOTES, deps, { lane: 'all', item: ending })
}

interface Attempted {
  readonly end: AttemptEnd
  /** null: nothing was sent. */
  readonly exchange: Exchange | null
}

const unsent = (outcome: string): Attempted => ({ end: { outcome, httpStatus: null }, exchange: null })

async function attempt(deps: DeliveryNeeds, { delivery, sensitiveFields, batch }: Leased): Promise<Attempted> {
  // Several workers crashed on this delivery. So it counts as a failure and is not retried at once.
  if (delivery.abandoned >= ABANDONED_MAX) return unsent('abandoned')
  await turnFor(delivery.verification)
  const verification = openedOrNull(deps, delivery, sensitiveFields)
  if (verification === null) return unsent('unreadable')
  const { webhookUrl: url } = verification
  if (url === null) throw new Error('bug: a delivery of a verification without a webhook address')
  const secrets = await batch.secretsOf(verification)
  const { id: deliveryId, type, createdAt } = delivery
  return sendWebhook(deps, { deliveryId, type, url, verification, createdAt, secrets })
}

/** Returns null for a result that is damaged or sealed with a lost master key, so that it does not crash every worker. */
function openedOrNull(
  deps: DeliveryNeeds,
  delivery: LeasedDelivery,
  sensitiveFields: SensitiveFields | null,
): Verification | null {
  const { verification: stored } = delivery
  try {
    return sensitiveFields === null
      ? decryptVerification(deps, stored)
      : decryptVerificationWith(deps, stored, { sensitiveFields, nowMs: deps.clock.now() })
  } catch (error) {
    deps.log.fault('a result cannot be opened for its webhook', error, { tenant: delivery.verification.tenantId })
    return null
  }
}

/** Returns where failures count. An address that cannot be decrypted or parsed counts as a destination of its own. */
function destinationOf({ verification }: LeasedDelivery, sensitiveFields: SensitiveFields | null): Destination {
  const { tenantId, environment } = verification
  return { tenantId, environment, origin: URL.parse(sensitiveFields?.webhookUrl ?? '')?.origin ?? '' }
}

function nameOf(destination: Destination): string {
  return `${realmName(destination)}|${destination.origin}`
}

function judge(
  deps: DeliveryNeeds,
  { delivery, destination }: Pick<Leased, 'delivery' | 'destination'>,
  end: AttemptEnd,
): Omit<EndedAttempt, 'sentAt' | 'tookMs' | 'answer'> {
  const attempts = delivery.attempts + 1
  const failedAtOrigin = end.outcome === 'delivered' ? null : destination.origin
  const result = {
    delivery,
    attempts,
    outcome: end.outcome,
    httpStatus: end.httpStatus,
    gaveContent: gaveContent(end),
    heldFor: null,
    failedAtOrigin,
  }
  if (end.outcome === 'delivered') return { ...result, state: 'delivered', nextAt: null }
  const failing = { attempts, createdAtMs: millisecondsOf(delivery.createdAt), nowMs: deps.clock.now() }
  const next = nextAttemptMs(failing, end, deps.random)
  return { ...result, state: next === null ? 'failed' : 'pending', nextAt: next === null ? null : instantOf(next) }
}

async function writeEndings(deps: DeliveryNeeds, ended: readonly Ending[]): Promise<Written[]> {
  const nowMs = deps.clock.now()
  const times = { now: instantOf(nowMs), answersUntil: instantOf(nowMs + ANSWER_KEPT_MS) }
  const written = await endAttempts(deps.db, ended, times)
  for (const { outcome } of ended) deps.metrics.webhookAttempts.inc({ outcome })
  const forgotten = new Set(written.forgotten)
  return ended.map(({ delivery }) => ({ forgot: forgotten.has(delivery.id) }))
}

/** Records deleted content. After an error, a job records it later. */
async function recordForgotten(deps: DeliveryNeeds, realms: readonly Destination[]): Promise<null[]> {
  const [realm] = realms
  if (realm !== undefined)
    await recordForgettings(deps, realm).catch((error) =>
      deps.log.fault('forgotten content is not on the audit trail yet', error, { tenant: realm.tenantId }),
    )
  return realms.map(() => null)
}

const isSuccess = ({ state, wasFailing }: Ending) => state === 'delivered' && wasFailing
const isFailure = ({ state }: Ending) => state === 'pending' || state === 'failed'
const isNoted = (ending: Ending) => isSuccess(ending) || isFailure(ending)

/** Records outcomes of destinations. They are already stored with the deliveries, so an error here loses only a count. */
async function noteEndings(deps: DeliveryNeeds, ended: readonly Ending[]): Promise<null[]> {
  await noteDestinations(deps, {
    succeeded: ended.filter(isSuccess).map(({ destination }) => destination),
    failed: ended.filter(isFailure).map(({ destination }) => destination),
  }).catch((error) => deps.log.fault('the outcomes of destinations were not recorded', error))
  return ended.map(() => null)
}
