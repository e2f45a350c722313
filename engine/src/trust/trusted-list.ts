// Parses a trusted list in XML (ETSI TS 119 612), which can only be the EU's list of age attestation providers. The
// list's type decides which services count, and for which credentials.

import { MalformedXml, parseXml, XML_NAMESPACE, type XmlElement } from '../xml/parse.ts'
import {
  attributeOf,
  bytesOf,
  elementIn,
  elementsNamed,
  isNamed,
  optionalElement,
  textIn,
  textOf,
  type XmlName,
} from '../xml/read.ts'
import { signedContent } from '../xml/signature.ts'
import { otherFormatFault } from './list-format.ts'
import {
  isIssuing,
  type ListProfile,
  listTypeFault,
  profileOf,
  type ReadingTerms,
  serviceTypeFault,
} from './list-profile.ts'
import {
  currencyFault,
  endOf,
  instantSeconds,
  type ListEntry,
  type ListReading,
  listSigner,
  type RefusedList,
  SKEW_SECONDS,
  showableName,
} from './published-list.ts'

const tsl = (name: string): XmlName => ({ namespace: 'http://uri.etsi.org/02231/v2#', name })
const TSL_TAG = 'http://uri.etsi.org/19612/TSLTag'
const VERSIONS: readonly string[] = ['5', '6']

/** The only status with which a service counts. */
const RECOGNIZED = 'http://trust.tech.ec.europa.eu/lists/age-verification/service-status/recognized'

/**
 * Never throws, because publishers are not trusted to write well-formed lists. `signerFault` has to follow: the signer may
 * have been revoked.
 */
export function parseTrustedList(
  bytes: Uint8Array,
  { elementsMax, ...terms }: ReadingTerms & { readonly elementsMax?: number },
): ListReading {
  try {
    const profile = profileOf(terms.providers, 'tsl')
    if ('outcome' in profile) return profile
    const otherFormat = otherFormatFault(bytes, 'tsl')
    if (otherFormat !== null) return otherFormat
    const chain = [terms.signer]
    const signer = listSigner(chain, 'tsl', terms)
    const content = signer === null ? null : signedContent(parseXml(bytes, elementsMax), signer.key, elementsMax)
    if (signer === null || content === null) return UNSIGNED
    return interpret(parseXml(content, elementsMax), { profile, signerChain: chain, now: terms.now })
  } catch (error) {
    if (error instanceof MalformedXml) return refused(`the list cannot be read: ${error.message}`)
    throw error
  }
}

interface Interpreting {
  readonly profile: ListProfile
  readonly signerChain: readonly Uint8Array[]
  readonly now: number
}

function interpret(root: XmlElement, { profile, signerChain, now }: Interpreting): ListReading {
  if (!isNamed(root, tsl('TrustServiceStatusList')) || attributeOf(root, 'TSLTag') !== TSL_TAG)
    return { ...refused('what was signed is not a trusted list'), mismatch: true }
  const information = elementIn(root, tsl('SchemeInformation'))
  // First, because a list of another kind may also have another version.
  const otherType = listTypeFault(profile, optionalText(information, 'TSLType'))
  if (otherType !== null) return otherType
  if (!VERSIONS.includes(textIn(information, tsl('TSLVersionIdentifier'))))
    return refused('the version of the list is not supported')
  if (isCritical(information, 'SchemeExtensions'))
    return refused('the list has a critical extension that is not supported')
  const sequence = sequenceOf(textIn(information, tsl('TSLSequenceNumber')))
  const issuedAt = instantSeconds(textIn(information, tsl('ListIssueDateTime')))
  const nextUpdate = nextUpdateOf(information)
  if (issuedAt === null || nextUpdate === null || sequence === null)
    return refused('the list lacks its time of issue, its number, or the time of the next update')
  const endsAt = endOf(issuedAt, nextUpdate)
  const fault = currencyFault({ issuedAt, endsAt }, now)
  if (fault !== null) return refused(fault)
  const services = servicesOf(root)
  // Also of providers that are left out below: a service of another kind shows that this is another list.
  for (const { element } of services) {
    const foreign = serviceTypeFault(profile, optionalText(element, 'ServiceTypeIdentifier'))
    if (foreign !== null) return foreign
  }
  const issuing = services.filter(({ element }) => isIssuing(profile, textIn(element, tsl('ServiceTypeIdentifier'))))
  const inForce = new Set(issuing.filter((service) => hasForce(service, now)))
  const entries = [...inForce].flatMap((service) => entriesOf(service, profile))
  const ended = issuing.filter((service) => !inForce.has(service)).flatMap((service) => entriesOf(service, profile))
  return {
    outcome: 'read',
    signerChain,
    list: { issuer: operatorOf(information), sequence, issuedAt, endsAt, entries, ended },
  }
}

/** Absent means another kind, so it is not an error of the list. */
function optionalText(parent: XmlElement, name: string): string | null {
  const element = optionalElement(parent, tsl(name))
  return element === null ? null : textOf(element)
}

/** The number starts at 1 and grows by one with each issue. */
function sequenceOf(text: string): number | null {
  const number = /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? number : null
}

/** A closed list has no next update, and vouches for nothing. */
function nextUpdateOf(information: XmlElement): number | null {
  const next = optionalElement(information, tsl('NextUpdate'))
  const at = next === null ? null : optionalElement(next, tsl('dateTime'))
  return at === null ? null : instantSeconds(textOf(at))
}

interface Service {
  readonly element: XmlElement
  /** Whether the provider has no unknown critical extension. */
  readonly isProviderRead: boolean
}

/** Reads only the current state of services, not ServiceHistory. */
function servicesOf(root: XmlElement): readonly Service[] {
  const providers = optionalElement(root, tsl('TrustServiceProviderList'))
  if (providers === null) return []
  return elementsNamed(providers, tsl('TrustServiceProvider')).flatMap((provider) => {
    const isProviderRead = !isCritical(elementIn(provider, tsl('TSPInformation')), 'TSPInformationExtensions')
    const services = elementsNamed(elementIn(provider, tsl('TSPServices')), tsl('TSPService'))
    return services.map((service) => ({ element: elementIn(service, tsl('ServiceInformation')), isProviderRead }))
  })
}

/** Whether the service is recognized at this time, and none of its critical extensions is unknown. */
function hasForce({ element, isProviderRead }: Service, now: number): boolean {
  if (!isProviderRead) return false
  const since = instantSeconds(textIn(element, tsl('StatusStartingTime')))
  if (since === null) throw new MalformedXml('StatusStartingTime is not a time')
  if (textIn(element, tsl('ServiceStatus')) !== RECOGNIZED || since > now + SKEW_SECONDS) return false
  return !isCritical(element, 'ServiceInformationExtensions')
}

/** Reads the certificates of a service. Ignores key identifiers and subject names. */
function entriesOf({ element }: Service, profile: ListProfile): readonly ListEntry[] {
  return elementsNamed(elementIn(element, tsl('ServiceDigitalIdentity')), tsl('DigitalId'))
    .flatMap((identity) => elementsNamed(identity, tsl('X509Certificate')))
    .map((certificate) => ({ certificate: bytesOf(certificate), docTypes: profile.docTypes, profile: 'generic' }))
}

/** ETSI TS 119 612 §5.3.17, §5.4.5, §5.5.9: an entry with an unknown critical extension must not be used. */
function isCritical(parent: XmlElement, name: string): boolean {
  const extensions = optionalElement(parent, tsl(name))
  if (extensions === null) return false
  return elementsNamed(extensions, tsl('Extension')).some((one) => attributeOf(one, 'Critical') !== 'false')
}

function operatorOf(information: XmlElement): string {
  const names = elementsNamed(elementIn(information, tsl('SchemeOperatorName')), tsl('Name'))
  const isEnglish = ({ attributes }: XmlElement) =>
    attributes.some(({ namespace, name, value }) => namespace === XML_NAMESPACE && name === 'lang' && value === 'en')
  const name = names.find(isEnglish) ?? names[0]
  return showableName(name === undefined ? '' : textOf(name))
}

const refused = (detail: string): RefusedList => ({ outcome: 'refused', detail })
const UNSIGNED = refused('the list is not signed under the certificate that was given for it')
