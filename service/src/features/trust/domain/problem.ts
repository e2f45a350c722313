// Defines why a change of trust or certificates is refused: a code for pages, and a sentence for the command line.

import type { TRUST_PROBLEMS } from '../../../../../wire/values/trust.ts'

export type TrustProblem = (typeof TRUST_PROBLEMS)[number]

export interface TrustRefusal {
  readonly outcome: 'refused'
  readonly code: TrustProblem
  readonly problem: string
}

export const refuseTrust = (code: TrustProblem, problem: string): TrustRefusal => ({
  outcome: 'refused',
  code,
  problem,
})
