// Has its authority taken back this certificate of the signer's chain? A full CRL (RFC 5280 §5) of the very authority that issued it;
// anything else, such as a delta, a part or a stale list, leaves the question open.

import { type Certificate, fingerprintOf, MalformedCertificate, parseCertificate } from '../trust/certificate.ts'
import { isSignedBy, signatureAlgorithmOf } from '../trust/certified-key.ts'
import {
  children,
  content,
  demand,
  type Element,
  elementAt,
  encoded,
  MalformedDer,
  readBoolean,
  readOctetBits,
  readOid,
  readSmallInteger,
  readTime,
  rootElement,
  TAG,
} from '../trust/der.ts'
import { type Extension, OID, readAuthorityKeyId } from '../trust/extensions.ts'
import { nameKey } from '../trust/name-key.ts'
import type { Standing } from './standing.ts'

export interface CrlQuestion {
  readonly serial: Uint8Array
  /** DER of the certificate that issued the one in question. */
  readonly authority: Uint8Array
}

const REASON_CODE = '2.5.29.21'
const CERTIFICATE_HOLD = 6

/** What was found in a list before, for and against it; the list itself is never changed. Times are judged anew. */
export interface KnownCrl {
  /** null: it cannot be read. */
  readonly crl: Crl | null
  /** By fingerprint of an authority: what speaks against the list as one of this authority's; null where nothing does. */
  readonly faults: Map<string, string | null>
  /** By serial number, in hexadecimal. */
  readonly standings: Map<string, Standing>
}

/** Unix seconds, and how far clocks may differ. */
interface Times {
  readonly now: number
  readonly skewSeconds: number
}

/** By the very bytes of the list, and as long as whoever fetched it keeps them: what nobody signed takes nobody's place. */
export interface CrlMemory {
  readonly crls: WeakMap<Uint8Array, KnownCrl>
}

/** As many signers as an authority has, and more; beyond, the list is walked again. */
const STANDINGS_MAX = 1_000
/** Authorities that ask for one list: its own, renewed now and then. */
const AUTHORITIES_MAX = 16

export function standingInCrl(
  bytes: Uint8Array,
  question: CrlQuestion,
  expected: Times,
  { crls }: CrlMemory,
): Standing {
  const known = crls.get(bytes) ?? { crl: readable(bytes), faults: new Map(), standings: new Map() }
  crls.set(bytes, known)
  const { crl } = known
  if (crl === null) return UNREADABLE
  const fault = rememberedFault(crl, known.faults, question.authority) ?? timeFault(crl, expected)
  return fault === null
    ? rememberedStanding(bytes, crl, { ...known, serial: question.serial })
    : { outcome: 'unknown', detail: fault }
}

const UNREADABLE: Standing = { outcome: 'unknown', detail: "a revocation list of the signer's chain cannot be read" }

/** null where it throws for what an authority wrote. */
function whereWellFormed<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof MalformedDer || error instanceof MalformedCertificate) return null
    throw error
  }
}

const readable = (bytes: Uint8Array): Crl | null => whereWellFormed(() => readCrl(bytes))

/** Unix seconds; its own word, read before anybody has verified it and without walking through it. */
export function crlIssuedAt(der: Uint8Array): number {
  const root = rootElement(der, TAG.sequence)
  const body = demand(elementAt(der, root.start, root.end), TAG.sequence)
  const version = demand(elementAt(der, body.start, body.end), TAG.integer)
  const algorithm = elementAt(der, version.end, body.end)
  const issuer = elementAt(der, algorithm.end, body.end)
  return readTime(der, elementAt(der, issuer.end, body.end))
}

function rememberedFault(crl: Crl, faults: Map<string, string | null>, authority: Uint8Array): string | null {
  const fingerprint = fingerprintOf(authority)
  const known = faults.get(fingerprint)
  if (known !== undefined) return known
  // Boxed: that nothing speaks against it is a finding as well.
  const found = whereWellFormed(() => ({ fault: checkCrl(crl, authority) }))
  const fault = found === null ? UNREADABLE.detail : found.fault
  if (faults.size < AUTHORITIES_MAX) faults.set(fingerprint, fault)
  return fault
}

function rememberedStanding(
  bytes: Uint8Array,
  crl: Crl,
  { standings, serial }: { standings: Map<string, Standing>; serial: Uint8Array },
): Standing {
  const key = Buffer.from(serial.buffer, serial.byteOffset, serial.length).toString('hex')
  const known = standings.get(key)
  if (known !== undefined) return known
  const standing = whereWellFormed(() => lookUp(bytes, crl.entries, serial)) ?? UNREADABLE
  if (standings.size < STANDINGS_MAX) standings.set(key, standing)
  return standing
}

export interface Crl {
  readonly signed: Uint8Array
  readonly algorithm: Uint8Array
  readonly innerAlgorithm: Uint8Array
  readonly signature: Uint8Array
  readonly issuer: Uint8Array
  readonly thisUpdate: number
  readonly nextUpdate: number
  readonly entries: Element | null
  readonly extensions: ReadonlyMap<string, Extension>
}

function readCrl(der: Uint8Array): Crl {
  const [tbs, algorithm, signature, ...rest] = children(der, rootElement(der, TAG.sequence))
  const body = demand(tbs, TAG.sequence)
  const members = [...children(der, body)]
  const [version, innerAlgorithm, issuer, thisUpdate, nextUpdate] = members.splice(0, 5)
  if (rest.length > 0 || thisUpdate === undefined || nextUpdate === undefined) throw new MalformedDer('malformed CRL')
  if (readSmallInteger(der, demand(version, TAG.integer)) !== 1) throw new MalformedDer('not a v2 CRL')
  const entries = members[0]?.tag === TAG.sequence ? (members.shift() ?? null) : null
  const extensions = demand(members.shift(), 0xa0)
  if (members.length > 0) throw new MalformedDer('malformed CRL')
  return {
    signed: encoded(der, body),
    algorithm: encoded(der, demand(algorithm, TAG.sequence)),
    innerAlgorithm: encoded(der, demand(innerAlgorithm, TAG.sequence)),
    signature: readOctetBits(der, demand(signature, TAG.bitString)),
    issuer: encoded(der, demand(issuer, TAG.sequence)),
    thisUpdate: readTime(der, thisUpdate),
    nextUpdate: readTime(der, nextUpdate),
    entries,
    extensions: readExtensions(der, elementAt(der, extensions.start, extensions.end)),
  }
}

/** All but the time: it holds for these bytes and this authority for ever. */
function checkCrl(crl: Crl, der: Uint8Array): string | null {
  const authority = parseCertificate(der)
  if (nameKey(crl.issuer) !== authority.subjectKey) return 'the revocation list is of another authority'
  if (authority.keyUsage !== null && !authority.keyUsage.uses.has('cRLSign')) {
    return 'an authority of the chain may not sign revocation lists'
  }
  const algorithm = isSame(crl.algorithm, crl.innerAlgorithm) ? signatureAlgorithmOf(crl.algorithm) : null
  if (algorithm === null || !isSignedBy(authority, { bytes: crl.signed, signature: crl.signature, algorithm })) {
    return 'the revocation list is not signed by the authority that issued the certificate'
  }
  return checkExtensions(crl, authority)
}

function timeFault(crl: Crl, { now, skewSeconds }: Times): string | null {
  const current = crl.thisUpdate <= now + skewSeconds && now - skewSeconds <= crl.nextUpdate
  return current ? null : "a revocation list of the signer's chain is not current"
}

/** RFC 5280 §5.2: deltas and partial lists announce themselves by critical extensions, which we do not process. */
function checkExtensions(crl: Crl, authority: Certificate): string | null {
  const incomplete = "a revocation list of the signer's chain is not a complete one"
  for (const extension of crl.extensions.values()) if (extension.critical) return incomplete
  if (!crl.extensions.has(OID.crlNumber)) return incomplete
  const named = crl.extensions.get(OID.authorityKeyId)
  const keyId = named === undefined ? null : readAuthorityKeyId(named.value)
  if (keyId !== null && authority.subjectKeyId !== null && !isSame(keyId, authority.subjectKeyId)) {
    return 'the revocation list is of another authority'
  }
  return null
}

/** Walks to the end even after a hit: one entry we cannot judge leaves the whole list open. */
function lookUp(der: Uint8Array, entries: Element | null, serial: Uint8Array): Standing {
  let standing: Standing = { outcome: 'valid', detail: "no certificate of the signer's chain has been revoked" }
  if (entries === null) return standing
  for (let offset = entries.start; offset < entries.end; ) {
    const entry = demand(elementAt(der, offset, entries.end), TAG.sequence)
    const number = demand(elementAt(der, entry.start, entry.end), TAG.integer)
    const date = elementAt(der, number.end, entry.end)
    const reason = date.end === entry.end ? null : readReason(der, elementAt(der, date.end, entry.end))
    if (isAt(der, number, serial)) standing = standingOf(reason)
    offset = entry.end
  }
  return standing
}

/** A list of nothing but a reason, as nearly every entry of a long list has it; the reason itself follows. */
const REASON_ALONE = Uint8Array.of(0x30, 0x0c, 0x30, 0x0a, 0x06, 0x03, 0x55, 0x1d, 0x15, 0x04, 0x03, 0x0a, 0x01)

function readReason(der: Uint8Array, list: Element): number | null {
  const last = list.end - 1
  if (isAt(der, { start: list.header, end: last }, REASON_ALONE)) return der[last] ?? null
  const extensions = readExtensions(der, list)
  for (const [oid, extension] of extensions) {
    // RFC 5280 §5.3.3: an indirect list speaks of other issuers' certificates.
    if (extension.critical && oid !== REASON_CODE) throw new MalformedDer('unprocessed critical entry extension')
  }
  return extensions.get(REASON_CODE)?.value[2] ?? null
}

function standingOf(reason: number | null): Standing {
  return reason === CERTIFICATE_HOLD
    ? { outcome: 'suspended', detail: "a certificate of the signer's chain is on hold" }
    : { outcome: 'revoked', detail: "a certificate of the signer's chain has been revoked" }
}

function readExtensions(der: Uint8Array, list: Element): ReadonlyMap<string, Extension> {
  const found = new Map<string, Extension>()
  for (const entry of children(der, demand(list, TAG.sequence))) {
    const members = children(der, demand(entry, TAG.sequence))
    const flag = members.length === 3 ? demand(members[1], TAG.boolean) : null
    const value = content(der, demand(members.at(-1), TAG.octetString))
    found.set(readOid(der, demand(members[0], TAG.oid)), { critical: flag !== null && readBoolean(der, flag), value })
  }
  return found
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0
}

/** A list has hundreds of thousands of entries: compared where they are, without a view for each. */
function isAt(der: Uint8Array, { start, end }: Pick<Element, 'start' | 'end'>, expected: Uint8Array): boolean {
  if (end - start !== expected.length) return false
  for (let index = 0; index < expected.length; index++) if (der[start + index] !== expected[index]) return false
  return true
}
