// Creations become rows: one transaction for all that met, in which each is admitted or refused by itself. Quota,
// verification, audit entry and idempotent answer stand or fall together.

import type { Deps } from '../deps.ts'
import type { AuditActor, AuditEvent } from '../domain/audit.ts'
import { ephemeralKeyPlace, generateEphemeralKey } from '../domain/ephemeral-key.ts'
import { answerPlace } from '../domain/idempotency.ts'
import { type Place, placeName } from '../domain/place.ts'
import { utcDayOf } from '../domain/quota.ts'
import { StoreUnavailable } from '../domain/store-unavailable.ts'
import { dailyQuotaOf } from '../domain/tenant.ts'
import { effectiveSettings } from '../domain/tenant-settings.ts'
import { renderVerification, type Verification } from '../domain/verification.ts'
import { type Instant, instantOf, millisecondsOf } from '../domain/world.ts'
import { insertEntries, lockChain, makeEntries } from '../store/audit.ts'
import type { Tx } from '../store/db.ts'
import { recordAnswers } from '../store/idempotency.ts'
import { loadTenantSettings, type SettingsRow } from '../store/tenant-settings.ts'
import { spendQuota } from '../store/usage.ts'
import { insertVerifications, type NewVerification } from '../store/verifications.ts'
import { clientIdFor } from './access.ts'
import { createCoalescer } from './coalesce.ts'

/** Everything of a verification that is known before the transaction gives it its time. */
export interface Draft {
  readonly id: string
  readonly ttlSeconds: number
  readonly template: string | null
  /** JSON texts. */
  readonly query: string
  readonly outputs: string | null
  readonly metadata: Readonly<Record<string, string>> | null
  readonly purpose: string | null
  readonly redirectUrl: string | null
  readonly webhookUrl: string | null
  readonly actor: AuditActor
  /** What the trail says of the actor beside its id. */
  readonly actorDetails: { readonly actor_name?: string }
  /** The idempotency key that this creation holds, if it has one. */
  readonly held: { readonly key: string; readonly fence: string } | null
}

export type Creation =
  | { readonly outcome: 'created'; readonly answer: string }
  | { readonly outcome: 'quota_exceeded' }
  /** The lease lapsed and another request took the key: nothing was created here. */
  | { readonly outcome: 'key_lost' }
  | { readonly outcome: 'failed'; readonly error: unknown }

export interface Creations {
  add(place: Place, draft: Draft): Promise<Creation>
}

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'sealer' | 'config' | 'accessKeys' | 'metrics'>

/** A transaction of this many rows still ends within a few milliseconds. */
const BATCH_MAX = 64
const RANDOM_TEXT_BYTES = 32

export function openCreations(deps: Needs): Creations {
  const coalescer = createCoalescer<{ place: Place; draft: Draft }, Creation>(BATCH_MAX, async (items) => {
    const place = items[0]?.place
    if (place === undefined) return []
    return commitCreations(
      deps,
      place,
      items.map(({ draft }) => draft),
    )
  })
  return { add: (place, draft) => coalescer.add(placeName(place), { place, draft }) }
}

async function commitCreations(deps: Needs, place: Place, drafts: readonly Draft[]): Promise<readonly Creation[]> {
  const stored = await loadTenantSettings(deps.db, place.tenantId)
  if (stored === null) throw new Error('bug: a principal without its tenant')
  const settings = effectiveSettings(stored, deps.config.haip)
  const clientId = await clientIdFor(deps, { ...place, prefix: settings.clientIdPrefix })
  return commitBatch(deps, { place, drafts, settings, clientId })
}

/** What cannot be done together is done one by one, so that nobody's failure is another's. */
async function commitBatch(deps: Needs, batch: Batch): Promise<readonly Creation[]> {
  // From here on only the store knows whether it was committed, and trying again could create twice.
  let decided = false
  try {
    return await deps.db.transaction(async (tx) => {
      const creations = await createAll(deps, tx, batch)
      decided = true
      return creations
    })
  } catch (error) {
    const alone = batch.drafts.length === 1
    if (alone && error instanceof KeyLost) return [{ outcome: 'key_lost' }]
    if (alone || decided || error instanceof StoreUnavailable)
      return batch.drafts.map(() => ({ outcome: 'failed', error }))
    const creations: Creation[] = []
    for (const draft of batch.drafts) creations.push(...(await commitBatch(deps, { ...batch, drafts: [draft] })))
    return creations
  }
}

class KeyLost extends Error {
  override readonly name = 'KeyLost'
}

interface Batch {
  readonly place: Place
  readonly drafts: readonly Draft[]
  readonly settings: SettingsRow
  readonly clientId: string
}

async function createAll(deps: Needs, tx: Tx, batch: Batch): Promise<Creation[]> {
  const { place, drafts, settings, clientId } = batch
  const nowMs = deps.clock.now()
  const granted = await spendQuota(tx, place.tenantId, {
    day: utcDayOf(nowMs),
    wanted: drafts.length,
    quota: dailyQuotaOf(settings),
  })
  if (granted === 0) return drafts.map(() => ({ outcome: 'quota_exceeded' }))
  const admitted = drafts.slice(0, granted)
  const chain = await lockChain(tx, place, instantOf(nowMs))
  const entries = makeEntries(chain, { now: instantOf(nowMs), random: deps.random, events: admitted.map(eventOf) })
  const made = entries.flatMap(({ at }, i) => {
    const draft = admitted[i]
    return draft === undefined ? [] : [verificationOf(batch, draft, at)]
  })
  const rows = made.map((one) => rowOf(deps, one, settings))
  await insertVerifications(tx, place, { clientId, responseMode: settings.responseMode, verifications: rows })
  await insertEntries(tx, place, entries)
  const answers = made.map(({ verification }) => renderVerification(verification, nowMs, deps.config.baseUrl))
  await record(deps, tx, { place, made, answers })
  return drafts.map((_, i) => {
    const answer = answers[i]
    return answer === undefined ? { outcome: 'quota_exceeded' } : { outcome: 'created', answer }
  })
}

async function record(
  deps: Needs,
  tx: Tx,
  { place, made, answers }: { place: Place; made: readonly Made[]; answers: readonly string[] },
): Promise<void> {
  const recorded = made.flatMap(({ draft }, i) => {
    if (draft.held === null) return []
    const answer = deps.sealer.seal(Buffer.from(answers[i] ?? '', 'utf8'), answerPlace(place, draft.held.key))
    return [{ ...draft.held, verificationId: draft.id, answer }]
  })
  if (recorded.length === 0) return
  if ((await recordAnswers(tx, place, recorded)) < recorded.length) throw new KeyLost('another request took the key')
}

/** What the merchant wrote may be erased from the trail later; that and when somebody asked stays. */
function eventOf(draft: Draft): AuditEvent {
  return {
    action: 'verification.created',
    actor: draft.actor,
    object: { type: 'verification', id: draft.id },
    details: { template: draft.template, purpose: draft.purpose, ...draft.actorDetails },
  }
}

interface Made {
  readonly draft: Draft
  readonly verification: Verification
}

function verificationOf(batch: Batch, draft: Draft, createdAt: Instant): Made {
  const { id, template, purpose, redirectUrl, webhookUrl, metadata } = draft
  const verification: Verification = {
    id,
    tenantId: batch.place.tenantId,
    environment: batch.place.environment,
    createdAt,
    expiresAt: instantOf(millisecondsOf(createdAt) + draft.ttlSeconds * 1000),
    state: 'pending',
    template,
    purpose,
    redirectUrl,
    webhookUrl,
    metadata,
    clientId: batch.clientId,
    respondedAt: null,
    result: null,
  }
  return { draft, verification }
}

function rowOf(deps: Needs, made: Made, settings: SettingsRow): NewVerification {
  const { draft, verification } = made
  const encrypted = settings.responseMode === 'direct_post.jwt'
  return {
    id: draft.id,
    createdAt: verification.createdAt,
    expiresAt: verification.expiresAt,
    template: draft.template,
    query: draft.query,
    outputs: draft.outputs,
    metadata: draft.metadata === null ? null : JSON.stringify(draft.metadata),
    purpose: draft.purpose,
    redirectUrl: draft.redirectUrl,
    webhookUrl: draft.webhookUrl,
    actor: draft.actor,
    nonce: randomText(deps),
    state: randomText(deps),
    encryptionKey: encrypted
      ? deps.sealer.seal(generateEphemeralKey(deps.random), ephemeralKeyPlace(verification))
      : null,
  }
}

const randomText = (deps: Pick<Deps, 'random'>) => Buffer.from(deps.random(RANDOM_TEXT_BYTES)).toString('base64url')
