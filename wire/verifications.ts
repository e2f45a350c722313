// Describes verifications as merchants create and read them (spec 2.1, 2.2, 4.1).

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

/** The title prevents generators from naming this VerificationStatus, the name of another schema. */
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
    findings: Type.Array(Finding, { description: 'The checks that did not pass' }),
  },
  { $id: 'CredentialResult', ...closed },
)
export type CredentialResult = Static<typeof CredentialResult>

export const Verification = Type.Object(
  {
    id: Type.String({ description: 'The id of the verification. Its parts have no meaning' }),
    status: VerificationState,
    template: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    wallet_uri: Type.Optional(
      Type.String({
        description: 'Opens the wallet. Show it as a QR code or a link. Only while the verification is pending',
      }),
    ),
    request_uri: Type.Optional(
      Type.String({ description: 'The `request_uri` inside `wallet_uri`. Only while the verification is pending' }),
    ),
    claims: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'The verified claims of all credentials, in one object',
      }),
    ),
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

/** The query of a page of the list. */
export const VerificationListQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: PAGE_LIMIT.min, maximum: PAGE_LIMIT.max, default: PAGE_LIMIT.standard }),
    ),
    before: Type.Optional(
      Type.String({
        format: 'date-time',
        pattern: 'Z$',
        description:
          'Only verifications created before this time. For the next page, use the `created_at` of the last one on this page',
      }),
    ),
    status: Type.Optional(
      Type.Unsafe<Static<typeof VerificationState>>({
        ...VerificationState,
        description:
          'Only verifications with this status. With this or another filter a page can have fewer than `limit`, or none, although there are older ones: follow the header `Link` with `rel="next"` until it is absent',
      }),
    ),
    template: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: WITHOUT_CONTROLS,
        description: 'Only verifications of this template',
      }),
    ),
    reference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: METADATA_MAX.valueLength,
        description:
          'Only verifications with this value in their `metadata`, or with this number in their reference: the member `reference`, otherwise the first. Upper and lower case, spaces and punctuation make no difference. Addresses end up in logs: use no personal data as a reference',
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
    id: Type.String({ description: 'The verification that was erased' }),
    deleted: Type.Object(
      {
        verification_sessions: Type.Integer({ minimum: 0 }),
        verification_results: Type.Integer({ minimum: 0 }),
        webhook_deliveries: Type.Integer({ minimum: 0 }),
      },
      { ...closed, description: 'How many rows were deleted, by table' },
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
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The key of a template: built in, such as `age_over_18`, or your own. Give this or `query`',
      }),
    ),
    query: Type.Optional(
      Type.Object(
        {
          credentials: Type.Array(AnyObject, { minItems: 1 }),
          credential_sets: Type.Optional(Type.Array(AnyObject)),
        },
        { ...closed, description: 'A DCQL query. Give this or `template`' },
      ),
    ),
    webhook_url: Type.Optional(
      Type.String({
        format: 'uri',
        description:
          'Your address for the signed result. Public, on port 80, 443 or 8443. Default: the endpoint saved in the dashboard, if there is one',
      }),
    ),
    redirect_url: Type.Optional(
      Type.String({
        format: 'uri',
        maxLength: URL_LENGTH_MAX,
        description:
          'Where the holder goes after answering on the same device. The page gets `#response_code=…`: redeem it once to read the result',
      }),
    ),
    ttl_seconds: Type.Optional(
      Type.Integer({
        minimum: TTL_SECONDS.min,
        maximum: TTL_SECONDS.max,
        default: TTL_SECONDS.standard,
        description: `How long the holder can answer, in seconds: ${TTL_SECONDS.min} to ${TTL_SECONDS.max}. Default: ${TTL_SECONDS.standard}`,
      }),
    ),
    metadata: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        additionalProperties: { type: 'string', maxLength: METADATA_MAX.valueLength },
        propertyNames: { maxLength: METADATA_MAX.nameLength },
        maxProperties: METADATA_MAX.members,
        description:
          'Your own data, such as an order number. You get it back with results and webhooks. No personal data, please',
      }),
    ),
    purpose: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: PURPOSE_LENGTH_MAX,
        // A wallet shows it on one line, so it has no control characters.
        pattern: WITHOUT_CONTROLS,
        description: 'Why you ask, in one sentence. The holder sees it on the page and in the wallet',
      }),
    ),
    origin: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: ORIGIN_LENGTH_MAX,
        pattern: WITHOUT_CONTROLS,
        description:
          'The origin of your own page, if it asks the wallet through the browser (Digital Credentials API): one of your confirmed websites, such as `https://shop.example`. Default: the hosted page asks',
      }),
    ),
    intended_use: Type.Optional(
      Type.String({
        pattern: `^${INTENDED_USE}$`,
        maxLength: INTENDED_USE_LENGTH_MAX,
        description:
          'The registered intended use you ask under. Default: the one of the template, or the only one that covers what you ask for',
      }),
    ),
    browser_binding: Type.Optional(
      Type.Union([Type.Literal('first'), Type.Literal('none')], {
        description:
          '`first`: only the browser that opens the hosted page first can answer there; others see that it is open elsewhere. `none`: any browser with the address. Default: your setting, which is `first` unless you changed it',
      }),
    ),
    transaction: Type.Optional(
      Type.Array(AnyObject, {
        minItems: 1,
        maxItems: TRANSACTION_MAX.items,
        description:
          'What the holder agrees to in the wallet, such as a payment: objects with `type`, the members of that type and, optionally, `credential` (ids of the query). If the template defines it: one object with `values`',
      }),
    ),
  },
  // The use case checks this too, with messages of its own.
  { ...closed, exactlyOneOf: ['template', 'query'] },
)
export type CreateVerification = Static<typeof CreateVerification>

export const VerificationVerdict = Type.Object(
  {
    id: Type.String(),
    status: VerificationState,
    verdict: Type.Union([Type.Literal('yes'), Type.Literal('no'), Type.Null()], {
      description: 'null: not completed, created without a template, or the data was deleted',
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
    data: Type.String({ description: 'Exactly what was sent to the wallet: base64url of a JSON object' }),
    confirmed: Type.Boolean({ description: 'Whether the wallet signed exactly `data` and the verification completed' }),
    by: Type.Optional(Type.String({ description: 'The id of the credential query whose credential signed' })),
    at: Type.Optional(Type.String({ format: 'date-time', description: 'When the wallet signed, by its own clock' })),
    authentication_code: Type.Optional(
      Type.String({ description: 'The authentication code of a payment (strong customer authentication)' }),
    ),
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
      description: 'Empty: there was nothing to agree to. null: the data was deleted',
    }),
  },
  { $id: 'VerificationTransaction', ...closed },
)
export type VerificationTransaction = Static<typeof VerificationTransaction>

export const AnswerChannel = Type.Unsafe<(typeof CHANNELS)[number]>({ ...oneOf(...CHANNELS), $id: 'AnswerChannel' })
export type AnswerChannel = Static<typeof AnswerChannel>

const CredentialChecks = Type.Object(
  {
    query: Type.String({ description: 'The id of the credential query that it answers' }),
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
      { description: 'All checks of this format, in order' },
    ),
  },
  closed,
)

export const SentRequest = Type.Object(
  {
    at: Type.String({ format: 'date-time' }),
    client_id: Type.String({ description: 'The client id in the request' }),
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
      description: 'If no request fits: what the wallet would have to support',
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
      description:
        'Empty: no credential was presented. null: the data was deleted, or an earlier release received the answer',
    }),
  },
  { $id: 'VerificationDiagnostics', ...closed },
)
export type VerificationDiagnostics = Static<typeof VerificationDiagnostics>

export const RedeemResponseCode = Type.Object({ response_code: Type.String({ minLength: 16 }) }, closed)
export type RedeemResponseCode = Static<typeof RedeemResponseCode>
