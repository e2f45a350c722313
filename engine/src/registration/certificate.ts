// Parses a registration certificate (ETSI TS 119 475, both versions). judge.ts verifies it.

import { Malformed } from '../bytes.ts'
import { parseWebAddress } from '../channels/web-address.ts'
import { type CompactJws, parseCompactJws } from '../jose.ts'
import { isJsonObject, member } from '../json.ts'
import type { Json, JsonObject } from '../verdict.ts'
import {
  isLine,
  type RegisteredCredential,
  readCredentials,
  readNumber,
  readText,
  readTime,
  readWords,
  type WordedText,
} from './members.ts'

/** `typ` of registration certificates, and the type of anchors for their signers. */
export const REGISTRATION_FORMAT = 'rc-wrp+jwt'
/** Characters of the compact form. Real certificates have a few thousand. */
export const REGISTRATION_LENGTH_MAX = 48_000

export interface RegistrationCertificate {
  /** The identifiers of the registered party, in each spelling that the certificate has. */
  readonly subject: readonly string[]
  readonly legalName: string | null
  /** The name that holders know. It equals the common name of the access certificate. */
  readonly serviceName: string
  readonly serviceId: string | null
  readonly intendedUse: string | null
  readonly purposes: readonly WordedText[]
  readonly credentials: readonly RegisteredCredential[]
  readonly privacyPolicy: string | null
  readonly registryUri: string | null
  /** The intermediary that asks for the subject; null if the subject asks itself. */
  readonly intermediary: { readonly ids: readonly string[]; readonly name: string | null } | null
  /** Unix seconds. */
  readonly issuedAt: number
  readonly expiresAt: number | null
  readonly status: { readonly uri: string; readonly index: number } | null
  /** The compact JWS to send. */
  readonly raw: string
}

export type RegistrationReading =
  | { readonly outcome: 'read'; readonly certificate: RegistrationCertificate; readonly token: CompactJws }
  | { readonly outcome: 'refused'; readonly detail: string }

/**
 * Never throws, because registrars are not trusted to write well-formed data. Omits unreadable members that are only
 * displayed; any other unreadable member makes the certificate unreadable.
 */
export function readRegistrationCertificate(text: string): RegistrationReading {
  if (text.length > REGISTRATION_LENGTH_MAX) return refused('it is too long')
  try {
    const token = parseCompactJws(text)
    const typ = member(token.header, 'typ')
    if (typeof typ !== 'string' || typ.toLowerCase().replace(/^application\//, '') !== REGISTRATION_FORMAT)
      return refused(`its typ is not ${REGISTRATION_FORMAT}`)
    return { outcome: 'read', certificate: certificateOf(token.payload, text), token }
  } catch (error) {
    if (error instanceof Malformed) return refused(error.message)
    throw error
  }
}

const refused = (detail: string) => ({ outcome: 'refused', detail }) as const

function certificateOf(claims: JsonObject, raw: string): RegistrationCertificate {
  const country = readText(claims, 'country')
  const serviceName = readText(claims, 'name') ?? legalNameOf(claims)
  if (serviceName === null) throw new Malformed('it names no service')
  const issuedAt = readTime(claims, 'iat')
  if (issuedAt === null) throw new Malformed('it does not say when it was issued')
  return {
    subject: identifiersOf(member(claims, 'sub'), country),
    legalName: legalNameOf(claims),
    serviceName,
    serviceId: readText(claims, 'srv_id'),
    intendedUse: readText(claims, 'intended_use_id'),
    purposes: readWords(member(claims, 'purpose')),
    credentials: readCredentials(member(claims, 'credentials')),
    privacyPolicy: policyOf(member(claims, 'privacy_policy')),
    registryUri: readText(claims, 'registry_uri'),
    intermediary: intermediaryOf(member(claims, 'intermediary') ?? member(claims, 'act')),
    issuedAt,
    expiresAt: readTime(claims, 'exp'),
    status: statusOf(member(claims, 'status')),
    raw,
  }
}

/** V1.2.1 has a member for each name and identifier; V1.1.1 has an object with lists of them. */
function identifiersOf(sub: Json | undefined, country: string | null): readonly string[] {
  const spelled = spellingsOf(sub, country)
  if (spelled.length === 0) throw new Malformed('it does not say who is registered')
  return spelled
}

function spellingsOf(sub: Json | undefined, country: string | null): readonly string[] {
  if (typeof sub === 'string') return sub === '' || !isLine(sub) ? [] : [sub]
  if (!isJsonObject(sub)) return []
  const id = member(sub, 'id')
  if (typeof id === 'string') return id === '' || !isLine(id) ? [] : [id]
  if (!Array.isArray(id)) return []
  return id.flatMap((one: Json) => (isJsonObject(one) ? typedSpellings(one, country) : []))
}

/** EN 319 412-1 §5.1.4 puts type and country in front of the number. The register has the type as a separate URI. */
const SEMANTIC_TYPES: Readonly<Record<string, string>> = { VATIN: 'VAT', LEI: 'LEI', EUID: 'EUID', EORI: 'EOR' }

export function typedSpellings(one: JsonObject, country: string | null): readonly string[] {
  const identifier = readText(one, 'identifier')
  if (identifier === null) return []
  const type = SEMANTIC_TYPES[readText(one, 'type')?.split(/[/:#]/).at(-1) ?? '']
  if (type === undefined) return [identifier]
  const where = type === 'LEI' ? 'XG' : country
  return where === null ? [identifier] : [identifier, `${type}${where}-${identifier}`]
}

function legalNameOf(claims: JsonObject): string | null {
  const sub = member(claims, 'sub')
  const names = isJsonObject(sub) ? member(sub, 'legal_name') : undefined
  const first: Json | undefined = Array.isArray(names) ? names[0] : names
  const then = isJsonObject(sub) ? [readText(sub, 'given_name'), readText(sub, 'family_name')] : []
  const person = [readText(claims, 'sub_gn'), readText(claims, 'sub_fn'), ...then]
    .filter((part) => part !== null)
    .join(' ')
  return (
    readText(claims, 'sub_ln') ??
    (typeof first === 'string' && isLine(first) ? first : null) ??
    (person === '' ? null : person)
  )
}

/** The address is only shown as a link, so an unsuitable one is left out. */
function policyOf(value: Json | undefined): string | null {
  const candidates: readonly (Json | undefined)[] = Array.isArray(value)
    ? value.map((one: Json) => (isJsonObject(one) ? member(one, 'policyURI') : one))
    : [value]
  const address = candidates.find((one) => typeof one === 'string' && isHttps(one))
  return typeof address === 'string' ? address : null
}

function isHttps(text: string): boolean {
  const url = parseWebAddress(text)
  return url?.protocol === 'https:' && url.username === '' && url.password === ''
}

/** An unreadable intermediary might be another party, so the certificate is refused. */
function intermediaryOf(value: Json | undefined): RegistrationCertificate['intermediary'] {
  if (value === undefined || value === null) return null
  if (!isJsonObject(value)) throw new Malformed('its intermediary cannot be read')
  const sub = member(value, 'sub')
  const ids = spellingsOf(sub, null)
  if (ids.length === 0) throw new Malformed('its intermediary cannot be read')
  const named = isJsonObject(sub) ? sub : value
  return { ids, name: readText(named, 'sname') ?? readText(named, 'name') }
}

/** An unreadable status is an error, because it could hide a revocation. */
function statusOf(value: Json | undefined): RegistrationCertificate['status'] {
  if (value === undefined || value === null) return null
  const list = isJsonObject(value) ? member(value, 'status_list') : undefined
  if (!isJsonObject(list)) throw new Malformed('its status cannot be read')
  const uri = readText(list, 'uri')
  const index = readNumber(list, 'idx')
  if (uri === null || index === null || !Number.isSafeInteger(index) || index < 0)
    throw new Malformed('its status cannot be read')
  return { uri, index }
}
