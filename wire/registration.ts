// Describes the registration of a merchant: who it is, its certificates, and what they cover.

import { type Static, Type } from 'typebox'
import { Closed, Environment, Instant, Line, List, oneOf, orNull, Text } from './parts.ts'
import {
  ENDING_DAYS,
  IDENTIFIER_LENGTH_MAX,
  INTENDED_USE_LENGTH_MAX,
  REGISTRATION_PROBLEMS,
  REGISTRATION_STATUSES,
  REGISTRY_URI_LENGTH_MAX,
  TRADE_NAME_LENGTH_MAX,
} from './values/registration.ts'

export const RegistrationProblem = Closed({
  code: oneOf(...REGISTRATION_PROBLEMS),
  values: List(Type.String({ description: 'For the sentence' })),
})
export type RegistrationProblem = Static<typeof RegistrationProblem>

export const RegistrationRefused = Closed({ outcome: Type.Literal('refused'), problems: List(RegistrationProblem) })
export type RegistrationRefused = Static<typeof RegistrationRefused>

const Path = List(Type.Union([Text, Type.Integer(), Type.Null()]))

/** Live refuses requests with this problem; test only warns. */
export const RegistrationConcern = Closed({
  code: oneOf('not_registered', 'over_asking'),
  reason: RegistrationProblem,
  intended_use: orNull(Type.String({ description: 'The intended use of the certificate with the problem' })),
  unregistered: Type.Array(Closed({ types: List(Text), path: orNull(Path) }), {
    description: 'Requested but not registered claims. A null path: a document without claims',
  }),
})
export type RegistrationConcern = Static<typeof RegistrationConcern>

/** Longer than a certificate may be (engine/src/registration/certificate.ts), so that the use case refuses it with a reason. */
const JWT_LENGTH_MAX = 50_000

export const RegisteredIdentity = Closed({
  identifier: Text,
  trade_name: Text,
  registry_uri: orNull(Text),
  is_intermediary: Type.Boolean({ description: 'The operator is registered as acting for others' }),
  changed_at: Instant,
})
export type RegisteredIdentity = Static<typeof RegisteredIdentity>

export const RegistrationCertificate = Closed({
  id: Text,
  environment: Environment,
  intended_use: Text,
  subject: Text,
  service_name: Text,
  service_id: orNull(Text),
  intermediary: orNull(Text),
  purposes: List(Closed({ lang: Text, text: Text })),
  privacy_policy: orNull(Text),
  credentials: List(Closed({ format: Text, types: List(Text), paths: List(Path) })),
  sha256: Text,
  issued_at: Instant,
  expires_at: orNull(Instant),
  days_left: orNull(Type.Integer()),
  ending: orNull(oneOf('ended', ...ENDING_DAYS)),
  verified: Type.Boolean({ description: 'Whether a trusted provider signed the certificate' }),
  status: oneOf(...REGISTRATION_STATUSES),
  checked_at: Instant,
  faults: Type.Array(RegistrationProblem, { description: 'Why live does not use the certificate' }),
  remarks: Type.Array(RegistrationProblem, { description: 'What the registrar should have done differently' }),
  shortened: Type.Boolean({ description: 'Listed without purposes and credentials, because all would be too long' }),
})
export type RegistrationCertificate = Static<typeof RegistrationCertificate>

export const RegistrationReport = Closed({
  identity: orNull(RegisteredIdentity),
  operator: orNull(RegisteredIdentity),
  certificates: List(RegistrationCertificate),
  templates: Type.Array(
    Closed({
      key: Text,
      built_in: Type.Boolean(),
      intended_use: orNull(Text),
      concerns: List(RegistrationConcern),
    }),
    { description: "The merchant's own templates, and built-in ones in use" },
  ),
  under_use: List(
    Closed({
      intended_use: Text,
      unused: Type.Array(Closed({ format: Text, types: List(Text), path: orNull(Path) }), {
        description: 'The first ones',
      }),
      unused_count: Type.Integer({ minimum: 0 }),
    }),
  ),
  access_certificates: List(
    Closed({
      certificate_id: Text,
      service_id: orNull(Text),
      level: oneOf('problem', 'warning', 'info'),
      check: Text,
      detail: Text,
    }),
  ),
})
export type RegistrationReport = Static<typeof RegistrationReport>

export const RegistrationAddition = Type.Union([
  Closed({ outcome: Type.Literal('added'), certificate: RegistrationCertificate, warnings: List(RegistrationProblem) }),
  RegistrationRefused,
])
export type RegistrationAddition = Static<typeof RegistrationAddition>

export const IdentityChange = Type.Union([
  Closed({ outcome: Type.Literal('changed'), identity: RegisteredIdentity }),
  RegistrationRefused,
])
export type IdentityChange = Static<typeof IdentityChange>

export const AddRegistration = Closed({
  jwt: Type.String({ minLength: 1, maxLength: JWT_LENGTH_MAX }),
  intended_use: Type.Optional(Line(INTENDED_USE_LENGTH_MAX)),
})
export type AddRegistration = Static<typeof AddRegistration>

export const ChangeIdentity = Closed({
  identifier: Line(IDENTIFIER_LENGTH_MAX),
  trade_name: Line(TRADE_NAME_LENGTH_MAX),
  registry_uri: Type.Optional(Line(REGISTRY_URI_LENGTH_MAX)),
})
export type ChangeIdentity = Static<typeof ChangeIdentity>

export type RegistrationProblemCode = RegistrationProblem['code']
