// Describes the requests and answers of wallets, and of pages that ask wallets.

import { type Static, Type } from 'typebox'

export const WalletReply = Type.Object(
  { redirect_uri: Type.Optional(Type.String()) },
  { $id: 'WalletReply', additionalProperties: false },
)
export type WalletReply = Static<typeof WalletReply>

export const RequestForm = Type.Object({
  wallet_nonce: Type.Optional(Type.String({ description: 'Echoed in the request object' })),
  wallet_metadata: Type.Optional(
    Type.String({ description: 'JSON. If it has `jwks` and algorithms, the request object is encrypted' }),
  ),
})
export type RequestForm = Static<typeof RequestForm>

export const ResponseForm = Type.Object({
  response: Type.Optional(Type.String({ description: 'An encrypted response (`direct_post.jwt`)' })),
  vp_token: Type.Optional(Type.String({ description: 'JSON (`direct_post`)' })),
  state: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
  error_description: Type.Optional(Type.String()),
})
export type ResponseForm = Static<typeof ResponseForm>

const closed = { additionalProperties: false }

const Data = Type.Record(Type.String(), Type.Unknown())

export const DigitalCredentialOffer = Type.Object(
  {
    requests: Type.Array(Type.Object({ protocol: Type.String(), data: Data }, closed), {
      description: 'Pass them unchanged to `navigator.credentials.get({ digital: { requests } })`',
    }),
  },
  { $id: 'DigitalCredentialOffer', ...closed },
)
export type DigitalCredentialOffer = Static<typeof DigitalCredentialOffer>

export const DigitalCredential = Type.Object({
  protocol: Type.String({ description: '`protocol` of the credential that the browser returned' }),
  data: Data,
})
export type DigitalCredential = Static<typeof DigitalCredential>

export const HeldPage = Type.Object({
  held: Type.Union([Type.Literal('here'), Type.Literal('elsewhere'), Type.Literal('no_cookie')]),
})
export type HeldPage = Static<typeof HeldPage>

const CardColours = Type.Object({
  button: Type.String(),
  on_button: Type.String(),
  edge: Type.String(),
  accent: Type.String(),
})

const CardText = Type.Object({ title: Type.String(), text: Type.String() })

/** What the element on a merchant's page shows of a verification, in one language. No text contains HTML. */
export const VerificationCard = Type.Object({
  step: Type.String(),
  /** Empty after the verification has ended. */
  heading: Type.String(),
  /** For a payment: the line above the amount, and the amount itself. */
  payment: Type.Union([Type.Object({ to: Type.String(), amount: Type.String() }), Type.Null()]),
  /** The words before the purpose. */
  why: Type.String(),
  purpose: Type.Union([Type.String(), Type.Null()]),
  /** What the holder agrees to: a value with a name, or with an empty name. */
  facts: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
  receives: Type.Object({ title: Type.String(), items: Type.Array(Type.String()) }),
  /** Below `receives`: the merchant also sees the type and issuer of the document, and the wallet shows everything first. */
  note: Type.String(),
  /** Further information, of which the element shows only the titles until the reader opens one. */
  rows: Type.Array(
    Type.Object({ title: Type.String(), texts: Type.Array(Type.String()), items: Type.Array(Type.String()) }),
  ),
  /** The text of each step, by its name; null after the verification has ended. */
  steps: Type.Union([Type.Record(Type.String(), CardText), Type.Null()]),
  /** The labels of the buttons, by name. */
  buttons: Type.Record(Type.String(), Type.String()),
  seconds_left: Type.Integer(),
  /** A notice in the test environment; null in live. */
  test: Type.Union([Type.String(), Type.Null()]),
  /** How the verification ended, and what the holder can do; null if it is open or completed, or has only expired. */
  end: Type.Union([CardText, Type.Null()]),
  /** The merchant's colours, with enough contrast; null: it has chosen none. */
  colours: Type.Union([Type.Object({ light: CardColours, dark: CardColours }), Type.Null()]),
})
export type VerificationCard = Static<typeof VerificationCard>
