// Tells whoever listens that a verification has ended. A notification carries its id and the event; all else is read by the listener.

import type { Realm } from '../../domain/tenant/realm.ts'
import type { Db, Tx } from '../postgres/db.ts'

/** The event that an ending is told as. */
export interface Announcement {
  readonly verificationId: string
  readonly type: string
}

const CHANNEL = 'ended_verifications'

/** In the transaction that ends them: heard when it commits, and only then. */
export async function announceEnded(
  tx: Tx,
  ended: readonly (Announcement & { readonly realm: Realm })[],
): Promise<void> {
  await tx.query(
    {
      name: 'announce_ended',
      text: `select pg_notify('${CHANNEL}', said) from unnest($1::text[]) as g (said)`,
    },
    [
      ended.map(({ realm, verificationId, type }) =>
        [realm.tenantId, realm.environment, verificationId, type].join('|'),
      ),
    ],
  )
}

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
