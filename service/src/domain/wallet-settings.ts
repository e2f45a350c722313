// How a tenant wants its wallets spoken to. HAIP 1.0 leaves no choice of client_id prefix and response mode.

import type { ResponseMode } from './verification.ts'

export interface WalletSettings {
  readonly clientIdPrefix: 'x509_hash' | 'x509_san_dns'
  readonly responseMode: ResponseMode
  readonly haip: boolean
  /** What a wallet is answered when its presentation fails a check. */
  readonly rejectionStatus: 200 | 400
  readonly statusPolicy: { readonly test: StatusPolicy; readonly live: StatusPolicy }
}

/** require: a credential whose status cannot be learned is rejected. prefer: it is a warning. */
export type StatusPolicy = 'require' | 'prefer'

/** HAIP §5, §5.1: x509_hash and encrypted responses. `haipEverywhere` is the operator's word for every tenant. */
export function effectiveSettings(chosen: WalletSettings, haipEverywhere: boolean): WalletSettings {
  if (!chosen.haip && !haipEverywhere) return chosen
  return { ...chosen, haip: true, clientIdPrefix: 'x509_hash', responseMode: 'direct_post.jwt' }
}
