// Why a change of whom one trusts, or of how one names oneself, is refused: a code that pages have words for, and a sentence of
// what was found for the command line.

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
