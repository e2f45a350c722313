// Describes a tenant's trust anchors and trust lists, and the certificates that sign its requests.

import { type Static, Type } from 'typebox'
import { Closed, Environment, Instant, Line, List, oneOf, orNull } from './parts.ts'
import { FINDING_CODES, LOOK_OUTCOMES } from './values/registration.ts'
import {
  CERTIFICATE_PURPOSES,
  IMPORTED_PROVIDERS,
  LIST_PROVIDERS,
  TRUST_LIST_KINDS,
  TRUST_PROBLEMS,
} from './values/trust.ts'

const Owned = { id: Type.String(), environment: Environment, tenant_id: orNull(Type.String()) }

const SoleType = orNull(Closed({ doc_type: Type.String(), namespace: Type.String(), without_status: Type.Boolean() }))

export const Trust = Closed({
  sandbox: Type.Boolean({ description: 'Whether the built-in issuer of the test environment is trusted' }),
  own_allowed: Type.Boolean({ description: 'Whether owners add issuers here' }),
  anchor_count: Type.Integer({
    minimum: 0,
    description: 'How many anchors are trusted. The first 200 are listed',
  }),
  anchors: List(
    Closed({
      ...Owned,
      own: Type.Boolean({ description: 'Whether it belongs to the tenant and not to the operator' }),
      kind: oneOf('ca', 'pinned', 'exact'),
      profile: oneOf('generic', 'iso-mdl'),
      types: Type.Array(Type.String(), { description: 'The first 20' }),
      type_count: Type.Integer({ minimum: 0, description: 'How many types it vouches for' }),
      sole_type: SoleType,
      proofs_accepted: Type.Boolean({
        description:
          'Whether zero-knowledge proofs are accepted under it. Never if other anchors or lists contradict its sole type, if its list or certificate has ended, or if the settings rule it out',
      }),
      list_id: orNull(Type.String()),
      from_list: Type.Boolean(),
      subject: Type.String(),
      valid_until: orNull(Instant),
    }),
  ),
  lists: List(
    Closed({
      ...Owned,
      kind: oneOf(...TRUST_LIST_KINDS),
      providers: orNull(oneOf(...LIST_PROVIDERS)),
      source: Type.String(),
      types: List(Type.String()),
      sole_type: SoleType,
      created_at: Instant,
      issuer: orNull(Type.String()),
      sequence: orNull(Type.Integer()),
      issued_at: orNull(Instant),
      next_update_at: orNull(Instant),
      loaded_at: orNull(Instant),
      attempted_at: orNull(Instant),
      failure: orNull(Type.String()),
    }),
  ),
  certificates: List(
    Closed({
      ...Owned,
      own: Type.Boolean({ description: 'Whether it belongs to the tenant and not to the operator' }),
      purpose: oneOf(...CERTIFICATE_PURPOSES),
      service_id: orNull(Type.String({ description: 'The service that it was issued for; null: all services' })),
      origin: oneOf('generated', 'installed'),
      state: oneOf('waiting', 'current', 'retired'),
      subject: orNull(Type.String()),
      issuer: orNull(Type.String()),
      hosts: List(Type.String()),
      client_id: orNull(Type.String()),
      created_at: Instant,
      valid_until: orNull(Instant),
      csr: orNull(
        Type.String({
          description: 'The signing request (PEM) of a key that waits for its certificate. Only owners get it',
        }),
      ),
    }),
  ),
  register: orNull(
    Closed({
      outcome: oneOf(...LOOK_OUTCOMES),
      findings: List(Closed({ code: oneOf(...FINDING_CODES), detail: Type.String() })),
      looked_at: Instant,
    }),
  ),
})
export type Trust = Static<typeof Trust>

const PEM_LENGTH_MAX = 20_000

const Refused = Closed({
  outcome: Type.Literal('refused'),
  code: oneOf(...TRUST_PROBLEMS),
  /** In English. */
  problem: Type.String(),
})

export const TrustChange = Type.Union([
  Closed({ outcome: Type.Literal('done'), warnings: List(Type.String()) }),
  Refused,
])
export type TrustChange = Static<typeof TrustChange>

export const CertificateRequested = Type.Union([
  Closed({ outcome: Type.Literal('requested'), csr: Type.String() }),
  Refused,
])
export type CertificateRequested = Static<typeof CertificateRequested>

/** Text with line ends, and no other control characters. */
const Pem = Type.String({ minLength: 1, maxLength: PEM_LENGTH_MAX, pattern: '^[\\x20-\\x7e\\r\\n\\t]+$' })

const Types = Type.Array(Line(300), { minItems: 1, maxItems: 20, uniqueItems: true })

const Purpose = oneOf(...CERTIFICATE_PURPOSES)

const Word = Type.Optional(Line(64))

export const AddAnchor = Closed({
  certificate: Pem,
  kind: oneOf('ca', 'pinned'),
  profile: oneOf('generic', 'iso-mdl'),
  types: Types,
  sole_type: Type.Optional(Closed({ namespace: Line(255), without_status: Type.Boolean() })),
})
export type AddAnchor = Static<typeof AddAnchor>

export const ImportList = Closed({
  kind: oneOf(...TRUST_LIST_KINDS),
  providers: oneOf(...IMPORTED_PROVIDERS),
  url: Line(2048),
  signer: Pem,
  types: Types,
})
export type ImportList = Static<typeof ImportList>

export const RequestCertificate = Closed({
  /** The id of a waiting key, whose signing request is returned again. */
  id: Type.Optional(Line(64)),
  purpose: Purpose,
  common_name: Line(64),
  organization: Word,
  organization_identifier: Word,
  country: Word,
  state: Word,
  locality: Word,
  email: Type.Optional(Line(255)),
})
export type RequestCertificate = Static<typeof RequestCertificate>

export const InstallCertificate = Closed({ purpose: Purpose, chain: Pem })
export type InstallCertificate = Static<typeof InstallCertificate>
