// What webhooks add to the ending of a verification: the delivery, and the announcement to event streams.

import { ENDED_AT, type EndingContribution } from '../../../core/verifications/usecases/answering/contributions.ts'
import { newDeliveryId } from '../../../platform/ids.ts'
import { partOf, rowKey } from '../../../platform/postgres/fragments.ts'
import type { Random } from '../../../platform/world.ts'
import { endingEvent } from '../domain/event.ts'
import { ENQUEUEING, type NewDeliveries } from '../store/deliveries.ts'
import { ANNOUNCING, type AnnouncedEnding } from '../store/ended-announcements.ts'

const DELIVERIES = rowKey<NewDeliveries>('deliveries')
const ANNOUNCED = rowKey<readonly AnnouncedEnding[]>('announced endings')

export const deliveryEnding = (random: Random): EndingContribution => ({
  name: 'deliveries',
  own: partOf(DELIVERIES, ENQUEUEING),
  collect(ended, { now, filled }) {
    const times = filled.get(ENDED_AT)
    const deliveries = ended
      .filter(({ asked }) => asked.webhookUrl !== null)
      .map(({ realm, asked, outcome }) => {
        const createdAt = times.get(asked.id)
        if (createdAt === undefined) throw new Error('bug: an ending without its time')
        return { id: newDeliveryId(random), realm, verificationId: asked.id, type: endingEvent(outcome), createdAt }
      })
    filled.put(DELIVERIES, { deliveries, now })
    return deliveries.length > 0
  },
})

/** Event streams exist only in the test environment (`vidimus listen`). */
export const announcementEnding: EndingContribution = {
  name: 'announcements',
  last: partOf(ANNOUNCED, ANNOUNCING),
  collect(ended, { filled }) {
    const announced = ended
      .filter(({ realm }) => realm.environment === 'test')
      .map(({ realm, asked, outcome }) => ({ realm, verificationId: asked.id, type: endingEvent(outcome) }))
    filled.put(ANNOUNCED, announced)
    return true
  },
}
