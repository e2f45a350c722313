// Parses a list of trusted entities (ETSI TS 119 602): a compact JWS with x5c, or the same JSON without a signature.

import { algorithmNamed } from '../algorithms.ts'
import { decodeBase64, decodeUtf8, Malformed, withoutSpace } from '../bytes.ts'
import { payloadTextOf, splitCompactJws, verifySignature } from '../jose.ts'
import { isJsonObject, type JsonBudget, member, parseJson } from '../json.ts'
import type { Json, JsonObject } from '../verdict.ts'
import { readX5c } from '../x5c.ts'
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
  type ListTerms,
  listSigner,
  type RefusedList,
  SKEW_SECONDS,
  showableName,
} from './published-list.ts'

/** `signer` is null for unsigned JSON from a trusted source, such as a file of the operator. */
type LoteTerms = Omit<ReadingTerms, 'signer'> & {
  readonly signer: Uint8Array | null
  /** The maximum number of JSON values, because their cost exceeds that of their bytes; absent: VALUES_MAX. */
  readonly valuesMax?: number
}

/** Thousands of entities with a hundred values each. They are read only after the signature is verified. */
const VALUES_MAX = 1_000_000

/**
 * Never throws, because publishers are not trusted to write well-formed lists. `signerFault` has to follow: the signer may
 * have been revoked.
 */
export function parseLote(bytes: Uint8Array, terms: LoteTerms): ListReading {
  try {
    const { signer } = terms
    const profile = profileOf(terms.providers, 'lote')
    if ('outcome' in profile) return profile
    const otherFormat = otherFormatFault(bytes, 'lote')
    if (otherFormat !== null) return otherFormat
    const text = decodeUtf8(bytes)
    if (text === null) return refused('the list is not UTF-8 text')
    const { valuesMax = VALUES_MAX, now } = terms
    const budget = { valuesLeft: valuesMax, escapesLeft: valuesMax }
    if (signer === null) return interpret({ content: parseJson(text, budget), signerChain: null }, profile, now)
    const signed = readSigned(text.trim(), { ...terms, signer }, budget)
    return 'outcome' in signed ? signed : interpret(signed, profile, now)
  } catch (error) {
    if (error instanceof Malformed) return refused('the list cannot be read')
    throw error
  }
}

interface ListContent {
  readonly content: Json
  readonly signerChain: readonly Uint8Array[] | null
}

/** Returns the signed content, or why it is refused. */
function readSigned(text: string, terms: ListTerms, budget: JsonBudget): ListContent | RefusedList {
  const token = splitCompactJws(text)
  const algorithm = algorithmNamed(member(token.header, 'alg'))
  const carried = readX5c(token.header)
  if (algorithm === null || carried.outcome !== 'carried') return UNSIGNED
  const signer = listSigner(carried.chain, 'lote', terms)
  if (signer === null || !verifySignature(algorithm, signer.key, token)) return UNSIGNED
  if (!isListType(member(token.header, 'typ'))) return NO_LIST
  const content = jsonOf(token.payloadBytes, budget)
  return content === null ? NO_LIST : { content, signerChain: carried.chain }
}

/** null if it is not JSON, which is then other data of the signer. Throws Malformed if it is longer than the budget. */
function jsonOf(bytes: Uint8Array, budget: JsonBudget): Json {
  try {
    return parseJson(payloadTextOf(bytes), budget)
  } catch (error) {
    if (!(error instanceof Malformed) || budget.valuesLeft < 0 || budget.escapesLeft < 0) throw error
    return null
  }
}

/**
 * ETSI TS 119 182-1 §5.1.3 defines no type for lists: `typ` is absent or names a JWS only. With another type, such as a
 * status list's or a credential's, the data was signed for another purpose.
 */
function isListType(typ: Json | undefined): boolean {
  if (typ === undefined) return true
  return typeof typ === 'string' && ['jwt', 'jose'].includes(typ.toLowerCase().replace(/^application\//, ''))
}

function interpret({ content, signerChain }: ListContent, profile: ListProfile, now: number): ListReading {
  const claims = objectOf(content)
  const list = claims === null ? null : (objectOf(member(claims, 'LoTE')) ?? claims)
  const scheme = list === null ? null : objectOf(member(list, 'ListAndSchemeInformation'))
  if (list === null || scheme === null) return NO_LIST
  const otherType = listTypeFault(profile, member(scheme, 'LoTEType'))
  if (otherType !== null) return otherType
  // ETSI TS 119 602: the member is optional and has at least one entry, so a list that names none leaves it out.
  const entities = member(list, 'TrustedEntitiesList')
  if (entities !== undefined && !Array.isArray(entities)) return refused('the list has entities that cannot be read')
  const issuedAt = instantSeconds(member(scheme, 'ListIssueDateTime'))
  const nextUpdate = instantSeconds(member(scheme, 'NextUpdate'))
  const sequence = member(scheme, 'LoTESequenceNumber')
  // ETSI TS 119 602 §6.3: all three are required, because without them the age of a list is unknown.
  if (issuedAt === null || nextUpdate === null || typeof sequence !== 'number' || !Number.isSafeInteger(sequence)) {
    return refused('the list lacks its time of issue, its number, or the time of the next update')
  }
  const endsAt = endOf(issuedAt, nextUpdate)
  const fault = currencyFault({ issuedAt, endsAt }, now)
  if (fault !== null) return refused(fault)
  const services = (entities ?? []).flatMap((entity: Json) => servicesOf(entity))
  for (const service of services) {
    const foreign = service === null ? null : serviceTypeFault(profile, member(service, 'ServiceTypeIdentifier'))
    if (foreign !== null) return foreign
  }
  const issuing = services.filter(
    (service) => service === null || isIssuing(profile, member(service, 'ServiceTypeIdentifier')),
  )
  const isInForce = (service: JsonObject | null) => service === null || hasForce(service, profile, now)
  const entries = issuing.filter(isInForce).flatMap(certificatesOf(profile))
  const ended = issuing.filter((service) => !isInForce(service)).flatMap(certificatesOf(profile))
  if (!entries.every((entry) => entry !== null)) return refused('the list has an entry that cannot be read')
  const published = { issuer: operatorOf(scheme), sequence, issuedAt, endsAt, entries }
  return { outcome: 'read', signerChain, list: { ...published, ended: ended.filter((entry) => entry !== null) } }
}

function servicesOf(entity: Json): readonly (JsonObject | null)[] {
  const services = isJsonObject(entity) ? member(entity, 'TrustedEntityServices') : undefined
  if (!Array.isArray(services)) return [null]
  return services.map((service: Json) =>
    isJsonObject(service) ? objectOf(member(service, 'ServiceInformation')) : null,
  )
}

/** Whether the service is in force: neither withdrawn, nor notified from a later time on. */
function hasForce(service: JsonObject, { needsStatus }: ListProfile, now: number): boolean {
  const since = member(service, 'StatusStartingTime')
  if (since !== undefined && !((instantSeconds(since) ?? Number.POSITIVE_INFINITY) <= now + SKEW_SECONDS)) return false
  const status = member(service, 'ServiceStatus')
  if (status === undefined) return !needsStatus
  return typeof status === 'string' && /\/(granted|notified|recognised)$/i.test(status)
}

const certificatesOf =
  ({ docTypes }: ListProfile) =>
  (service: JsonObject | null): readonly (ListEntry | null)[] => {
    const identity = service === null ? null : objectOf(member(service, 'ServiceDigitalIdentity'))
    const certificates = identity === null ? undefined : member(identity, 'X509Certificates')
    if (!Array.isArray(certificates)) return [null]
    return certificates.map((certificate: Json) => {
      const text = isJsonObject(certificate) ? member(certificate, 'val') : certificate
      const base64 = typeof text === 'string' ? withoutSpace(text) : null
      const der = base64 === null ? null : decodeBase64(base64)
      return der === null ? null : { certificate: der, docTypes, profile: 'generic' }
    })
  }

function operatorOf(scheme: JsonObject): string {
  const names = member(scheme, 'SchemeOperatorName')
  const first: Json | undefined = Array.isArray(names) ? names[0] : undefined
  const name = isJsonObject(first) ? member(first, 'value') : undefined
  return typeof name === 'string' ? showableName(name) : 'unnamed'
}

const objectOf = (value: Json | undefined): JsonObject | null => (isJsonObject(value) ? value : null)
const refused = (detail: string): RefusedList => ({ outcome: 'refused', detail })
const NO_LIST: RefusedList = { ...refused('the content is not a list of trusted entities'), mismatch: true }
const UNSIGNED = refused('the list is not signed under the certificate that was given for it')
