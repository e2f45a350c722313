// Describes the origins of pages and apps that ask through the browser.

import { type Static, Type } from 'typebox'
import { Closed, Instant, Line, List, oneOf, orNull } from './parts.ts'
import { ORIGIN_KINDS, ORIGIN_PROBLEMS, PROOFS } from './values/origins.ts'

export const Origin = Closed({
  id: Type.String(),
  origin: Type.String(),
  kind: oneOf(...ORIGIN_KINDS),
  proven_at: orNull(Instant),
  proof: orNull(Closed({ url: Type.String(), line: Type.String({ description: 'The line to show there' }) })),
})
export type Origin = Static<typeof Origin>

export const OriginAddition = Type.Union([
  Closed({ outcome: Type.Literal('added'), origin: Origin }),
  Closed({ outcome: Type.Literal('refused'), problem: oneOf(...ORIGIN_PROBLEMS) }),
])
export type OriginAddition = Static<typeof OriginAddition>

export const OriginProof = oneOf(...PROOFS)
export type OriginProof = Static<typeof OriginProof>

export const Origins = Closed({ data: List(Origin) })
export type Origins = Static<typeof Origins>

export const AddOrigin = Closed({ origin: Line(2048) })
export type AddOrigin = Static<typeof AddOrigin>

export const OriginProven = Closed({ outcome: OriginProof })
export type OriginProven = Static<typeof OriginProven>
