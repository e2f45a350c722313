// Stores merchants' public keys for results.

import type { Sealing, Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import { type PublicPoint, type ResultKey, resultKeySealContext } from '../domain/result-key.ts'

const COLUMNS = 'id, kid, created_at as "createdAt", proven_at as "provenAt"'

/** The newest first. */
export async function listResultKeys(tx: Tx, realm: Realm): Promise<ResultKey[]> {
  return tx.query<ResultKey>(
    {
      name: 'list_result_keys',
      text: `select ${COLUMNS} from result_keys where tenant_id = $1 and environment = $2 order by created_at desc, id`,
    },
    [realm.tenantId, realm.environment],
  )
}

/** Whether results are encrypted to the merchant, which needs a proven key. */
export async function hasProvenResultKey(tx: Tx, realm: Realm): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'has_proven_result_key',
      text: 'select 1 from result_keys where tenant_id = $1 and environment = $2 and proven_at is not null limit 1',
    },
    [realm.tenantId, realm.environment],
  )
  return rows.length === 1
}

interface NewResultKey {
  readonly id: string
  readonly kid: string
  readonly point: PublicPoint
  readonly challenge: Uint8Array
  readonly challengeEndsAt: Instant
  readonly createdAt: Instant
}

/** The caller holds a lock on the tenant's row, so that two concurrent calls cannot exceed the limit. */
export async function insertResultKey(tx: Tx, realm: Realm, key: NewResultKey): Promise<void> {
  await tx.query(
    {
      name: 'insert_result_key',
      text: `insert into result_keys
               (tenant_id, environment, id, kid, sealed, challenge, challenge_ends_at, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    },
    [
      realm.tenantId,
      realm.environment,
      key.id,
      key.kid,
      sealResultKey(tx, realm, key),
      key.challenge,
      key.challengeEndsAt,
      key.createdAt,
    ],
  )
}

/**
 * Sealed although the key is public: an attacker with database access must not be able to replace it and read results.
 */
export function sealResultKey(
  { sealer }: Sealing,
  realm: Realm,
  { id, point }: Pick<NewResultKey, 'id' | 'point'>,
): Buffer {
  const text = JSON.stringify({ x: point.x, y: point.y })
  return sealer.seal(Buffer.from(text, 'utf8'), resultKeySealContext(realm, id))
}

export function openResultKey(
  { sealer }: Sealing,
  realm: Realm,
  stored: { readonly id: string; readonly sealed: Uint8Array },
): PublicPoint {
  return JSON.parse(sealer.open(stored.sealed, resultKeySealContext(realm, stored.id)).toString('utf8'))
}

interface LockedChallenge {
  readonly kid: string
  readonly point: PublicPoint
  readonly provenAt: Instant | null
  readonly challenge: Buffer | null
  readonly endsAt: Instant | null
}

/** Locked until the transaction ends. */
export async function lockChallenge(tx: Tx, realm: Realm, id: string): Promise<LockedChallenge | null> {
  const [row] = await tx.query<Omit<LockedChallenge, 'point'> & { sealed: Buffer }>(
    {
      name: 'lock_result_key_challenge',
      text: `select kid, sealed, proven_at as "provenAt", challenge, challenge_ends_at as "endsAt" from result_keys
             where tenant_id = $1 and environment = $2 and id = $3 for update`,
    },
    [realm.tenantId, realm.environment, id],
  )
  if (row === undefined) return null
  const { sealed, ...challenge } = row
  return { ...challenge, point: openResultKey(tx, realm, { id, sealed }) }
}

/** Replaces the challenge of a key that is not proven. */
export async function setChallenge(
  tx: Tx,
  realm: Realm,
  next: Pick<NewResultKey, 'id' | 'challenge' | 'challengeEndsAt'>,
): Promise<void> {
  await tx.query(
    {
      name: 'set_result_key_challenge',
      text: `update result_keys set challenge = $4, challenge_ends_at = $5
             where tenant_id = $1 and environment = $2 and id = $3 and proven_at is null`,
    },
    [realm.tenantId, realm.environment, next.id, next.challenge, next.challengeEndsAt],
  )
}

/** Also deletes the challenge. */
export async function setResultKeyProven(tx: Tx, realm: Realm, id: string, at: Instant): Promise<void> {
  await tx.query(
    {
      name: 'set_result_key_proven',
      text: `update result_keys set proven_at = $4, challenge = null, challenge_ends_at = null
             where tenant_id = $1 and environment = $2 and id = $3`,
    },
    [realm.tenantId, realm.environment, id, at],
  )
}

/** Returns the key's kid; null if there is no such key. */
export async function deleteResultKey(tx: Tx, realm: Realm, id: string): Promise<string | null> {
  const [row] = await tx.query<{ kid: string }>(
    {
      name: 'delete_result_key',
      text: 'delete from result_keys where tenant_id = $1 and environment = $2 and id = $3 returning kid',
    },
    [realm.tenantId, realm.environment, id],
  )
  return row?.kid ?? null
}
