// The revocation status of a credential or a certificate.

import type { UsedList } from '../verdict.ts'

/** The status in a list. `invalid`: the list has a value that no credential may have. `exceeded`: the response's budget is used up. */
export interface RevocationStatus {
  /** The list that the status comes from; absent if no list was readable. */
  readonly list?: UsedList
  readonly outcome: 'valid' | 'revoked' | 'suspended' | 'invalid' | 'exceeded' | 'unknown'
  readonly detail: string
}
