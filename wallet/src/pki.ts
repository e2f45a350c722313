// Creates certificates and CRLs of a private authority, valid and invalid, from lists of fields.

import { createHash, createPublicKey } from 'node:crypto'
import type { Der } from './encoding/der.ts'
import {
  bitString,
  boolean,
  explicit,
  implicit,
  integer,
  octetString,
  oid,
  printableString,
  sequence,
  set,
  time,
  utf8String,
} from './encoding/der.ts'
import type { PrivateJwk, PublicJwk } from './keys.ts'
import { publicJwk, signBytes } from './keys.ts'

export interface Name {
  readonly country?: string
  readonly state?: string
  readonly organization?: string
  /** EN 319 412-1: `VATDE-123456789`. */
  readonly organizationIdentifier?: string
  readonly commonName?: string
  /** Writes all attributes as PrintableString, like older authorities. */
  readonly printable?: true
}

export interface Extension {
  readonly oid: string
  readonly critical: boolean
  readonly value: Der
}

export interface CertificateFields {
  readonly subject: Name
  readonly subjectKey: PublicJwk
  readonly issuer: Name
  readonly signingKey: PrivateJwk
  /** Unix seconds. */
  readonly notBefore: number
  readonly notAfter: number
  readonly extensions: readonly Extension[]
  /** Default: derived from the subject's key. */
  readonly serial?: Uint8Array
}

/** A certificate with its private key, in a form for JSON. */
export interface Identity {
  readonly name: Name
  readonly key: PrivateJwk
  /** Standard base64 of the DER. */
  readonly certificate: string
}

export const OID = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  issuerAltName: '2.5.29.18',
  basicConstraints: '2.5.29.19',
  crlNumber: '2.5.29.20',
  deltaCrlIndicator: '2.5.29.27',
  issuingDistributionPoint: '2.5.29.28',
  nameConstraints: '2.5.29.30',
  crlDistributionPoints: '2.5.29.31',
  authorityKeyId: '2.5.29.35',
  extKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  mdlDocumentSigner: '1.0.18013.5.1.2',
  mdlReaderAuth: '1.0.18013.5.1.6',
  mdocDocumentSigner: '1.0.23220.4.1.2',
  unknown: '1.3.6.1.4.1.99999.1',
} as const

export function mintCertificate(fields: CertificateFields): Uint8Array {
  const algorithm = signatureAlgorithm(fields.signingKey)
  const toBeSigned = sequence(
    explicit(0, integer(2)),
    integer(serialOf(fields)),
    algorithm,
    encodeName(fields.issuer),
    sequence(time(fields.notBefore), time(fields.notAfter)),
    encodeName(fields.subject),
    subjectPublicKeyInfo(fields.subjectKey),
    ...(fields.extensions.length > 0 ? [explicit(3, sequence(...fields.extensions.map(encodeExtension)))] : []),
  )
  return sequence(toBeSigned, algorithm, bitString(signBytes(fields.signingKey, toBeSigned, 'der')))
}

export function serialOf(fields: Pick<CertificateFields, 'serial' | 'subjectKey'>): Uint8Array {
  if (fields.serial !== undefined) return fields.serial
  const serial = keyIdentifier(fields.subjectKey).slice(0, 16)
  serial[0] = 0x40 | ((serial[0] ?? 0) & 0x3f)
  return serial
}

export interface CrlFields {
  readonly issuer: Name
  readonly signingKey: PrivateJwk
  readonly thisUpdate: number
  readonly nextUpdate: number
  readonly revoked: readonly { readonly serial: Uint8Array; readonly at: number }[]
  readonly extensions?: readonly Extension[]
}

/** A v2 CRL (RFC 5280 5.1) with the authority key identifier and a number. */
export function mintCrl(fields: CrlFields): Uint8Array {
  const algorithm = signatureAlgorithm(fields.signingKey)
  const entries = fields.revoked.map((entry) => sequence(integer(entry.serial), time(entry.at)))
  const extensions = fields.extensions ?? [
    authorityKeyId(fields.signingKey),
    { oid: OID.crlNumber, critical: false, value: integer(1) },
  ]
  const toBeSigned = sequence(
    integer(1),
    algorithm,
    encodeName(fields.issuer),
    time(fields.thisUpdate),
    time(fields.nextUpdate),
    ...(entries.length > 0 ? [sequence(...entries)] : []),
    explicit(0, sequence(...extensions.map(encodeExtension))),
  )
  return sequence(toBeSigned, algorithm, bitString(signBytes(fields.signingKey, toBeSigned, 'der')))
}

function signatureAlgorithm(key: PublicJwk): Der {
  const oids = {
    'P-256': '1.2.840.10045.4.3.2',
    'P-384': '1.2.840.10045.4.3.3',
    'P-521': '1.2.840.10045.4.3.4',
    Ed25519: '1.3.101.112',
  }
  return sequence(oid(oids[key.crv]))
}

function encodeName(name: Name): Der {
  const text = name.printable === true ? printableString : utf8String
  const attributes: Der[] = []
  // X.520 requires the country as a PrintableString of two letters; the rest is UTF-8.
  if (name.country !== undefined) attributes.push(set(sequence(oid('2.5.4.6'), printableString(name.country))))
  if (name.state !== undefined) attributes.push(set(sequence(oid('2.5.4.8'), text(name.state))))
  if (name.organization !== undefined) attributes.push(set(sequence(oid('2.5.4.10'), text(name.organization))))
  if (name.organizationIdentifier !== undefined)
    attributes.push(set(sequence(oid('2.5.4.97'), text(name.organizationIdentifier))))
  if (name.commonName !== undefined) attributes.push(set(sequence(oid('2.5.4.3'), text(name.commonName))))
  return sequence(...attributes)
}

function encodeExtension(extension: Extension): Der {
  return sequence(oid(extension.oid), ...(extension.critical ? [boolean(true)] : []), octetString(extension.value))
}

function subjectPublicKeyInfo(key: PublicJwk): Der {
  const publicKey = createPublicKey({ key: { ...publicJwk(key) }, format: 'jwk' })
  return new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }))
}

/** RFC 5280 4.2.1.2 method 1: SHA-1 of the subjectPublicKey bits. */
export function keyIdentifier(key: PublicJwk): Uint8Array {
  const parts = [Buffer.from(key.x, 'base64url'), ...(key.y === undefined ? [] : [Buffer.from(key.y, 'base64url')])]
  const point = key.kty === 'EC' ? Buffer.concat([Uint8Array.of(4), ...parts]) : Buffer.concat(parts)
  return new Uint8Array(createHash('sha1').update(point).digest())
}

export function basicConstraints(ca: boolean, pathLength?: number): Extension {
  const members = [...(ca ? [boolean(true)] : []), ...(pathLength === undefined ? [] : [integer(pathLength)])]
  return { oid: OID.basicConstraints, critical: true, value: sequence(...members) }
}

const KEY_USAGE_BITS = {
  digitalSignature: 0,
  nonRepudiation: 1,
  keyEncipherment: 2,
  keyCertSign: 5,
  crlSign: 6,
} as const
export type KeyUsage = keyof typeof KEY_USAGE_BITS

export function keyUsage(...usages: readonly KeyUsage[]): Extension {
  const bits: number[] = usages.map((usage) => KEY_USAGE_BITS[usage])
  const value = bits.reduce((byte, bit) => byte | (0x80 >> bit), 0)
  return { oid: OID.keyUsage, critical: true, value: bitString(Uint8Array.of(value), 7 - Math.max(0, ...bits)) }
}

export function extKeyUsage(purposes: readonly string[], critical = true): Extension {
  return { oid: OID.extKeyUsage, critical, value: sequence(...purposes.map(oid)) }
}

export function subjectKeyId(key: PublicJwk): Extension {
  return { oid: OID.subjectKeyId, critical: false, value: octetString(keyIdentifier(key)) }
}

export function authorityKeyId(key: PublicJwk): Extension {
  return { oid: OID.authorityKeyId, critical: false, value: sequence(implicit(0, keyIdentifier(key))) }
}

export function subjectAltName(names: {
  readonly dns?: readonly string[]
  readonly uri?: readonly string[]
}): Extension {
  const general = [...generalNames(2, names.dns), ...generalNames(6, names.uri)]
  return { oid: OID.subjectAltName, critical: false, value: sequence(...general) }
}

export function issuerAltName(uri: string): Extension {
  return { oid: OID.issuerAltName, critical: false, value: sequence(...generalNames(6, [uri])) }
}

export function crlDistributionPoint(uri: string): Extension {
  const point = sequence(explicit(0, explicit(0, ...generalNames(6, [uri]))))
  return { oid: OID.crlDistributionPoints, critical: false, value: sequence(point) }
}

export function permittedDnsNames(...names: readonly string[]): Extension {
  const subtrees = generalNames(2, names).map((name) => sequence(name))
  return { oid: OID.nameConstraints, critical: true, value: sequence(explicit(0, ...subtrees)) }
}

function generalNames(tag: number, names: readonly string[] = []): Der[] {
  return names.map((name) => implicit(tag, Buffer.from(name, 'latin1')))
}

/** The list with the extension of that kind replaced, or removed if there is no replacement. */
export function changeExtension(
  list: readonly Extension[],
  kind: string,
  replacement?: Extension,
): readonly Extension[] {
  const rest = list.filter((extension) => extension.oid !== kind)
  return replacement === undefined ? rest : [...rest, replacement]
}

export function certificateBytes(identity: Pick<Identity, 'certificate'>): Uint8Array {
  return new Uint8Array(Buffer.from(identity.certificate, 'base64'))
}

export function toPem(der: Uint8Array, label = 'CERTIFICATE'): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

export function fromPem(pem: string): Uint8Array {
  const body = /-----BEGIN [A-Z0-9 ]+-----([A-Za-z0-9+/=\s]+)-----END [A-Z0-9 ]+-----/.exec(pem)?.[1]
  if (body === undefined) throw new Error('no PEM block found')
  return new Uint8Array(Buffer.from(body, 'base64'))
}
