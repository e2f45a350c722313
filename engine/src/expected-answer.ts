// What we demand of a whole answer: our query, and what each presentation in it is held against.

import type { SentRequest } from './expected.ts'
import type { DcqlQuery } from './openid4vp/dcql.ts'

export interface Expected extends SentRequest {
  readonly query: DcqlQuery
  /** Which answered options of a credential set count. `first` is the default; with `every` the caller chooses one. */
  readonly alternatives?: 'first' | 'every'
}
