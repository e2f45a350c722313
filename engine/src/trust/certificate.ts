// Parses an X.509 certificate as far as path validation needs it. Other extensions stay raw bytes. Judges nothing.

import { hash, type KeyObject } from 'node:crypto'
import { algorithmOfKind, type CertificateSignature, type KeyKind } from '../algorithms.ts'
import type { ImportedKey } from '../jose.ts'
import { LIMITS } from '../limits.ts'
import { hexOf, importCertifiedKey, signatureAlgorithmOf } from './certified-key.ts'
import {
  children,
  content,
  type Element,
  encoded,
  MalformedDer,
  readBoolean,
  readInteger,
  readOctetBits,
  readOid,
  readTime,
  requireTag,
  rootElement,
  TAG,
} from './der.ts'
import { type Extension, type Extensions, readKnownExtensions } from './extensions.ts'
import { nameKey } from './name-key.ts'
import { type NameAttributes, nameAttributes } from './names.ts'

export class MalformedCertificate extends Error {}

export interface Certificate extends Extensions {
  readonly der: Uint8Array
  /** SHA-256 of `der`, base64url. */
  readonly fingerprint: string
  readonly signed: {
    readonly bytes: Uint8Array
    readonly signature: Uint8Array
    readonly algorithm: CertificateSignature
  }
  /** The content octets of the INTEGER. */
  readonly serial: Uint8Array
  /** `nameKey` of issuer and subject. Equal names have equal keys. */
  readonly issuerKey: string
  readonly subjectKey: string
  /** The DER of the Name. */
  readonly subject: Uint8Array
  /** The subject as texts; null if it is unreadable. */
  readonly subjectNames: NameAttributes | null
  /** Unix seconds, both inclusive. */
  readonly notBefore: number
  readonly notAfter: number
  readonly kind: KeyKind
  readonly publicKey: KeyObject
  /** The key, with the only algorithm that it signs data with; null for RSA, which signs certificates only. */
  readonly signatureKey: ImportedKey | null
}

export function parseCertificate(der: Uint8Array): Certificate {
  if (der.length > LIMITS.certificateBytes) throw new MalformedCertificate('the certificate is too large')
  try {
    // Copies the bytes: a cached certificate must not keep the whole message in memory, or change with it.
    return readCertificate(new Uint8Array(der))
  } catch (error) {
    if (error instanceof MalformedDer)
      throw new MalformedCertificate('the certificate is not valid DER', { cause: error })
    throw error
  }
}

/** For installing a certificate: returns the certificate, or why it is unreadable. */
export function certificateOrFault(der: Uint8Array): Certificate | string {
  try {
    return parseCertificate(der)
  } catch (error) {
    if (error instanceof MalformedCertificate) return error.message
    throw error
  }
}

/**
 * Returns the approximate memory of a parsed certificate in bytes. With many short parts it is many times the DER: each
 * extension is an object, each name a text.
 */
export function memoryOfCertificate(certificate: Certificate): number {
  const { der, extensions, subjectNames, subjectAltNames, issuerAltNames, crlAddresses, extendedKeyUsage } = certificate
  const names = [subjectNames, subjectAltNames, issuerAltNames].flatMap((kinds) => Object.values(kinds ?? {}))
  const texts = [...names, crlAddresses ?? [], extendedKeyUsage?.purposes ?? []]
  const count = texts.reduce((sum, { length }) => sum + length, 0)
  return MEMORY.certificate + MEMORY.derByte * der.length + MEMORY.extension * extensions.size + MEMORY.text * count
}

/** Measured, in bytes. */
const MEMORY = { certificate: 4_000, derByte: 2, extension: 150, text: 50 } as const

export function fingerprintOf(der: Uint8Array): string {
  return hash('sha256', der, 'base64url')
}

function readCertificate(der: Uint8Array): Certificate {
  const [tbs, outerAlgorithm, signatureBits, ...rest] = children(der, rootElement(der, TAG.sequence))
  if (rest.length > 0) throw new MalformedCertificate('unexpected members after the signature')
  const body = requireTag(tbs, TAG.sequence)
  const [version, serial, innerAlgorithm, issuer, validity, subject, spki, ...optional] = children(der, body)
  // RFC 5280 §4.1.2.1: extensions require version 3. Without extensions, nothing states what the key may sign.
  if (hexOf(encoded(der, requireTag(version, 0xa0))) !== 'a003020102') throw new MalformedCertificate('not version 3')
  const algorithm = encoded(der, requireTag(outerAlgorithm, TAG.sequence))
  // RFC 5280 §4.1.1.2: the algorithm inside the signed part must equal the one outside.
  if (hexOf(algorithm) !== hexOf(encoded(der, requireTag(innerAlgorithm, TAG.sequence)))) {
    throw new MalformedCertificate('two different signature algorithms')
  }
  const signatureAlgorithm = signatureAlgorithmOf(algorithm)
  if (signatureAlgorithm === null) throw new MalformedCertificate('the signature algorithm is not accepted')
  const key = readKey(der, requireTag(spki, TAG.sequence))
  const issuerName = readName(der, issuer, 'issuer')
  const subjectName = encoded(der, requireTag(subject, TAG.sequence))
  const [notBefore, notAfter, ...more] = children(der, requireTag(validity, TAG.sequence))
  if (notBefore === undefined || notAfter === undefined || more.length > 0)
    throw new MalformedCertificate('no validity')
  return {
    der,
    fingerprint: fingerprintOf(der),
    signed: {
      bytes: encoded(der, body),
      signature: readOctetBits(der, requireTag(signatureBits, TAG.bitString)),
      algorithm: signatureAlgorithm,
    },
    serial: readSerial(der, requireTag(serial, TAG.integer)),
    issuerKey: nameKey(issuerName),
    subjectKey: nameKey(subjectName),
    subject: subjectName,
    subjectNames: nameAttributes(subjectName),
    notBefore: readTime(der, notBefore),
    notAfter: readTime(der, notAfter),
    kind: key.kind,
    publicKey: key.publicKey,
    signatureKey: signatureKeyOf(key),
    ...readKnownExtensions(readExtensions(der, optional)),
  }
}

/**
 * RFC 5280 §4.1.2.2: a positive integer of at most 20 octets. Real document signers have longer ones; the serial number
 * is only searched for in the issuer's CRL.
 */
function readSerial(der: Uint8Array, element: Element): Uint8Array {
  const serial = readInteger(der, element)
  if (serial.length > LIMITS.serialBytes) throw new MalformedCertificate('the serial number is too long')
  return serial
}

/** RFC 5280 §4.1.2.4: the issuer's name is never empty. */
function readName(der: Uint8Array, element: Element | undefined, role: string): Uint8Array {
  const name = requireTag(element, TAG.sequence)
  if (name.start === name.end) throw new MalformedCertificate(`the ${role} is empty`)
  return encoded(der, name)
}

function readKey(der: Uint8Array, spki: Element): { kind: KeyKind; publicKey: KeyObject } {
  const [algorithm, bits, ...rest] = children(der, spki)
  if (rest.length > 0) throw new MalformedCertificate('malformed public key')
  readOctetBits(der, requireTag(bits, TAG.bitString))
  const key = importCertifiedKey(encoded(der, spki), encoded(der, requireTag(algorithm, TAG.sequence)))
  if (key === null) throw new MalformedCertificate('the public key is not of an accepted kind')
  return key
}

function signatureKeyOf({ kind, publicKey }: { kind: KeyKind; publicKey: KeyObject }): ImportedKey | null {
  const algorithm = algorithmOfKind(kind)
  return algorithm === null ? null : { key: publicKey, algorithm }
}

function readExtensions(der: Uint8Array, optional: readonly Element[]): ReadonlyMap<string, Extension> {
  const found = new Map<string, Extension>()
  for (const [index, element] of optional.entries()) {
    // Unique identifiers ([1], [2]) may come first. They are not used.
    if (element.tag !== 0xa3 || index !== optional.length - 1) {
      if (element.tag === 0x81 || element.tag === 0x82) continue
      throw new MalformedCertificate('unexpected member')
    }
    const [list, ...rest] = children(der, element)
    if (rest.length > 0) throw new MalformedCertificate('malformed extensions')
    for (const entry of children(der, requireTag(list, TAG.sequence))) {
      const [oid, extension] = readExtension(der, requireTag(entry, TAG.sequence))
      // RFC 5280 §4.2: no extension may occur twice.
      if (found.has(oid)) throw new MalformedCertificate('an extension appears twice')
      found.set(oid, extension)
    }
  }
  return found
}

function readExtension(der: Uint8Array, entry: Element): [string, Extension] {
  const members = children(der, entry)
  const value = requireTag(members.at(-1), TAG.octetString)
  const flag = members.length === 3 ? requireTag(members[1], TAG.boolean) : null
  if (members.length < 2 || members.length > 3) throw new MalformedCertificate('malformed extension')
  const critical = flag !== null && readBoolean(der, flag)
  return [readOid(der, requireTag(members[0], TAG.oid)), { critical, value: content(der, value) }]
}
