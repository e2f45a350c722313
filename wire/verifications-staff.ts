// Describes verifications as staff see them, and links that start them.

import { type Static, Type } from 'typebox'
import { CreateLink } from './links.ts'
import { Closed, Count, Instant, Line, List, Open, oneOf, orNull } from './parts.ts'
import { Question } from './templates.ts'
import { LINK_STATES } from './values/links.ts'
import { WITHOUT_CONTROLS } from './values/names.ts'
import { METADATA_MAX, PURPOSE_LENGTH_MAX, TTL_SECONDS } from './values/verifications.ts'
import { AnswerChannel, CredentialResult, Finding, SentRequest, VerificationState } from './verifications.ts'
import { Delivery } from './webhooks.ts'

export const VerificationRequest = Closed({
  request: Open,
  question: Question,
  built_in: Type.Boolean({ description: 'Whether this is the query of a built-in template in its current form' }),
  encryption_key: oneOf('in_request', 'destroyed', 'none'),
  origin: Type.String({ description: 'The origin of the page that may send the request through the browser' }),
  registration: orNull(
    Closed({
      intended_use: Type.String(),
      purposes: List(Closed({ lang: Type.String(), text: Type.String() })),
      privacy_policy: orNull(Type.String()),
    }),
  ),
  registration_forgotten: Type.Boolean({ description: 'Its certificate is no longer stored' }),
  by_age_link: Type.Boolean({
    description: 'The unsigned parameters of the age link that was answered',
  }),
})
export type VerificationRequest = Static<typeof VerificationRequest>

const Reference = orNull(Closed({ name: Type.String({ description: 'In the metadata' }), value: Type.String() }))

const Asked = {
  id: Type.String(),
  status: VerificationState,
  template: orNull(Type.String()),
  created_at: Instant,
  responded_at: orNull(Instant),
  reference: Reference,
  actor: Closed({
    type: oneOf('api_key', 'device', 'user', 'oidc_client'),
    id: Type.String(),
    name: orNull(Type.String()),
  }),
}

export const VerificationRow = Closed({ ...Asked, error_code: orNull(Type.String()) })
export type VerificationRow = Static<typeof VerificationRow>

export const VerificationPage = Closed({
  data: List(VerificationRow),
  next: orNull(Instant),
  full: Type.Boolean({ description: 'Whether the page is full. false: the search stopped early' }),
})
export type VerificationPage = Static<typeof VerificationPage>

const { claims: _, ...Judged } = CredentialResult.properties

export const VerificationDetail = Closed({
  ...Asked,
  purpose: orNull(Type.String()),
  redirect_url: orNull(Type.String({ description: 'For viewers: only the origin' })),
  webhook_url: orNull(Type.String({ description: 'For viewers: only the origin' })),
  metadata: orNull(Type.Record(Type.String(), Type.String())),
  expires_at: Instant,
  cancelled: Type.Boolean({ description: 'Whether it expired because it was cancelled' }),
  open: orNull(
    Closed({
      page_url: Type.String({ description: 'The hosted page' }),
      wallet_uri: Type.String({ description: 'For a QR code' }),
    }),
  ),
  channel: orNull(AnswerChannel),
  request_fetched_at: orNull(Instant),
  requests: List(SentRequest),
  redeemed_at: orNull(Instant),
  first_read_at: orNull(Type.String({ format: 'date-time', description: "When the merchant's system first read it" })),
  forget_at: orNull(Type.String({ format: 'date-time', description: 'When the content is erased at the latest' })),
  forgotten_at: orNull(Type.String({ format: 'date-time', description: 'When the content was erased' })),
  error: orNull(Closed({ code: Type.String(), message: Type.String() })),
  claim_names: orNull(List(Type.String())),
  claims: orNull(Type.Record(Type.String(), Type.Unknown(), { description: 'null to viewers' })),
  credentials: List(
    Closed({
      ...Judged,
      findings: List(Finding),
      claim_names: List(Type.String()),
      status_checked: Type.Boolean({ description: 'Whether the check of its revocation status was reached' }),
    }),
  ),
  deliveries: List(Delivery),
})
export type VerificationDetail = Static<typeof VerificationDetail>

export const CreateVerificationForStaff = Closed({
  template: Line(64),
  purpose: Type.Optional(Type.String({ minLength: 1, maxLength: PURPOSE_LENGTH_MAX, pattern: WITHOUT_CONTROLS })),
  ttl_seconds: Type.Optional(Type.Integer({ minimum: TTL_SECONDS.min, maximum: TTL_SECONDS.max })),
  reference: Type.Optional(Line(METADATA_MAX.valueLength)),
  // The page creates one key per content of the form. So a second click or a retry creates no second verification.
  idempotency_key: Type.String({ pattern: '^[0-9A-Za-z-]{16,64}$' }),
})
export type CreateVerificationForStaff = Static<typeof CreateVerificationForStaff>

/** The person types the id to confirm, so that nothing is erased by accident. */
export const EraseVerification = Closed({ confirm: Type.String({ maxLength: 100 }) })
export type EraseVerification = Static<typeof EraseVerification>

export const LinkForStaff = Closed({
  id: Type.String(),
  // `unavailable`: the API key that created the link is revoked.
  state: oneOf(...LINK_STATES, 'unavailable'),
  template: orNull(Type.String()),
  purpose: orNull(Type.String()),
  reference: Reference,
  starts_at: Instant,
  ends_at: Instant,
  uses: orNull(Count),
  opened: Count,
  completed: Count,
  created_at: Instant,
})
export type LinkForStaff = Static<typeof LinkForStaff>

export const LinksForStaff = Closed({ data: List(LinkForStaff), next: orNull(Instant) })

const { starts_at, ends_at, uses } = CreateLink.properties
const { ttl_seconds: __, ...createMembers } = CreateVerificationForStaff.properties

export const CreateLinkForStaff = Closed({ ...createMembers, starts_at, ends_at, uses })
