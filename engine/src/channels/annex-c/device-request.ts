// Builds the DeviceRequest of ISO 18013-5 (§10.2) and the payloads that the caller signs (§12.5.4).

import { type JwsAlgorithm, SIGNATURE_ALGORITHMS } from '../../algorithms.ts'
import { ascii, decodeBase64url } from '../../bytes.ts'
import { type Encodable, encodeCbor, mapOf } from '../../cbor/canonical.ts'
import { coveredBytes, LABEL } from '../../cbor/cose.ts'
import { encodeEmbedded } from '../../cbor/encode.ts'
import type { MdocQuery } from '../../formats/mdoc/query.ts'
import { flatMembers, ZK_SYSTEM } from '../../formats/mdoc-zk/circuits.ts'
import type { ClaimsPath, ClaimsQuery } from '../../openid4vp/credential-query.ts'
import type { IsoSet } from './iso-query.ts'

/** Signs a request. Wallets show its certificate to holders. */
export interface ReaderSigner {
  /** Leaf first, without the anchor. */
  readonly chain: readonly Uint8Array[]
  readonly algorithm: JwsAlgorithm
  /** Signs these bytes and returns r‖s. */
  readonly sign: (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>
}

/** The encoded questions. Signatures cover exactly these bytes. */
export interface EncodedQuestions {
  /** ItemsRequestBytes with tag 24, one per query. */
  readonly items: readonly Uint8Array[]
  /** DeviceRequestInfoBytes; null if there is no information to send. */
  readonly info: Uint8Array | null
}

/** `registration`: a compact JWS, which each document request contains (ETSI TS 119 472-2 §5.3). */
export function encodeQuestions(
  queries: readonly MdocQuery[],
  sets: readonly IsoSet[],
  registration?: string,
): EncodedQuestions {
  const indexOf = (id: string) => queries.findIndex((query) => query.id === id)
  const useCases = sets.map(({ options, required }) =>
    mapOf({ mandatory: required, documentSets: options.map((option) => option.map(indexOf)) }),
  )
  return {
    items: queries.map((query) => encodeEmbedded(encodeCbor(itemsRequest(query, registration)))),
    info: useCases.length === 0 ? null : encodeEmbedded(encodeCbor(mapOf({ useCases }))),
  }
}

/** §10.2.4. Asks for the first of alternative sets, which reveals least; `alternativeDataElements` names the other sets. */
function itemsRequest(query: MdocQuery, registration: string | undefined): Encodable {
  const nameSpaces = new Map<string, Map<string, boolean>>()
  for (const { path, intent_to_retain: retained } of claimsToAsk(query)) {
    const [nameSpace, element] = path
    if (typeof nameSpace !== 'string' || typeof element !== 'string')
      throw new Error('bug: a path does not name an element')
    const elements = nameSpaces.get(nameSpace) ?? new Map<string, boolean>()
    nameSpaces.set(nameSpace, elements.set(element, retained ?? false))
  }
  if (nameSpaces.size === 0) throw new Error('bug: a document request for no element')
  return mapOf({ docType: query.meta.doctype_value, nameSpaces, requestInfo: requestInfoOf(query, registration) })
}

function requestInfoOf(query: MdocQuery, registration: string | undefined): Encodable | undefined {
  const issuerIdentifiers = query.trusted_authorities?.flatMap(({ values }) => values).map(keyIdentifier)
  const zkRequest = zkRequestOf(query)
  const alternativeDataElements = alternativesOf(query)
  const euWrprc = registration === undefined ? undefined : ascii(registration)
  const info = { alternativeDataElements, issuerIdentifiers, euWrprc, zkRequest }
  return Object.values(info).every((member) => member === undefined) ? undefined : mapOf(info)
}

/**
 * §10.2.5, second edition: elements that a wallet may return in place of one element of the first set. This cannot
 * express a set that lacks two elements or only omits one. Sets with `values` are left out: a wallet would return a
 * false age, which proves nothing.
 */
function alternativesOf({ claims = [], claim_sets: sets }: MdocQuery): Encodable | undefined {
  const [first = [], ...others] = sets ?? []
  const claimOf = (id: string) => claims.find((claim) => claim.id === id)
  const found = new Map<string, Encodable[]>()
  for (const set of others) {
    const [replaced, second] = first.filter((id) => !set.includes(id))
    const instead = set.filter((id) => !first.includes(id)).flatMap((id) => claimOf(id) ?? [])
    if (replaced === undefined || second !== undefined || instead.length === 0) continue
    if (instead.some(({ values }) => values !== undefined)) continue
    found.set(replaced, [...(found.get(replaced) ?? []), instead.map(({ path }) => elementReference(path))])
  }
  if (found.size === 0) return undefined
  return [...found].map(([id, alternativeElementSets]) =>
    mapOf({ requestedElement: elementReference(claimOf(id)?.path ?? []), alternativeElementSets }),
  )
}

function elementReference([nameSpace, element]: ClaimsPath): Encodable {
  if (typeof nameSpace !== 'string' || typeof element !== 'string')
    throw new Error('bug: a path does not name an element')
  return [nameSpace, element]
}

/** §10.2.7: the wallet may answer with a proof or with the document. */
function zkRequestOf(query: MdocQuery): Encodable | undefined {
  const count = claimsToAsk(query).length
  const circuits = (query.circuits ?? []).filter(({ attributes }) => attributes === count)
  if (circuits.length === 0) return undefined
  // EU TS13 reads `circuitHash` as bytes; Google Wallet and Multipaz read the flat members. Each ignores the members of the other.
  const systemSpecs = circuits.map((circuit) => {
    const params = mapOf({ circuitHash: Buffer.from(circuit.hash, 'hex'), ...flatMembers(circuit) })
    return mapOf({ zkSystemId: circuit.id, system: ZK_SYSTEM, params })
  })
  return mapOf({ systemSpecs, zkRequired: false })
}

function claimsToAsk({ claims = [], claim_sets: sets }: MdocQuery): readonly ClaimsQuery[] {
  const [first] = sets ?? []
  return first === undefined ? claims : claims.filter(({ id }) => id !== undefined && first.includes(id))
}

function keyIdentifier(text: string): Uint8Array {
  const bytes = decodeBase64url(text)
  if (bytes === null) throw new Error('bug: a key identifier is not base64url')
  return bytes
}

/** ReaderAuthenticationBytes, the detached payload of `readerAuth`. */
export function readerAuthenticationBytes(transcript: Uint8Array, items: Uint8Array): Uint8Array {
  return encodeEmbedded(encodeCbor(['ReaderAuthentication', { encoded: transcript }, { encoded: items }]))
}

/** ReaderAuthenticationAllBytes, the detached payload of each signature in `readerAuthAll`. */
export function readerAuthenticationAllBytes(transcript: Uint8Array, { items, info }: EncodedQuestions): Uint8Array {
  const all = items.map((encoded) => ({ encoded }))
  const about = info === null ? null : { encoded: info }
  return encodeEmbedded(encodeCbor(['ReaderAuthenticationAll', { encoded: transcript }, all, about]))
}

/** Returns an untagged COSE_Sign1 with a detached payload and the signer's certificates. */
export async function signDetached(payload: Uint8Array, signer: ReaderSigner): Promise<Encodable> {
  const { coseIds, signatureBytes } = SIGNATURE_ALGORITHMS[signer.algorithm]
  const [leaf] = signer.chain
  if (leaf === undefined) throw new Error('bug: a reader without a certificate')
  const protectedBytes = encodeCbor(new Map([[LABEL.algorithm, coseIds[0]]]))
  const signature = await signer.sign(coveredBytes('Signature1', { protectedBytes }, payload))
  if (signature.length !== signatureBytes) throw new Error('bug: the signature has the wrong length')
  // RFC 9360 §2: one certificate is a byte string, several are an array.
  const certificates = signer.chain.length === 1 ? leaf : signer.chain
  return [protectedBytes, new Map([[LABEL.x5chain, certificates]]), null, signature]
}

export interface ReaderSignatures {
  /** In the order of the encoded items. */
  readonly each: readonly Encodable[]
  readonly all: readonly Encodable[]
}

/** Encodes the DeviceRequest, unsigned if there are no signers. §10.2.2: version 1.1 if it uses anything that 1.0 lacks. */
export function encodeDeviceRequest({ items, info }: EncodedQuestions, { each, all }: ReaderSignatures): Uint8Array {
  const docRequests = items.map((encoded, index) => mapOf({ itemsRequest: { encoded }, readerAuth: each[index] }))
  return encodeCbor(
    mapOf({
      version: info === null && all.length === 0 ? '1.0' : '1.1',
      docRequests,
      deviceRequestInfo: info === null ? undefined : { encoded: info },
      readerAuthAll: all.length === 0 ? undefined : all,
    }),
  )
}
