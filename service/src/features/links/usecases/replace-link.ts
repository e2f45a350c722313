// Replaces a link with a new address, for a lost one. The new link has the same request, end and remaining uses.

import { actorOf, type UserPrincipal } from '../../../core/tenants/domain/principal.ts'
import {
  type CreationNeeds,
  checkVerificationRequest,
} from '../../../core/verifications/usecases/asking/create-verification.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { isLinkId, newLinkId } from '../../../platform/ids.ts'
import { newSecret } from '../../../platform/one-time-secret.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'
import { endMailsAbout } from '../../mail/index.ts'
import { LINKS_MAX, type Link, type LinkRequest, renderLink, stateAt, usesDefaultEndpoint } from '../domain/link.ts'
import { countLinks, insertLink, loadLink, markRevoked } from '../store/links.ts'
import { requestNow } from './request-now.ts'

type Needs = CreationNeeds & Pick<Deps, 'audit'>

export async function replaceLink(
  deps: Needs,
  { principal, id: oldId }: { readonly principal: UserPrincipal; readonly id: string },
) {
  if (!isLinkId(oldId)) throw new Refusal('link_not_found')
  const now = instantOf(deps.clock.now())
  const replaced = requireReplaceable(await loadLink(deps.db, principal, { id: oldId, now }), now)
  const request = await requestNow(deps, replaced)
  const warnings = await checkVerificationRequest(deps, { principal, request })
  const id = newLinkId(deps.random)
  const { text: secret, hash } = newSecret(deps.random, 'link')
  const actor = actorOf(principal)
  const answer = await deps.db.transaction(async (tx) => {
    const trail = await deps.audit.lock(tx, principal, now)
    if ((await countLinks(tx, principal)) >= LINKS_MAX) throw new Refusal('link_limit_reached')
    // Revokes the link before its uses are counted, so that no use is taken in between.
    if (!(await markRevoked(tx, principal, { id: oldId, at: now }))) throw notReplaceable()
    const revoked = await loadLink(tx, principal, { id: oldId, now })
    const old = requireReplaceable(revoked && { ...revoked, revokedAt: null }, now)
    const uses = old.uses === null ? null : old.uses - old.opened
    const { startsAt, endsAt } = old
    const entries = deps.audit.prepare(trail, {
      now,
      events: [
        { action: 'link.revoked', actor, object: { type: 'link', id: oldId } },
        {
          action: 'link.created',
          actor,
          object: { type: 'link', id },
          details: { template: request.template ?? null, ends_at: endsAt, uses },
        },
      ],
    })
    const createdAt = entries.entries[1]?.at
    if (createdAt === undefined) throw new Error('bug: an event without its entry')
    const link: Link = {
      ...{ id, tenantId: old.tenantId, environment: old.environment, request: requestAfter(old) },
      creator: { kind: 'user', personId: principal.personId },
      ...{ createdAt, startsAt, endsAt, uses },
      ...{ creatorIsValid: true, opened: 0, completed: 0, revokedAt: null },
    }
    await insertLink(tx, link, hash)
    await endMailsAbout(tx, principal.tenantId, oldId)
    await deps.audit.write(tx, entries)
    return { ...renderLink(link, now), url: `${deps.config.baseUrl}/l/${secret}` }
  })
  return { answer, warnings }
}

/** The new link has a person as its creator, but sends to where the old one does. */
function requestAfter(link: Link): LinkRequest {
  const { webhook_url: _old, ...rest } = link.request
  return usesDefaultEndpoint(link) ? rest : { ...link.request, keeps_webhook_url: true }
}

/** Refuses a link of a revoked key: the request of a leaked key must not continue under a person's name. */
function requireReplaceable(link: Link | null, now: Instant): Link {
  if (link === null) throw new Refusal('link_not_found')
  const state = stateAt(link, now)
  if ((state === 'open' || state === 'scheduled') && link.creatorIsValid) return link
  throw notReplaceable()
}

const notReplaceable = () =>
  new Refusal('invalid_request', { message: 'Only a link that still works can be replaced. Create a new link.' })
