// Verifications as merchants create and read them (spec 2.1, 2.2, 4.1).

import { type Static, Type } from 'typebox'
import { Instant, oneOf } from './parts.ts'
import { CHANNELS, FORMATS } from './values/channels.ts'
import { WITHOUT_CONTROLS } from './values/names.ts'
import { ORIGIN_LENGTH_MAX } from './values/origins.ts'
import { INTENDED_USE, INTENDED_USE_LENGTH_MAX } from './values/registration.ts'
import {
  METADATA_MAX,
  PAGE_LIMIT,
  PURPOSE_LENGTH_MAX,
  TRANSACTION_MAX,
  TTL_SECONDS,
  URL_LENGTH_MAX,
} from './values/verifications.ts'

const Claims = Type.Record(Type.String(), Type.Unknown())

const closed = { additionalProperties: false }

/** Has a title, because generators would name it VerificationStatus, which is another schema's name. */
export const VerificationState = Type.Union(
  [Type.Literal('pending'), Type.Literal('completed'), Type.Literal('failed'), Type.Literal('expired')],
  { $id: 'VerificationState' },
)
export type VerificationState = Static<typeof VerificationState>

export const Finding = Type.Object(
  {
    check: Type.String(),
    status: Type.Union([Type.Literal('pass'), Type.Literal('fail'), Type.Literal('warning'), Type.Literal('skipped')]),
    detail: Type.Optional(Type.String()),
  },
  closed,
)
export type Finding = Static<typeof Finding>

export const CredentialResult = Type.Object(
  {
    format: oneOf(...FORMATS),
    doctype_or_vct: Type.String(),
    claims: Claims,
    issuer: Type.Object({ common_name: Type.Optional(Type.String()), country: Type.Optional(Type.String()) }, closed),
    trusted: Type.Boolean(),
    signature_valid: Type.Boolean(),
    holder_binding_valid: Type.Boolean(),
    findings: Type.Array(Finding, { description: 'Only what did not pass' }),
  },
  { $id: 'CredentialResult', ...closed },
)
export type CredentialResult = Static<typeof CredentialResult>

export const Verification = Type.Object(
  {
    id: Type.String({ description: 'Opaque and unguessable' }),
    status: VerificationState,
    template: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    wallet_uri: Type.Optional(Type.String({ description: 'For a QR code or a link; only while pending' })),
    request_uri: Type.Optional(
      Type.String({ description: 'The `request_uri` inside `wallet_uri`; only while pending' }),
    ),
    claims: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Merged verified claims' })),
    credentials: Type.Optional(Type.Array(CredentialResult)),
    error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() }, closed)),
    metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
    purpose: Type.Optional(Type.String({ minLength: 1, maxLength: PURPOSE_LENGTH_MAX })),
    redirect_url: Type.Optional(Type.String()),
    created_at: Instant,
    expires_at: Instant,
    responded_at: Type.Optional(Instant),
  },
  { $id: 'Verification', ...closed },
)
export type Verification = Static<typeof Verification>

export const VerificationList = Type.Object({ data: Type.Array(Verification) }, { $id: 'VerificationList', ...closed })
export type VerificationList = Static<typeof VerificationList>

/** In the address: one page of the list. */
export const VerificationListQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: PAGE_LIMIT.min, maximum: PAGE_LIMIT.max, default: PAGE_LIMIT.standard }),
    ),
    before: Type.Optional(
      Type.String({
        format: 'date-time',
        pattern: 'Z$',
        description: 'Only what was created strictly earlier: the `created_at` of the last one of a page',
      }),
    ),
    status: Type.Optional(
      Type.Unsafe<Static<typeof VerificationState>>({
        ...VerificationState,
        description:
          'Only those that are in this state now. A page can then be shorter than `limit`, even empty, while older ones exist: follow the header `Link` with `rel="next"` until there is none',
      }),
    ),
  },
  closed,
)
export type VerificationListQuery = Static<typeof VerificationListQuery>

export const VerificationStatus = Type.Object(
  { id: Type.String(), status: VerificationState },
  { $id: 'VerificationStatus', ...closed },
)
export type VerificationStatus = Static<typeof VerificationStatus>

export const ErasureResult = Type.Object(
  {
    id: Type.String({ description: 'The erased verification' }),
    deleted: Type.Object(
      {
        verification_sessions: Type.Integer({ minimum: 0 }),
        verification_results: Type.Integer({ minimum: 0 }),
        webhook_deliveries: Type.Integer({ minimum: 0 }),
      },
      { ...closed, description: 'Rows hard-deleted, by table' },
    ),
    erased_at: Instant,
  },
  { $id: 'ErasureResult', ...closed },
)
export type ErasureResult = Static<typeof ErasureResult>

const AnyObject = Type.Unsafe<Record<string, unknown>>(Type.Object({}, { additionalProperties: true }))

export const CreateVerification = Type.Object(
  {
    template: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'A built-in template or one of yours' }),
    ),
    query: Type.Optional(
      Type.Object(
        {
          credentials: Type.Array(AnyObject, { minItems: 1 }),
          credential_sets: Type.Optional(Type.Array(AnyObject)),
        },
        { ...closed, description: 'A DCQL query, instead of a template' },
      ),
    ),
    webhook_url: Type.Optional(
      Type.String({
        format: 'uri',
        description: 'Where the signed result is posted; must resolve to a public address',
      }),
    ),
    redirect_url: Type.Optional(
      Type.String({ format: 'uri', maxLength: URL_LENGTH_MAX, description: 'Gets `#response_code`' }),
    ),
    ttl_seconds: Type.Optional(
      Type.Integer({ minimum: TTL_SECONDS.min, maximum: TTL_SECONDS.max, default: TTL_SECONDS.standard }),
    ),
    metadata: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        additionalProperties: { type: 'string', maxLength: METADATA_MAX.valueLength },
        propertyNames: { maxLength: METADATA_MAX.nameLength },
        maxProperties: METADATA_MAX.members,
        description: 'Echoed on results and webhooks',
      }),
    ),
    purpose: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: PURPOSE_LENGTH_MAX,
        // A wallet shows it on one line, so it has no control characters.
        pattern: WITHOUT_CONTROLS,
        description: 'Why the data is asked for; shown to the holder',
      }),
    ),
    origin: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: ORIGIN_LENGTH_MAX,
        pattern: WITHOUT_CONTROLS,
        description:
          'The origin of your own page that asks through the Digital Credentials API, as browsers write it; one of those you have proven. Absent: the hosted page',
      }),
    ),
    intended_use: Type.Optional(
      Type.String({
        pattern: `^${INTENDED_USE}$`,
        maxLength: INTENDED_USE_LENGTH_MAX,
        description:
          'The registered intended use that this is asked under. Absent: that of the template, or the only registered one that covers what is asked',
      }),
    ),
    browser_binding: Type.Optional(
      Type.Union([Type.Literal('first'), Type.Literal('none')], {
        description:
          '`first`: the first browser that opens the hosted page holds it, and any other sees that it is open elsewhere. `none`: any browser with the link. Absent: your setting, `first` unless you changed it',
      }),
    ),
    transaction: Type.Optional(
      Type.Array(AnyObject, {
        minItems: 1,
        maxItems: TRANSACTION_MAX.items,
        description:
          'What the holder is to agree to in the wallet: objects with `type`, if you like `credential` (ids of the query), and the members of the type. Where the template fixes it: one object with `values`',
      }),
    ),
  },
  // The use case checks it, with its own messages.
  { ...closed, exactlyOneOf: ['template', 'query'] },
)
export type CreateVerification = Static<typeof CreateVerification>

export const VerificationVerdict = Type.Object(
  {
    id: Type.String(),
    status: VerificationState,
    verdict: Type.Union([Type.Literal('yes'), Type.Literal('no'), Type.Null()], {
      description: 'null: not completed, asked without a template, or forgotten',
    }),
  },
  { $id: 'VerificationVerdict', ...closed },
)
export type VerificationVerdict = Static<typeof VerificationVerdict>

const Transaction = Type.Object(
  {
    type: Type.String(),
    hash: Type.String({ description: 'SHA-256 of `data`, in base64url: what the wallet signs' }),
    alg: Type.Literal('sha-256'),
    data: Type.String({ description: 'The text that was sent, letter for letter: base64url of a JSON object' }),
    confirmed: Type.Boolean({ description: 'Exactly this text was signed, and the verification completed' }),
    by: Type.Optional(Type.String({ description: 'The id of the query whose credential signed' })),
    at: Type.Optional(Type.String({ format: 'date-time', description: 'When, by the clock of the wallet' })),
    authentication_code: Type.Optional(Type.String({ description: 'Of a strong customer authentication' })),
    factors: Type.Optional(
      Type.Array(Type.Union([Type.Literal('knowledge'), Type.Literal('possession'), Type.Literal('inherence')])),
    ),
  },
  closed,
)

export const VerificationTransaction = Type.Object(
  {
    id: Type.String(),
    status: VerificationState,
    transaction: Type.Union([Type.Array(Transaction), Type.Null()], {
      description: 'Empty: there was nothing to agree to. null: it is forgotten',
    }),
  },
  { $id: 'VerificationTransaction', ...closed },
)
export type VerificationTransaction = Static<typeof VerificationTransaction>

export const AnswerChannel = Type.Unsafe<(typeof CHANNELS)[number]>({ ...oneOf(...CHANNELS), $id: 'AnswerChannel' })
export type AnswerChannel = Static<typeof AnswerChannel>

const CredentialChecks = Type.Object(
  {
    query: Type.String({ description: 'The id of the credential query it was presented for' }),
    format: CredentialResult.properties.format,
    checks: Type.Array(
      Type.Object(
        {
          check: Type.String(),
          outcome: Type.Union(
            [
              Type.Literal('passed'),
              Type.Literal('failed'),
              Type.Literal('warning'),
              Type.Literal('not_checked'),
              Type.Literal('not_provable'),
            ],
            {
              description:
                '`not_checked`: an earlier check failed, or there was nothing to check. `not_provable`: a zero-knowledge proof cannot show it',
            },
          ),
        },
        closed,
      ),
      { description: 'Every check of the format, in the order they are made' },
    ),
  },
  closed,
)

export const SentRequest = Type.Object(
  {
    at: Type.String({ format: 'date-time' }),
    client_id: Type.String({ description: 'The client id that we sent it under' }),
    request_sha256: Type.Union([Type.String(), Type.Null()], {
      description:
        'SHA-256 of the signed request object, base64url. null: no request fits this wallet, and it got a 400',
    }),
    left_out: Type.Array(Type.String(), {
      description:
        'Ids of credential queries, and of zero-knowledge proofs in their place (`_zk`), that were left out because the wallet does not list them. The answer may still use any of them',
    }),
    encrypted_to: Type.Union([Type.String(), Type.Null()], {
      description: "The curve of the wallet's key that the request object was encrypted to. null: it was not encrypted",
    }),
    missing: Type.Array(Type.Object({ member: Type.String(), any_of: Type.Array(Type.String()) }, closed), {
      description: 'What the wallet would have to list, where no request fits it',
    }),
    declared: Type.Union(
      [
        Type.Array(
          Type.Object(
            { member: Type.String(), values: Type.Array(Type.String()), others: Type.Integer({ minimum: 0 }) },
            closed,
          ),
        ),
        Type.Null(),
      ],
      {
        description:
          'The lists of its `wallet_metadata`: registered names; others are only counted. null: it sent no metadata',
      },
    ),
  },
  closed,
)

export const VerificationDiagnostics = Type.Object(
  {
    id: Type.String(),
    status: VerificationState,
    channel: Type.Union([AnswerChannel, Type.Null()], {
      description:
        'How the wallet answered: `age_link`, `annex_c` (ISO 18013-7 Annex C through the browser), `dc_api` (OpenID4VP through the browser), `redirect` (link or QR code). null: there is no answer yet, or an earlier release took it',
    }),
    binding: Type.Union([Type.String(), Type.Null()], {
      description:
        'What tied the answer to the browser it belongs to: `browser_api`, `response_code` (the wallet led back to it), `code` (typed from another device), `unconfirmed` (test alone). null: nothing did',
    }),
    requests: Type.Array(SentRequest, {
      description:
        'What wallets got that fetched the request object by link or QR code, or why they got nothing; at most a few that differ. Offers to browsers are not among them',
    }),
    credentials: Type.Union([Type.Array(CredentialChecks), Type.Null()], {
      description: 'Empty: no credential was presented. null: forgotten, or an earlier release took the answer',
    }),
  },
  { $id: 'VerificationDiagnostics', ...closed },
)
export type VerificationDiagnostics = Static<typeof VerificationDiagnostics>

export const RedeemResponseCode = Type.Object({ response_code: Type.String({ minLength: 16 }) }, closed)
export type RedeemResponseCode = Static<typeof RedeemResponseCode>
