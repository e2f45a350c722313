// Chooses the certificate and client_id that identify a tenant to a wallet. Generates a certificate if none is installed.

import { type ClientIdPrefix, requestChainFault } from '@vidimus/engine'
import type { Asking } from '../../../core/ports/signing.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { ENVIRONMENTS } from '../../../platform/world.ts'
import {
  type CertificatePurpose,
  GENERATED_PURPOSES,
  type GeneratedPurpose,
  hostOf,
  type OpenedCertificate,
} from '../domain/certificate.ts'
import { openCertificate } from '../store/certificate-cache.ts'
import { listAllCertificates, type SealedCertificate } from '../store/certificates.ts'
import { generateCertificate, mustBeRenewed } from './generate-certificate.ts'

export type CertificateNeeds = Pick<
  Deps,
  'db' | 'clock' | 'random' | 'config' | 'certificates' | 'metrics' | 'remoteKeys'
>

/** The client_id of a new verification of this tenant. */
export async function clientIdFor(deps: CertificateNeeds, realm: Asking & { prefix: ClientIdPrefix }): Promise<string> {
  const key = await certificateFor(deps, realm, 'openid4vp')
  if (realm.prefix === 'x509_hash') return key.hashClientId
  const host = hostOf(deps.config.baseUrl)
  // OpenID4VP §5.9.3: a wallet sends its answer only to the host that the certificate names.
  if (!key.hosts.includes(host)) {
    deps.metrics.alarms.inc({ alarm: 'access_certificate_names_another_host' })
    throw new Refusal('unavailable', {
      message: "The service's access certificate does not name its address.",
      retryAfterSeconds: 60,
      missing: 'certificate',
    })
  }
  return `x509_san_dns:${host}`
}

/** Returns the key whose certificate the client_id of a verification names. It may have been replaced since the creation. */
export async function signerFor(
  deps: CertificateNeeds,
  realm: Realm & { clientId: string },
): Promise<OpenedCertificate> {
  const keys = await deps.certificates.find(realm.tenantId, realm.environment, deps.clock.now())
  // A hash identifies one certificate, so its purpose does not matter. A name may be in certificates of several purposes.
  const found =
    keys.find((key) => key.hashClientId === realm.clientId) ??
    keys.find((key) => key.purpose === 'openid4vp' && names(key, realm.clientId))
  if (found === undefined) throw new Error('bug: no certificate has the client_id of a verification')
  return requireValid(deps, found)
}

/** Returns the certificate that a realm signs with now: its own, else the service's, else a generated one. */
export async function certificateFor(
  deps: CertificateNeeds,
  realm: Asking,
  purpose: GeneratedPurpose,
): Promise<OpenedCertificate>
/** For purposes without generated certificates: null if none is installed. */
export async function certificateFor(
  deps: CertificateNeeds,
  realm: Asking,
  purpose: CertificatePurpose,
): Promise<OpenedCertificate | null>
export async function certificateFor(
  deps: CertificateNeeds,
  realm: Asking,
  purpose: CertificatePurpose,
): Promise<OpenedCertificate | null> {
  const found = isGenerated(purpose)
    ? await currentOrGenerated(deps, realm, purpose)
    : await currentFor(deps, realm, purpose)
  return found === null ? null : requireValid(deps, found)
}

/**
 * Returns every chain that may sign an OpenID4VP request, the default first; two or more make a multisigned request.
 * With a client_id, returns the chains for that verification.
 */
export async function signersFor(
  deps: CertificateNeeds,
  realm: Asking & { clientId?: string },
): Promise<OpenedCertificate[]> {
  const { clientId } = realm
  const usual =
    clientId === undefined
      ? await certificateFor(deps, realm, 'openid4vp')
      : await signerFor(deps, { ...realm, clientId })
  return [usual, ...(await additional(deps, realm, 'google'))]
}

/** Returns every chain that may authenticate us as a reader (ISO 18013-5), the default first. */
export async function readersFor(deps: CertificateNeeds, realm: Asking): Promise<OpenedCertificate[]> {
  const usual = await currentOrGenerated(deps, realm, 'iso-reader')
  return [...(isValid(deps, usual) ? [usual] : []), ...(await additional(deps, realm, 'apple'))]
}

/** The additional certificate for some wallets. Leaves out an expired one, because only those wallets need it. */
async function additional(
  deps: CertificateNeeds,
  realm: Asking,
  purpose: Exclude<CertificatePurpose, GeneratedPurpose>,
): Promise<OpenedCertificate[]> {
  const found = await currentFor(deps, realm, purpose)
  return found !== null && isValid(deps, found) ? [found] : []
}

/** Generates the service's own certificates at start, before the first request. */
export async function generateMissingCertificates(deps: CertificateNeeds): Promise<void> {
  const own = (await currentKeys(deps)).filter(({ tenantId }) => tenantId === null)
  for (const environment of ENVIRONMENTS) {
    for (const purpose of GENERATED_PURPOSES) {
      const isThere = own.some((key) => key.environment === environment && key.purpose === purpose)
      if (!isThere) await generateCertificate(deps, { environment, purpose })
    }
  }
}

/** Returns faults of certificates in use: each must belong to its key and be permitted in a request (HAIP §5). */
export async function certificateFaults(deps: Pick<Deps, 'db' | 'clock' | 'remoteKeys'>): Promise<string[]> {
  return (await currentKeys(deps)).flatMap((sealed) => {
    const name = `${sealed.tenantId ?? 'the service'} (${sealed.environment}, ${sealed.purpose})`
    try {
      const key = openCertificate(deps.db, sealed, deps.remoteKeys.open)
      // Expiry is reported elsewhere and must not stop the start, because other tenants must be served.
      const fault = requestChainFault(key.chain, key.key.publicKey, validMoment(key, deps.clock.now()) / 1000)
      return fault === null ? [] : [`access certificate of ${name}: ${fault}`]
    } catch {
      return [
        `access certificate of ${name}: its key cannot be opened; is VIDIMUS_MASTER_KEY the one it was sealed with?`,
      ]
    }
  })
}

async function currentKeys(deps: Pick<Deps, 'db'>): Promise<SealedCertificate[]> {
  return (await listAllCertificates(deps.db)).filter((key) => key.installedAt !== null && key.retiredAt === null)
}

async function currentOrGenerated(
  deps: CertificateNeeds,
  realm: Asking,
  purpose: GeneratedPurpose,
): Promise<OpenedCertificate> {
  const first = await currentFor(deps, realm, purpose)
  if (first !== null && !mustBeRenewed(first, deps.clock.now(), deps.config.baseUrl)) return first
  await generateCertificate(deps, { environment: realm.environment, purpose })
  deps.certificates.forget()
  const current = await currentFor(deps, realm, purpose)
  if (current === null) throw new Error('bug: a certificate was generated and cannot be found')
  return current
}

async function currentFor(
  deps: Pick<CertificateNeeds, 'certificates' | 'clock'>,
  { tenantId, environment, serviceId = null }: Asking,
  purpose: CertificatePurpose,
): Promise<OpenedCertificate | null> {
  const keys = await deps.certificates.find(tenantId, environment, deps.clock.now())
  const current = keys.filter((key) => key.purpose === purpose && key.retiredAt === null)
  // A certificate issued for another service is never used here.
  const ofService = serviceId === null ? undefined : current.find((key) => key.serviceId === serviceId)
  return ofService ?? current.find((key) => key.serviceId === null) ?? null
}

const isGenerated = (purpose: CertificatePurpose): purpose is GeneratedPurpose =>
  GENERATED_PURPOSES.some((generated) => generated === purpose)

/** Refuses a certificate that wallets would refuse, so that the merchant learns of the problem before customers do. */
function requireValid(deps: Pick<Deps, 'clock' | 'metrics'>, key: OpenedCertificate): OpenedCertificate {
  if (isValid(deps, key)) return key
  throw new Refusal('unavailable', {
    message: "The service's access certificate is not valid now.",
    retryAfterSeconds: 60,
    missing: 'certificate',
  })
}

function isValid(deps: Pick<Deps, 'clock' | 'metrics'>, key: OpenedCertificate): boolean {
  const nowMs = deps.clock.now()
  if (key.validFromMs <= nowMs && nowMs <= key.validUntilMs) return true
  deps.metrics.alarms.inc({ alarm: 'access_certificate_not_valid' })
  return false
}

function names(key: OpenedCertificate, clientId: string): boolean {
  const prefix = 'x509_san_dns:'
  return clientId.startsWith(prefix) && key.hosts.includes(clientId.slice(prefix.length))
}

const validMoment = (key: OpenedCertificate, nowMs: number) =>
  Math.min(Math.max(nowMs, key.validFromMs), key.validUntilMs)
