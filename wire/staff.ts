// Describes the users of the dashboard: roles, team, sign-in, account.

import { type Static, Type } from 'typebox'
import { Scope } from './keys.ts'
import { Closed, Count, Instant, Line, List, Name, oneOf, orNull } from './parts.ts'
import { ROLES } from './values/staff.ts'
import { AnswerChannel, VerificationState } from './verifications.ts'

export const Role = oneOf(...ROLES)
export type Role = Static<typeof Role>

export const Terms = Closed({
  roles: List(Role),
  statuses: List(VerificationState),
  scopes: List(Scope),
  default_scopes: List(Scope),
  key_lifetimes_days: List(Count),
  roll_overlap_hours: List(Count),
  name_length_max: Count,
  password_length_min: Count,
  invitation_hours: Count,
  secret_overlap_hours: Count,
  endpoint_url_length_max: Count,
  webhook_answer_days: Count,
  webhook_test_events_kept: Count,
  webhook_events: List(Type.String()),
  resent_at_once_max: Count,
  template_key_pattern: Type.String({ description: 'A regular expression for the whole key' }),
  template_title_length_max: Count,
  template_description_length_max: Count,
  shown_name_length_max: Count,
  help_text_length_max: Count,
  logo_bytes_max: Count,
  erase_confirm_length: Count,
  purpose_length_max: Count,
  reference_length_max: Count,
  ttl_seconds_max: Count,
  link_days_max: Count,
  link_starts_within_days: Count,
  link_uses_max: Count,
  usage_days: Count,
  audit_kinds: List(Type.String()),
  actor_types: List(Type.String()),
  certificate_warning_days: Count,
  formats: List(
    Closed({
      name: Type.String(),
      label: Type.String(),
      shows_status: Type.Boolean({ description: 'Whether it can show whether a credential was revoked' }),
    }),
  ),
  channels: List(Closed({ name: AnswerChannel, label: Closed({ en: Type.String(), de: Type.String() }) })),
})
export type Terms = Static<typeof Terms>

export const Me = Closed({
  id: Type.String(),
  email: Type.String(),
  signed_in_with: oneOf('password', 'passkey', 'link', 'oidc'),
  fresh_until: orNull(Instant),
  has_password: Type.Boolean(),
  has_oidc: Type.Boolean({ description: 'Whether the account is bound to a person at the configured provider' }),
  tenants: List(Closed({ id: Type.String(), name: Type.String(), role: Role })),
  passkeys: List(
    Closed({ id: Type.String(), name: Type.String(), created_at: Instant, last_used_at: orNull(Instant) }),
  ),
  service: Closed({
    base_url: Type.String(),
    sandbox: Type.Boolean(),
    haip: Type.Boolean(),
    mail: Type.Boolean({ description: 'Whether a mail server is configured' }),
    oidc: orNull(Type.String({ description: 'The name of the provider' })),
  }),
  terms: Terms,
})
export type Me = Static<typeof Me>

/** The argument of navigator.credentials.create() (WebAuthn §5.1.8). */
export const PasskeyCreation = Closed({
  rp: Closed({ name: Type.String(), id: Type.Optional(Type.String()) }),
  user: Closed({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
  challenge: Type.String(),
  pubKeyCredParams: Type.Array(Closed({ alg: Type.Integer(), type: Type.Literal('public-key') })),
  timeout: Type.Optional(Count),
  attestation: Type.Optional(oneOf('none', 'indirect', 'direct', 'enterprise')),
  excludeCredentials: Type.Optional(Type.Array(Closed({ id: Type.String(), type: Type.String() }))),
  authenticatorSelection: Type.Optional(
    Closed({
      residentKey: Type.Optional(oneOf('required', 'preferred', 'discouraged')),
      requireResidentKey: Type.Optional(Type.Boolean()),
      userVerification: Type.Optional(oneOf('required', 'preferred', 'discouraged')),
    }),
  ),
  extensions: Type.Optional(Closed({ credProps: Type.Optional(Type.Boolean()) })),
  hints: Type.Optional(Type.Array(oneOf('hybrid', 'security-key', 'client-device'))),
})
export type PasskeyCreation = Static<typeof PasskeyCreation>

const Token = Type.String({ minLength: 1, maxLength: 100 })

const Password = Type.String({ minLength: 1, maxLength: 1024 })

/** The argument of navigator.credentials.get() (WebAuthn §5.1.8). */
export const PasskeyRequest = Closed({
  rpId: Type.Optional(Type.String()),
  challenge: Type.String(),
  timeout: Type.Optional(Count),
  userVerification: Type.Optional(oneOf('required', 'preferred', 'discouraged')),
})
export type PasskeyRequest = Static<typeof PasskeyRequest>

export const SignInLink = Closed({
  email: Type.String(),
  tenant_name: Type.String(),
  role: Role,
  expires_at: Instant,
  needs_sign_in: Type.Boolean(),
  needs_password: Type.Boolean(),
  may_open_another: Type.Boolean(),
  password_length_min: Count,
})
export type SignInLink = Static<typeof SignInLink>

export const SignInWays = Closed({
  oidc: orNull(Closed({ name: Type.String() })),
  lost_access: orNull(Closed({ password_length_min: Count })),
})
export type SignInWays = Static<typeof SignInWays>

/** The address that the browser navigates to. */
export const SignInAddress = Closed({ url: Type.String() })
export type SignInAddress = Static<typeof SignInAddress>

const Email = Type.String({ maxLength: 320 })

export const InvitedAddress = Type.Object({ email: Email }, { additionalProperties: false })
export type InvitedAddress = Static<typeof InvitedAddress>

export const Team = Closed({
  members: List(
    Closed({
      id: Type.String(),
      email: Type.String(),
      role: Role,
      joined_at: Instant,
      has_passkey: Type.Boolean(),
      last_seen_at: orNull(Instant),
    }),
  ),
  invitations: List(
    Closed({
      email: Type.String(),
      role: Role,
      expires_at: Instant,
      invited_by: orNull(Type.String({ description: 'The address of the person who invited' })),
    }),
  ),
})
export type Team = Static<typeof Team>

export const Invitation = Closed({
  url: Type.String({ description: 'Shown only here' }),
  email: Type.String(),
  expires_at: Instant,
  mail: oneOf('queued', 'off', 'limited', 'unsuitable'),
})
export type Invitation = Static<typeof Invitation>

export const PasswordSignIn = Closed({ email: Email, password: Password })
export type PasswordSignIn = Static<typeof PasswordSignIn>

/** The response of the browser's authenticator. The use case judges it. */
const AuthenticatorResponse = Type.Object({})

export const PasskeySignIn = Closed({ response: AuthenticatorResponse })
export type PasskeySignIn = Static<typeof PasskeySignIn>

export const LinkToken = Closed({ token: Token })
export type LinkToken = Static<typeof LinkToken>

export const UseLink = Closed({
  token: Token,
  password: Type.Optional(Password),
  another: Type.Optional(Type.Boolean()),
})
export type UseLink = Static<typeof UseLink>

export const UseAccessLink = Closed({ token: Token, password: Password })
export type UseAccessLink = Static<typeof UseAccessLink>

export const AcceptedInvitation = Closed({ tenant_id: Type.String() })
export type AcceptedInvitation = Static<typeof AcceptedInvitation>

export const NewPassword = Closed({ password: Password })
export type NewPassword = Static<typeof NewPassword>

export const NewPasskey = Closed({ name: Name, response: AuthenticatorResponse })
export type NewPasskey = Static<typeof NewPasskey>

export const RemovePasskey = Closed({ id: Line(1400) })
export type RemovePasskey = Static<typeof RemovePasskey>

export const EndedSessions = Closed({ ended: Count })
export type EndedSessions = Static<typeof EndedSessions>

export const Invite = Closed({ email: Email, role: Role })
export type Invite = Static<typeof Invite>

export const RoleChange = Closed({ role: Role })
export type RoleChange = Static<typeof RoleChange>
