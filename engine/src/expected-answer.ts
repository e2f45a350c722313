// What we require of a whole answer: our query, and what each presentation is checked against.

import type { SentRequest } from './expected.ts'
import type { DcqlQuery } from './openid4vp/dcql.ts'

export interface Expected extends SentRequest {
  readonly query: DcqlQuery
  /**
   * Which credentials count: those of the `first` answered option of each credential set (default), or `every` one that
   * was presented. Then the caller chooses an option, and compares its credentials (`withConflicts`). Of the proofs for
   * other options than the first, only as many count as are checked for one response.
   */
  readonly alternatives?: 'first' | 'every'
}
