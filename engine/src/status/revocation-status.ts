// The revocation status of a credential or a certificate.

import type { UsedList } from '../verdict.ts'

/** The status in a list. `invalid`: the list has a value that no credential may have. `exceeded`: the budget of the response is spent. */
export interface RevocationStatus {
  /** The list that it was read from; absent if none could be read. */
  readonly list?: UsedList
  readonly outcome: 'valid' | 'revoked' | 'suspended' | 'invalid' | 'exceeded' | 'unknown'
  readonly detail: string
}
