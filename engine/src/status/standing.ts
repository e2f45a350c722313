// The revocation status of a credential or a certificate.

import type { UsedList } from '../verdict.ts'

/** What a list says; `invalid` where it says something no credential may rest on; `exceeded` where a response names more than may be read or checked for it. */
export interface Standing {
  /** What it was read in; absent where nothing could be. */
  readonly list?: UsedList
  readonly outcome: 'valid' | 'revoked' | 'suspended' | 'invalid' | 'exceeded' | 'unknown'
  readonly detail: string
}
