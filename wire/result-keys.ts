// Describes the merchant's keys that results are encrypted to.

import { type Static, Type } from 'typebox'
import { Closed, Instant, List, oneOf, orNull } from './parts.ts'
import { JWK_LENGTH_MAX, KEY_PROOFS, RESULT_KEY_PROBLEMS } from './values/result-keys.ts'

export const ResultKey = Closed({
  id: Type.String(),
  kid: Type.String({ description: 'RFC 7638 thumbprint. Encrypted results name it' }),
  created_at: Instant,
  proven_at: orNull(Instant),
})
export type ResultKey = Static<typeof ResultKey>

export const ResultKeyAddition = Type.Union([
  Closed({
    outcome: Type.Literal('added'),
    key: ResultKey,
    challenge: Type.String({ description: 'A compact JWE. Decrypting it proves that you have the key' }),
  }),
  Closed({ outcome: Type.Literal('refused'), problem: oneOf(...RESULT_KEY_PROBLEMS) }),
])
export type ResultKeyAddition = Static<typeof ResultKeyAddition>

export const ResultKeyProof = oneOf(...KEY_PROOFS)
export type ResultKeyProof = Static<typeof ResultKeyProof>

/** Longer than the plaintext of a challenge, which has 64 characters. */
const ANSWER_LENGTH_MAX = 100

export const ResultKeys = Closed({ data: List(ResultKey) })
export type ResultKeys = Static<typeof ResultKeys>

export const AddResultKey = Closed({ jwk: Type.String({ minLength: 1, maxLength: JWK_LENGTH_MAX }) })
export type AddResultKey = Static<typeof AddResultKey>

export const ProveResultKey = Closed({ answer: Type.String({ minLength: 1, maxLength: ANSWER_LENGTH_MAX }) })
export type ProveResultKey = Static<typeof ProveResultKey>

export const ResultKeyChallenge = Closed({
  challenge: orNull(
    Type.String({ description: 'A compact JWE, as when the key was added; null: the key is already proven' }),
  ),
})
export type ResultKeyChallenge = Static<typeof ResultKeyChallenge>

export const ResultKeyProven = Closed({ outcome: ResultKeyProof })
export type ResultKeyProven = Static<typeof ResultKeyProven>
