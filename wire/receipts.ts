// Describes receipts, evidence and the public log.

import { type Static, Type } from 'typebox'
import { Closed, Count, Instant, List, oneOf, orNull } from './parts.ts'
import { WITNESS_STATES } from './values/log.ts'

export const EvidenceDelivery = Type.Object(
  {
    id: Type.String(),
    evidence: Type.String({ description: 'A JWE (compact, `typ` vidimus-evidence+jwe) to your result key' }),
    receipt: Type.String({ description: 'The JWS; its `bundle_sha256` is over `evidence`' }),
    receipt_proof: Type.Union([Type.String(), Type.Null()], {
      description:
        'Proof that the receipt is in the public log. null: the log is halted, or your tenant was moved to this installation, whose log does not have the receipt yet. Get the proof later from `receipt.tlog-proof`',
    }),
  },
  { $id: 'EvidenceDelivery', additionalProperties: false },
)
export type EvidenceDelivery = Static<typeof EvidenceDelivery>

/** The query of a certificate: its language. */
export const CertificateQuery = Type.Object(
  { language: Type.Optional(oneOf('en', 'de', 'fr', 'it', 'es', 'nl')) },
  { additionalProperties: false },
)
export type CertificateQuery = Static<typeof CertificateQuery>

export const CertificateFile = Closed({
  name: Type.String({ description: 'For the file' }),
  pdf: Type.String({ description: 'ASCII only' }),
})

const Jwk = Type.Object(
  {
    kty: Type.String(),
    crv: Type.String(),
    x: Type.String(),
    y: Type.String(),
    kid: Type.String({ description: 'Its RFC 7638 thumbprint' }),
    use: Type.String(),
    alg: Type.String(),
  },
  { additionalProperties: false },
)

export const ReceiptKeys = Type.Object({ keys: Type.Array(Jwk) }, { $id: 'ReceiptKeys', additionalProperties: false })
export type ReceiptKeys = Static<typeof ReceiptKeys>

export const LogState = Closed({
  origin: orNull(Type.String({ description: 'The name of the log; null: it has not signed anything yet' })),
  size: Count,
  signed_at: orNull(Instant),
  halted: Type.Boolean({ description: 'The log signs nothing: ask the operator for the reason' }),
  key: Type.String({ description: 'In the format of verifiers of signed notes' }),
  witnesses: List(
    Closed({
      name: Type.String(),
      key: Type.String(),
      state: oneOf(...WITNESS_STATES),
      size: orNull(Count),
      asked_at: orNull(Instant),
      cosigned_at: orNull(Instant),
    }),
  ),
})
export type LogState = Static<typeof LogState>

export const ReceiptFiles = Closed({
  receipt: Type.String({ description: 'JWS' }),
  proof: orNull(Type.String({ description: 'C2SP tlog-proof; null: the receipt is not in the log yet' })),
})
export type ReceiptFiles = Static<typeof ReceiptFiles>
