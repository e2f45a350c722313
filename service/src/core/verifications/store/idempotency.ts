// Leases idempotency keys, each in one short statement. creation.ts records the response under the fence.

import type { Db, Sealing, Tx } from '../../../platform/postgres/db.ts'
import { isGone, OWN_PROCESS } from '../../../platform/postgres/owner.ts'
import { type Column, defineStatement, namesOf, runStatement, selectOf } from '../../../platform/postgres/statement.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Warning } from '../../registrations/domain/choose.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import { idempotentResponseSealContext } from '../domain/idempotency.ts'

export interface WantedLease {
  readonly realm: Realm
  readonly key: string
  readonly fingerprint: Uint8Array
  /** New for each lease, to identify the owner of the key. */
  readonly fence: string
}

export interface KnownKey {
  readonly fingerprint: Buffer
  readonly leaseUntil: Instant
  readonly expiresAt: Instant
  /** For `openResponse`. */
  readonly sealedResponse: Buffer | null
  /** The warnings of the response; null: none. */
  readonly warnings: readonly Warning[] | null
}

/** For each lease, in order: `taken`, or the known key that prevents it. null if a concurrent lease took the key. */
export type LeaseResult = 'taken' | KnownKey | null

/**
 * Does not insert existing keys, so that a duplicate never waits for the transaction that records or erases its
 * response. Inserts new keys in one order, so that processes cannot deadlock. The commit is not flushed, so never call
 * this within a transaction. A creation that lost its lease in a crash finds no key and rolls back.
 */
export async function leaseKeys(db: Db, batch: LeaseBatch): Promise<LeaseResult[]> {
  const { leases } = batch
  const rows = await runStatement<{ fence: string; taken: boolean } & Partial<KnownKey>, LeaseBatch>(db, LEASE, batch)
  const byFence = new Map(rows.map((row) => [row.fence, row]))
  return leases.map(({ fence }) => {
    const row = byFence.get(fence)
    if (row?.taken === true) return 'taken'
    const { fingerprint, leaseUntil, expiresAt, sealedResponse, warnings } = row ?? {}
    if (!fingerprint || !leaseUntil || !expiresAt) return null
    return { fingerprint, leaseUntil, expiresAt, sealedResponse: sealedResponse ?? null, warnings: warnings ?? null }
  })
}

/** Each caller decrypts its own response, so that an unreadable response fails no other caller of the batch. */
export function openResponse({ sealer }: Sealing, { realm, key }: WantedLease, sealed: Uint8Array): string {
  return sealer.open(sealed, idempotentResponseSealContext(realm, key)).toString('utf8')
}

export function sealResponse(
  { sealer }: Sealing,
  { realm, key }: Pick<WantedLease, 'realm' | 'key'>,
  answer: string,
): Buffer {
  return sealer.seal(Buffer.from(answer, 'utf8'), idempotentResponseSealContext(realm, key))
}

interface LeaseBatch {
  readonly leases: readonly WantedLease[]
  readonly leaseUntil: Instant
  readonly expiresAt: Instant
}

const LEASED: readonly Column<WantedLease>[] = [
  { name: 'tenant_id', type: 'text', get: ({ realm }) => realm.tenantId },
  { name: 'environment', type: 'text', get: ({ realm }) => realm.environment },
  { name: 'key', type: 'text', get: (lease) => lease.key },
  { name: 'fingerprint', type: 'bytea', get: (lease) => lease.fingerprint },
  { name: 'fence', type: 'text', get: (lease) => lease.fence },
]

const LEASE = defineStatement<LeaseBatch>('lease_idempotency_keys', (parameters) => {
  const leases = parameters.rows(LEASED, (batch) => batch.leases)
  const leaseUntil = parameters.one((batch) => batch.leaseUntil)
  const expiresAt = parameters.one((batch) => batch.expiresAt)
  return `with unflushed as (select set_config('synchronous_commit', 'off', true)),
            input as (select * from ${leases.unnest('g')}),
            taken as (
              insert into idempotency_keys (${namesOf(LEASED)}, lease_until, expires_at, owner)
              select ${selectOf(LEASED)}, ${leaseUntil}, ${expiresAt}, ${OWN_PROCESS} from input, unflushed
              where not exists (
                select from idempotency_keys own
                where own.tenant_id = input.tenant_id and own.environment = input.environment and own.key = input.key)
              order by tenant_id, environment, key
              on conflict do nothing returning fence)
          select input.fence, taken.fence is not null as taken, k.fingerprint, k.lease_until as "leaseUntil",
                 k.expires_at as "expiresAt", k.answer as "sealedResponse", k.warnings
          from input left join taken using (fence)
          left join lateral (select * from idempotency_keys own
                             where own.tenant_id = input.tenant_id and own.environment = input.environment and own.key = input.key
                             offset 0) k on true`
})

/**
 * An expired key is free for any request. A key without a response is free for the same request once its lease expired
 * or its process is gone. False if neither applies, or if another transaction has locked the row.
 */
export async function takeOverKey(
  tx: Tx,
  wanted: WantedLease & { readonly now: Instant; readonly leaseUntil: Instant; readonly expiresAt: Instant },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'take_over_idempotency_key',
      text: `with free as (
               select tenant_id, environment, key from idempotency_keys
               where tenant_id = $1 and environment = $2 and key = $3
                 and (expires_at <= $6
                      or (answer is null and fingerprint = $4 and (lease_until <= $6 or ${isGone('owner')})))
               for update skip locked)
             update idempotency_keys k
             set fingerprint = $4, fence = $5, lease_until = $7, expires_at = $8, verification_id = null, answer = null,
                 warnings = null, owner = ${OWN_PROCESS}
             from free where (k.tenant_id, k.environment, k.key) = (free.tenant_id, free.environment, free.key)
             returning k.key`,
    },
    [
      wanted.realm.tenantId,
      wanted.realm.environment,
      wanted.key,
      wanted.fingerprint,
      wanted.fence,
      wanted.now,
      wanted.leaseUntil,
      wanted.expiresAt,
    ],
  )
  return rows.length === 1
}

/** Records the response in the transaction of an object other than a verification. False if the lease was lost. */
export async function recordResponse(
  tx: Tx,
  realm: Realm,
  response: {
    readonly keyLease: { readonly key: string; readonly fence: string }
    readonly objectId: string
    readonly answer: string
    readonly warnings: readonly Warning[]
  },
): Promise<boolean> {
  const { keyLease, objectId, answer, warnings } = response
  const rows = await tx.query(
    {
      name: 'record_idempotent_response',
      text: `update idempotency_keys set verification_id = $5, answer = $6, warnings = $7
             where tenant_id = $1 and environment = $2 and key = $3 and fence = $4 and answer is null returning key`,
    },
    [
      ...[realm.tenantId, realm.environment, keyLease.key, keyLease.fence, objectId],
      sealResponse(tx, { realm, key: keyLease.key }, answer),
      warnings.length === 0 ? null : JSON.stringify(warnings.map(({ code, message }) => ({ code, message }))),
    ],
  )
  return rows.length === 1
}

/** Frees the key of a refused or failed creation, unless it has a response or another owner. */
export async function releaseKey(tx: Tx, realm: Realm, keyLease: { readonly key: string; readonly fence: string }) {
  await tx.query(
    {
      name: 'release_idempotency_key',
      text: `delete from idempotency_keys
             where tenant_id = $1 and environment = $2 and key = $3 and fence = $4 and answer is null`,
    },
    [realm.tenantId, realm.environment, keyLease.key, keyLease.fence],
  )
}

/** Only cleans up: leases depend on the time, not on this job. Returns how many rows were deleted. */
export async function pruneKeysOfAllTenants(tx: Tx, now: Instant, rowsMax: number): Promise<number> {
  const rows = await tx.query(
    {
      name: 'prune_idempotency_keys',
      text: `delete from idempotency_keys where ctid = any (array(
               select ctid from idempotency_keys where expires_at <= $1 limit $2 for update skip locked))
             returning 1 as gone`,
    },
    [now, rowsMax],
  )
  return rows.length
}
