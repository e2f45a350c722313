// What do we ask a wallet by ISO 18013-7 Annex C? `data` of `org-iso-mdoc`: the device request, and the key its answer is
// sealed to. Reader authentication is over the transcript, so that a signed request is of use on one origin alone.

import { encodeBase64url } from '../../bytes.ts'
import { encodeCbor, mapOf } from '../../cbor/canonical.ts'
import type { DcqlQuery } from '../../openid4vp/dcql.ts'
import { requireOrigins } from '../origin.ts'
import { annexCTranscript } from './channel.ts'
import {
  type Asked,
  askedOf,
  encodeDeviceRequest,
  type ReaderSignatures,
  type ReaderSigner,
  readerAuthenticationAllBytes,
  readerAuthenticationBytes,
  signDetached,
} from './device-request.ts'
import { type IsoQuery, isoQueryOf } from './iso-query.ts'

/** C.3: new for each request. */
const NONCE_BYTES_MIN = 16
const COORDINATE_BYTES = 32

/** EncryptionInfo as it is sent; to be kept letter for letter. The point is that of a P-256 key of its own: 04 | x | y. */
export function encryptionInfoOf(nonce: Uint8Array, point: Uint8Array): string {
  if (nonce.length < NONCE_BYTES_MIN) throw new Error('bug: a nonce that is too short')
  if (point.length !== 1 + 2 * COORDINATE_BYTES) throw new Error('bug: a key to seal to is on P-256')
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

export interface AnnexCMaking {
  readonly query: DcqlQuery
  readonly encryptionInfo: string
  /** Of the page that will ask. */
  readonly origin: string
  /** The first signs for each document and all together, the others for all together. None: an unsigned request. */
  readonly readers: readonly ReaderSigner[]
  /** A registration certificate, compact; absent: none is sent. */
  readonly registration?: string
}

/** Both texts are unpadded base64url. */
export interface AnnexCData {
  readonly deviceRequest: string
  readonly encryptionInfo: string
}

/** `data` of `org-iso-mdoc`, or why the query cannot be asked so. */
export async function annexCRequest(
  making: AnnexCMaking,
): Promise<{ readonly outcome: 'made'; readonly data: AnnexCData } | Exclude<IsoQuery, { outcome: 'expressible' }>> {
  const { query, encryptionInfo, origin, registration } = making
  requireOrigins([origin])
  if (encryptionInfo === '') throw new Error('bug: a request without encryptionInfo')
  const iso = isoQueryOf(query)
  if (iso.outcome !== 'expressible') return iso
  const asked = askedOf(iso.queries, iso.sets, registration)
  const signatures = await signAsked(asked, making)
  return {
    outcome: 'made',
    data: { deviceRequest: encodeBase64url(encodeDeviceRequest(asked, signatures)), encryptionInfo },
  }
}

async function signAsked(asked: Asked, { readers, encryptionInfo, origin }: AnnexCMaking): Promise<ReaderSignatures> {
  const [first] = readers
  if (first === undefined) return { each: [], all: [] }
  const transcript = annexCTranscript(encryptionInfo, origin)
  const payload = readerAuthenticationAllBytes(transcript, asked)
  return {
    each: await Promise.all(
      asked.items.map((items) => signDetached(readerAuthenticationBytes(transcript, items), first)),
    ),
    all: await Promise.all(readers.map((reader) => signDetached(payload, reader))),
  }
}
