// The secret that signs a tenant's webhooks: created on first use, shown and rotated with an audit entry.

import type { AuditAction, AuditActor } from '../../../core/ports/audit.ts'
import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { type Instant, instantOf, millisecondsOf } from '../../../platform/world.ts'
import { mintWebhookSecret, ROTATION_OVERLAP_MS, type WebhookSecret } from '../domain/signature.ts'
import {
  endOldWebhookSecrets,
  insertWebhookSecret,
  loadWebhookSecretsOf,
  lockWebhookSecrets,
  openSecret,
  rotateWebhookSecret,
  type SealedSecrets,
} from '../store/secrets.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'audit'>

/** How many secrets can sign at the same time. Each makes the header of every webhook longer. */
const SIGNING_MAX = 5

/** Returns the secrets that sign now, newest first. The first call creates a secret, so the list is never empty. */
export async function signingSecrets(deps: Needs, realm: Realm): Promise<string[]> {
  return openSecrets(deps, realm, await secretsOf(deps, realm, SYSTEM))
}

export function openSecrets(deps: Pick<Deps, 'db' | 'clock'>, realm: Realm, secrets: SealedSecrets): string[] {
  return [secrets, ...signingOld(secrets, deps.clock.now())].map((one) => openSecret(deps.db, realm, one))
}

/** Shows the secret, and records this on the audit trail. */
export async function showWebhookSecret(
  deps: Needs,
  input: { realm: Realm; actor: AuditActor },
): Promise<WebhookSecret> {
  const { realm, actor } = input
  const secrets = await secretsOf(deps, realm, actor)
  await deps.db.transaction((tx) => record(deps, tx, { realm, actor, action: 'webhook_secret.shown' }))
  return view(deps, realm, secrets)
}

/** Returns when the secret was created, and until when a second one signs; null: no secret. Reveals none, so no audit entry. */
export async function describeWebhookSecret(deps: Needs, realm: Realm): Promise<Omit<WebhookSecret, 'secret'> | null> {
  const secrets = await knownSecrets(deps, realm)
  if (secrets === null) return null
  return { createdAt: secrets.createdAt, previousUntil: lastOldUntil(secrets, deps.clock.now()) }
}

/**
 * Spec 6.5: returns the new secret, once. The replaced secret signs for 24 hours more, or `endPrevious` ends all
 * replaced ones now. Refuses a rotation that would exceed `SIGNING_MAX`.
 */
export async function rotateSecret(
  deps: Needs,
  input: { realm: Realm; actor: AuditActor; endPrevious: boolean },
): Promise<WebhookSecret> {
  const { realm, actor } = input
  await secretsOf(deps, realm, actor)
  const nowMs = deps.clock.now()
  const now = instantOf(nowMs)
  const secret = mintWebhookSecret(deps.random)
  const previousUntil = input.endPrevious ? null : instantOf(nowMs + ROTATION_OVERLAP_MS)
  await deps.db.transaction(async (tx) => {
    const old = await lockWebhookSecrets(tx, realm, now)
    // The current secret and the new one count, too.
    if (previousUntil !== null && old.length + 2 > SIGNING_MAX) throw tooManySecrets(old[0] ?? now)
    await rotateWebhookSecret(tx, realm, { secret, now, oldUntil: previousUntil })
    await record(deps, tx, { realm, actor, action: 'webhook_secret.rotated' })
  })
  return { secret, createdAt: now, previousUntil }
}

/** Ends replaced secrets, once the receiver knows the newest. Returns false if there were none. */
export async function endOldSecrets(deps: Needs, input: { realm: Realm; actor: AuditActor }): Promise<boolean> {
  const { realm, actor } = input
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx) => {
    const old = await lockWebhookSecrets(tx, realm, now)
    if (old.length === 0) return false
    await endOldWebhookSecrets(tx, realm)
    await record(deps, tx, { realm, actor, action: 'webhook_secret.old_ended' })
    return true
  })
}

const tooManySecrets = (soonestEnd: Instant) =>
  new Refusal('too_many_webhook_secrets', {
    message: `${SIGNING_MAX} secrets sign already, and each replaced one signs for 24 hours. Rotate again after ${soonestEnd}, or end the old ones at once.`,
  })

const SYSTEM: AuditActor = { type: 'system', id: 'webhooks' }

async function secretsOf(deps: Needs, realm: Realm, actor: AuditActor): Promise<SealedSecrets> {
  const known = await knownSecrets(deps, realm)
  if (known !== null) return known
  const now = instantOf(deps.clock.now())
  await deps.db.transaction(async (tx) => {
    const inserted = await insertWebhookSecret(tx, realm, { secret: mintWebhookSecret(deps.random), now })
    if (inserted) await record(deps, tx, { realm, actor, action: 'webhook_secret.created' })
  })
  const secrets = await knownSecrets(deps, realm)
  if (secrets === null) throw new Error('bug: a webhook secret vanished')
  return secrets
}

const knownSecrets = async (deps: Pick<Deps, 'db'>, realm: Realm): Promise<SealedSecrets | null> =>
  (await loadWebhookSecretsOf(deps.db, [realm])).get(realmName(realm)) ?? null

const record = (
  deps: Needs,
  tx: Tx,
  entry: { realm: Realm; actor: AuditActor; action: AuditAction },
): Promise<void> => {
  const { realm, actor, action } = entry
  const object = { type: 'webhook_secret', id: realm.environment }
  return deps.audit.record(tx, realm, { now: instantOf(deps.clock.now()), actor, action, object })
}

function view(deps: Needs, realm: Realm, secrets: SealedSecrets): WebhookSecret {
  return {
    secret: openSecret(deps.db, realm, secrets),
    createdAt: secrets.createdAt,
    previousUntil: lastOldUntil(secrets, deps.clock.now()),
  }
}

/** Returns replaced secrets that still sign, newest first. A secret stops signing at `signsUntil`. */
const signingOld = (secrets: SealedSecrets, nowMs: number) =>
  secrets.old.filter(({ signsUntil }) => nowMs < millisecondsOf(signsUntil))

const lastOldUntil = (secrets: SealedSecrets, nowMs: number): Instant | null =>
  signingOld(secrets, nowMs)[0]?.signsUntil ?? null
