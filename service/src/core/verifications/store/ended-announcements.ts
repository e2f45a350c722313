// Tells whoever listens that a verification has ended. A notification carries its id and the event; all else is read by the listener.

import type { Db } from '../../../platform/postgres/db.ts'
import type { Realm } from '../../tenants/domain/realm.ts'

/** The event that an ending is told as. */
export interface Announcement {
  readonly verificationId: string
  readonly type: string
}

const CHANNEL = 'ended_verifications'

export interface AnnouncedEnding extends Announcement {
  readonly realm: Realm
}

/** What is sent, given as an array of `announcementOf`: in the transaction that ends them, heard when it commits, and only then. */
export const announcing = (parameter: string) =>
  `select count(pg_notify('${CHANNEL}', said)) from unnest(${parameter}::text[]) as told (said)`

export const announcementOf = ({ realm, verificationId, type }: AnnouncedEnding) =>
  [realm.tenantId, realm.environment, verificationId, type].join('|')

/** Calls back for each verification of the realm that ends; gives how to stop that. */
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
