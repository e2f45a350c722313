// Parses a ZkDocument (ISO 18013-5 §10.3.4): a statement and its proof. Checks structure and bounds only.

import { decodeBase64url } from '../../bytes.ts'
import { encodeCbor } from '../../cbor/canonical.ts'
import {
  type CborBudget,
  type CborMap,
  type CborValue,
  decodeCbor,
  isCborArray,
  isCborBytes,
  isCborTag,
  MalformedCbor,
} from '../../cbor/cbor.ts'
import { readCertificates } from '../../cbor/cose.ts'
import { writeHead } from '../../cbor/encode.ts'
import { LIMITS } from '../../limits.ts'
import type { Json } from '../../verdict.ts'
import { momentOf } from '../mdoc/dates.ts'
import { requireVersion } from '../mdoc/device-response.ts'
import { requireEmbedded, requireMap, requireText } from '../mdoc/parse.ts'
import { jsonOf } from '../mdoc/values.ts'
import { TYPE_LENGTH_MAX } from '../query-limits.ts'

export interface ZkDocument {
  readonly docType: string
  readonly systemId: string
  /** When the credential was valid according to the proof: as text and in unix seconds. */
  readonly timestamp: { readonly text: string; readonly at: number }
  readonly claims: readonly ZkClaim[]
  /** Leaf first; null if there is none. */
  readonly chain: readonly Uint8Array[] | null
  readonly proof: Uint8Array
}

interface ZkClaim {
  readonly nameSpace: string
  readonly element: string
  readonly value: Json
  /** Our own CBOR encoding of this value, because the proof must cover exactly the value that was read. */
  readonly encoded: Uint8Array
}

/** A DeviceResponse in base64url with exactly one proof, or a proof from a response that is already read. */
export type PresentedZk = string | CborMap

/** Throws MalformedCbor. */
export function parseZkDocument(presented: PresentedZk, budget: CborBudget): ZkDocument {
  const document = typeof presented === 'string' ? onlyProof(presented, budget) : presented
  const data = documentData(document, budget)
  const proof = document.get('proof')
  if (!isCborBytes(proof) || proof.length === 0) throw new MalformedCbor('the ZkDocument has no proof')
  if (proof.length > LIMITS.zkProofBytes) throw new MalformedCbor('a proof is too large')
  requireNothingSigned(data.get('deviceSigned'))
  const chain = data.get('msoX5chain')
  return {
    docType: requireText(data.get('docType'), 'docType', TYPE_LENGTH_MAX),
    systemId: requireText(data.get('zkSystemId'), 'zkSystemId'),
    timestamp: readTimestamp(data.get('timestamp')),
    claims: readClaims(data.get('issuerSigned')),
    chain: chain === undefined ? null : readCertificates(chain),
    proof,
  }
}

function documentData(document: CborMap, budget: CborBudget): CborMap {
  const { embedded } = requireEmbedded(document.get('documentData'), 'documentData')
  return requireMap(decodeCbor(embedded, budget), 'documentData')
}

function onlyProof(presented: string, budget: CborBudget): CborMap {
  if (presented.length > LIMITS.presentedLength) throw new MalformedCbor('the mdoc is too large')
  const bytes = decodeBase64url(presented)
  if (bytes === null) throw new MalformedCbor('the mdoc is not base64url')
  const response = requireMap(decodeCbor(bytes, budget), 'the device response')
  requireVersion(response)
  if (response.get('status') !== 0) throw new MalformedCbor('the device response does not have the status OK')
  const proofs = response.get('zkDocuments')
  if (!isCborArray(proofs) || proofs.length !== 1 || response.has('documents'))
    throw new MalformedCbor('the device response does not contain exactly one ZkDocument')
  return requireMap(proofs[0], 'the ZkDocument')
}

/** Refuses elements that the device signed, because the known circuits do not cover them. */
function requireNothingSigned(value: CborValue | undefined): void {
  if (value !== undefined && requireMap(value, 'deviceSigned').size > 0)
    throw new MalformedCbor('the ZkDocument has elements that its device signed')
}

const SECONDS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/
const TDATE = 0

/** Requires UTC with seconds: the proof compares this time with those of the credential as text. */
function readTimestamp(value: CborValue | undefined): ZkDocument['timestamp'] {
  const text = isCborTag(value) && value.tag === TDATE ? value.value : undefined
  const at = typeof text === 'string' && SECONDS.test(text) ? momentOf(text) : null
  if (typeof text !== 'string' || at === null) throw new MalformedCbor('the ZkDocument has no time')
  return { text, at }
}

function readClaims(value: CborValue | undefined): readonly ZkClaim[] {
  const claims: ZkClaim[] = []
  for (const [key, list] of requireMap(value, 'the name spaces of the ZkDocument')) {
    const nameSpace = requireText(key, 'a name space')
    if (!isCborArray(list) || list.length === 0) throw new MalformedCbor('a name space is not an array of items')
    if (claims.length + list.length > LIMITS.zkClaims) throw new MalformedCbor('the ZkDocument has too many elements')
    for (const entry of list) {
      const claim = readClaim(nameSpace, requireMap(entry, 'an element of the ZkDocument'))
      if (claims.some(({ nameSpace: space, element }) => space === nameSpace && element === claim.element))
        throw new MalformedCbor('an element appears twice')
      claims.push(claim)
    }
  }
  return claims
}

function readClaim(nameSpace: string, item: CborMap): ZkClaim {
  const value = item.get('elementValue')
  if (value === undefined) throw new MalformedCbor('an element of the ZkDocument has no value')
  const element = requireText(item.get('elementIdentifier'), 'an element identifier')
  // Before encoding, because this refuses all tags except dates.
  const json = jsonOf(value)
  const encoded = encodeValue(value)
  if (encoded.length > LIMITS.zkValueBytes)
    throw new MalformedCbor('an element of the ZkDocument has a value that is too long')
  return { nameSpace, element, value: json, encoded }
}

/** Encodes booleans, numbers, texts, bytes and dates. Proofs have no other types. */
function encodeValue(value: CborValue): Uint8Array {
  if (typeof value === 'boolean' || typeof value === 'string' || isCborBytes(value)) return encodeCbor(value)
  if (typeof value === 'number' && Math.abs(value) <= 0xffff_ffff) return encodeCbor(value)
  if (isCborTag(value) && typeof value.value === 'string') {
    const head = Buffer.alloc(5)
    const length = writeHead(head, 0, { major: 6, argument: value.tag })
    return Buffer.concat([head.subarray(0, length), encodeCbor(value.value)])
  }
  throw new MalformedCbor('an element of the ZkDocument has a value of an unsupported kind')
}
