// Creates a link. The secret in its address is shown once; the store has only its hash.

import { actorOf, type KeyPrincipal, type UserPrincipal } from '../../../core/tenants/domain/principal.ts'
import { fingerprintOf } from '../../../core/verifications/domain/idempotency.ts'
import { recordResponse } from '../../../core/verifications/store/idempotency.ts'
import {
  type CreationNeeds,
  checkVerificationRequest,
} from '../../../core/verifications/usecases/asking/create-verification.ts'
import { answerOnce, type Created } from '../../../core/verifications/usecases/asking/lease-idempotency-key.ts'
import type { Deps } from '../../../deps.ts'
import type { CanonicalValue } from '../../../platform/canonical-json.ts'
import { Refusal } from '../../../platform/errors.ts'
import { newLinkId } from '../../../platform/ids.ts'
import { newSecret } from '../../../platform/one-time-secret.ts'
import { instantOf } from '../../../platform/world.ts'
import { type CreateLink, LINKS_MAX, type Link, type LinkCreator, readTerms, renderLink } from '../domain/link.ts'
import { countLinks, insertLink } from '../store/links.ts'
import { type MailNeeds, mailLink, readSender, requireMailable, withoutAddress } from './mail-link.ts'

type Needs = CreationNeeds & MailNeeds & Pick<Deps, 'audit'>

interface LinkInput {
  readonly principal: KeyPrincipal | UserPrincipal
  readonly body: CreateLink
  /** null: every call creates a new link. */
  readonly idempotencyKey: string | null
}

export async function createLink(deps: Needs, input: LinkInput): Promise<Created> {
  const { principal, body, idempotencyKey: key } = input
  if (key === null) return create(deps, input, null)
  const fingerprint = fingerprintOf(principal, withoutAddress(deps, body) as CanonicalValue, 'POST /v1/links')
  return answerOnce(deps, principal, { key, fingerprint }, (keyLease) => create(deps, input, keyLease))
}

async function create(
  deps: Needs,
  { principal, body }: LinkInput,
  keyLease: { readonly key: string; readonly fence: string } | null,
): Promise<Created> {
  const { tenantId, environment } = principal
  const nowMs = deps.clock.now()
  const { terms, request } = readTerms(body, nowMs)
  if (body.mail !== undefined) requireMailable(deps, body.mail, terms.startsAt > instantOf(nowMs))
  // Refuses here what cannot be asked now, instead of when a person opens the link.
  const warnings = await checkVerificationRequest(deps, { principal, request })
  const id = newLinkId(deps.random)
  const { text: secret, hash } = newSecret(deps.random, 'link')
  const now = instantOf(nowMs)
  const sender = body.mail === undefined ? null : await readSender(deps, principal)
  const answer = await deps.db.transaction(async (tx) => {
    const trail = await deps.audit.lock(tx, principal, now)
    // Counts while the audit trail is locked, so that the second of two concurrent calls sees the first.
    if ((await countLinks(tx, principal)) >= LINKS_MAX) throw new Refusal('link_limit_reached')
    const event = {
      action: 'link.created',
      actor: actorOf(principal),
      object: { type: 'link', id },
      details: {
        template: request.template ?? null,
        ends_at: terms.endsAt,
        uses: terms.uses,
        ...(body.mail === undefined ? {} : { mailed: true }),
      },
    } as const
    const entries = deps.audit.prepare(trail, { now, events: [event] })
    const [entry] = entries.entries
    if (entry === undefined) throw new Error('bug: an event without its entry')
    // The time of an audit entry is unique in its realm, so that lists have a fixed order.
    const base = { id, tenantId, environment, creator: creatorOf(principal), request, createdAt: entry.at, ...terms }
    const link: Link = { ...base, creatorIsValid: true, opened: 0, completed: 0, revokedAt: null }
    await insertLink(tx, link, hash)
    const url = `${deps.config.baseUrl}/l/${secret}`
    const text = JSON.stringify({ ...renderLink(link, now), url })
    const isRecorded =
      keyLease === null || (await recordResponse(tx, principal, { keyLease, objectId: id, answer: text, warnings }))
    if (!isRecorded) throw new Refusal('idempotency_key_in_flight', { retryAfterSeconds: 1 })
    await deps.audit.write(tx, entries)
    if (body.mail !== undefined && sender !== null) await mailLink(deps, tx, { link, url, mail: body.mail, sender })
    return text
  })
  return { answer, replayed: false, warnings }
}

const creatorOf = (principal: KeyPrincipal | UserPrincipal): LinkCreator =>
  principal.kind === 'api_key'
    ? { kind: principal.kind, keyId: principal.keyId }
    : { kind: principal.kind, personId: principal.personId }
