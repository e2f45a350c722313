// Mints valid and invalid X.509 certificates byte by byte: the tests' own issuer.

import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

export interface Minted {
  readonly der: Uint8Array
  readonly privateKey: KeyObject
  readonly subject: Uint8Array
}

export interface CertificatePlan {
  readonly subject?: Readonly<Record<string, string>>
  /** DER of a Name, instead of `subject`. */
  readonly subjectName?: Uint8Array
  readonly issuer?: Uint8Array
  readonly serial?: Uint8Array
  readonly notBefore?: string
  readonly notAfter?: string
  readonly extensions?: readonly Uint8Array[]
  readonly key?: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }
  readonly version?: Uint8Array
  readonly innerAlgorithm?: Uint8Array
  readonly spoilSignature?: boolean
}

export const oids = {
  CN: '550403',
  C: '550406',
  ST: '550408',
  L: '550407',
  O: '55040a',
  OU: '55040b',
  organizationIdentifier: '550461',
  serialNumber: '550405',
  ecdsaSha256: '2a8648ce3d040302',
  ed25519: '2b6570',
  rsaSha256: '2a864886f70d01010b',
  mdlSigner: '28818c5d050102',
  mdocSigner: '2881b534040102',
  readerAuth: '28818c5d050106',
  serverAuth: '2b06010505070301',
} as const

/** Self-signed without `by`. */
export function mintCertificate(plan: CertificatePlan = {}, by?: Minted): Minted {
  const key = plan.key ?? generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = plan.subjectName ?? name(plan.subject ?? { CN: 'Invented Authority', C: 'UT' })
  const privateKey = by?.privateKey ?? key.privateKey
  const algorithm = signatureAlgorithm(privateKey)
  const tbs = sequence(
    plan.version ?? bytes('a003020102'),
    tlv(0x02, plan.serial ?? bytes('4d2a')),
    plan.innerAlgorithm ?? algorithm,
    plan.issuer ?? by?.subject ?? subject,
    sequence(time(plan.notBefore ?? '20250101000000Z'), time(plan.notAfter ?? '20350101000000Z')),
    subject,
    createPublicKey(key.publicKey.export({ type: 'spki', format: 'pem' })).export({ type: 'spki', format: 'der' }),
    ...(plan.extensions === undefined ? [] : [tlv(0xa3, sequence(...plan.extensions))]),
  )
  const signature = sign(privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256', tbs, privateKey)
  if (plan.spoilSignature === true) signature[signature.length - 1] = (signature.at(-1) ?? 0) ^ 1
  const der = sequence(tbs, algorithm, tlv(0x03, bytes('00'), signature))
  return { der, privateKey: key.privateKey, subject }
}

function signatureAlgorithm({ asymmetricKeyType }: KeyObject): Uint8Array {
  if (asymmetricKeyType === 'rsa') return sequence(oid(oids.rsaSha256), bytes('0500'))
  return sequence(oid(asymmetricKeyType === 'ed25519' ? oids.ed25519 : oids.ecdsaSha256))
}

export const extension = {
  authority: (pathLength?: number) =>
    extensionOf('551d13', true, sequence(bytes('0101ff'), ...(pathLength === undefined ? [] : [integer(pathLength)]))),
  noAuthority: () => extensionOf('551d13', true, sequence()),
  keyUsage: (bits: string, critical = true) => extensionOf('551d0f', critical, tlv(0x03, bytes(bits))),
  purposes: (purposes: readonly string[], critical = true) =>
    extensionOf('551d25', critical, sequence(...purposes.map(oid))),
  subjectKeyId: (id: Uint8Array, critical = false) => extensionOf('551d0e', critical, tlv(0x04, id)),
  authorityKeyId: (id: Uint8Array) => extensionOf('551d23', false, sequence(tlv(0x80, id))),
  issuerAltName: (uri: string) => extensionOf('551d12', false, sequence(tlv(0x86, Buffer.from(uri)))),
  crlAt: (uri: string) =>
    extensionOf('551d1f', false, sequence(sequence(tlv(0xa0, tlv(0xa0, tlv(0x86, Buffer.from(uri))))))),
}

/** Bits of the key usages, as content of the BIT STRING. */
export const keyUsage = {
  digitalSignature: '0780',
  nonRepudiation: '0640',
  authority: '0106',
  keyAgreement: '0308',
  crlOnly: '0102',
} as const

export function extensionOf(oidHex: string, critical: boolean, value: Uint8Array): Uint8Array {
  return sequence(oid(oidHex), ...(critical ? [bytes('0101ff')] : []), tlv(0x04, value))
}

export function name(attributes: Readonly<Record<string, string>>): Uint8Array {
  const pairs = Object.entries(attributes).map(([key, value]) =>
    tlv(0x31, sequence(oid(oids[key as 'CN']), tlv(key === 'C' ? 0x13 : 0x0c, Buffer.from(value)))),
  )
  return sequence(...pairs)
}

export function sequence(...parts: readonly Uint8Array[]): Uint8Array {
  return tlv(0x30, ...parts)
}

export function tlv(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const body = Buffer.concat(parts)
  const length = body.length
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), body])
  const octets = bytes(length.toString(16).padStart(length > 0xff ? (length > 0xffff ? 6 : 4) : 2, '0'))
  return Buffer.concat([Buffer.from([tag, 0x80 | octets.length]), octets, body])
}

export function integer(value: number): Uint8Array {
  return tlv(0x02, Buffer.from([value]))
}

export function oid(hex: string): Uint8Array {
  return tlv(0x06, bytes(hex))
}

export function time(text: string): Uint8Array {
  return tlv(0x18, Buffer.from(text))
}

export function bytes(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex')
}
