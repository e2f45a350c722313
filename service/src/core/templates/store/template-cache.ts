// Caches tenants' own templates, so that a creation from a template needs no query.

import { createCache } from '../../../platform/cache.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { type Realm, realmName } from '../../tenants/domain/realm.ts'
import { loadTemplate, type StoredTemplate, TEMPLATE_CHANNEL } from './templates.ts'

/** A change takes effect everywhere within this time even if its notification is lost. */
const TTL_MS = 1_000
const BYTES_MAX = 32 * 1024 * 1024

export interface TemplateCache {
  find(realm: Realm, key: string, nowMs: number): Promise<StoredTemplate | null>
  /** Empties the cache. For the process that has just changed a template. */
  forget(): void
  close(): Promise<void>
}

export async function createTemplateCache(db: Db, bytesMax = BYTES_MAX): Promise<TemplateCache> {
  const cache = createCache<StoredTemplate | null>({
    bytesMax,
    bytesOf: (template) => 2 * JSON.stringify(template).length,
    ttlMs: TTL_MS,
  })
  const stop = await db.listen(TEMPLATE_CHANNEL, cache.clear, cache.clear)
  return {
    find: (realm, key, nowMs) => cache.find(`${realmName(realm)} ${key}`, nowMs, () => loadTemplate(db, realm, key)),
    forget: cache.clear,
    close: stop,
  }
}
