// Stores test events.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Sealing, Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import { type TestEvent, type TestExchange, testEventSealContext } from '../domain/test-event.ts'

export interface SealedTestEvent extends Omit<TestEvent, 'exchange'> {
  /** Decrypted by `openTestExchange`. */
  readonly sealed: Uint8Array
}

export function openTestExchange({ sealer }: Sealing, realm: Realm, { id, sealed }: SealedTestEvent): TestExchange {
  return JSON.parse(sealer.open(sealed, testEventSealContext(realm, id)).toString('utf8'))
}

/** Also deletes all test events of the realm except the newest `keptMax`. */
export async function insertTestEvent(
  tx: Tx,
  realm: Realm,
  event: TestEvent & { readonly keptUntil: Instant; readonly keptMax: number },
): Promise<void> {
  const exchange = Buffer.from(JSON.stringify(event.exchange), 'utf8')
  await tx.query(
    {
      name: 'insert_webhook_test_event',
      text: `with dropped as (
               delete from webhook_test_events where tenant_id = $1 and id in (
                 select id from webhook_test_events where tenant_id = $1 and environment = $2
                 order by created_at desc, id desc offset $12 - 1)
             )
             insert into webhook_test_events
               (tenant_id, environment, id, type, created_at, finished_at, outcome, http_status, took_ms, sealed, kept_until)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    },
    [
      realm.tenantId,
      realm.environment,
      event.id,
      event.type,
      event.createdAt,
      event.finishedAt,
      event.outcome,
      event.httpStatus,
      event.tookMs,
      tx.sealer.seal(exchange, testEventSealContext(realm, event.id)),
      event.keptUntil,
      event.keptMax,
    ],
  )
}

/** Lists the test events of a realm, newest first. */
export async function listTestEvents(tx: Tx, realm: Realm, limit: number): Promise<SealedTestEvent[]> {
  return tx.query(
    {
      name: 'list_webhook_test_events',
      text: `select id, type, created_at as "createdAt", finished_at as "finishedAt", outcome, http_status as "httpStatus",
               took_ms as "tookMs", sealed
             from webhook_test_events where tenant_id = $1 and environment = $2 order by created_at desc, id desc limit $3`,
    },
    [realm.tenantId, realm.environment, limit],
  )
}

/** Returns how many it deleted. Uses the index on their expiry. */
export async function forgetTestEventsAcrossTenants(tx: Tx, now: Instant, rowsMax: number): Promise<number> {
  const rows = await tx.query(
    {
      name: 'forget_webhook_test_events',
      text: `with over as (
               select tenant_id, id from webhook_test_events where kept_until <= $1
               order by kept_until limit $2 for update skip locked)
             delete from webhook_test_events e using over
             where e.tenant_id = over.tenant_id and e.id = over.id returning 1 as gone`,
    },
    [now, rowsMax],
  )
  return rows.length
}
