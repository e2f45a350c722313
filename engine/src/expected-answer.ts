// What we require of a whole answer: our query, and what each presentation is checked against.

import type { SentRequest } from './expected.ts'
import type { DcqlQuery } from './openid4vp/dcql.ts'

export interface Expected extends SentRequest {
  readonly query: DcqlQuery
  /** Which answered options of a credential set count: `first` (default), or `every`, of which the caller chooses one. */
  readonly alternatives?: 'first' | 'every'
}
