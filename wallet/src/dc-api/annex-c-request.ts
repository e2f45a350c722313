// Checks an ISO 18013-7 Annex C request like a wallet that shows the verifier's name.

import { verify, X509Certificate } from 'node:crypto'
import type { Alternatives, CredentialQuery, DcqlQuery } from '../dcql.ts'
import { embedded, encodeCbor, Raw } from '../encoding/cbor.ts'
import type { PublicJwk } from '../keys.ts'
import { fromBase64url, toBase64url } from '../keys.ts'
import { OID } from '../pki.ts'
import { demand, RequestRefused } from '../refusal.ts'
import { checkCertificates } from '../request.ts'
import {
  bytesOf,
  type CborItem,
  type CborMembers,
  embeddedBytes,
  itemsOf,
  membersOf,
  readCbor,
  sentBytes,
  textOf,
} from './cbor-reader.ts'
import type { OfferExpectation } from './openid4vp-request.ts'
import { annexCTranscript } from './transcript.ts'

export interface AnnexCOffer {
  readonly encryptionInfo: string
  readonly recipient: PublicJwk
  /** The request as a DCQL query, so that the same code chooses credentials. No part of it is required. */
  readonly query: DcqlQuery
  /** The verifier's name in its certificate; null if the request is unsigned and the wallet accepts that. */
  readonly verifier: string | null
  readonly certificate: X509Certificate | null
  /** `euWrprc` of each document (TS 119 472-2 5.3); null if it has none. */
  readonly registrations: readonly (string | null)[]
}

const REQUEST = 'device_request_invalid'
const INFO = 'encryption_info_invalid'
const AUTH = 'reader_auth_invalid'

interface AnnexCExpectation extends OfferExpectation {
  /** Whether requests must be signed. Apple's and the EU's wallets require it; a simulator may not. */
  readonly readerAuth: 'required' | 'optional'
}

export function readAnnexCOffer(data: unknown, expected: AnnexCExpectation): AnnexCOffer {
  const { deviceRequest, encryptionInfo } = (data ?? {}) as { readonly [name: string]: unknown }
  demand(isBase64url(deviceRequest) && isBase64url(encryptionInfo), 'offer_invalid', 'two texts in unpadded base64url')
  const request = membersOf(readCbor(fromBase64url(deviceRequest), REQUEST), REQUEST)
  const version = textOf(request.get('version'), REQUEST)
  const isNew = request.has('deviceRequestInfo') || request.has('readerAuthAll')
  demand(version === (isNew ? '1.1' : '1.0'), REQUEST, 'ISO 18013-5 10.2.2: version')
  const docRequests = itemsOf(request.get('docRequests'), REQUEST).map((item) => membersOf(item, REQUEST))
  demand(docRequests.length > 0, REQUEST, 'docRequests')
  const itemsRequests = docRequests.map((docRequest) => docRequest.get('itemsRequest'))
  const transcript = annexCTranscript(encryptionInfo, expected.origin)
  const all = { items: itemsRequests.map(rawOf), info: request.get('deviceRequestInfo') ?? null }
  const signers = [
    ...docRequests.flatMap((docRequest, index) => {
      const signature = docRequest.get('readerAuth')
      return signature === undefined
        ? []
        : [checkReader(signature, readerAuth(transcript, rawOf(itemsRequests[index])), expected)]
    }),
    ...(request.has('readerAuthAll') ? itemsOf(request.get('readerAuthAll'), REQUEST) : []).map((signature) =>
      checkReader(signature, readerAuthAll(transcript, all), expected),
    ),
  ]
  const [verifier] = signers
  demand(
    verifier !== undefined || expected.readerAuth === 'optional',
    'reader_auth_missing',
    'the request is not signed',
  )
  return {
    encryptionInfo,
    recipient: readEncryptionInfo(encryptionInfo),
    query: queryOf(itemsRequests.map(itemsRequest)),
    verifier: verifier?.subject ?? null,
    certificate: verifier ?? null,
    registrations: itemsRequests.map(itemsRequest).map(registrationOf),
  }
}

function readEncryptionInfo(text: string): PublicJwk {
  const [kind, parts] = itemsOf(readCbor(fromBase64url(text), INFO), INFO)
  demand(kind === 'dcapi', INFO, 'ISO 18013-7 C.3')
  const info = membersOf(parts, INFO)
  demand(bytesOf(info.get('nonce'), INFO).length >= 16, INFO, 'a nonce of 16 bytes')
  const key = membersOf(info.get('recipientPublicKey'), INFO)
  const [x, y] = [bytesOf(key.get(-2), INFO), bytesOf(key.get(-3), INFO)]
  const isP256 = key.get(1) === 2 && key.get(-1) === 1 && x.length === 32 && y.length === 32
  demand(isP256 && !key.has(-4), INFO, 'a public key on P-256')
  return { kty: 'EC', crv: 'P-256', x: toBase64url(x), y: toBase64url(y) }
}

function itemsRequest(item: CborItem): CborMembers {
  return membersOf(readCbor(embeddedBytes(item, REQUEST), REQUEST), REQUEST)
}

/** `euWrprc` is a text, or the bytes of a text. */
function registrationOf(items: CborMembers): string | null {
  const requestInfo = items.get('requestInfo')
  const carried = requestInfo && membersOf(requestInfo, REQUEST).get('euWrprc')
  if (carried === undefined) return null
  return carried instanceof Uint8Array ? Buffer.from(carried).toString() : textOf(carried, REQUEST)
}

function queryOf(itemsRequests: readonly CborMembers[]): DcqlQuery {
  const credentials = itemsRequests.map((items, index) => credentialQuery(index, items))
  return { credentials, sets: credentials.map(({ id }) => ({ options: [[id]], required: false, purpose: null })) }
}

function credentialQuery(index: number, items: CborMembers): CredentialQuery {
  const claims = [...membersOf(items.get('nameSpaces'), REQUEST)].flatMap(([nameSpace, elements]) =>
    [...membersOf(elements, REQUEST)].map(([element, retain]) => {
      demand(typeof retain === 'boolean', REQUEST, 'intentToRetain')
      return { id: null, path: [String(nameSpace), String(element)], values: null }
    }),
  )
  demand(claims.length > 0, REQUEST, 'nameSpaces')
  const requestInfo = items.get('requestInfo')
  const issuers = requestInfo && membersOf(requestInfo, REQUEST).get('issuerIdentifiers')
  return {
    id: `document-${index}`,
    format: 'mso_mdoc',
    types: [textOf(items.get('docType'), REQUEST)],
    multiple: false,
    authorityKeyIds: issuers ? itemsOf(issuers, REQUEST).map((id) => toBase64url(bytesOf(id, REQUEST))) : null,
    claims,
    claimSets: null,
    alternatives: alternativesOf(requestInfo && membersOf(requestInfo, REQUEST).get('alternativeDataElements')),
  }
}

function alternativesOf(alternatives: CborItem): readonly Alternatives[] {
  const reference = (item: CborItem) => {
    const names = itemsOf(item, REQUEST).map((name) => textOf(name, REQUEST))
    demand(names.length === 2, REQUEST, 'a reference names a name space and an element')
    return names
  }
  return (alternatives === undefined ? [] : itemsOf(alternatives, REQUEST)).map((item) => {
    const members = membersOf(item, REQUEST)
    const sets = itemsOf(members.get('alternativeElementSets'), REQUEST)
    return {
      requested: reference(members.get('requestedElement')),
      sets: sets.map((set) => itemsOf(set, REQUEST).map(reference)),
    }
  })
}

function rawOf(item: CborItem): Raw {
  return new Raw(sentBytes(item, REQUEST))
}

function readerAuth(transcript: Uint8Array, items: Raw): Uint8Array {
  return encodeCbor(embedded(['ReaderAuthentication', new Raw(transcript), items]))
}

function readerAuthAll(
  transcript: Uint8Array,
  { items, info }: { readonly items: readonly Raw[]; readonly info: CborItem },
): Uint8Array {
  const about = info === null ? null : rawOf(info)
  return encodeCbor(embedded(['ReaderAuthenticationAll', new Raw(transcript), items, about]))
}

const HASHES: { readonly [algorithm: number]: string } = {
  [-7]: 'sha256',
  [-9]: 'sha256',
  [-35]: 'sha384',
  [-36]: 'sha512',
}

/** ISO 18013-5 12.5.4: a detached COSE_Sign1 by a reader's certificate. Returns the certificate's identity. */
function checkReader(signature: CborItem, payload: Uint8Array, expected: OfferExpectation): X509Certificate {
  const [header, unprotected, detached, seal] = itemsOf(signature, AUTH)
  const protectedBytes = bytesOf(header, AUTH)
  const algorithm = membersOf(readCbor(protectedBytes, AUTH), AUTH).get(1)
  const hash = typeof algorithm === 'number' ? HASHES[algorithm] : undefined
  demand(hash !== undefined && detached === null, AUTH, 'a detached signature by ECDSA')
  const leaf = readerCertificate(membersOf(unprotected, AUTH).get(33), expected)
  const toBeSigned = encodeCbor(['Signature1', protectedBytes, new Uint8Array(), payload])
  const key = { key: leaf.publicKey, dsaEncoding: 'ieee-p1363' } as const
  demand(verify(hash, toBeSigned, key, bytesOf(seal, AUTH)), AUTH, 'the reader did not sign this request for this page')
  return leaf
}

function readerCertificate(x5chain: CborItem, expected: OfferExpectation): X509Certificate {
  const chain = x5chain instanceof Uint8Array ? [x5chain] : itemsOf(x5chain, AUTH).map((der) => bytesOf(der, AUTH))
  const leaf = checkCertificates(chain.map(parseCertificate), expected)
  demand(
    leaf.keyUsage?.includes(OID.mdlReaderAuth) === true,
    'reader_certificate_invalid',
    'ISO 18013-5 B.1.7: key purpose',
  )
  return leaf
}

function parseCertificate(der: Uint8Array): X509Certificate {
  try {
    return new X509Certificate(der)
  } catch {
    throw new RequestRefused('reader_certificate_invalid', 'not a certificate')
  }
}

function isBase64url(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Za-z0-9_-]+$/.test(text)
}
