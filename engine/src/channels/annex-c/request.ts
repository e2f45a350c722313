// Builds `data` of `org-iso-mdoc` (ISO 18013-7 Annex C): the device request and the key for the answer.

import { encodeBase64url } from '../../bytes.ts'
import { encodeCbor, mapOf } from '../../cbor/canonical.ts'
import type { DcqlQuery } from '../../openid4vp/dcql.ts'
import { requireOrigins } from '../origin.ts'
import { annexCTranscript } from './channel.ts'
import {
  type EncodedQuestions,
  encodeDeviceRequest,
  encodeQuestions,
  type ReaderSignatures,
  type ReaderSigner,
  readerAuthenticationAllBytes,
  readerAuthenticationBytes,
  signDetached,
} from './device-request.ts'
import { type IsoQuery, isoQueryOf } from './iso-query.ts'

/** C.3: each request has a new nonce. */
const NONCE_BYTES_MIN = 16
const COORDINATE_BYTES = 32

/** Returns the EncryptionInfo to send. Store exactly this text. `point` belongs to a new P-256 key: 04 | x | y. */
export function encryptionInfoOf(nonce: Uint8Array, point: Uint8Array): string {
  if (nonce.length < NONCE_BYTES_MIN) throw new Error('bug: the nonce is too short')
  if (point.length !== 1 + 2 * COORDINATE_BYTES) throw new Error('bug: the encryption key is not on P-256')
  const [x, y] = [point.subarray(1, 1 + COORDINATE_BYTES), point.subarray(1 + COORDINATE_BYTES)]
  const recipientPublicKey = new Map<number, number | Uint8Array>([
    [COSE_KEY.type, COSE_KEY.ec2],
    [COSE_KEY.curve, COSE_KEY.p256],
    [COSE_KEY.x, x],
    [COSE_KEY.y, y],
  ])
  return encodeBase64url(encodeCbor(['dcapi', mapOf({ nonce, recipientPublicKey })]))
}

/** RFC 9053 §7.1. */
const COSE_KEY = { type: 1, ec2: 2, curve: -1, p256: 1, x: -2, y: -3 } as const

export interface AnnexCInput {
  readonly query: DcqlQuery
  readonly encryptionInfo: string
  /** The origin of the page that will ask. */
  readonly origin: string
  /** The first reader signs each document request and the whole request, others only the whole. Empty: an unsigned request. */
  readonly readers: readonly ReaderSigner[]
  /** A registration certificate, compact; absent: none. */
  readonly registration?: string
}

/** Both texts are base64url without padding. */
export interface AnnexCData {
  readonly deviceRequest: string
  readonly encryptionInfo: string
}

/**
 * Returns `data` of `org-iso-mdoc`, or why ISO 18013-5 cannot express the query. A signature covers the transcript, so
 * a signed request works on one origin only.
 */
export async function annexCRequest(
  input: AnnexCInput,
): Promise<{ readonly outcome: 'made'; readonly data: AnnexCData } | Exclude<IsoQuery, { outcome: 'expressible' }>> {
  const { query, encryptionInfo, origin, registration } = input
  requireOrigins([origin])
  if (encryptionInfo === '') throw new Error('bug: a request without encryptionInfo')
  const iso = isoQueryOf(query)
  if (iso.outcome !== 'expressible') return iso
  const questions = encodeQuestions(iso.queries, iso.sets, registration)
  const signatures = await signQuestions(questions, input)
  return {
    outcome: 'made',
    data: { deviceRequest: encodeBase64url(encodeDeviceRequest(questions, signatures)), encryptionInfo },
  }
}

async function signQuestions(
  questions: EncodedQuestions,
  { readers, encryptionInfo, origin }: AnnexCInput,
): Promise<ReaderSignatures> {
  const [first] = readers
  if (first === undefined) return { each: [], all: [] }
  const transcript = annexCTranscript(encryptionInfo, origin)
  const payload = readerAuthenticationAllBytes(transcript, questions)
  return {
    each: await Promise.all(
      questions.items.map((items) => signDetached(readerAuthenticationBytes(transcript, items), first)),
    ),
    all: await Promise.all(readers.map((reader) => signDetached(payload, reader))),
  }
}
