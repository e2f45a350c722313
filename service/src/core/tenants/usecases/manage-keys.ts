// Manages a tenant's API keys: create (the key itself is shown once), list, roll, revoke.

import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { newApiKeyId } from '../../../platform/ids.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { type Environment, type Instant, instantOf } from '../../../platform/world.ts'
import type { AuditActor, AuditEvent } from '../../ports/audit.ts'
import {
  ACTIVE_KEYS_MAX,
  type ApiKey,
  displayPrefix,
  ENDED_KEYS_SHOWN_DAYS,
  hashSecret,
  KEYS_SHOWN_MAX,
  mintApiKey,
  type Scope,
  USES_SHOWN_DAYS,
} from '../domain/api-key.ts'
import type { Realm } from '../domain/realm.ts'
import {
  countActiveApiKeys,
  endApiKeyAt,
  findApiKeysByHash,
  insertApiKey,
  listApiKeys,
  listRecentApiKeys,
  revokeApiKey,
} from '../store/api-keys.ts'
import { listKeyDays } from '../store/key-days.ts'
import { loadTenant } from '../store/tenants.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export interface NewKey {
  readonly tenantId: string
  readonly environment: Environment
  readonly name: string
  readonly scopes: readonly Scope[]
  /** null: no expiry. */
  readonly expiresInDays: number | null
  readonly actor: AuditActor
}

/** null if there is no such tenant. */
export async function createKey(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'audit'>,
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
    await requireRoom(deps, tx, apiKey, now)
    await insertApiKey(tx, apiKey, hashSecret(key))
    const events = [createdEvent(apiKey, input.actor)]
    await deps.audit.recordAll(tx, apiKey, { now, events })
    return { apiKey, key }
  })
}

/** Counted while the audit trail is locked, so the second of two concurrent calls sees the first. */
async function requireRoom({ audit }: Pick<Deps, 'audit'>, tx: Tx, realm: Realm, now: Instant): Promise<void> {
  await audit.lock(tx, realm, now)
  if ((await countActiveApiKeys(tx, realm, now)) >= ACTIVE_KEYS_MAX) throw new Refusal('api_key_limit_reached')
}

const deadlineOf = (nowMs: number, days: number | null) => (days === null ? null : instantOf(nowMs + days * DAY_MS))

function createdEvent(apiKey: ApiKey, actor: AuditActor): AuditEvent {
  const { id, name, prefix, scopes, expiresAt } = apiKey
  const details = { name, prefix, scopes: [...scopes], expires_at: expiresAt }
  return { action: 'key.created', actor, object: { type: 'api_key', id }, details }
}

/**
 * Creates a key with the same name and scopes. The old key stays valid for the overlap hours, or to its own expiry if
 * that is earlier. null if there is no such key, or it has ended.
 */
export async function rollKey(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'audit' | 'keys'>,
  input: {
    readonly realm: Realm
    readonly keyId: string
    readonly overlapHours: number
    /** The expiry of the new key; null: none. */
    readonly expiresInDays: number | null
    readonly actor: AuditActor
  },
): Promise<{ apiKey: ApiKey; key: string } | null> {
  const { realm, keyId, actor } = input
  const nowMs = deps.clock.now()
  const now = instantOf(nowMs)
  const endsAt = instantOf(nowMs + input.overlapHours * HOUR_MS)
  const done = await deps.db.transaction(async (tx) => {
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
    await requireRoom(deps, tx, realm, now)
    await insertApiKey(tx, apiKey, hashSecret(key))
    const object = { type: 'api_key', id: old.id }
    const details = { replaced_by: apiKey.id, ends_at: endsAt }
    const events = [createdEvent(apiKey, actor), { action: 'key.rolled', actor, object, details } as const]
    await deps.audit.recordAll(tx, apiKey, { now, events })
    return { apiKey, key }
  })
  // Other processes get a notification. This one need not wait for it.
  deps.keys.forget()
  return done
}

export async function listKeys(deps: Pick<Deps, 'db'>, tenantId: string): Promise<ApiKey[]> {
  return listApiKeys(deps.db, tenantId)
}

export interface UsedKey extends ApiKey {
  /** Uses on each of the last days, oldest first; the last is today. */
  readonly uses: readonly number[]
}

/** The active and recently ended keys of one environment, with their uses of the last days. */
export async function listUsedKeys(deps: Pick<Deps, 'db' | 'clock'>, realm: Realm): Promise<UsedKey[]> {
  const nowMs = deps.clock.now()
  const days = Array.from({ length: USES_SHOWN_DAYS }, (_, nth) =>
    instantOf(nowMs - (USES_SHOWN_DAYS - 1 - nth) * DAY_MS).slice(0, 10),
  )
  const keys = await listRecentApiKeys(deps.db, realm, {
    now: instantOf(nowMs),
    endedSince: instantOf(nowMs - ENDED_KEYS_SHOWN_DAYS * DAY_MS),
    rowsMax: KEYS_SHOWN_MAX,
  })
  const keyIds = keys.map(({ id }) => id)
  const counted = new Map<string, number>()
  for (const { keyId, day, uses } of await listKeyDays(deps.db, realm, { keyIds, since: days[0] ?? '' }))
    counted.set(`${keyId}|${day}`, uses)
  return keys.map((key) => ({ ...key, uses: days.map((day) => counted.get(`${key.id}|${day}`) ?? 0) }))
}

/** Revoking a key again changes nothing. null if the tenant has no such key in the named environment. */
export async function revokeKey(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'audit' | 'keys'>,
  input: { tenantId: string; environment?: Environment; keyId: string; actor: AuditActor },
): Promise<ApiKey | null> {
  const now = instantOf(deps.clock.now())
  const done = await deps.db.transaction(async (tx) => {
    const before = await revokeApiKey(tx, input.tenantId, {
      id: input.keyId,
      environment: input.environment ?? null,
      at: now,
    })
    if (before === null || before.revokedAt !== null) return before
    await deps.audit.record(tx, before, {
      now,
      action: 'key.revoked',
      actor: input.actor,
      object: { type: 'api_key', id: before.id },
    })
    return { ...before, revokedAt: now }
  })
  // Other processes get a notification. This one need not wait for it.
  deps.keys.forget()
  return done
}

/** The realm that owns the key; null if no key matches. */
export async function realmOfKey(deps: Pick<Deps, 'db'>, key: string): Promise<Realm | null> {
  const [found = null] = await findApiKeysByHash(deps.db, [hashSecret(key)])
  return found === null ? null : { tenantId: found.tenantId, environment: found.environment }
}
