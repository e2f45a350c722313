// Writes uses of keys by day in batches, so that a busy key costs two writes a minute.

import type { Tx } from '../../../platform/postgres/db.ts'
import { type Column, defineStatement, runStatement } from '../../../platform/postgres/statement.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Realm } from '../domain/realm.ts'

interface KeyUses extends Realm {
  readonly keyId: string
  readonly uses: number
  readonly lastAt: Instant
}

/** Stores the last use to the minute. Locks in the order of the keys, so that two processes cannot deadlock. */
export async function noteKeyUses(tx: Tx, noted: readonly KeyUses[]): Promise<void> {
  await runStatement(tx, NOTE_USES, noted)
}

const USES: readonly Column<KeyUses>[] = [
  { name: 'tenant_id', type: 'text', get: (one) => one.tenantId },
  { name: 'environment', type: 'text', get: (one) => one.environment },
  { name: 'key_id', type: 'text', get: (one) => one.keyId },
  { name: 'at', type: 'timestamptz', get: (one) => one.lastAt },
  { name: 'uses', type: 'integer', get: (one) => one.uses },
]

const NOTE_USES = defineStatement<readonly KeyUses[]>('note_key_uses', (parameters) => {
  const uses = parameters.rows(USES, (noted) => noted)
  return `with input as (
      select * from ${uses.unnest('g')} order by key_id
    ), free as (
      select k.id, k.tenant_id, date_trunc('minute', input.at) as at from input cross join lateral (
        select id, tenant_id from api_keys k where k.id = input.key_id
          and (k.last_used_at is null or k.last_used_at < date_trunc('minute', input.at))
        for no key update skip locked offset 0) k
      where k.tenant_id = input.tenant_id
    ), touched as (
      update api_keys k set last_used_at = free.at from free where k.id = free.id
        and k.tenant_id is not distinct from free.tenant_id and k.id = any (${uses.arrayOf('key_id')})
    )
    insert into api_key_days as d (tenant_id, environment, key_id, day, uses)
    select tenant_id, environment, key_id, (at at time zone 'UTC')::date, uses from input
    on conflict (tenant_id, key_id, day) do update set uses = d.uses + excluded.uses`
})

/** The uses of some keys of a realm, by key and day (`2026-01-31`). */
export async function listKeyDays(
  tx: Tx,
  realm: Realm,
  { keyIds, since }: { readonly keyIds: readonly string[]; readonly since: string },
): Promise<{ readonly keyId: string; readonly day: string; readonly uses: number }[]> {
  return tx.query(
    {
      name: 'list_key_days',
      text: `select d.key_id as "keyId", d.day::text as day, d.uses from api_keys k
             join api_key_days d on d.key_id = k.id and d.tenant_id = k.tenant_id
             where k.tenant_id = $1 and k.environment = $2 and d.day >= $3::date and k.id = any ($4::text[])`,
    },
    [realm.tenantId, realm.environment, since, keyIds],
  )
}

export async function forgetKeyDaysAcrossTenants(tx: Tx, before: string): Promise<void> {
  await tx.query({ name: 'forget_key_days', text: 'delete from api_key_days where day < $1::date' }, [before])
}
