// Reads a status list or identifier list in CWT form (Token Status List §5.2, ISO 18013-5 §12.3.6).

import { cborBudget, decodeCbor, isCborBytes, isCborMap, isCborTag, MalformedCbor } from '../cbor/cbor.ts'
import {
  COSE_SIGN1_TAG,
  type CoseMessage,
  certificateChain,
  coveredBytes,
  hasCertificates,
  readCose,
  signatureAlgorithm,
} from '../cbor/cose.ts'
import { type ListClaims, readListClaims } from './identifiers.ts'
import { boundedChain, signedOf, textOf, unpackStatuses } from './jwt-content.ts'
import type { TokenContent, UncheckedToken } from './list-types.ts'

const HEADER_TYPE = 16
const CLAIM = { sub: 2, exp: 4, iat: 6, statusList: 65533, ttl: 65534 } as const
const MEDIA = { status_list_cwt: 'statuslist+cwt', identifier_list_cwt: 'identifierlist+cwt' } as const

/** Throws MalformedCbor. */
export function readCwtList(bytes: Uint8Array, kind: keyof typeof MEDIA): UncheckedToken {
  const message = readToken(bytes)
  const { payload, protectedBytes, protectedHeader, seal } = message
  if (payload === null) throw new MalformedCbor('a list has no payload')
  const type = protectedHeader.get(HEADER_TYPE)
  const read = readListClaims(payload, kind === 'identifier_list_cwt')
  const { claims } = read
  const chain = chainOf(message)
  // If there are certificates, this thread verifies the signature. Otherwise it assembles the signed bytes, so that
  // they are copied only once.
  const parts = chain === null ? [inOwnBuffer(coveredBytes('Signature1', message, payload))] : [protectedBytes, payload]
  const time = (label: number) => numberOf(claims.get(label))
  return {
    kind,
    isTyped: type === `application/${MEDIA[kind]}` || type === MEDIA[kind],
    algorithm: signatureAlgorithm(message),
    chain,
    signed: signedOf(parts, seal),
    claims: { sub: textOf(claims.get(CLAIM.sub)), iat: time(CLAIM.iat), exp: time(CLAIM.exp), ttl: time(CLAIM.ttl) },
    entries: kind === 'identifier_list_cwt' ? readIdentifiers(read, payload) : readStatuses(claims),
  }
}

/** Copies the bytes, so that they can be transferred to another thread. */
const inOwnBuffer = (bytes: Uint8Array) => new Uint8Array(bytes)

function readIdentifiers({ identifiers }: ListClaims, payload: Uint8Array): TokenContent['entries'] {
  return identifiers === null ? null : { kind: 'identifiers', payload, ranges: identifiers }
}

function readStatuses(claims: ListClaims['claims']): TokenContent['entries'] {
  const list = claims.get(CLAIM.statusList)
  const compressed = isCborMap(list) ? list.get('lst') : undefined
  return isCborMap(list) && isCborBytes(compressed) ? unpackStatuses(list.get('bits'), compressed) : null
}

/** Token Status List §5.2: only a tagged COSE_Sign1. Refuses an untagged one, a MAC, and the CWT tag. */
function readToken(bytes: Uint8Array): CoseMessage {
  const budget = cborBudget()
  const token = decodeCbor(bytes, budget)
  if (!isCborTag(token) || token.tag !== COSE_SIGN1_TAG) throw new MalformedCbor('not a tagged COSE_Sign1')
  return readCose(token, COSE_SIGN1_TAG, budget)
}

function chainOf(message: CoseMessage): TokenContent['chain'] {
  const chain = certificateChain(message)
  if (chain === null) return hasCertificates(message) ? 'malformed' : null
  return boundedChain(chain)
}

function numberOf(value: unknown): number | null | undefined {
  return value === undefined || typeof value === 'number' ? value : null
}
