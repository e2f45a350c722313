// Notifies listeners that a verification has ended, with its id and the event. Listeners read everything else.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { Fragment } from '../../../platform/postgres/fragments.ts'

/** The event that announces an ending. */
export interface Announcement {
  readonly verificationId: string
  readonly type: string
}

const CHANNEL = 'ended_verifications'

export interface AnnouncedEnding extends Announcement {
  readonly realm: Realm
}

/** Runs in the transaction that ends the verifications, so listeners are notified only if it commits. */
export const ANNOUNCING: Fragment<readonly AnnouncedEnding[]> = {
  name: 'announce_endings',
  ctes: () => '',
  result(parameters) {
    const announced = parameters.one((endings) => endings.map(announcementOf))
    return `(select count(pg_notify('${CHANNEL}', payload)) from unnest(${announced}::text[]) as announced (payload))`
  },
}

const announcementOf = ({ realm, verificationId, type }: AnnouncedEnding) =>
  [realm.tenantId, realm.environment, verificationId, type].join('|')

/** Calls back for each verification of the realm that ends. Returns a function that unsubscribes. */
export function listenForEnded(
  db: Db,
  realm: Realm,
  onEnded: (ended: Announcement) => void,
): Promise<() => Promise<void>> {
  const prefix = `${realm.tenantId}|${realm.environment}|`
  return db.listen(CHANNEL, (payload) => {
    if (!payload.startsWith(prefix)) return
    const [verificationId, type] = payload.slice(prefix.length).split('|')
    if (verificationId !== undefined && type !== undefined) onEnded({ verificationId, type })
  })
}
