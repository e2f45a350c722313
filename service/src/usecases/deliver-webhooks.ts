// A worker's desk: takes what is due, sends it, writes down how it went. At least once: an attempt is in the store before
// it is sent, and one whose worker vanished is made again when its lease ends.

import type { Deps } from '../deps.ts'
import { ABANDONED_MAX, type AttemptEnd, nextAttemptMs } from '../domain/delivery.ts'
import { type Place, placeName } from '../domain/place.ts'
import { instantOf, millisecondsOf } from '../domain/world.ts'
import {
  claimDeliveries,
  DELIVERY_CHANNEL,
  type EndedAttempt,
  endAttempts,
  type LeasedDelivery,
} from '../store/deliveries.ts'
import { type Destination, disabledDestinationsAcrossTenants } from '../store/webhook-destinations.ts'
import { createCoalescer } from './coalesce.ts'
import { signingSecrets } from './manage-webhook-secret.ts'
import { opened } from './read-verification.ts'
import { sendWebhook } from './send-webhook.ts'
import { noteDestinations } from './watch-destinations.ts'

export type DeliveryNeeds = Pick<Deps, 'db' | 'clock' | 'random' | 'sealer' | 'config' | 'egress' | 'log' | 'metrics'>

/** Longer than twice the longest attempt, so that a living worker never loses its lease. */
const LEASE_MS = 45_000
const ENDED_TOGETHER_MAX = 64

export interface DeliveryDesk {
  /** Takes at most `limit` that are due; each must then be attempted. */
  claim(limit: number, share: { readonly perPlace: number; readonly full: readonly string[] }): Promise<Taken[]>
  /** Calls back when something may be due; gives how to stop that. */
  onDue(wake: () => void): Promise<() => Promise<void>>
}

export interface Taken {
  /** `tenant|environment`. */
  readonly place: string
  /** Sends it and writes down the end. Rejects only when the store is away; then the lease runs out and it is made again. */
  attempt(): Promise<void>
}

export function openDeliveryDesk(deps: DeliveryNeeds): DeliveryDesk {
  const endings = createCoalescer<Ending, null>(ENDED_TOGETHER_MAX, (ended) => writeDown(deps, ended))
  return {
    async claim(limit, share) {
      const nowMs = deps.clock.now()
      const window = { now: instantOf(nowMs), leaseUntil: instantOf(nowMs + LEASE_MS) }
      const leased = await claimDeliveries(deps.db, { ...window, limit, ...share })
      if (leased.length === 0) return []
      const disabled = await disabledDestinationsAcrossTenants(deps.db)
      const secrets = oncePerPlace((place) => signingSecrets(deps, place))
      return leased.map((delivery) => ({
        place: placeName(delivery.verification),
        async attempt() {
          const end = await endOf(deps, delivery, { disabled, secrets })
          await endings.add('all', end)
        },
      }))
    },
    onDue: (wake) => deps.db.listen(DELIVERY_CHANNEL, wake, wake),
  }
}

interface Ending extends EndedAttempt {
  readonly destination: Destination
}

interface Batch {
  readonly disabled: ReadonlySet<string>
  readonly secrets: (place: Place) => Promise<string[]>
}

async function endOf(deps: DeliveryNeeds, delivery: LeasedDelivery, batch: Batch): Promise<Ending> {
  const verification = opened(deps, delivery.verification)
  const { webhookUrl: url } = verification
  if (url === null) throw new Error('bug: a delivery of a verification without a webhook address')
  const destination = {
    tenantId: verification.tenantId,
    environment: verification.environment,
    origin: new URL(url).origin,
  }
  if (batch.disabled.has(`${placeName(destination)}|${destination.origin}`)) {
    const { attempts } = delivery
    const held = { state: 'held', heldFor: destination.origin, attempts, nextAt: null } as const
    return { delivery, destination, outcome: 'destination_disabled', httpStatus: null, ...held }
  }
  // Workers that keep vanishing on one delivery: it counts as a failure without being tried again at once.
  const end: AttemptEnd =
    delivery.abandoned >= ABANDONED_MAX
      ? { outcome: 'abandoned', httpStatus: null }
      : await sendWebhook(deps, {
          deliveryId: delivery.id,
          url,
          verification,
          secrets: await batch.secrets(verification),
        })
  return { destination, ...judged(deps, delivery, end) }
}

function judged(deps: DeliveryNeeds, delivery: LeasedDelivery, end: AttemptEnd): EndedAttempt {
  const attempts = delivery.attempts + 1
  const said = { delivery, attempts, outcome: end.outcome, httpStatus: end.httpStatus, heldFor: null }
  if (end.outcome === 'delivered') return { ...said, state: 'delivered', nextAt: null }
  const failing = { attempts, createdAtMs: millisecondsOf(delivery.createdAt), nowMs: deps.clock.now() }
  const next = nextAttemptMs(failing, end, deps.random)
  return { ...said, state: next === null ? 'failed' : 'pending', nextAt: next === null ? null : instantOf(next) }
}

async function writeDown(deps: DeliveryNeeds, ended: readonly Ending[]): Promise<null[]> {
  await endAttempts(deps.db, ended, instantOf(deps.clock.now()))
  for (const { outcome } of ended) deps.metrics.webhookAttempts.inc({ outcome })
  await noteDestinations(deps, {
    succeeded: ended.filter(({ state }) => state === 'delivered').map(({ destination }) => destination),
    failed: ended
      .filter(({ state }) => state === 'pending' || state === 'failed')
      .map(({ destination }) => destination),
  })
  return ended.map(() => null)
}

/** Secrets are read once a batch and place; the next batch reads them anew, so a rotation counts at the next attempt. */
function oncePerPlace(read: (place: Place) => Promise<string[]>): (place: Place) => Promise<string[]> {
  const known = new Map<string, Promise<string[]>>()
  return (place) => {
    const name = placeName(place)
    const found = known.get(name) ?? read(place)
    known.set(name, found)
    return found
  }
}
