// Assembles mdocs (ISO/IEC 18013-5) for the issuer, the wallet and the mutations.

import { createHash, hkdfSync, randomBytes } from 'node:crypto'
import type { CborValue, Tagged } from './encoding/cbor.ts'
import { dateTime, embedded, encodeCbor, mapOf, Raw } from './encoding/cbor.ts'
import { algorithmHeader, coseKey, coseMac0, coseSign1, LABEL, x5chain } from './encoding/cose.ts'
import type { PrivateJwk, PublicJwk } from './keys.ts'
import { agree, sha256 } from './keys.ts'

export interface Item {
  readonly namespace: string
  readonly element: string
  readonly digestId: number
  /** IssuerSignedItemBytes: tag 24 around the encoded item, exactly what the digest covers. */
  readonly bytes: Uint8Array
}

export function mintItem(
  namespace: string,
  element: string,
  content: { readonly digestId: number; readonly value: CborValue },
): Item {
  const item = mapOf({
    digestID: content.digestId,
    random: new Uint8Array(randomBytes(32)),
    elementIdentifier: element,
    elementValue: content.value,
  })
  return { namespace, element, digestId: content.digestId, bytes: encodeCbor(embedded(item)) }
}

export function mintItems(
  namespace: string,
  values: { readonly [element: string]: CborValue },
  firstDigestId = 0,
): readonly Item[] {
  return Object.entries(values).map(([element, value], index) =>
    mintItem(namespace, element, { digestId: firstDigestId + index, value }),
  )
}

export interface SecurityObjectFields {
  readonly docType: string
  readonly items: readonly Item[]
  readonly deviceKey: PublicJwk
  /** Unix seconds. */
  readonly signed: number
  readonly validFrom: number
  readonly validUntil: number
  readonly status?: CborValue
  readonly keyAuthorizations?: CborValue
}

export function securityObject(fields: SecurityObjectFields): ReadonlyMap<CborValue, CborValue> {
  const deviceKeyInfo: { [member: string]: CborValue } = { deviceKey: coseKey(fields.deviceKey) }
  if (fields.keyAuthorizations !== undefined) deviceKeyInfo.keyAuthorizations = fields.keyAuthorizations
  return mapOf({
    version: '1.0',
    digestAlgorithm: 'SHA-256',
    valueDigests: valueDigests(fields.items),
    deviceKeyInfo: mapOf(deviceKeyInfo),
    docType: fields.docType,
    validityInfo: mapOf({
      signed: dateTime(fields.signed),
      validFrom: dateTime(fields.validFrom),
      validUntil: dateTime(fields.validUntil),
    }),
    ...(fields.status === undefined ? {} : { status: fields.status }),
  })
}

export function valueDigests(items: readonly Item[], algorithm = 'sha256'): ReadonlyMap<CborValue, CborValue> {
  const digests = new Map<CborValue, Map<CborValue, CborValue>>()
  for (const item of items) {
    const namespace = digests.get(item.namespace) ?? new Map<CborValue, CborValue>()
    namespace.set(item.digestId, new Uint8Array(createHash(algorithm).update(item.bytes).digest()))
    digests.set(item.namespace, namespace)
  }
  return digests
}

export function signSecurityObject(
  mso: CborValue,
  key: PrivateJwk,
  certificates: readonly Uint8Array[],
): readonly CborValue[] {
  return coseSign1({
    protectedHeader: algorithmHeader(key),
    unprotectedHeader: new Map([[LABEL.x5chain, x5chain(certificates)]]),
    payload: encodeCbor(embedded(mso)),
    key,
  })
}

export interface Handover {
  readonly clientId: string
  readonly nonce: string
  readonly responseUri: string
  /** Thumbprint of the verifier's encryption key; null if the response is not encrypted. */
  readonly thumbprint: Uint8Array | null
}

/** OpenID4VP 1.0 B.2.6.1. */
export function sessionTranscript(handover: Handover): Uint8Array {
  const info = encodeCbor([handover.clientId, handover.nonce, handover.thumbprint, handover.responseUri])
  return encodeCbor([null, null, ['OpenID4VPHandover', sha256(info)]])
}

export const NO_DEVICE_NAMESPACES: Tagged = embedded(new Map())

/** DeviceAuthenticationBytes, the detached payload of signature and MAC. */
export function deviceAuthentication(
  transcript: Uint8Array,
  docType: string,
  namespaces: CborValue = NO_DEVICE_NAMESPACES,
): Uint8Array {
  return encodeCbor(embedded(['DeviceAuthentication', new Raw(transcript), docType, namespaces]))
}

export function deviceSignature(authentication: Uint8Array, key: PrivateJwk): CborValue {
  const signature = coseSign1({ protectedHeader: algorithmHeader(key), payload: null, detached: authentication, key })
  return mapOf({ deviceSignature: signature })
}

/** ISO/IEC 18013-5 12.4.5 with the response-encryption key as the reader's. */
export function deviceMac(
  authentication: Uint8Array,
  key: PrivateJwk,
  reader: { readonly key: PublicJwk; readonly transcript: Uint8Array },
): CborValue {
  return mapOf({ deviceMac: coseMac0(macKey(key, reader.key, reader.transcript), authentication) })
}

export function macKey(own: PrivateJwk, reader: PublicJwk, transcript: Uint8Array): Uint8Array {
  const saltBytes = sha256(encodeCbor(embedded(new Raw(transcript))))
  return new Uint8Array(hkdfSync('sha256', agree(own, reader), saltBytes, 'EMacKey', 32))
}

interface DocumentFields {
  readonly docType: string
  readonly items: readonly Item[]
  readonly issuerAuth: CborValue
  readonly deviceAuth: CborValue
  readonly deviceNamespaces?: CborValue
}

export function mdocDocument(fields: DocumentFields): ReadonlyMap<CborValue, CborValue> {
  const issuerSigned: { [member: string]: CborValue } = {}
  if (fields.items.length > 0) issuerSigned.nameSpaces = issuerNamespaces(fields.items)
  return mapOf({
    docType: fields.docType,
    issuerSigned: mapOf({ ...issuerSigned, issuerAuth: fields.issuerAuth }),
    deviceSigned: mapOf({ nameSpaces: fields.deviceNamespaces ?? NO_DEVICE_NAMESPACES, deviceAuth: fields.deviceAuth }),
  })
}

function issuerNamespaces(items: readonly Item[]): ReadonlyMap<CborValue, CborValue> {
  const namespaces = new Map<CborValue, CborValue[]>()
  for (const item of items) {
    namespaces.set(item.namespace, [...(namespaces.get(item.namespace) ?? []), new Raw(item.bytes)])
  }
  return namespaces
}

export function deviceResponse(documents: readonly CborValue[]): ReadonlyMap<CborValue, CborValue> {
  return mapOf({ version: '1.0', documents, status: 0 })
}
