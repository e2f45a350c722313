// Caches OpenID clients and the hashes of their secrets: one sign-in reads its client three times.

import { hasProvenResultKey } from '../../../core/result-keys/store/result-keys.ts'
import { type Closed, requireServed } from '../../../core/tenants/domain/closed.ts'
import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import { dailyQuotaOf } from '../../../core/tenants/domain/tenant.ts'
import { loadClosed } from '../../../core/tenants/store/closed.ts'
import { loadTenant } from '../../../core/tenants/store/tenants.ts'
import { createCache } from '../../../platform/cache.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { QuotaClient } from '../domain/client.ts'
import { CLIENT_CHANNEL, type ClientSecret, listClientSecrets, loadClient } from './clients.ts'

/** A change takes effect in every process within this time, even if its notification is lost. */
const TTL_MS = 1_000
const BYTES_MAX = 32 * 1024 * 1024

export interface KnownClient extends QuotaClient {
  /** May include expired secrets that the job has not deleted yet. */
  readonly secrets: readonly ClientSecret[]
  /** The result is encrypted to the merchant's key, so the sign-in cannot read its claims. */
  readonly hasEncryptedResults: boolean
  /** Set if the client's tenant is not served here. */
  readonly closed: Closed
}

export interface ClientCache {
  find(realm: Realm, id: string, nowMs: number): Promise<KnownClient | null>
  /** Clears this process's cache after it changed a client. */
  forget(): void
  close(): Promise<void>
}

export async function createClientCache(db: Db): Promise<ClientCache> {
  const cache = createCache<KnownClient | null>({
    bytesMax: BYTES_MAX,
    bytesOf: (known) => 2 * JSON.stringify(known).length,
    ttlMs: TTL_MS,
  })
  const stop = await db.listen(CLIENT_CHANNEL, cache.clear, cache.clear)
  return {
    async find(realm, id, nowMs) {
      const known = await cache.find(`${realmName(realm)} ${id}`, nowMs, () => load(db, realm, id))
      requireServed(known?.closed ?? null)
      return known
    },
    forget: cache.clear,
    close: stop,
  }
}

async function load(db: Db, realm: Realm, id: string): Promise<KnownClient | null> {
  const [client, secrets, hasEncryptedResults, tenant, closed] = await Promise.all([
    loadClient(db, realm, id),
    listClientSecrets(db, realm, id),
    hasProvenResultKey(db, realm),
    loadTenant(db, realm.tenantId),
    loadClosed(db, realm.tenantId),
  ])
  if (client === null || tenant === null) return null
  return { client, secrets, hasEncryptedResults, dailyQuota: dailyQuotaOf(tenant), closed }
}
