// What requests to wallets are signed with: a key and its certificates, for one environment and one purpose, the service's own or
// a tenant's.

import { createHash } from 'node:crypto'
import type { CERTIFICATE_PURPOSES } from '../../../../../wire/values/trust.ts'
import type { SigningCertificate } from '../../../core/ports/signing.ts'
import type { Environment, Instant } from '../../../platform/world.ts'

export type CertificatePurpose = (typeof CERTIFICATE_PURPOSES)[number]

/** Those that sign request objects; the others authenticate a reader. */
export const signsRequests = (purpose: CertificatePurpose) => purpose === 'openid4vp' || purpose === 'google'

/** For these one is made where nobody installed one. */
export const GENERATED_PURPOSES = ['openid4vp', 'iso-reader'] as const satisfies CertificatePurpose[]
export type GeneratedPurpose = (typeof GENERATED_PURPOSES)[number]

export interface Certificate {
  readonly id: string
  /** null: the service's own, used by every tenant without one. */
  readonly tenantId: string | null
  readonly environment: Environment
  readonly purpose: CertificatePurpose
  /** Which of the tenant's services it was made out for; null: all of them. */
  readonly serviceId: string | null
  /** Generated ones stand under a private authority and are renewed by themselves. */
  readonly provenance: 'generated' | 'installed'
  /** DER, leaf first, without the anchor; empty while the key waits for its certificate. */
  readonly chain: readonly Uint8Array[]
  readonly createdAt: Instant
  readonly installedAt: Instant | null
  readonly retiredAt: Instant | null
}

/** Ready to sign with. */
export interface OpenedCertificate extends Certificate, SigningCertificate {
  /** Within these times every certificate of the chain is valid. */
  readonly validFromMs: number
  readonly validUntilMs: number
  /** Names and addresses that the leaf certifies, each by itself: never a wildcard's reach. */
  readonly hosts: readonly string[]
}

/** Public parts, with what the leaf says of itself. */
export interface CertificateView extends Omit<Certificate, 'chain'> {
  readonly state: 'waiting' | 'current' | 'retired'
  readonly subject: string | null
  readonly issuer: string | null
  readonly hosts: readonly string[]
  /** null where it signs no request objects. */
  readonly clientId: string | null
  readonly validUntil: Instant | null
}

export function renderCertificate(view: CertificateView) {
  return {
    id: view.id,
    environment: view.environment,
    tenant_id: view.tenantId,
    own: view.tenantId !== null,
    purpose: view.purpose,
    service_id: view.serviceId,
    origin: view.provenance,
    state: view.state,
    subject: view.subject,
    issuer: view.issuer,
    hosts: [...view.hosts],
    client_id: view.clientId,
    created_at: view.createdAt,
    valid_until: view.validUntil,
  }
}

/** Where a sealed private key belongs. */
export const certificateSealContext = (key: Pick<Certificate, 'id' | 'tenantId' | 'environment'>) =>
  `access_keys.private_key|${key.tenantId ?? 'service'}|${key.environment}|${key.id}`

export const authoritySealContext = (environment: Environment) =>
  `access_authorities.private_key|service|${environment}`

/** The host of the service's public address: what a certificate must name. */
export const hostOf = (baseUrl: string) => new URL(baseUrl).hostname.replace(/^\[(.*)\]$/, '$1')

/** What X509Certificate.subjectAltName says, taken apart. */
export function hostsOf(subjectAltName: string | undefined): string[] {
  return (subjectAltName ?? '').split(', ').flatMap((name) => {
    const [, host] = /^(?:DNS|IP Address):(.+)$/.exec(name) ?? []
    if (host === undefined) return []
    // One spelling for one address, the one that URLs use.
    return [host.includes(':') ? hostOf(`http://[${host}]`) : host]
  })
}

/** OpenID4VP §5.9.3, as the engine's clientIdOf makes it; made once for each key. */
export const hashClientIdOf = (leaf: Uint8Array) => `x509_hash:${createHash('sha256').update(leaf).digest('base64url')}`
