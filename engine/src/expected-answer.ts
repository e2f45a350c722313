// What we demand of a whole answer: our query, and what each presentation in it is held against.

import type { SentRequest } from './expected.ts'
import type { DcqlQuery } from './openid4vp/dcql.ts'

export interface Expected extends SentRequest {
  readonly query: DcqlQuery
  /** Which answered options of a credential set count: `first` where nothing else is said. `every` is for whoever then chooses one. */
  readonly alternatives?: 'first' | 'every'
}
