// A tenant's API keys: made (the key itself is told once), listed, revoked.

import type { Deps } from '../../deps.ts'
import type { AuditActor } from '../../domain/audit/entry.ts'
import { newApiKeyId } from '../../domain/ids.ts'
import { type ApiKey, displayPrefix, hashSecret, mintApiKey, type Scope } from '../../domain/tenant/api-key.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { type Environment, instantOf } from '../../domain/world.ts'
import { appendAudit } from '../../store/audit/chain.ts'
import { findApiKeyByHash, insertApiKey, listApiKeys, revokeApiKey } from '../../store/tenants/api-keys.ts'
import { loadTenant } from '../../store/tenants/tenants.ts'

const DAY_MS = 86_400_000

export interface NewKey {
  readonly tenantId: string
  readonly environment: Environment
  readonly name: string
  readonly scopes: readonly Scope[]
  /** null: no deadline. */
  readonly expiresInDays: number | null
  readonly actor: AuditActor
}

/** null when there is no such tenant. */
export async function createKey(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'auditSeal'>,
  input: NewKey,
): Promise<{ apiKey: ApiKey; key: string } | null> {
  const nowMs = deps.clock.now()
  const now = instantOf(nowMs)
  const key = mintApiKey(deps.random, input.environment)
  const apiKey: ApiKey = {
    id: newApiKeyId(deps.random),
    tenantId: input.tenantId,
    environment: input.environment,
    name: input.name,
    prefix: displayPrefix(key),
    scopes: input.scopes,
    createdAt: now,
    expiresAt: input.expiresInDays === null ? null : instantOf(nowMs + input.expiresInDays * DAY_MS),
    revokedAt: null,
    lastUsedAt: null,
  }
  return deps.db.transaction(async (tx) => {
    if ((await loadTenant(tx, input.tenantId)) === null) return null
    await insertApiKey(tx, apiKey, hashSecret(key))
    const details = {
      name: apiKey.name,
      prefix: apiKey.prefix,
      scopes: [...apiKey.scopes],
      expires_at: apiKey.expiresAt,
    }
    await appendAudit(tx, apiKey, {
      now,
      random: deps.random,
      seal: deps.auditSeal,
      events: [{ action: 'key.created', actor: input.actor, object: { type: 'api_key', id: apiKey.id }, details }],
    })
    return { apiKey, key }
  })
}

export async function listKeys(deps: Pick<Deps, 'db'>, tenantId: string): Promise<ApiKey[]> {
  return listApiKeys(deps.db, tenantId)
}

/** Revoking again changes nothing and is recorded once. null when the tenant has no such key. */
export async function revokeKey(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'auditSeal'>,
  input: { tenantId: string; keyId: string; actor: AuditActor },
): Promise<ApiKey | null> {
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx) => {
    const before = await revokeApiKey(tx, input.tenantId, { id: input.keyId, at: now })
    if (before === null || before.revokedAt !== null) return before
    await appendAudit(tx, before, {
      now,
      random: deps.random,
      seal: deps.auditSeal,
      events: [{ action: 'key.revoked', actor: input.actor, object: { type: 'api_key', id: before.id } }],
    })
    return { ...before, revokedAt: now }
  })
}

/** Whose key it is; null: nobody's. */
export async function realmOfKey(deps: Pick<Deps, 'db'>, key: string): Promise<Realm | null> {
  const found = await findApiKeyByHash(deps.db, hashSecret(key))
  return found === null ? null : { tenantId: found.tenantId, environment: found.environment }
}
