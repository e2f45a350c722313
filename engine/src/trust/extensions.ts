// Parses a certificate's extensions. If an extension that matters for paths is malformed, the certificate is invalid.
// Malformed alternative names and CRL distribution points count as absent, because real signers have them.

import { LIMITS } from '../limits.ts'
import {
  children,
  content,
  type Element,
  elementAt,
  MalformedDer,
  OversizedDer,
  readBoolean,
  readOid,
  readSmallInteger,
  requireTag,
  rootElement,
  TAG,
} from './der.ts'

export interface Extension {
  readonly critical: boolean
  /** The content of extnValue: the extension's own DER. */
  readonly value: Uint8Array
}

export interface Extensions {
  readonly extensions: ReadonlyMap<string, Extension>
  readonly basicConstraints: {
    readonly critical: boolean
    readonly ca: boolean
    readonly pathLength: number | null
  } | null
  readonly keyUsage: { readonly critical: boolean; readonly uses: ReadonlySet<KeyUse> } | null
  readonly extendedKeyUsage: { readonly critical: boolean; readonly purposes: readonly string[] } | null
  readonly subjectKeyId: Uint8Array | null
  readonly authorityKeyId: Uint8Array | null
  /** Addresses of full CRLs of the issuer; null if the extension is malformed, empty if it is absent. */
  readonly crlAddresses: readonly string[] | null
  /** null if the extension is absent or malformed. */
  readonly subjectAltNames: GeneralNames | null
  readonly issuerAltNames: GeneralNames | null
}

export const OID = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  issuerAltName: '2.5.29.18',
  basicConstraints: '2.5.29.19',
  crlNumber: '2.5.29.20',
  nameConstraints: '2.5.29.30',
  crlDistributionPoints: '2.5.29.31',
  certificatePolicies: '2.5.29.32',
  policyMappings: '2.5.29.33',
  authorityKeyId: '2.5.29.35',
  policyConstraints: '2.5.29.36',
  extendedKeyUsage: '2.5.29.37',
  freshestCrl: '2.5.29.46',
  inhibitAnyPolicy: '2.5.29.54',
} as const

const KEY_USES = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
] as const
export type KeyUse = (typeof KEY_USES)[number]

/** Throws MalformedDer if an extension that matters for paths is malformed. */
export function readKnownExtensions(extensions: ReadonlyMap<string, Extension>): Extensions {
  return {
    extensions,
    basicConstraints: read(extensions, OID.basicConstraints, readBasicConstraints),
    keyUsage: read(extensions, OID.keyUsage, readKeyUsage),
    extendedKeyUsage: read(extensions, OID.extendedKeyUsage, readExtendedKeyUsage),
    subjectKeyId: read(extensions, OID.subjectKeyId, readSubjectKeyId),
    authorityKeyId: read(extensions, OID.authorityKeyId, readAuthorityKeyId),
    crlAddresses: crlAddresses(extensions),
    subjectAltNames: alternativeNames(extensions, OID.subjectAltName),
    issuerAltNames: alternativeNames(extensions, OID.issuerAltName),
  }
}

interface GeneralNames {
  readonly dns: readonly string[]
  readonly uris: readonly string[]
  readonly emails: readonly string[]
}

function alternativeNames(extensions: ReadonlyMap<string, Extension>, oid: string): GeneralNames | null {
  return lenient(extensions, oid, (value) => readGeneralNames(value, rootElement(value, TAG.sequence)))
}

/** Omits points with `reasons` or another `cRLIssuer`, which are incomplete (ISO 18013-5 B.1.4 forbids them). */
function crlAddresses(extensions: ReadonlyMap<string, Extension>): readonly string[] | null {
  if (!extensions.has(OID.crlDistributionPoints)) return []
  return lenient(extensions, OID.crlDistributionPoints, readCrlAddresses)
}

function read<Value>(
  extensions: ReadonlyMap<string, Extension>,
  oid: string,
  reader: (value: Uint8Array, critical: boolean) => Value,
): Value | null {
  const extension = extensions.get(oid)
  return extension === undefined ? null : reader(extension.value, extension.critical)
}

function lenient<Value>(
  extensions: ReadonlyMap<string, Extension>,
  oid: string,
  reader: (value: Uint8Array) => Value,
): Value | null {
  try {
    return read(extensions, oid, reader)
  } catch (error) {
    if (error instanceof MalformedDer && !(error instanceof OversizedDer)) return null
    throw error
  }
}

function readBasicConstraints(value: Uint8Array, critical: boolean): NonNullable<Extensions['basicConstraints']> {
  const members = [...children(value, rootElement(value, TAG.sequence))]
  const flag = members[0]?.tag === TAG.boolean ? members.shift() : undefined
  const length = members.shift()
  if (members.length > 0) throw new MalformedDer('malformed basic constraints')
  const ca = flag !== undefined && readBoolean(value, flag)
  const pathLength = length === undefined ? null : readSmallInteger(value, requireTag(length, TAG.integer))
  if (!ca && pathLength !== null) throw new MalformedDer('path length without CA')
  return { critical, ca, pathLength }
}

function readKeyUsage(value: Uint8Array, critical: boolean): NonNullable<Extensions['keyUsage']> {
  const [unused, ...octets] = content(value, rootElement(value, TAG.bitString))
  if (unused === undefined || unused > 7 || octets.length === 0 || octets.length > 2) {
    throw new MalformedDer('malformed key usage')
  }
  const uses = KEY_USES.filter((_, bit) => ((octets[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0)
  return { critical, uses: new Set(uses) }
}

function readExtendedKeyUsage(value: Uint8Array, critical: boolean): NonNullable<Extensions['extendedKeyUsage']> {
  const purposes = children(value, rootElement(value, TAG.sequence)).map((member) =>
    readOid(value, requireTag(member, TAG.oid)),
  )
  if (purposes.length === 0) throw new MalformedDer('no key purpose')
  return { critical, purposes }
}

function readSubjectKeyId(value: Uint8Array): Uint8Array {
  return nonEmpty(content(value, rootElement(value, TAG.octetString)))
}

/** Ignores issuer and serial ([1], [2]), because name and signature decide which certificate is the issuer. */
export function readAuthorityKeyId(value: Uint8Array): Uint8Array | null {
  const keyId = children(value, rootElement(value, TAG.sequence)).find((member) => member.tag === 0x80)
  return keyId === undefined ? null : nonEmpty(content(value, keyId))
}

function nonEmpty(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0 || bytes.length > 64) throw new MalformedDer('malformed key identifier')
  return bytes
}

function readGeneralNames(value: Uint8Array, list: Element): GeneralNames {
  const names = { dns: [] as string[], uris: [] as string[], emails: [] as string[] }
  const kinds = { 129: names.emails, 130: names.dns, 134: names.uris } as Record<number, string[] | undefined>
  for (const member of children(value, list)) {
    if (member.tag < 0x80) throw new MalformedDer('not a general name')
    kinds[member.tag]?.push(readAscii(content(value, member)))
  }
  return names
}

function readCrlAddresses(value: Uint8Array): readonly string[] {
  const addresses: string[] = []
  for (const point of children(value, rootElement(value, TAG.sequence))) {
    const members = children(value, requireTag(point, TAG.sequence))
    const name = members[0]
    if (members.length !== 1 || name?.tag !== 0xa0) continue
    const fullName = elementAt(value, name.start, name.end)
    if (fullName.tag === 0xa0) addresses.push(...readGeneralNames(value, fullName).uris)
    if (addresses.length > LIMITS.derMembers) throw new OversizedDer('too many revocation lists')
  }
  return addresses
}

/** Reads an IA5String of visible characters, as in addresses and names. */
function readAscii(bytes: Uint8Array): string {
  if (bytes.length === 0 || bytes.length > 2048 || bytes.some((octet) => octet < 0x21 || octet > 0x7e)) {
    throw new MalformedDer('malformed name')
  }
  return Buffer.from(bytes).toString('latin1')
}
