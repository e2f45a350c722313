// Verifications that a test or a benchmark writes into the store as failed, with the rows that the service would have added.

import type { RealmRow } from '../../src/core/tenants/domain/realm.ts'
import { sealResult } from '../../src/core/verifications/store/sealed-results.ts'
import type { Tx } from '../../src/platform/postgres/db.ts'

/** Adds the result to rows that were written as ended. */
export async function giveResults(tx: Tx): Promise<void> {
  const ended = await tx.query<RealmRow>({
    name: 'test_ended_without_result',
    text: `select id, tenant_id as "tenantId", environment from verifications v
           where status = 'failed' and not exists (select from verification_results where verification_id = v.id)`,
  })
  const error = { code: 'wallet_declined', message: 'The holder declined.' }
  await tx.query(
    {
      name: 'test_give_results',
      text: `insert into verification_results (verification_id, tenant_id, environment, sealed, error_code)
             select v.id, v.tenant_id, v.environment, g.sealed, 'wallet_declined'
             from unnest($1::text[], $2::bytea[]) as g (id, sealed) join verifications v on v.id = g.id`,
    },
    [
      ended.map(({ id }) => id),
      ended.map((owner) => sealResult(tx, owner, { outcome: 'failed', error, credentials: [] })),
    ],
  )
}
