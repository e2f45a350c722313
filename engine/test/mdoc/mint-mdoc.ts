// Mints valid and invalid mdocs byte by byte: the tests' own issuer and wallet, with its own CBOR writer.

import { createHash, createHmac, diffieHellman, generateKeyPairSync, hkdfSync, type KeyObject, sign } from 'node:crypto'
import type { Trust } from '../../src/expected.ts'
import type { Expected } from '../../src/expected-answer.ts'
import type { MdocQuery } from '../../src/formats/mdoc/query.ts'
import type { Anchor } from '../../src/trust/anchor.ts'
import { createChainCache } from '../../src/trust/cache.ts'
import type { Minted } from '../trust/mint-certificate.ts'
import { mintDocumentSigner, mintIaca, NOW } from '../trust/mint-pki.ts'

export { NOW }
export const MDL = 'org.iso.18013.5.1.mDL'
export const MDL_SPACE = 'org.iso.18013.5.1'

export class Tagged {
  readonly tag: number
  readonly value: unknown
  constructor(tag: number, value: unknown) {
    this.tag = tag
    this.value = value
  }
}

/** Bytes that are CBOR already. */
export class Raw {
  readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

export function cbor(value: unknown): Buffer {
  if (value instanceof Raw) return Buffer.from(value.bytes)
  if (value instanceof Tagged) return Buffer.concat([head(6, value.tag), cbor(value.value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'number') return numberCbor(value)
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)])
  if (value === null || typeof value === 'boolean') return Buffer.of(value === null ? 0xf6 : value ? 0xf5 : 0xf4)
  const entries = value instanceof Map ? [...value] : Object.entries(value as object)
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(([key, item]) => [cbor(key), cbor(item)])])
}

function numberCbor(value: number): Buffer {
  if (Number.isInteger(value)) return value >= 0 ? head(0, value) : head(1, -1 - value)
  const bytes = Buffer.alloc(9, 0xfb)
  bytes.writeDoubleBE(value, 1)
  return bytes
}

export function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.of((major << 5) | argument)
  if (argument < 256) return Buffer.of((major << 5) | 24, argument)
  const bytes = Buffer.alloc(argument < 65536 ? 3 : 5, (major << 5) | (argument < 65536 ? 25 : 26))
  if (argument < 65536) bytes.writeUInt16BE(argument, 1)
  else bytes.writeUInt32BE(argument, 1)
  return bytes
}

export const embedded = (value: unknown): Tagged => new Tagged(24, cbor(value))
export const date = (seconds: number): Tagged =>
  new Tagged(0, `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`)

export interface KeyPair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

export const p256 = (): KeyPair => generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** The issuer of these tests, the holder's key and our own request. */
export const iaca = mintIaca()
export const signer = mintDocumentSigner(iaca)
export const deviceKey = p256()
export const encryptionKey = p256()

export const channel = {
  kind: 'redirect',
  clientId: 'x509_hash:invented',
  responseUri: 'https://verifier.example/wallet/response/1',
} as const

export const expected: Expected = {
  query: { credentials: [] },
  channel,
  nonce: 'nonce-of-this-request',
  encryption: { privateKey: encryptionKey.privateKey, thumbprint: Buffer.alloc(32, 9) },
  requestedAt: NOW - 60,
  now: NOW,
  skewSeconds: 60,
}

export const query: MdocQuery = { id: 'licence', format: 'mso_mdoc', meta: { doctype_value: MDL } }

export const anchor: Anchor = { kind: 'ca', certificate: iaca.der, types: [`mso_mdoc:${MDL}`], profile: 'iso-mdl' }

export const trust: Trust = {
  anchors: [anchor],
  statusPolicy: 'require',
  fetchStatus: async () => ({ outcome: 'unavailable', reason: 'nothing is fetched here' }),
  cache: createChainCache(100),
  haip: true,
}

export interface MdocPlan {
  readonly docType?: string
  readonly elements?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Changes the item bytes after their digest was computed. */
  readonly item?: (bytes: Buffer, element: string) => Uint8Array
  /** Changes the members of an item before it is digested. */
  readonly itemMembers?: (members: Record<string, unknown>) => Record<string, unknown>
  /** Encodes an item as IssuerSignedItemBytes in another way, before it is digested. */
  readonly itemBytes?: (item: Buffer) => Uint8Array
  readonly mso?: (members: Record<string, unknown>) => Record<string, unknown>
  readonly signer?: Minted
  readonly issuerAuth?: (parts: { protectedHeader: Map<number, unknown>; unprotected: Map<number, unknown> }) => void
  readonly issuerAuthParts?: (parts: unknown[]) => unknown
  readonly transcript?: Partial<Record<'clientId' | 'nonce' | 'responseUri', string>> & {
    thumbprint?: Uint8Array | null
  }
  readonly transcriptBytes?: Uint8Array
  readonly device?: KeyPair
  readonly deviceNameSpaces?: unknown
  readonly deviceAuth?: (authentication: Buffer, transcript: Buffer) => unknown
  readonly document?: (members: Record<string, unknown>) => Record<string, unknown>
  readonly response?: (members: Record<string, unknown>) => unknown
}

export const ELEMENTS = {
  [MDL_SPACE]: {
    family_name: 'Mustermann',
    given_name: 'Erika',
    birth_date: new Tagged(1004, '1990-01-02'),
    issuing_country: 'UT',
    age_over_18: true,
    portrait: Buffer.alloc(40, 0xff),
  },
}

/** Returns a DeviceResponse in base64url; without a plan, one that must be accepted. */
export function mintMdoc(plan: MdocPlan = {}): string {
  const docType = plan.docType ?? MDL
  const { nameSpaces, valueDigests } = mintItems(plan)
  const mso = (plan.mso ?? same)({
    version: '1.0',
    digestAlgorithm: 'SHA-256',
    valueDigests,
    deviceKeyInfo: { deviceKey: coseKey(deviceKey.publicKey) },
    docType: MDL,
    validityInfo: { signed: date(NOW - 3600), validFrom: date(NOW - 3600), validUntil: date(NOW + 86_400) },
  })
  const deviceNameSpaces = plan.deviceNameSpaces ?? embedded({})
  const transcript = Buffer.from(plan.transcriptBytes ?? transcriptOf(plan.transcript ?? {}))
  const authentication = cbor(embedded(['DeviceAuthentication', new Raw(transcript), docType, deviceNameSpaces]))
  const deviceAuth = plan.deviceAuth?.(authentication, transcript) ?? {
    deviceSignature: signCose(authentication, plan.device?.privateKey ?? deviceKey.privateKey),
  }
  const document = (plan.document ?? same)({
    docType,
    issuerSigned: { nameSpaces, issuerAuth: mintIssuerAuth(cbor(embedded(mso)), plan) },
    deviceSigned: { nameSpaces: deviceNameSpaces, deviceAuth },
  })
  const response = (plan.response ?? same)({ version: '1.0', documents: [document], status: 0 })
  return cbor(response).toString('base64url')
}

function mintItems(plan: MdocPlan) {
  const valueDigests: Record<string, Map<number, Buffer>> = {}
  const nameSpaces: Record<string, Raw[]> = {}
  let digestID = 7
  for (const [space, elements] of Object.entries(plan.elements ?? ELEMENTS)) {
    const digests = new Map<number, Buffer>()
    nameSpaces[space] = Object.entries(elements).map(([elementIdentifier, elementValue]) => {
      digestID += 3
      const members = { digestID, random: Buffer.alloc(24, digestID), elementIdentifier, elementValue }
      const encoded = cbor((plan.itemMembers ?? same)(members))
      const bytes = Buffer.from(plan.itemBytes?.(encoded) ?? cbor(new Tagged(24, encoded)))
      digests.set(digestID, createHash('sha256').update(bytes).digest())
      return new Raw(plan.item?.(bytes, elementIdentifier) ?? bytes)
    })
    valueDigests[space] = digests
  }
  return { nameSpaces, valueDigests }
}

function mintIssuerAuth(payload: Buffer, plan: MdocPlan): unknown {
  const by = plan.signer ?? signer
  const headers = {
    protectedHeader: new Map<number, unknown>([[1, -7]]),
    unprotected: new Map<number, unknown>([[33, by.der]]),
  }
  plan.issuerAuth?.(headers)
  const protectedBytes = cbor(headers.protectedHeader)
  const signature = sign('sha256', cbor(['Signature1', protectedBytes, Buffer.alloc(0), payload]), p1363(by.privateKey))
  const parts = [protectedBytes, headers.unprotected, payload, signature]
  return plan.issuerAuthParts?.(parts) ?? parts
}

export function signCose(
  payload: Uint8Array,
  key: KeyObject,
  algorithm = -7,
  hash: string | null = 'sha256',
): unknown[] {
  const protectedBytes = cbor(new Map([[1, algorithm]]))
  const covered = cbor(['Signature1', protectedBytes, Buffer.alloc(0), payload])
  return [protectedBytes, {}, null, sign(hash, covered, p1363(key))]
}

export function macCose(
  authentication: Buffer,
  transcript: Buffer,
  keys: { device: KeyPair; reader: KeyPair },
): unknown[] {
  const protectedBytes = cbor(new Map([[1, 5]]))
  const secret = diffieHellman({ privateKey: keys.device.privateKey, publicKey: keys.reader.publicKey })
  const salt = createHash('sha256')
    .update(cbor(new Tagged(24, transcript)))
    .digest()
  const key = Buffer.from(hkdfSync('sha256', secret, salt, 'EMacKey', 32))
  const covered = cbor(['MAC0', protectedBytes, Buffer.alloc(0), authentication])
  return [protectedBytes, {}, null, createHmac('sha256', key).update(covered).digest()]
}

export function transcriptOf(changes: NonNullable<MdocPlan['transcript']>): Buffer {
  const { clientId, nonce, responseUri } = { ...channel, nonce: expected.nonce, ...changes }
  const thumbprint = changes.thumbprint === undefined ? expected.encryption?.thumbprint : changes.thumbprint
  const info = cbor([clientId, nonce, thumbprint, responseUri])
  return cbor([null, null, ['OpenID4VPHandover', createHash('sha256').update(info).digest()]])
}

export function coseKey(key: KeyObject): Map<number, unknown> {
  const { kty, crv, x = '', y } = key.export({ format: 'jwk' })
  const curve = { 'P-256': 1, 'P-384': 2, 'P-521': 3, Ed25519: 6 }[crv ?? '']
  const map = new Map<number, unknown>([
    [1, kty === 'EC' ? 2 : 1],
    [-1, curve],
    [-2, Buffer.from(x, 'base64url')],
  ])
  return y === undefined ? map : map.set(-3, Buffer.from(y, 'base64url'))
}

function p1363(key: KeyObject): { key: KeyObject; dsaEncoding: 'ieee-p1363' } {
  return { key, dsaEncoding: 'ieee-p1363' }
}

function same<Value>(value: Value): Value {
  return value
}
