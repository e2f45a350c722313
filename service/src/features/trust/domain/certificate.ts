// The keys and certificates that sign requests to wallets, the service's own or a tenant's.

import { createHash } from 'node:crypto'
import type { CERTIFICATE_PURPOSES } from '../../../../../wire/values/trust.ts'
import type { SigningCertificate } from '../../../core/ports/signing.ts'
import type { Environment, Instant } from '../../../platform/world.ts'

export type CertificatePurpose = (typeof CERTIFICATE_PURPOSES)[number]

/** Purposes that sign request objects; the others authenticate a reader. */
export const signsRequests = (purpose: CertificatePurpose) => purpose === 'openid4vp' || purpose === 'google'

/** For these purposes the service generates a certificate if none is installed. */
export const GENERATED_PURPOSES = ['openid4vp', 'iso-reader'] as const satisfies CertificatePurpose[]
export type GeneratedPurpose = (typeof GENERATED_PURPOSES)[number]

export interface Certificate {
  readonly id: string
  /** null: the service's own, used by every tenant that has none. */
  readonly tenantId: string | null
  readonly environment: Environment
  readonly purpose: CertificatePurpose
  /** The tenant's service that it was issued for; null: all of them. */
  readonly serviceId: string | null
  /** Generated certificates have a private authority and are renewed automatically. */
  readonly provenance: 'generated' | 'installed'
  /** DER, leaf first, without the anchor; empty while the key waits for its certificate. */
  readonly chain: readonly Uint8Array[]
  readonly createdAt: Instant
  readonly installedAt: Instant | null
  readonly retiredAt: Instant | null
}

/** Ready to sign with. */
export interface OpenedCertificate extends Certificate, SigningCertificate {
  /** Every certificate of the chain is valid within these times. */
  readonly validFromMs: number
  readonly validUntilMs: number
  /** Exact names and addresses in the leaf: never what a wildcard covers. */
  readonly hosts: readonly string[]
}

/** Public parts, with the facts of the leaf. */
export interface CertificateView extends Omit<Certificate, 'chain'> {
  readonly state: 'waiting' | 'current' | 'retired'
  readonly subject: string | null
  readonly issuer: string | null
  readonly hosts: readonly string[]
  /** null if it signs no request objects. */
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

/** The context that a private key is sealed with. */
export const certificateSealContext = (key: Pick<Certificate, 'id' | 'tenantId' | 'environment'>) =>
  `access_keys.private_key|${key.tenantId ?? 'service'}|${key.environment}|${key.id}`

export const authoritySealContext = (environment: Environment) =>
  `access_authorities.private_key|service|${environment}`

/** The host of the service's public address. Certificates must name it. */
export const hostOf = (baseUrl: string) => new URL(baseUrl).hostname.replace(/^\[(.*)\]$/, '$1')

/** Parses X509Certificate.subjectAltName. */
export function hostsOf(subjectAltName: string | undefined): string[] {
  return (subjectAltName ?? '').split(', ').flatMap((name) => {
    const [, host] = /^(?:DNS|IP Address):(.+)$/.exec(name) ?? []
    if (host === undefined) return []
    // Normalizes addresses to the spelling that URLs use.
    return [host.includes(':') ? hostOf(`http://[${host}]`) : host]
  })
}

/** OpenID4VP §5.9.3, as the engine's clientIdOf makes it; computed once per key. */
export const hashClientIdOf = (leaf: Uint8Array) => `x509_hash:${createHash('sha256').update(leaf).digest('base64url')}`
