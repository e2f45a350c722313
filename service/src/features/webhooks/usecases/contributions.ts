// What webhooks add to the ending of a verification: the delivery, and the announcement to event streams.

import { isReported } from '../../../core/verifications/domain/universal-status.ts'
import {
  ENDED_AT,
  type EndedAnswer,
  type EndingContribution,
} from '../../../core/verifications/usecases/answering/contributions.ts'
import { newDeliveryId } from '../../../platform/ids.ts'
import { partOf, rowKey } from '../../../platform/postgres/fragments.ts'
import { type Instant, instantOf, millisecondsOf, type Random } from '../../../platform/world.ts'
import { endingEvent } from '../domain/event.ts'
import { ENQUEUEING, type NewDeliveries, type NewDelivery } from '../store/deliveries.ts'
import { ANNOUNCING, type AnnouncedEnding } from '../store/ended-announcements.ts'

const DELIVERIES = rowKey<NewDeliveries>('deliveries')
const ANNOUNCED = rowKey<readonly AnnouncedEnding[]>('announced endings')

export const deliveryEnding = (random: Random): EndingContribution => ({
  name: 'deliveries',
  own: partOf(DELIVERIES, ENQUEUEING),
  hasOwn: ({ verification }) => verification.webhookUrl !== null,
  collect(ended, { now, keyedRows }) {
    const times = keyedRows.get(ENDED_AT)
    const deliveries = ended.flatMap((one) => {
      const { realm, verification } = one
      const at = times.get(verification.id)
      if (at === undefined) throw new Error('bug: an ending without its time')
      return eventsOf(one, { at, random }).map((event) => ({
        id: newDeliveryId(random),
        realm,
        verificationId: verification.id,
        ...event,
      }))
    })
    keyedRows.put(DELIVERIES, { deliveries, now })
    return deliveries.length > 0
  },
})

/** Returns the events of an ending. A callback of the Universal OID4VP API gets only the statuses that it subscribed to. */
function eventsOf(
  { verification: { webhookUrl, universal }, outcome }: EndedAnswer,
  { at, random }: { readonly at: Instant; readonly random: Random },
): readonly Pick<NewDelivery, 'type' | 'createdAt'>[] {
  if (webhookUrl === null) return []
  const end = { type: endingEvent(outcome), createdAt: at }
  if (universal === null) return [end]
  const received = { type: 'authorization_response_received', createdAt: shortlyBefore(at, random) } as const
  const isEndReported = isReported(universal, outcome === 'completed' ? 'authorization_response_verified' : 'error')
  return [...(isReported(universal, received.type) ? [received] : []), ...(isEndReported ? [end] : [])]
}

/** Subtracts up to a millisecond: the time is the cursor of the log's pages, so it should be unique within a realm. */
const shortlyBefore = (at: Instant, random: Random) =>
  instantOf(millisecondsOf(at) - (Buffer.from(random(2)).readUInt16BE() + 65) / 65_601)

/** Event streams exist only in the test environment (`vidimus listen`). */
export const announcementEnding: EndingContribution = {
  name: 'announcements',
  last: partOf(ANNOUNCED, ANNOUNCING),
  collect(ended, { keyedRows }) {
    const announced = ended
      .filter(({ realm }) => realm.environment === 'test')
      .map(({ realm, verification, outcome }) => ({
        realm,
        verificationId: verification.id,
        type: endingEvent(outcome),
      }))
    keyedRows.put(ANNOUNCED, announced)
    return true
  },
}
