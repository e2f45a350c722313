// Creates a private authority, certificates for each purpose, and signing requests (P-256, HAIP 1.0 §7).

import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { isIP } from 'node:net'
import { addressBytes } from '../../../platform/cidr.ts'
import type { SigningKey } from '../../../platform/keys/signing-key.ts'
import type { Random } from '../../../platform/world.ts'
import type { CertificatePurpose, GeneratedPurpose } from '../domain/certificate.ts'
import type { Subject } from '../domain/subject.ts'
import * as der from './der.ts'

export interface Period {
  readonly notBeforeMs: number
  readonly notAfterMs: number
}

export interface Signer {
  readonly certificate: Uint8Array
  readonly privateKey: KeyObject
}

export interface IssuedCertificate extends Signer {
  /** PKCS #8, DER: the form that is sealed and stored. */
  readonly privateKeyBytes: Uint8Array
}

export function newSigningKey(): { privateKey: KeyObject; privateKeyBytes: Uint8Array } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { privateKey, privateKeyBytes: new Uint8Array(privateKey.export({ format: 'der', type: 'pkcs8' })) }
}

export function issueAuthority(subject: Subject, period: Period, random: Random): IssuedCertificate {
  const signingKey = newSigningKey()
  const extensions = [
    extension(OID.basicConstraints, der.sequence(der.truth(), der.integer(Uint8Array.of(0))), 'critical'),
    // keyCertSign and cRLSign.
    extension(OID.keyUsage, der.bits(Uint8Array.of(0x06), 1), 'critical'),
    extension(OID.subjectKeyId, der.octets(keyIdOf(signingKey.privateKey))),
  ]
  const fields = { subject, issuer: subject, publicKey: signingKey.privateKey, period, extensions, random }
  return { ...signingKey, certificate: signCertificate(fields, signingKey.privateKey) }
}

/** `host` is the name or address in the service's base URL, which x509_san_dns names. */
export function issueLeaf(
  authority: Signer & { readonly subject: Subject },
  leaf: {
    readonly subject: Subject
    readonly host: string
    readonly purpose: GeneratedPurpose
    readonly period: Period
  },
  random: Random,
): IssuedCertificate {
  const signingKey = newSigningKey()
  const extensions = [
    extension(OID.basicConstraints, der.sequence(), 'critical'),
    SIGNS_DATA,
    ...(leaf.purpose === 'iso-reader' ? [READS_MDOCS] : []),
    extension(OID.subjectKeyId, der.octets(keyIdOf(signingKey.privateKey))),
    extension(OID.authorityKeyId, der.sequence(der.implicit(0, keyIdOf(authority.privateKey)))),
    extension(OID.subjectAltName, der.sequence(generalName(leaf.host))),
  ]
  const { subject, period } = leaf
  const fields = { subject, issuer: authority.subject, publicKey: signingKey.privateKey, period, extensions, random }
  return { ...signingKey, certificate: signCertificate(fields, authority.privateKey) }
}

/** RFC 2986. The purpose's requirements become requested extensions. The key is on P-256. */
export async function signingRequest(
  key: SigningKey,
  wanted: {
    readonly subject: Subject
    readonly host: string
    readonly purpose: CertificatePurpose
    /** URI of the merchant's service that the certificate is for; absent or null: none. */
    readonly serviceUri?: string | null
  },
): Promise<Uint8Array> {
  const { subject } = wanted
  const extensions = requestedExtensions(wanted)
  const request = der.sequence(der.oid(OID.extensionRequest), der.set(der.sequence(...extensions)))
  const attributes = der.explicit(0, ...(extensions.length === 0 ? [] : [request]))
  const info = der.sequence(der.integer(Uint8Array.of(0)), nameOf(subject), spkiOf(key.publicKey), attributes)
  return der.sequence(info, ECDSA_SHA256, der.bits(derOfRaw(await key.sign(info))))
}

/** RFC 3279 §2.2.3, from r‖s. */
const derOfRaw = (raw: Uint8Array): der.Der =>
  der.sequence(der.integer(raw.subarray(0, raw.length / 2)), der.integer(raw.subarray(raw.length / 2)))

/** Apple and Google choose the extensions themselves, so none are requested. */
function requestedExtensions({
  purpose,
  host,
  serviceUri = null,
}: Parameters<typeof signingRequest>[1]): readonly der.Der[] {
  if (purpose === 'openid4vp') {
    const service = serviceUri === null ? [] : [der.implicit(6, Buffer.from(serviceUri, 'latin1'))]
    return [extension(OID.subjectAltName, der.sequence(generalName(host), ...service))]
  }
  return purpose === 'iso-reader' ? [SIGNS_DATA, READS_MDOCS] : []
}

const OID = {
  commonName: '2.5.4.3',
  country: '2.5.4.6',
  locality: '2.5.4.7',
  state: '2.5.4.8',
  organization: '2.5.4.10',
  organizationalUnit: '2.5.4.11',
  organizationIdentifier: '2.5.4.97',
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  readerAuthentication: '1.0.18013.5.1.6',
  email: '1.2.840.113549.1.9.1',
  extensionRequest: '1.2.840.113549.1.9.14',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
} as const

const ECDSA_SHA256 = der.sequence(der.oid(OID.ecdsaWithSha256))
/** digitalSignature. */
const SIGNS_DATA = extension(OID.keyUsage, der.bits(Uint8Array.of(0x80), 7), 'critical')
/** ISO/IEC 18013-5 Annex B: mdoc reader authentication only. */
const READS_MDOCS = extension(OID.extendedKeyUsage, der.sequence(der.oid(OID.readerAuthentication)), 'critical')
const VERSION_3 = der.explicit(0, der.integer(Uint8Array.of(2)))

interface Fields {
  readonly subject: Subject
  readonly issuer: Subject
  readonly publicKey: KeyObject
  readonly period: Period
  readonly extensions: readonly der.Der[]
  readonly random: Random
}

function signCertificate(fields: Fields, signingKey: KeyObject): Uint8Array {
  const { notBeforeMs, notAfterMs } = fields.period
  const signed = der.sequence(
    VERSION_3,
    der.integer(serialFrom(fields.random)),
    ECDSA_SHA256,
    nameOf(fields.issuer),
    der.sequence(der.time(notBeforeMs), der.time(notAfterMs)),
    nameOf(fields.subject),
    spkiOf(fields.publicKey),
    der.explicit(3, der.sequence(...fields.extensions)),
  )
  return der.sequence(signed, ECDSA_SHA256, der.bits(sign('sha256', signed, signingKey)))
}

/** A serial number that is always positive and of full length. */
function serialFrom(random: Random): Uint8Array {
  const serial = random(16)
  serial[0] = 0x40 | ((serial[0] ?? 0) & 0x3f)
  return serial
}

function nameOf(subject: Subject): der.Der {
  const attribute = (type: string, value: string | undefined, encode: (text: string) => der.Der) =>
    value === undefined ? [] : [der.set(der.sequence(der.oid(type), encode(value)))]
  return der.sequence(
    ...attribute(OID.country, subject.country, der.printable),
    ...attribute(OID.state, subject.state, der.utf8),
    ...attribute(OID.locality, subject.locality, der.utf8),
    ...attribute(OID.organization, subject.organization, der.utf8),
    ...attribute(OID.organizationalUnit, subject.organizationalUnit, der.utf8),
    ...attribute(OID.organizationIdentifier, subject.organizationIdentifier, der.utf8),
    ...attribute(OID.commonName, subject.commonName, der.utf8),
    ...attribute(OID.email, subject.email, der.ia5),
  )
}

function extension(type: string, value: der.Der, critical?: 'critical'): der.Der {
  return der.sequence(der.oid(type), ...(critical === undefined ? [] : [der.truth()]), der.octets(value))
}

function generalName(host: string): der.Der {
  const address = isIP(host) === 0 ? null : addressBytes(host)
  return address === null ? der.implicit(2, Buffer.from(host, 'latin1')) : der.implicit(7, address)
}

function spkiOf(key: KeyObject): Uint8Array {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  return new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }))
}

/** RFC 5280 §4.2.1.2 (1): SHA-1 of the public key's bits, which are the last 65 bytes of a P-256 SPKI. */
function keyIdOf(key: KeyObject): Uint8Array {
  return new Uint8Array(createHash('sha1').update(spkiOf(key).subarray(-65)).digest())
}
