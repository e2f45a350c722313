// A tenant's API keys: made (the key itself is told once), listed, rolled, revoked.

import type { Deps } from '../../deps.ts'
import type { AuditActor, AuditEvent } from '../../domain/audit/entry.ts'
import { newApiKeyId } from '../../domain/ids.ts'
import {
  type ApiKey,
  displayPrefix,
  hashSecret,
  mintApiKey,
  type Scope,
  USES_SHOWN_DAYS,
} from '../../domain/tenant/api-key.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { type Environment, instantOf } from '../../domain/world.ts'
import { appendAudit } from '../../store/audit/chain.ts'
import { endApiKeyAt, findApiKeyByHash, insertApiKey, listApiKeys, revokeApiKey } from '../../store/tenants/api-keys.ts'
import { listKeyDays } from '../../store/tenants/key-days.ts'
import { loadTenant } from '../../store/tenants/tenants.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

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
    expiresAt: deadlineOf(nowMs, input.expiresInDays),
    revokedAt: null,
    lastUsedAt: null,
  }
  return deps.db.transaction(async (tx) => {
    if ((await loadTenant(tx, input.tenantId)) === null) return null
    await insertApiKey(tx, apiKey, hashSecret(key))
    const events = [createdEvent(apiKey, input.actor)]
    await appendAudit(tx, apiKey, { now, random: deps.random, seal: deps.auditSeal, events })
    return { apiKey, key }
  })
}

const deadlineOf = (nowMs: number, days: number | null) => (days === null ? null : instantOf(nowMs + days * DAY_MS))

function createdEvent(apiKey: ApiKey, actor: AuditActor): AuditEvent {
  const { id, name, prefix, scopes, expiresAt } = apiKey
  const details = { name, prefix, scopes: [...scopes], expires_at: expiresAt }
  return { action: 'key.created', actor, object: { type: 'api_key', id }, details }
}

/**
 * Another key of the same name and scopes takes over; the old one goes on for the hours of overlap, or to its own
 * deadline where that is nearer. null where there is no such key, or it has ended.
 */
export async function rollKey(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'auditSeal'>,
  input: {
    readonly realm: Realm
    readonly keyId: string
    readonly overlapHours: number
    /** Of the new one; null: no deadline. */
    readonly expiresInDays: number | null
    readonly actor: AuditActor
  },
): Promise<{ apiKey: ApiKey; key: string } | null> {
  const { realm, keyId, actor } = input
  const nowMs = deps.clock.now()
  const now = instantOf(nowMs)
  const endsAt = instantOf(nowMs + input.overlapHours * HOUR_MS)
  return deps.db.transaction(async (tx) => {
    const old = await endApiKeyAt(tx, realm, { id: keyId, at: endsAt, now })
    if (old === null) return null
    const key = mintApiKey(deps.random, realm.environment)
    const apiKey: ApiKey = {
      ...old,
      id: newApiKeyId(deps.random),
      prefix: displayPrefix(key),
      createdAt: now,
      expiresAt: deadlineOf(nowMs, input.expiresInDays),
      lastUsedAt: null,
    }
    await insertApiKey(tx, apiKey, hashSecret(key))
    const object = { type: 'api_key', id: old.id }
    const details = { replaced_by: apiKey.id, ends_at: endsAt }
    const events = [createdEvent(apiKey, actor), { action: 'key.rolled', actor, object, details } as const]
    await appendAudit(tx, apiKey, { now, random: deps.random, seal: deps.auditSeal, events })
    return { apiKey, key }
  })
}

export async function listKeys(deps: Pick<Deps, 'db'>, tenantId: string): Promise<ApiKey[]> {
  return listApiKeys(deps.db, tenantId)
}

export interface UsedKey extends ApiKey {
  /** How often it was used on each of the last days, the oldest first; today's is the last. */
  readonly uses: readonly number[]
}

/** Of one environment, with their uses of the last days. */
export async function listUsedKeys(deps: Pick<Deps, 'db' | 'clock'>, realm: Realm): Promise<UsedKey[]> {
  const nowMs = deps.clock.now()
  const days = Array.from({ length: USES_SHOWN_DAYS }, (_, nth) =>
    instantOf(nowMs - (USES_SHOWN_DAYS - 1 - nth) * DAY_MS).slice(0, 10),
  )
  const counted = new Map<string, number>()
  for (const { keyId, day, uses } of await listKeyDays(deps.db, realm, days[0] ?? ''))
    counted.set(`${keyId}|${day}`, uses)
  const keys = (await listApiKeys(deps.db, realm.tenantId)).filter(
    ({ environment }) => environment === realm.environment,
  )
  return keys.map((key) => ({ ...key, uses: days.map((day) => counted.get(`${key.id}|${day}`) ?? 0) }))
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
