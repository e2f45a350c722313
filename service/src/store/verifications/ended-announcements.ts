// Tells whoever listens that a verification has ended. A notification carries ids only; what ended is read by the listener.

import type { Realm } from '../../domain/tenant/realm.ts'
import type { Db, Tx } from '../postgres/db.ts'

const CHANNEL = 'ended_verifications'

/** In the transaction that ends them: heard when it commits, and only then. */
export async function announceEnded(tx: Tx, realm: Realm, ids: readonly string[]): Promise<void> {
  await tx.query(
    {
      name: 'announce_ended',
      text: `select pg_notify('${CHANNEL}', $1 || '|' || $2 || '|' || id) from unnest($3::text[]) as g (id)`,
    },
    [realm.tenantId, realm.environment, ids],
  )
}

/** Calls back with the id of each verification of the realm that ends; gives how to stop that. */
export function listenForEnded(db: Db, realm: Realm, onEnded: (id: string) => void): Promise<() => Promise<void>> {
  const prefix = `${realm.tenantId}|${realm.environment}|`
  return db.listen(CHANNEL, (payload) => {
    if (payload.startsWith(prefix)) onEnded(payload.slice(prefix.length))
  })
}
