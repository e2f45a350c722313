// Checks an access certificate against ETSI TS 119 411-8, and against the registration certificate in the same request.

import type { RegistrationCertificate } from '../registration/certificate.ts'
import { type Certificate, certificateOrFault } from './certificate.ts'
import { children, MalformedDer, readOid, requireTag, rootElement, TAG } from './der.ts'
import { OID } from './extensions.ts'
import { attributeTexts } from './names.ts'

export interface LintFinding {
  /** `problem`: wallets refuse or warn. `warning`: some wallets do. `info`: no wallet does yet. */
  readonly level: 'problem' | 'warning' | 'info'
  readonly check: LintCheck
  readonly detail: string
}

export type LintCheck =
  | 'readable'
  | 'policy'
  | 'organization_identifier'
  | 'transparency'
  | 'service_uri'
  | 'key_usage'
  | 'days_left'
  | 'registration'

/** ETSI TS 119 411-8: NCP-n, NCP-l, QCP-n and QCP-l for relying parties. */
const POLICIES: ReadonlySet<string> = new Set(['1', '2', '3', '4'].map((last) => `0.4.0.194118.1.${last}`))
/** RFC 6962 §3.3. */
const SIGNED_TIMESTAMPS = '1.3.6.1.4.1.11129.2.4.2'
const ORGANIZATION_IDENTIFIER = '2.5.4.97'
const SERIAL_NUMBER = '2.5.4.5'
const DAY_SECONDS = 86_400
const WARN_DAYS = 30

/** `now`: unix seconds. `registration`: the registration certificate in the same request, if any. */
export function lintAccessCertificate(
  leaf: Uint8Array,
  { now, registration }: { readonly now: number; readonly registration: RegistrationCertificate | null },
): readonly LintFinding[] {
  const read = certificateOrFault(leaf)
  if (typeof read === 'string') return [{ level: 'problem', check: 'readable', detail: read }]
  return [
    ...lintPolicy(read),
    ...lintIdentifier(read),
    ...lintKeyUsage(read),
    ...lintTransparency(read),
    ...lintServiceUri(read),
    ...lintTime(read, now),
    ...(registration === null ? [] : lintRegistration(read, registration)),
  ]
}

function lintPolicy({ extensions }: Certificate): LintFinding[] {
  const extension = extensions.get(OID.certificatePolicies)
  const policies = extension === undefined ? [] : policiesIn(extension.value)
  if (policies?.some((policy) => POLICIES.has(policy)) === true) return []
  const detail = 'it names none of the policies of relying parties (0.4.0.194118.1.1 to .4)'
  return [{ level: 'warning', check: 'policy', detail }]
}

/** RFC 5280 §4.2.1.4; null if it is malformed. */
function policiesIn(value: Uint8Array): readonly string[] | null {
  try {
    return children(value, rootElement(value, TAG.sequence)).map((policy) =>
      readOid(value, requireTag(children(value, requireTag(policy, TAG.sequence))[0], TAG.oid)),
    )
  } catch (error) {
    if (error instanceof MalformedDer) return null
    throw error
  }
}

function lintIdentifier({ subject }: Certificate): LintFinding[] {
  if (identifierIn(subject) !== null) return []
  const detail = 'its subject has neither an organizationIdentifier (2.5.4.97) nor the serialNumber of a person'
  return [{ level: 'problem', check: 'organization_identifier', detail }]
}

/** Returns the identifier of a legal person or of a natural person. */
function identifierIn(subject: Uint8Array): string | null {
  const [organization] = attributeTexts(subject, ORGANIZATION_IDENTIFIER) ?? []
  const [person] = attributeTexts(subject, SERIAL_NUMBER) ?? []
  return organization ?? person ?? null
}

/** EN 319 412-2 §4.3.2: such a certificate may have nonRepudiation only. */
function lintKeyUsage({ keyUsage }: Certificate): LintFinding[] {
  if (keyUsage === null)
    return [{ level: 'warning', check: 'key_usage', detail: 'it does not say what its key is for' }]
  if (keyUsage.uses.has('nonRepudiation')) return []
  if (!keyUsage.uses.has('digitalSignature'))
    return [{ level: 'problem', check: 'key_usage', detail: 'its key may sign neither data nor commitments' }]
  const detail = 'its key usage is digitalSignature without nonRepudiation, which EN 319 412-2 does not list'
  return [{ level: 'info', check: 'key_usage', detail }]
}

function lintTransparency({ extensions }: Certificate): LintFinding[] {
  if (extensions.has(SIGNED_TIMESTAMPS)) return []
  return [{ level: 'warning', check: 'transparency', detail: 'it carries no signed certificate timestamp' }]
}

function lintServiceUri(certificate: Certificate): LintFinding[] {
  if (servicesIn(certificate).length > 0) return []
  const detail = 'no URI of its alternative names ends with a service (…/services/<identifier>)'
  return [{ level: 'info', check: 'service_uri', detail }]
}

interface NamedService {
  /** null if the URI names a service, but not its party. */
  readonly party: string | null
  readonly service: string
}

/** Reads `{registry}/wrp/{party}/services/{service}`, or another address that ends with the last two parts. */
function servicesIn({ subjectAltNames }: Certificate): readonly NamedService[] {
  return (subjectAltNames?.uris ?? []).flatMap((uri) => {
    const [, party, service] = /(?:\/wrp\/([^/?#]+))?\/services\/([^/?#]+)\/?$/.exec(uri) ?? []
    return service === undefined ? [] : [{ party: decoded(party), service: decoded(service) ?? service }]
  })
}

function decoded(segment: string | undefined): string | null {
  if (segment === undefined) return null
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function lintTime({ notBefore, notAfter }: Certificate, now: number): LintFinding[] {
  if (now < notBefore) return [{ level: 'problem', check: 'days_left', detail: 'it is not valid yet' }]
  const days = Math.floor((notAfter - now) / DAY_SECONDS)
  if (days < 0) return [{ level: 'problem', check: 'days_left', detail: 'it has ended' }]
  return days < WARN_DAYS ? [{ level: 'warning', check: 'days_left', detail: `it ends in ${days} days` }] : []
}

/** ARF RPRC_17a: the certificate belongs to the subject, or to an intermediary that the subject named and is issued for the subject. */
function lintRegistration(certificate: Certificate, registration: RegistrationCertificate): LintFinding[] {
  const detail = mismatch(certificate, registration)
  return detail === null ? [] : [{ level: 'problem', check: 'registration', detail }]
}

function mismatch(certificate: Certificate, registration: RegistrationCertificate): string | null {
  const { subject, intermediary, serviceId } = registration
  const identifier = identifierIn(certificate.subject)
  if (identifier === null) return 'it has no identifier that a registration certificate could name'
  const services = servicesIn(certificate)
  const isService = (one: NamedService) => serviceId === null || one.service === serviceId
  if (intermediary === null) {
    if (!subject.includes(identifier)) return 'the registration certificate names another party'
    return services.length === 0 || services.some(isService) ? null : SERVICE_DIFFERS
  }
  if (!intermediary.ids.includes(identifier)) return 'the registration certificate names another intermediary'
  const associated = services.filter(({ party }) => party !== null && subject.includes(party))
  if (associated.length === 0) return 'it was not issued for the merchant that the registration certificate names'
  return associated.some(isService) ? null : SERVICE_DIFFERS
}

const SERVICE_DIFFERS = 'the registration certificate is of another service'
