// Mints credentials of an invented person, as the sandbox issuer. Its state is plain JSON; callers pass the time.

import { X509Certificate } from 'node:crypto'
import { mintAuthority, mintDocumentSigner, mintIaca, mintSigner } from './authorities.ts'
import type { HeldCredential, HeldMdoc, HeldSdJwt } from './credential.ts'
import type { CborValue } from './encoding/cbor.ts'
import { encodeCbor, mapOf } from './encoding/cbor.ts'
import { asJson } from './encoding/cbor-json.ts'
import type { JsonObject } from './encoding/json.ts'
import type { PrivateJwk } from './keys.ts'
import { CURVES, publicJwk, toBase64url } from './keys.ts'
import { mintItems, securityObject, signSecurityObject } from './mdoc.ts'
import type { Dates, Person } from './person.ts'
import { ageAt, ageElements, cardClaims, drivingLicenceElements, PERSON, pidClaims, pidElements } from './person.ts'
import type { Identity } from './pki.ts'
import { certificateBytes, keyIdentifier, mintCrl } from './pki.ts'
import type { Template } from './sdjwt.ts'
import { Concealed, conceal, sd, signJws } from './sdjwt.ts'
import type { ListFields } from './status-list.ts'
import { mintStatusListCwt, mintStatusListJwt, STATUS } from './status-list.ts'

export const TYPE = {
  pidSdJwt: 'urn:eudi:pid:1',
  pidMdoc: 'eu.europa.ec.eudi.pid.1',
  mdl: 'org.iso.18013.5.1.mDL',
  ageProof: 'eu.europa.ec.av.1',
  paymentCard: 'urn:vidimus:sandbox:payment-card:1',
} as const

/** The transaction type that the sandbox's driving licence can confirm: its device may sign in this name space. */
export const CONSENT_TYPE = 'urn:vidimus:sandbox:consent:1'

export const CREDENTIAL_KINDS = ['pid_sd_jwt', 'pid_mdoc', 'mdl', 'age_proof', 'payment_card'] as const
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number]
type MdocKind = Exclude<CredentialKind, 'pid_sd_jwt' | 'payment_card'>

export interface IssuerState {
  /** The address of status lists and the CRL; without a trailing slash. */
  readonly base: string
  readonly sdJwt: { readonly authority: Identity; readonly signer: Identity }
  readonly mdoc: { readonly authority: Identity; readonly signer: Identity }
  /** The status by index, the same in both forms of the list. */
  readonly statuses: { readonly [index: number]: number }
}

const DAY = 86_400
const AUTHORITY_DAYS = 3650
/** ISO/IEC 18013-5 B.1.4 allows a document signer 457 days. */
const SIGNER_DAYS = 400

/** Indexes whose status never changes, so that wallets in other processes can use them without the issuer. */
export const STATUS_INDEX = { valid: 0, revoked: 1, suspended: 2 } as const
export const STATUS_LIST = { bits: 2, size: 4096, ttlSeconds: 300 } as const

export function createIssuer(options: {
  readonly base: string
  readonly now: number
  readonly name?: string
}): IssuerState {
  const { base, now, name = 'Vidimus Sandbox' } = options
  const authorityPeriod = { notBefore: now - 60 * DAY, notAfter: now + AUTHORITY_DAYS * DAY }
  const sdJwtAuthority = mintAuthority({ country: 'DE', organization: name, commonName: `${name} CA` }, authorityPeriod)
  const iaca = mintIaca({ country: 'DE', commonName: `${name} IACA` }, authorityPeriod)
  const statuses = { [STATUS_INDEX.revoked]: STATUS.invalid, [STATUS_INDEX.suspended]: STATUS.suspended }
  const authorities = { base, statuses, sdJwt: sdJwtAuthority, iaca }
  return withSigners(authorities, { now, name })
}

/** Returns the issuer with new signers if the old ones expire soon, and unchanged otherwise. */
export function renewSigners(
  state: IssuerState,
  options: { readonly now: number; readonly name?: string },
): IssuerState {
  const ends = [state.sdJwt.signer, state.mdoc.signer].map(
    (signer) => new X509Certificate(certificateBytes(signer)).validToDate.getTime() / 1000,
  )
  if (Math.min(...ends) - options.now > 60 * DAY) return state
  const authorities = {
    base: state.base,
    statuses: state.statuses,
    sdJwt: state.sdJwt.authority,
    iaca: state.mdoc.authority,
  }
  return withSigners(authorities, { now: options.now, name: options.name ?? 'Vidimus Sandbox' })
}

interface Authorities {
  readonly base: string
  readonly statuses: IssuerState['statuses']
  readonly sdJwt: Identity
  readonly iaca: Identity
}

function withSigners(authorities: Authorities, options: { readonly now: number; readonly name: string }): IssuerState {
  const { base, statuses, sdJwt, iaca } = authorities
  const period = { notBefore: options.now - 40 * DAY, notAfter: options.now + (SIGNER_DAYS - 40) * DAY }
  const signerName = { country: 'DE', organization: options.name, commonName: `${options.name} PID signer` }
  const documentSignerName = { country: 'DE', commonName: `${options.name} document signer` }
  return {
    base,
    statuses,
    sdJwt: { authority: sdJwt, signer: mintSigner(sdJwt, signerName, period) },
    mdoc: { authority: iaca, signer: mintDocumentSigner(iaca, documentSignerName, { ...period, crl: crlUri(base) }) },
  }
}

/** The anchors that a verifier installs to trust this issuer. */
export function issuerAnchors(state: IssuerState): readonly {
  readonly kind: 'ca'
  readonly certificate: Uint8Array
  readonly types: readonly (`dc+sd-jwt:${string}` | `mso_mdoc:${string}`)[]
  readonly profile: 'generic' | 'iso-mdl'
}[] {
  return [
    {
      kind: 'ca',
      certificate: certificateBytes(state.sdJwt.authority),
      types: [`dc+sd-jwt:${TYPE.pidSdJwt}`, `dc+sd-jwt:${TYPE.paymentCard}`],
      profile: 'generic',
    },
    {
      kind: 'ca',
      certificate: certificateBytes(state.mdoc.authority),
      types: [`mso_mdoc:${TYPE.pidMdoc}`, `mso_mdoc:${TYPE.mdl}`, `mso_mdoc:${TYPE.ageProof}`],
      profile: 'iso-mdl',
    },
  ]
}

export interface IssueOptions {
  readonly holderKey: PrivateJwk
  readonly now: number
  /** Unix seconds; by default from a day ago for thirty days. */
  readonly validFrom?: number
  readonly validUntil?: number
  /** Index in the status list; null for a credential without a status. */
  readonly statusIndex?: number | null
  readonly person?: Person
  /** The vct of a national PID. Its issuer also names the European type (`aka_vcts`). */
  readonly nationalType?: string
  /** Omits the European type from a national PID, as in the example of the PID rulebook. */
  readonly withoutOtherTypes?: boolean
  /** Names to omit: claims of an SD-JWT (`address.region`), elements of an mdoc. */
  readonly without?: readonly string[]
}

export function issue(state: IssuerState, kind: CredentialKind, options: IssueOptions): HeldCredential {
  const person = options.person ?? PERSON
  const validFrom = options.validFrom ?? options.now - DAY
  const validUntil = options.validUntil ?? options.now + 30 * DAY
  const dates = {
    issued: dayOf(validFrom),
    expires: dayOf(options.now + 5 * 365 * DAY),
    age: ageAt(person.birthDate, options.now),
  }
  const index = options.statusIndex === undefined ? STATUS_INDEX.valid : options.statusIndex
  const type = options.nationalType ?? null
  const { withoutOtherTypes = false } = options
  const terms = { holderKey: options.holderKey, validFrom, validUntil, index, nationalType: type, withoutOtherTypes }
  const { without = [] } = options
  if (kind === 'pid_sd_jwt')
    return issueSdJwt(state, withoutClaims(pidClaims(person, dates), without), { ...terms, type: TYPE.pidSdJwt })
  if (kind === 'payment_card')
    return issueSdJwt(state, cardClaims(), { ...terms, type: TYPE.paymentCard, nationalType: null })
  const content = elementsOf(kind, person, dates)
  const elements = Object.entries(content.elements).filter(([name]) => !without.includes(name))
  return issueMdoc(state, { ...content, elements: Object.fromEntries(elements) }, terms)
}

type Claims = { readonly [member: string]: Template }

function withoutClaims(claims: Claims, without: readonly string[], above = ''): Claims {
  const kept = Object.entries(claims).filter(([name]) => !without.includes(`${above}${name}`))
  return Object.fromEntries(
    kept.map(([name, value]) => {
      const inner = value instanceof Concealed ? value.value : null
      const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      return [name, isObject ? sd(withoutClaims(inner as Claims, without, `${above}${name}.`)) : value]
    }),
  )
}

/** Issues one credential of every kind to one holder. */
export function issueAll(state: IssuerState, options: IssueOptions): readonly HeldCredential[] {
  return CREDENTIAL_KINDS.map((kind) => issue(state, kind, options))
}

interface Terms {
  readonly holderKey: PrivateJwk
  readonly validFrom: number
  readonly validUntil: number
  readonly index: number | null
  readonly nationalType: string | null
  readonly withoutOtherTypes: boolean
}

function issueSdJwt(
  state: IssuerState,
  claims: { readonly [member: string]: Template },
  terms: Terms & { readonly type: string },
): HeldSdJwt {
  const { signer, authority } = state.sdJwt
  const otherTypes = terms.nationalType === null || terms.withoutOtherTypes ? [] : [terms.type]
  const type = terms.nationalType ?? terms.type
  const concealed = conceal({
    vct: type,
    ...(otherTypes.length === 0 ? {} : { aka_vcts: otherTypes }),
    iat: terms.validFrom,
    nbf: terms.validFrom,
    exp: terms.validUntil,
    cnf: { jwk: { ...publicJwk(terms.holderKey) } },
    ...(terms.index === null
      ? {}
      : { status: { status_list: { idx: terms.index, uri: statusListUri(state.base, 'jwt') } } }),
    ...claims,
  })
  const header: JsonObject = { alg: CURVES[signer.key.crv].jose, typ: 'dc+sd-jwt', x5c: [signer.certificate] }
  return {
    format: 'dc+sd-jwt',
    type,
    otherTypes,
    issuerJwt: signJws(header, concealed.payload, signer.key),
    disclosures: concealed.disclosures,
    claims: reveal(claims),
    key: terms.holderKey,
    authorityKeyIds: [toBase64url(keyIdentifier(authority.key))],
  }
}

function reveal(claims: { readonly [member: string]: Template }): JsonObject {
  return JSON.parse(
    JSON.stringify(claims, (_name, value) => (value instanceof Concealed ? value.value : value)),
  ) as JsonObject
}

interface MdocContent {
  readonly docType: string
  readonly namespace: string
  readonly elements: { readonly [element: string]: CborValue }
}

function elementsOf(kind: MdocKind, person: Person, dates: Dates): MdocContent {
  const content = {
    pid_mdoc: { docType: TYPE.pidMdoc, namespace: TYPE.pidMdoc, elements: pidElements(person, dates) },
    mdl: { docType: TYPE.mdl, namespace: 'org.iso.18013.5.1', elements: drivingLicenceElements(person, dates) },
    age_proof: { docType: TYPE.ageProof, namespace: TYPE.ageProof, elements: ageElements(dates.age) },
  } satisfies Record<MdocKind, MdocContent>
  return content[kind]
}

function issueMdoc(state: IssuerState, content: MdocContent, terms: Terms): HeldMdoc {
  const { signer, authority } = state.mdoc
  const items = mintItems(content.namespace, content.elements)
  const status =
    terms.index === null
      ? undefined
      : mapOf({ status_list: mapOf({ idx: terms.index, uri: statusListUri(state.base, 'cwt') }) })
  const mso = securityObject({
    docType: content.docType,
    items,
    deviceKey: terms.holderKey,
    signed: terms.validFrom,
    validFrom: terms.validFrom,
    validUntil: terms.validUntil,
    ...(status === undefined ? {} : { status }),
    ...(content.docType === TYPE.mdl ? { keyAuthorizations: mapOf({ nameSpaces: [CONSENT_TYPE] }) } : {}),
  })
  return {
    format: 'mso_mdoc',
    type: content.docType,
    issuerAuth: toBase64url(encodeCbor(signSecurityObject(mso, signer.key, [certificateBytes(signer)]))),
    items: items.map((item) => ({
      ...item,
      bytes: toBase64url(item.bytes),
      value: asJson(content.elements[item.element] ?? null),
    })),
    key: terms.holderKey,
    authorityKeyIds: [toBase64url(keyIdentifier(authority.key))],
  }
}

export function setStatus(state: IssuerState, index: number, status: number): IssuerState {
  return { ...state, statuses: { ...state.statuses, [index]: status } }
}

export function statusListUri(base: string, form: 'jwt' | 'cwt'): string {
  return `${base}/status-list.${form}`
}

export function crlUri(base: string): string {
  return `${base}/iaca.crl`
}

export function statusListJwt(state: IssuerState, now: number): string {
  return mintStatusListJwt(listFields(state, statusListUri(state.base, 'jwt'), now), state.sdJwt.signer)
}

export function statusListCwt(state: IssuerState, now: number): Uint8Array {
  return mintStatusListCwt(listFields(state, statusListUri(state.base, 'cwt'), now), state.mdoc.signer)
}

/** The CRL of the document signers. It revokes only the signers whose serial numbers are passed. */
export function issuerCrl(state: IssuerState, now: number, revoked: readonly Uint8Array[] = []): Uint8Array {
  return mintCrl({
    issuer: state.mdoc.authority.name,
    signingKey: state.mdoc.authority.key,
    thisUpdate: now - DAY,
    nextUpdate: now + 30 * DAY,
    revoked: revoked.map((serial) => ({ serial, at: now - DAY })),
  })
}

function listFields(state: IssuerState, uri: string, now: number): ListFields {
  return { uri, ...STATUS_LIST, statuses: state.statuses, issuedAt: now - 60, expiresAt: now + DAY }
}

function dayOf(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString().slice(0, 10)
}
