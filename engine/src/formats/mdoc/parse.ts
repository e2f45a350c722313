// Parses a DeviceResponse (ISO 18013-5 §10.3). Checks structure and limits only; signed bytes stay as received.

import { decodeBase64url, isArrayIndex, isShowable } from '../../bytes.ts'
import {
  type CborBudget,
  type CborEmbedded,
  type CborMap,
  type CborValue,
  decodeCbor,
  isCborArray,
  isCborBytes,
  isCborEmbedded,
  isCborMap,
  MalformedCbor,
} from '../../cbor/cbor.ts'
import { COSE_MAC0_TAG, COSE_SIGN1_TAG, type CoseMessage, readCose } from '../../cbor/cose.ts'
import { LIMITS } from '../../limits.ts'
import type { Json } from '../../verdict.ts'
import { TYPE_LENGTH_MAX } from '../query-limits.ts'
import { requireVersion } from './device-response.ts'
import { type MobileSecurityObject, readMobileSecurityObject } from './mso.ts'
import { jsonOf } from './values.ts'

export interface Mdoc {
  readonly docType: string
  readonly issuerAuth: CoseMessage
  /** The issuer's object. Its signature is not verified yet. */
  readonly mso: MobileSecurityObject
  readonly items: readonly IssuerSignedItem[]
  readonly deviceNameSpaces: {
    /** DeviceNameSpacesBytes as received, including the tag. */
    readonly raw: Uint8Array
    readonly elements: readonly DeviceSignedElement[]
  }
  readonly deviceAuth: { readonly kind: 'signature' | 'mac'; readonly message: CoseMessage }
}

/** Elements that the device signed. They are statements of the holder. */
interface DeviceSignedElement {
  readonly nameSpace: string
  readonly element: string
  readonly value: CborValue
}

export interface IssuerSignedItem {
  readonly nameSpace: string
  /** IssuerSignedItemBytes as received, including the tag. The digest covers them. */
  readonly raw: Uint8Array
  readonly digestId: number
  readonly element: string
  readonly value: Json
}

/** ISO 18013-5 §12.3.4: at least 16 bytes. With fewer, withheld values could be guessed from their digests. */
const RANDOM_BYTES_MIN = 16

/** A DeviceResponse in base64url with one document, or a document from a response that is already read. */
export type PresentedMdoc = string | CborMap

/** Throws MalformedCbor. */
export function parseMdoc(presented: PresentedMdoc, budget: CborBudget): Mdoc {
  const document = typeof presented === 'string' ? documentIn(presented, budget) : presented
  const issuerSigned = requireMap(document.get('issuerSigned'), 'issuerSigned')
  const deviceSigned = requireMap(document.get('deviceSigned'), 'deviceSigned')
  const issuerAuth = readCose(issuerSigned.get('issuerAuth'), COSE_SIGN1_TAG, budget)
  const items = readItems(issuerSigned.get('nameSpaces'), budget)
  return {
    docType: requireText(document.get('docType'), 'docType', TYPE_LENGTH_MAX),
    issuerAuth,
    mso: readMobileSecurityObject(payloadOf(issuerAuth, budget)),
    items,
    deviceNameSpaces: readDeviceNameSpaces(deviceSigned.get('nameSpaces'), budget),
    deviceAuth: readDeviceAuth(deviceSigned.get('deviceAuth'), budget),
  }
}

function documentIn(presented: string, budget: CborBudget): CborMap {
  if (presented.length > LIMITS.presentedLength) throw new MalformedCbor('the mdoc is too large')
  const bytes = decodeBase64url(presented)
  if (bytes === null) throw new MalformedCbor('the mdoc is not base64url')
  return onlyDocument(requireMap(decodeCbor(bytes, budget), 'the device response'))
}

/** HAIP §5.3.1: each mdoc has its own response, so a response with two documents is refused. */
function onlyDocument(response: CborMap): CborMap {
  requireVersion(response)
  if (response.get('status') !== 0) throw new MalformedCbor('the device response does not have the status OK')
  const documents = response.get('documents')
  if (!isCborArray(documents) || documents.length !== 1) {
    throw new MalformedCbor('the device response does not contain exactly one document')
  }
  return requireMap(documents[0], 'the document')
}

/** The payload of issuerAuth is MobileSecurityObjectBytes: the object embedded in bytes. */
function payloadOf(issuerAuth: CoseMessage, budget: CborBudget): CborMap {
  if (issuerAuth.payload === null) throw new MalformedCbor('issuerAuth has no payload')
  const { embedded } = requireEmbedded(decodeCbor(issuerAuth.payload, budget), 'the mobile security object')
  return requireMap(decodeCbor(embedded, budget), 'the mobile security object')
}

function readItems(nameSpaces: CborValue | undefined, budget: CborBudget): readonly IssuerSignedItem[] {
  const items: IssuerSignedItem[] = []
  let indexNames = 0
  // ISO 18013-5 §10.3.3: absent if nothing was disclosed.
  if (nameSpaces === undefined) return items
  for (const [key, list] of requireMap(nameSpaces, 'issuer-signed name spaces')) {
    const nameSpace = requireText(key, 'a name space')
    if (!isCborArray(list) || list.length === 0) throw new MalformedCbor('a name space is not an array of items')
    const seen = new Set<string>()
    for (const entry of list) {
      const item = readItem(nameSpace, requireEmbedded(entry, 'an issuer-signed item'), budget)
      if (seen.has(item.element)) throw new MalformedCbor('an element appears twice')
      seen.add(item.element)
      if (isArrayIndex(item.element) || isArrayIndex(nameSpace)) indexNames += 1
      if (indexNames > LIMITS.indexNames) throw new MalformedCbor('too many elements have names that are array indices')
      items.push(item)
    }
  }
  return items
}

function readItem(nameSpace: string, { embedded, raw }: CborEmbedded, budget: CborBudget): IssuerSignedItem {
  const item = requireMap(decodeCbor(embedded, budget), 'an issuer-signed item')
  const digestId = item.get('digestID')
  const random = item.get('random')
  const value = item.get('elementValue')
  if (typeof digestId !== 'number' || digestId < 0) {
    throw new MalformedCbor('an issuer-signed item has no digest ID')
  }
  if (!isCborBytes(random) || random.length < RANDOM_BYTES_MIN) {
    throw new MalformedCbor('an issuer-signed item has no random of 16 bytes')
  }
  if (value === undefined) throw new MalformedCbor('an issuer-signed item has no value')
  const element = requireText(item.get('elementIdentifier'), 'an element identifier')
  return { nameSpace, raw, digestId, element, value: jsonOf(value) }
}

function readDeviceNameSpaces(value: CborValue | undefined, budget: CborBudget): Mdoc['deviceNameSpaces'] {
  const { embedded, raw } = requireEmbedded(value, 'device-signed name spaces')
  const elements: DeviceSignedElement[] = []
  for (const [key, entry] of requireMap(decodeCbor(embedded, budget), 'device-signed name spaces')) {
    const nameSpace = requireText(key, 'a name space')
    const items = requireMap(entry, 'a device-signed name space')
    if (items.size === 0) throw new MalformedCbor('a device-signed name space is empty')
    if (elements.length + items.size > LIMITS.deviceElements)
      throw new MalformedCbor('the device signed too many elements')
    for (const [name, value] of items)
      elements.push({ nameSpace, element: requireText(name, 'an element identifier'), value })
  }
  return { raw, elements }
}

/** Accepts exactly one of signature and MAC, because only one would be verified. */
function readDeviceAuth(value: CborValue | undefined, budget: CborBudget): Mdoc['deviceAuth'] {
  const deviceAuth = requireMap(value, 'deviceAuth')
  const signature = deviceAuth.get('deviceSignature')
  const mac = deviceAuth.get('deviceMac')
  if ((signature === undefined) === (mac === undefined)) {
    throw new MalformedCbor('deviceAuth does not contain exactly one of signature and MAC')
  }
  const kind = mac === undefined ? 'signature' : 'mac'
  const message = readCose(signature ?? mac, mac === undefined ? COSE_SIGN1_TAG : COSE_MAC0_TAG, budget)
  return { kind, message }
}

export function requireEmbedded(value: CborValue | undefined, what: string): CborEmbedded {
  if (!isCborEmbedded(value)) throw new MalformedCbor(`${what}: not embedded CBOR`)
  return value
}

export function requireMap(value: CborValue | undefined, what: string): CborMap {
  if (!isCborMap(value)) throw new MalformedCbor(`${what}: not a map`)
  return value
}

/** Reads a name. Refuses control characters, because people see it and results contain it. */
export function requireText(
  value: CborValue | undefined,
  what: string,
  lengthMax: number = LIMITS.mdocNameLength,
): string {
  if (typeof value !== 'string' || value === '' || value.length > lengthMax || !isShowable(value)) {
    throw new MalformedCbor(`${what}: not a text`)
  }
  return value
}
