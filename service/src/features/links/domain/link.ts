// Defines a link, which creates a verification when a person opens it: its states, its limits and its JSON.

import type { CreateLink } from '../../../../../wire/links.ts'
import {
  LINK_BYTES_MAX,
  LINK_DAYS,
  LINK_STARTS_WITHIN_DAYS,
  type LINK_STATES,
  LINK_USES,
} from '../../../../../wire/values/links.ts'
import type { KeyPrincipal, UserPrincipal } from '../../../core/tenants/domain/principal.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { referenceOf } from '../../../core/verifications/domain/reference.ts'
import type { VerificationRequest } from '../../../core/verifications/domain/request.ts'
import { Refusal } from '../../../platform/errors.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'

/** Per realm, including ended links that are not deleted yet. */
export const LINKS_MAX = 20_000
/** How long an ended link is kept, unless the tenant's retention is shorter. */
export const KEPT_DAYS = 7
const DAY_MS = 86_400_000

export type { CreateLink }

export type LinkState = (typeof LINK_STATES)[number]

/** The key or person that creates the link's verifications. */
export type LinkCreator = Pick<KeyPrincipal, 'kind' | 'keyId'> | Pick<UserPrincipal, 'kind' | 'personId'>

/** The request for each verification of the link. */
export interface LinkRequest extends Omit<VerificationRequest, 'origin' | 'browser_binding'> {
  /** Set if a person replaced the link of a key: its verifications keep the address that the key chose, or none. */
  readonly keeps_webhook_url?: true
}

export interface Link extends Realm {
  readonly id: string
  readonly creator: LinkCreator
  /**
   * False if the key that created it was revoked or deleted. Links of a person stay valid after the person left the
   * team.
   */
  readonly creatorIsValid: boolean
  readonly request: LinkRequest
  readonly createdAt: Instant
  readonly startsAt: Instant
  readonly endsAt: Instant
  /** null: any number. */
  readonly uses: number | null
  readonly opened: number
  readonly completed: number
  readonly revokedAt: Instant | null
}

/** Links of staff send to the endpoint that is the realm's default when they are opened, whatever their request names. */
export const usesDefaultEndpoint = ({ creator, request }: Pick<Link, 'creator' | 'request'>): boolean =>
  creator.kind === 'user' && request.keeps_webhook_url !== true

/** A link of a list, without its request, which may be long. */
export interface ListedLink extends Omit<Link, 'request'> {
  /** The length of the sealed request. */
  readonly requestBytes: number
}

export function stateAt(
  link: Pick<Link, 'startsAt' | 'endsAt' | 'uses' | 'opened' | 'revokedAt'>,
  now: Instant,
): LinkState {
  if (link.revokedAt !== null) return 'revoked'
  if (link.endsAt <= now) return 'ended'
  if (link.uses !== null && link.opened >= link.uses) return 'used_up'
  return link.startsAt > now ? 'scheduled' : 'open'
}

export interface LinkTerms {
  readonly startsAt: Instant
  readonly endsAt: Instant
  readonly uses: number | null
}

/** Splits the body into the terms of the link and the request for its verifications. */
export function readTerms(
  body: CreateLink,
  nowMs: number,
): { readonly terms: LinkTerms; readonly request: LinkRequest } {
  const { starts_at, ends_at, uses = LINK_USES.standard, mail: _mail, ...request } = body
  if (Buffer.byteLength(JSON.stringify(request)) > LINK_BYTES_MAX)
    throw new Refusal('invalid_request', {
      message: `body: a link's request must be at most ${LINK_BYTES_MAX} bytes of JSON.`,
    })
  const startsMs = Math.max(nowMs, starts_at === undefined ? nowMs : timeOf('starts_at', starts_at))
  if (startsMs > nowMs + LINK_STARTS_WITHIN_DAYS * DAY_MS)
    throw wrong('starts_at', `must be within ${LINK_STARTS_WITHIN_DAYS} days from now`)
  const endsMs = ends_at === undefined ? startsMs + LINK_DAYS.standard * DAY_MS : timeOf('ends_at', ends_at)
  if (endsMs <= startsMs) throw wrong('ends_at', 'must be in the future and after starts_at')
  if (endsMs > startsMs + LINK_DAYS.max * DAY_MS)
    throw wrong('ends_at', `must be at most ${LINK_DAYS.max} days after the link starts`)
  return { terms: { startsAt: instantOf(startsMs), endsAt: instantOf(endsMs), uses }, request }
}

function timeOf(name: string, text: string): number {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) throw wrong(name, 'must be a date-time in UTC that ends in Z')
  return ms
}

const wrong = (name: string, why: string) => new Refusal('invalid_request', { message: `body.${name}: ${why}.` })

export function renderLink(link: Link, now: Instant) {
  const { template, purpose, metadata, redirect_url } = link.request
  return {
    id: link.id,
    state: stateAt(link, now),
    ...(template === undefined ? {} : { template }),
    ...(purpose === undefined ? {} : { purpose }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(redirect_url === undefined ? {} : { redirect_url }),
    starts_at: link.startsAt,
    ends_at: link.endsAt,
    uses: link.uses,
    opened: link.opened,
    completed: link.completed,
    created_at: link.createdAt,
    ...(link.revokedAt === null ? {} : { revoked_at: link.revokedAt }),
  }
}

/** For the dashboard. */
export function renderLinkForStaff(link: Link, now: Instant) {
  const { template = null, purpose = null, metadata } = link.request
  const state = stateAt(link, now)
  return {
    id: link.id,
    state: state === 'open' && !link.creatorIsValid ? ('unavailable' as const) : state,
    template,
    purpose,
    reference: referenceOf(metadata ?? null),
    starts_at: link.startsAt,
    ends_at: link.endsAt,
    uses: link.uses,
    opened: link.opened,
    completed: link.completed,
    created_at: link.createdAt,
  }
}

/** The context that the stored request is sealed with. */
export const linkSealContext = (owner: {
  readonly tenantId: string
  readonly environment: string
  readonly id: string
}) => `links.request|${owner.tenantId}|${owner.environment}|${owner.id}`
