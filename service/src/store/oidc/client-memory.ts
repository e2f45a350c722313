// What a process remembers of OpenID clients and the hashes of their secrets: a sign-in asks three times who its client is. At
// most a second old; a change anywhere empties it at once through NOTIFY. Unknown clients are never remembered.

import type { QuotaClient } from '../../domain/oidc/client.ts'
import { type Realm, realmName } from '../../domain/tenant/realm.ts'
import { dailyQuotaOf } from '../../domain/tenant/tenant.ts'
import type { Db } from '../postgres/db.ts'
import { hasProvenResultKey } from '../tenants/result-keys.ts'
import { loadTenant } from '../tenants/tenants.ts'
import { CLIENT_CHANNEL, type ClientSecret, listClientSecrets, loadClient } from './clients.ts'

/** Stated staleness: a change takes effect everywhere within this time even if a notification is lost. */
const REMEMBER_MS = 1_000
const ENTRIES_MAX = 10_000

export interface KnownClient extends QuotaClient {
  /** Those that have ended are among them until they are cleared away. */
  readonly secrets: readonly ClientSecret[]
  /** Only the merchant can read what is shown to it: nobody can sign in with that. */
  readonly hasEncryptedResults: boolean
}

export interface ClientMemory {
  find(realm: Realm, id: string, nowMs: number): Promise<KnownClient | null>
  /** For the process that has just changed one. */
  forget(): void
  close(): Promise<void>
}

export async function createClientMemory(db: Db): Promise<ClientMemory> {
  const known = new Map<string, KnownClient & { readonly until: number }>()
  /** Sign-ins come in crowds: who asks meanwhile waits for the same answer. */
  const loading = new Map<string, Promise<KnownClient | null>>()
  // A look-up that began before a change must not be remembered after it.
  let generation = 0
  const forget = () => {
    generation += 1
    known.clear()
    loading.clear()
  }
  const stop = await db.listen(CLIENT_CHANNEL, forget, forget)
  const load = async (name: string, realm: Realm, id: string, nowMs: number): Promise<KnownClient | null> => {
    const began = generation
    try {
      const [client, secrets, hasEncryptedResults, tenant] = await Promise.all([
        loadClient(db, realm, id),
        listClientSecrets(db, realm, id),
        hasProvenResultKey(db, realm),
        loadTenant(db, realm.tenantId),
      ])
      if (client === null || tenant === null) return null
      const found = { client, secrets, hasEncryptedResults, dailyQuota: dailyQuotaOf(tenant) }
      if (began === generation) {
        if (known.size >= ENTRIES_MAX) known.clear()
        known.set(name, { ...found, until: nowMs + REMEMBER_MS })
      }
      return found
    } finally {
      if (began === generation) loading.delete(name)
    }
  }
  return {
    async find(realm, id, nowMs) {
      const name = `${realmName(realm)} ${id}`
      const remembered = known.get(name)
      if (remembered !== undefined && nowMs < remembered.until) return remembered
      const underWay = loading.get(name) ?? load(name, realm, id, nowMs)
      loading.set(name, underWay)
      return underWay
    },
    forget,
    close: stop,
  }
}
