// Where a credential or a certificate stands with whoever issued it.

/** What a list says; `invalid` where it says something no credential may rest on. */
export interface Standing {
  readonly outcome: 'valid' | 'revoked' | 'suspended' | 'invalid' | 'unknown'
  readonly detail: string
}
