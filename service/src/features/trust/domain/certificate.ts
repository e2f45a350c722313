// Defines the keys and certificates that sign requests to wallets, the service's own or a tenant's.

import { createHash } from 'node:crypto'
import type { CERTIFICATE_PURPOSES } from '../../../../../wire/values/trust.ts'
import type { SigningCertificate } from '../../../core/ports/signing.ts'
import type { Environment, Instant } from '../../../platform/world.ts'

export type CertificatePurpose = (typeof CERTIFICATE_PURPOSES)[number]

/** Whether certificates of this purpose sign request objects. Other certificates authenticate a reader. */
export const signsRequests = (purpose: CertificatePurpose) => purpose === 'openid4vp' || purpose === 'google'

/** If no certificate is installed for these purposes, the service generates one. */
export const GENERATED_PURPOSES = ['openid4vp', 'iso-reader'] as const satisfies CertificatePurpose[]
export type GeneratedPurpose = (typeof GENERATED_PURPOSES)[number]

export interface Certificate {
  readonly id: string
  /** null: the service's own certificate, for every tenant that has none. */
  readonly tenantId: string | null
  readonly environment: Environment
  readonly purpose: CertificatePurpose
  /** The tenant's service that the certificate was issued for; null: all services. */
  readonly serviceId: string | null
  /** Generated certificates have a private authority and are renewed automatically. */
  readonly provenance: 'generated' | 'installed'
  /** DER, leaf first, without the anchor; empty while the key waits for its certificate. */
  readonly chain: readonly Uint8Array[]
  readonly createdAt: Instant
  readonly installedAt: Instant | null
  readonly retiredAt: Instant | null
}

/** A certificate that is ready to sign. */
export interface OpenedCertificate extends Certificate, SigningCertificate {
  /** The time in which every certificate of the chain is valid. */
  readonly validFromMs: number
  readonly validUntilMs: number
  /** Exact names and addresses in the leaf. Names that only a wildcard covers are not included. */
  readonly hosts: readonly string[]
}

/** The public parts of a certificate, with facts of the leaf. */
export interface CertificateView extends Omit<Certificate, 'chain'> {
  readonly state: 'waiting' | 'current' | 'retired'
  readonly subject: string | null
  readonly issuer: string | null
  readonly hosts: readonly string[]
  /** null if the certificate signs no request objects. */
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

/** The host of the service's public address. Its certificates must name this host. */
export const hostOf = (baseUrl: string) => new URL(baseUrl).hostname.replace(/^\[(.*)\]$/, '$1')

/** Parses X509Certificate.subjectAltName. */
export function hostsOf(subjectAltName: string | undefined): string[] {
  return (subjectAltName ?? '').split(', ').flatMap((name) => {
    const [, host] = /^(?:DNS|IP Address):(.+)$/.exec(name) ?? []
    if (host === undefined) return []
    // Writes addresses as URLs do.
    return [host.includes(':') ? hostOf(`http://[${host}]`) : host]
  })
}

/** OpenID4VP §5.9.3, as the engine's `clientIdOf`. Computed once per key. */
export const hashClientIdOf = (leaf: Uint8Array) => `x509_hash:${createHash('sha256').update(leaf).digest('base64url')}`
