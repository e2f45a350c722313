// The secret a tenant's webhooks are signed with: made when first needed, shown and rotated with a note on the audit trail.

import type { Deps } from '../../deps.ts'
import type { AuditAction, AuditActor } from '../../domain/audit/entry.ts'
import { type Place, placeName } from '../../domain/tenant/realm.ts'
import { mintWebhookSecret, ROTATION_OVERLAP_MS } from '../../domain/webhook/signature.ts'
import { type Instant, instantOf, millisecondsOf } from '../../domain/world.ts'
import { appendAudit } from '../../store/audit/chain.ts'
import type { Tx } from '../../store/postgres/db.ts'
import {
  insertWebhookSecret,
  loadWebhookSecrets,
  rotateWebhookSecret,
  type SealedSecrets,
} from '../../store/webhooks/secrets.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'sealer'>

export interface WebhookSecret {
  readonly secret: string
  readonly createdAt: Instant
  /** When the previous secret stops signing; null when only one signs. */
  readonly previousUntil: Instant | null
}

/** What signs now, the newest first. Never empty: the first need makes the first secret. */
export async function signingSecrets(deps: Needs, place: Place): Promise<string[]> {
  return openSecrets(deps, place, await secretsOf(deps, place, SYSTEM))
}

export function openSecrets(deps: Pick<Deps, 'clock' | 'sealer'>, place: Place, secrets: SealedSecrets): string[] {
  const open = (sealed: Buffer) => deps.sealer.open(sealed, sealPlace(place)).toString('utf8')
  const overlaps = secrets.previous !== null && overlapUntil(secrets, deps.clock.now()) !== null
  return overlaps && secrets.previous !== null ? [open(secrets.secret), open(secrets.previous)] : [open(secrets.secret)]
}

/** A look at the secret is recorded. */
export async function showWebhookSecret(
  deps: Needs,
  input: { place: Place; actor: AuditActor },
): Promise<WebhookSecret> {
  const { place, actor } = input
  const secrets = await secretsOf(deps, place, actor)
  await deps.db.transaction((tx) => record(deps, tx, { place, actor, action: 'webhook_secret.shown' }))
  return view(deps, place, secrets)
}

/** When it was made and until when two sign: nothing secret, no note. null where none was ever needed. */
export async function describeWebhookSecret(deps: Needs, place: Place): Promise<Omit<WebhookSecret, 'secret'> | null> {
  const secrets = await loadWebhookSecrets(deps.db, place)
  if (secrets === null) return null
  return { createdAt: secrets.createdAt, previousUntil: overlapUntil(secrets, deps.clock.now()) }
}

/** Spec 6.5: the new secret is told once; the old one signs on for 24 hours, or not at all with `endPrevious`. */
export async function rotateSecret(
  deps: Needs,
  input: { place: Place; actor: AuditActor; endPrevious: boolean },
): Promise<WebhookSecret> {
  const { place, actor } = input
  await secretsOf(deps, place, actor)
  const nowMs = deps.clock.now()
  const now = instantOf(nowMs)
  const secret = mintWebhookSecret(deps.random)
  const previousUntil = input.endPrevious ? null : instantOf(nowMs + ROTATION_OVERLAP_MS)
  await deps.db.transaction(async (tx) => {
    await rotateWebhookSecret(tx, place, { secret: seal(deps, place, secret), now, overlapUntil: previousUntil })
    await record(deps, tx, { place, actor, action: 'webhook_secret.rotated' })
  })
  return { secret, createdAt: now, previousUntil }
}

const SYSTEM: AuditActor = { type: 'system', id: 'webhooks' }

async function secretsOf(deps: Needs, place: Place, actor: AuditActor): Promise<SealedSecrets> {
  const known = await loadWebhookSecrets(deps.db, place)
  if (known !== null) return known
  const now = instantOf(deps.clock.now())
  await deps.db.transaction(async (tx) => {
    const secret = seal(deps, place, mintWebhookSecret(deps.random))
    const made = await insertWebhookSecret(tx, place, { secret, now })
    if (made) await record(deps, tx, { place, actor, action: 'webhook_secret.created' })
  })
  const made = await loadWebhookSecrets(deps.db, place)
  if (made === null) throw new Error('bug: a webhook secret vanished')
  return made
}

async function record(
  deps: Needs,
  tx: Tx,
  entry: { place: Place; actor: AuditActor; action: AuditAction },
): Promise<void> {
  const { place, actor, action } = entry
  const object = { type: 'webhook_secret', id: place.environment }
  await appendAudit(tx, place, {
    now: instantOf(deps.clock.now()),
    random: deps.random,
    events: [{ action, actor, object }],
  })
}

function view(deps: Needs, place: Place, secrets: SealedSecrets): WebhookSecret {
  return {
    secret: deps.sealer.open(secrets.secret, sealPlace(place)).toString('utf8'),
    createdAt: secrets.createdAt,
    previousUntil: overlapUntil(secrets, deps.clock.now()),
  }
}

/** At `previous_until` the overlap is over. */
function overlapUntil(secrets: SealedSecrets, nowMs: number): Instant | null {
  const until = secrets.previousUntil
  return until !== null && nowMs < millisecondsOf(until) ? until : null
}

const sealPlace = (place: Place) => `webhook_secrets.secret|${placeName(place)}`
const seal = (deps: Needs, place: Place, secret: string) =>
  deps.sealer.seal(Buffer.from(secret, 'utf8'), sealPlace(place))
