// Who do we say we are to a wallet? The certificate of a tenant's environment for what is to be signed, and the client_id it
// gives. Where nobody installed one, one is made under a private authority, and made again before it ends.

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

export type CertificateNeeds = Pick<Deps, 'db' | 'clock' | 'random' | 'config' | 'certificates' | 'metrics'>

/** The client_id that a new verification of this tenant carries. */
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

/** The key whose certificate a verification's client_id names; it may have been replaced since the creation. */
export async function signerFor(
  deps: CertificateNeeds,
  realm: Realm & { clientId: string },
): Promise<OpenedCertificate> {
  const keys = await deps.certificates.find(realm.tenantId, realm.environment, deps.clock.now())
  // A hash names one certificate, whatever it is for; a name may stand in certificates for other purposes.
  const found =
    keys.find((key) => key.hashClientId === realm.clientId) ??
    keys.find((key) => key.purpose === 'openid4vp' && names(key, realm.clientId))
  if (found === undefined) throw new Error('bug: no certificate bears the client_id of a verification')
  return demandValid(deps, found)
}

/** What a tenant's environment signs with now: its own, else the service's, else one made here. Never null for these. */
export async function certificateFor(
  deps: CertificateNeeds,
  realm: Asking,
  purpose: GeneratedPurpose,
): Promise<OpenedCertificate>
/** For the others: null where nobody installed one. */
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
  return found === null ? null : demandValid(deps, found)
}

/**
 * Every chain that may sign an OpenID4VP request, the usual one first; two or more make a multisigned request. Of a verification
 * by its client_id, where one is given.
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

/** Every chain that may authenticate us as a reader (ISO 18013-5), the usual one first. */
export async function readersFor(deps: CertificateNeeds, realm: Asking): Promise<OpenedCertificate[]> {
  const usual = await currentOrGenerated(deps, realm, 'iso-reader')
  return [...(isValid(deps, usual) ? [usual] : []), ...(await additional(deps, realm, 'apple'))]
}

/** One that has ended is missing for its wallet alone; the others are still asked. */
async function additional(
  deps: CertificateNeeds,
  realm: Asking,
  purpose: Exclude<CertificatePurpose, GeneratedPurpose>,
): Promise<OpenedCertificate[]> {
  const found = await currentFor(deps, realm, purpose)
  return found !== null && isValid(deps, found) ? [found] : []
}

/** At start: what the service signs with by itself is there before anybody asks. */
export async function generateMissingCertificates(deps: CertificateNeeds): Promise<void> {
  const own = (await currentKeys(deps)).filter(({ tenantId }) => tenantId === null)
  for (const environment of ENVIRONMENTS) {
    for (const purpose of GENERATED_PURPOSES) {
      const isThere = own.some((key) => key.environment === environment && key.purpose === purpose)
      if (!isThere) await generateCertificate(deps, { environment, purpose })
    }
  }
}

/** Every certificate in use belongs to its key and may stand in a request (HAIP §5). Empty when all is well. */
export async function certificateFaults(deps: Pick<Deps, 'db' | 'clock'>): Promise<string[]> {
  return (await currentKeys(deps)).flatMap((sealed) => {
    const whose = `${sealed.tenantId ?? 'the service'} (${sealed.environment}, ${sealed.purpose})`
    try {
      const key = openCertificate(deps.db, sealed)
      // Whether it is valid now is watched, not refused: other tenants go on.
      const fault = requestChainFault(key.chain, key.privateKey, validMoment(key, deps.clock.now()) / 1000)
      return fault === null ? [] : [`access certificate of ${whose}: ${fault}`]
    } catch {
      return [
        `access certificate of ${whose}: its key cannot be opened; is VIDIMUS_MASTER_KEY the one it was sealed with?`,
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
  const made = await currentFor(deps, realm, purpose)
  if (made === null) throw new Error('bug: a certificate that was just made is not there')
  return made
}

async function currentFor(
  deps: Pick<CertificateNeeds, 'certificates' | 'clock'>,
  { tenantId, environment, serviceId = null }: Asking,
  purpose: CertificatePurpose,
): Promise<OpenedCertificate | null> {
  const keys = await deps.certificates.find(tenantId, environment, deps.clock.now())
  const current = keys.filter((key) => key.purpose === purpose && key.retiredAt === null)
  // One made out for another service never speaks for this one.
  const ofService = serviceId === null ? undefined : current.find((key) => key.serviceId === serviceId)
  return ofService ?? current.find((key) => key.serviceId === null) ?? null
}

const isGenerated = (purpose: CertificatePurpose): purpose is GeneratedPurpose =>
  GENERATED_PURPOSES.some((generated) => generated === purpose)

/** A wallet would refuse the request; the merchant learns it at once instead of from its customers. */
function demandValid(deps: Pick<Deps, 'clock' | 'metrics'>, key: OpenedCertificate): OpenedCertificate {
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
