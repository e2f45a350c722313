// Reads and verifies COSE_Sign1 and COSE_Mac0 (RFC 9052) with x5chain (RFC 9360).

import { hash } from 'node:crypto'
import { algorithmOfCoseId, type JwsAlgorithm } from '../algorithms.ts'
import { equalBytes } from '../bytes.ts'
import { type ImportedKey, type SignedBytes, type StatedKey, verifyWith, verifyWithStated } from '../jose.ts'
import { LIMITS } from '../limits.ts'
import {
  type CborBudget,
  type CborMap,
  type CborValue,
  decodeCbor,
  isCborArray,
  isCborBytes,
  isCborMap,
  isCborTag,
  MalformedCbor,
} from './cbor.ts'
import { encodeArray } from './encode.ts'

export interface CoseMessage {
  /** The received bytes, which the signature covers. */
  readonly protectedBytes: Uint8Array
  readonly protectedHeader: CborMap
  readonly unprotectedHeader: CborMap
  /** null if the payload is detached. */
  readonly payload: Uint8Array | null
  /** The signature of a COSE_Sign1, or the tag of a COSE_Mac0. */
  readonly seal: Uint8Array
}

export const COSE_SIGN1_TAG = 18
export const COSE_MAC0_TAG = 17

export const LABEL = { algorithm: 1, critical: 2, x5chain: 33, x5t: 34 } as const

/** Accepts the message with or without `tag`. Throws MalformedCbor. */
export function readCose(value: CborValue | undefined, tag: number, budget: CborBudget): CoseMessage {
  const message = isCborTag(value) && value.tag === tag ? value.value : value
  if (!isCborArray(message) || message.length !== 4) throw new MalformedCbor('a COSE message does not have four parts')
  const [protectedBytes, unprotectedHeader, payload, seal] = message
  if (!isCborBytes(protectedBytes) || !isCborMap(unprotectedHeader) || !isCborBytes(seal)) {
    throw new MalformedCbor('a COSE message has parts of the wrong kind')
  }
  if (payload !== null && !isCborBytes(payload)) throw new MalformedCbor('a COSE payload is neither bytes nor null')
  // RFC 9052 §3: an empty header is encoded as no bytes.
  const protectedHeader = protectedBytes.length === 0 ? new Map() : decodeCbor(protectedBytes, budget)
  if (!isCborMap(protectedHeader)) throw new MalformedCbor('a COSE header is not a map')
  // RFC 9052 §3.1: unsupported critical extensions must be refused. We support none.
  if (protectedHeader.has(LABEL.critical)) throw new MalformedCbor('a COSE header names critical extensions')
  return { protectedBytes, protectedHeader, unprotectedHeader, payload, seal }
}

/** Reads the algorithm from the protected header only. */
export function algorithmId(message: CoseMessage): number | null {
  const id = message.protectedHeader.get(LABEL.algorithm)
  return typeof id === 'number' ? id : null
}

export function signatureAlgorithm(message: CoseMessage): JwsAlgorithm | null {
  const id = algorithmId(message)
  return id === null ? null : algorithmOfCoseId(id)
}

/** Returns the bytes that a COSE_Sign1 or COSE_Mac0 covers, without external data (RFC 9052 §4.4, §6.3). */
export function coveredBytes(
  context: 'Signature1' | 'MAC0',
  message: Pick<CoseMessage, 'protectedBytes'>,
  payload: Uint8Array,
): Uint8Array {
  return encodeArray(context, { bytes: message.protectedBytes }, NO_EXTERNAL_DATA, { bytes: payload })
}

const NO_EXTERNAL_DATA = { bytes: new Uint8Array() }

/** Returns false if the message names another algorithm than that of the key. */
export function isSignedWith(message: CoseMessage, key: ImportedKey, payload: Uint8Array): boolean {
  return signatureAlgorithm(message) === key.algorithm && verifyWith(key, signedBytes(message, payload))
}

/** Like `isSignedWith` for a key that is not imported yet; null if the key is not a point of its curve. */
export function isSignedWithStated(message: CoseMessage, key: StatedKey, payload: Uint8Array): boolean | null {
  return signatureAlgorithm(message) === key.algorithm && verifyWithStated(key, signedBytes(message, payload))
}

function signedBytes(message: CoseMessage, payload: Uint8Array): SignedBytes {
  return { data: coveredBytes('Signature1', message, payload), signature: message.seal }
}

/**
 * Returns the certificates, signer first. null: there are none, the two headers disagree, or a signed thumbprint (x5t)
 * names another certificate. ISO 18013-5 §12.3.4: the unprotected header has them; in the second edition, either header
 * may.
 */
export function certificateChain(message: CoseMessage): readonly Uint8Array[] | null {
  const chains = [message.protectedHeader, message.unprotectedHeader]
    .filter((header) => header.has(LABEL.x5chain))
    .map((header) => readCertificates(header.get(LABEL.x5chain)))
  const [chain, other] = chains
  if (chain === undefined || chain === null || other === null) return null
  if (other !== undefined && !sameChain(chain, other)) return null
  return agreesWithThumbprint(chain, message.protectedHeader.get(LABEL.x5t)) ? chain : null
}

export function hasCertificates(message: CoseMessage): boolean {
  return message.protectedHeader.has(LABEL.x5chain) || message.unprotectedHeader.has(LABEL.x5chain)
}

/** Returns null if the value is malformed. */
export function readCertificates(value: CborValue | undefined): readonly Uint8Array[] | null {
  if (isCborBytes(value)) return [value]
  if (!isCborArray(value) || value.length === 0) return null
  return value.every(isCborBytes) ? value : null
}

function sameChain(left: readonly Uint8Array[], right: readonly Uint8Array[]): boolean {
  return left.length === right.length && left.every((der, index) => equalBytes(der, right[index] ?? new Uint8Array()))
}

const SHA_256 = -16

function agreesWithThumbprint(chain: readonly Uint8Array[], thumbprint: CborValue | undefined): boolean {
  if (thumbprint === undefined) return true
  const [signer] = chain
  if (!isCborArray(thumbprint) || thumbprint.length !== 2 || thumbprint[0] !== SHA_256 || signer === undefined)
    return false
  if (signer.length > LIMITS.certificateBytes) return false
  return isCborBytes(thumbprint[1]) && equalBytes(thumbprint[1], hash('sha256', signer, 'buffer'))
}
