// How often keys are used, by the day, and when they last were. Counted in each process and written now and then, so that a
// busy key costs two writes a minute and not one a request, and no row is written by every request.

import type { Realm } from '../../domain/tenant/realm.ts'
import type { Instant } from '../../domain/world.ts'
import type { Tx } from '../postgres/db.ts'

export interface KeyUses extends Realm {
  readonly keyId: string
  readonly uses: number
  readonly lastAt: Instant
}

/** Last use to the minute. */
export async function noteKeyUses(tx: Tx, { tenantId, environment, keyId, uses, lastAt }: KeyUses): Promise<void> {
  await tx.query(
    {
      name: 'note_key_uses',
      text: `with touched as (
               update api_keys set last_used_at = date_trunc('minute', $4::timestamptz)
               where tenant_id = $1 and id = $3
                 and (last_used_at is null or last_used_at < date_trunc('minute', $4::timestamptz)))
             insert into api_key_days as d (tenant_id, environment, key_id, day, uses)
             values ($1, $2, $3, ($4::timestamptz at time zone 'UTC')::date, $5)
             on conflict (key_id, day) do update set uses = d.uses + excluded.uses`,
    },
    [tenantId, environment, keyId, lastAt, uses],
  )
}

/** Of some keys of a realm, by key and day (`2026-01-31`). */
export async function listKeyDays(
  tx: Tx,
  realm: Realm,
  { keyIds, since }: { readonly keyIds: readonly string[]; readonly since: string },
): Promise<{ readonly keyId: string; readonly day: string; readonly uses: number }[]> {
  return tx.query(
    {
      name: 'list_key_days',
      text: `select d.key_id as "keyId", d.day::text as day, d.uses from api_keys k join api_key_days d on d.key_id = k.id
             where k.tenant_id = $1 and k.environment = $2 and d.day >= $3::date and k.id = any ($4::text[])`,
    },
    [realm.tenantId, realm.environment, since, keyIds],
  )
}

export async function forgetKeyDaysAcrossTenants(tx: Tx, before: string): Promise<void> {
  await tx.query({ name: 'forget_key_days', text: 'delete from api_key_days where day < $1::date' }, [before])
}
