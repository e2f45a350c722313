// Stores signing keys of realms. Private keys are sealed.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { isOfServedTenant } from '../../../core/tenants/store/closed.ts'
import type { Sealing, Tx } from '../../../platform/postgres/db.ts'
import type { Environment, Instant } from '../../../platform/world.ts'
import type { SigningAlg } from '../domain/jwt.ts'
import { signingKeySealContext } from '../domain/signing-key.ts'

export interface StoredSigningKey {
  readonly id: string
  readonly tenantId: string
  readonly environment: Environment
  readonly alg: SigningAlg
  /** JSON. */
  readonly publicJwk: string
  /** `openSigningKey` decrypts it. */
  readonly sealedKey: Buffer
  readonly createdAt: Instant
  readonly signsFrom: Instant
}

export interface NewSigningKey extends Omit<StoredSigningKey, 'sealedKey'> {
  /** In the format that `openStoredKey` reads. */
  readonly privateKey: Buffer
}

/** Newest first. */
export async function listSigningKeys(tx: Tx, realm: Realm): Promise<StoredSigningKey[]> {
  return tx.query<StoredSigningKey>(
    {
      name: 'list_oidc_keys',
      text: `select id, tenant_id as "tenantId", environment, alg, public_jwk as "publicJwk",
                    private_key as "sealedKey", created_at as "createdAt", signs_from as "signsFrom"
             from oidc_keys where tenant_id = $1 and environment = $2 order by signs_from desc, id`,
    },
    [realm.tenantId, realm.environment],
  )
}

export async function insertSigningKey(tx: Tx, key: NewSigningKey): Promise<void> {
  const sealedKey = tx.sealer.seal(key.privateKey, signingKeySealContext(key))
  await tx.query(
    {
      name: 'insert_oidc_key',
      text: `insert into oidc_keys (id, tenant_id, environment, alg, public_jwk, private_key, created_at, signs_from)
             values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    },
    [key.id, key.tenantId, key.environment, key.alg, key.publicJwk, sealedKey, key.createdAt, key.signsFrom],
  )
}

/** Returns the private key in the format that `openStoredKey` reads. */
export function openSigningKey({ sealer }: Sealing, stored: StoredSigningKey): Buffer {
  return sealer.open(stored.sealedKey, signingKeySealContext(stored))
}

/** Finds realms whose newest key was created before `before`. */
export async function findOldKeysAcrossTenants(tx: Tx, before: Instant, rowsMax: number): Promise<Realm[]> {
  return tx.query<Realm>(
    {
      name: 'find_old_oidc_keys',
      text: `select k.tenant_id as "tenantId", k.environment from oidc_keys k where ${isOfServedTenant('k')}
             group by tenant_id, environment, alg having max(created_at) <= $1
             order by max(created_at) limit $2`,
    },
    [before, rowsMax],
  )
}

/** Deletes keys whose successor has signed since `since` or longer: none of their tokens is valid any more. */
export async function forgetOldKeysAcrossTenants(tx: Tx, since: Instant): Promise<number> {
  const rows = await tx.query(
    {
      name: 'forget_old_oidc_keys',
      text: `delete from oidc_keys k where exists (
               select 1 from oidc_keys y where y.tenant_id = k.tenant_id and y.environment = k.environment
                 and y.alg = k.alg and y.signs_from > k.signs_from and y.signs_from <= $1)
             returning id`,
    },
    [since],
  )
  return rows.length
}
