// What a tenant may set for itself, beside its plan.

import type { ResponseMode } from '../verification/verification.ts'

export type ClientIdPrefix = 'x509_hash' | 'x509_san_dns'
export type StatusPolicy = 'require' | 'prefer'

export interface TenantSettings {
  /** Days after which a verification is erased by itself. */
  readonly retentionDays: number
  /** What a wallet is answered when its presentation fails a check. */
  readonly walletRejectionStatus: 200 | 400
  readonly statusPolicyTest: StatusPolicy
  readonly statusPolicyLive: StatusPolicy
  readonly haip: boolean
  readonly clientIdPrefix: ClientIdPrefix
  readonly responseMode: ResponseMode
  /** Whether live webhooks over plain http are refused. */
  readonly liveWebhooksHttpsOnly: boolean
}

export const RETENTION_DAYS = { min: 1, max: 3650 } as const

/** HAIP 1.0 §5 fixes how we name ourselves and how we are answered; the operator may demand it of everybody. */
export function effectiveSettings<S extends Pick<TenantSettings, 'haip' | 'clientIdPrefix' | 'responseMode'>>(
  settings: S,
  haipEverywhere: boolean,
): S {
  if (!settings.haip && !haipEverywhere) return settings
  return { ...settings, haip: true, clientIdPrefix: 'x509_hash', responseMode: 'direct_post.jwt' }
}
