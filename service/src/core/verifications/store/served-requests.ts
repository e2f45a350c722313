// Keeps the requests that were served, sealed, for evidence of an open verification.

import { inDay, keyOf } from '../../../platform/postgres/days.ts'
import type { Sealing, Transaction } from '../../../platform/postgres/db.ts'
import { inForce, LATE } from '../../../platform/postgres/late-migrations.ts'
import type { Instant } from '../../../platform/world.ts'
import type { RealmRow } from '../../tenants/domain/realm.ts'
import { servedRequestsSealContext } from '../domain/sent-requests.ts'
import type { WalletVerification } from './columns.ts'

type StoredRequests = Pick<WalletVerification, 'sealedRequests' | 'requestObject'>

/**
 * The first request of each kind. An offer to a browser begins with `{`, a request object under another client id with
 * `~`, any other request object like every JWS.
 */
export function openServedRequests({ sealer }: Sealing, row: RealmRow & StoredRequests): readonly string[] {
  if (row.sealedRequests === null) return row.requestObject?.split('\n') ?? []
  return sealer.open(row.sealedRequests, servedRequestsSealContext(row)).toString('utf8').split('\n')
}

/** Writes nothing if a request of this kind is kept, or the verification has ended or expired. */
export async function keepServedRequest(tx: Transaction, row: RealmRow, text: string, now: Instant): Promise<void> {
  const [stored] = await tx.query<StoredRequests & { isSealed: boolean }>(
    {
      name: 'find_served_requests',
      text: `select served_requests as "sealedRequests", request_object as "requestObject",
               ${inForce(LATE.sealedRequests)} as "isSealed" from verifications
             where id = $3 and tenant_id = $1 and environment = $2 and ${inDay('day', '$4')} and status = 'pending' and expires_at > $5 for update`,
      replanEachCall: true,
    },
    [...keyOf(tx.sealer, row, row.id), now],
  )
  const kept = stored === undefined ? [] : openServedRequests(tx, { ...row, ...stored })
  if (stored === undefined || kept.some((one) => one[0] === text[0])) return
  const lines = [...kept, text].join('\n')
  const sealed = tx.sealer.seal(Buffer.from(lines, 'utf8'), servedRequestsSealContext(row))
  await tx.query(
    {
      name: 'keep_served_requests',
      text: `update verifications set served_requests = $5, request_object = $6
             where id = $3 and tenant_id = $1 and environment = $2 and ${inDay('day', '$4')}`,
      replanEachCall: true,
    },
    [...keyOf(tx.sealer, row, row.id), ...(stored.isSealed ? [sealed, null] : [null, lines])],
  )
}
