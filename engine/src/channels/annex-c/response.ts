// Decrypts an EncryptedResponse of ISO 18013-7 Annex C (C.4).

import { decodeBase64url, Malformed } from '../../bytes.ts'
import { decodeCbor, isCborArray, isCborBytes, isCborMap } from '../../cbor/cbor.ts'
import { type DeviceDocuments, readDeviceDocuments } from '../../formats/mdoc/device-response.ts'
import { decapsulate, openSealed, type Recipient } from '../../hpke.ts'
import { type Budget, OVERSPENT, spendSignature } from '../../limits.ts'
import { annexCTranscript } from './channel.ts'

interface AnnexCRequest extends Recipient {
  readonly encryptionInfo: string
  readonly origins: readonly string[]
}

/**
 * Returns the documents and the origin that the wallet saw. Throws Malformed. HPKE's `info` is the session transcript,
 * so an answer for another origin or request does not decrypt.
 */
export function openAnnexC(
  text: string,
  { privateKey, point, encryptionInfo, origins }: AnnexCRequest,
  budget: Budget,
): { readonly origin: string; readonly documents: DeviceDocuments } {
  const { encapsulated, cipherText } = readEncryptedResponse(text, budget)
  // Pays for a signature, because a key agreement costs as much.
  if (!spendSignature(budget, 'P-256')) throw new Malformed(OVERSPENT)
  const secret = decapsulate(encapsulated, { privateKey, point })
  for (const origin of origins) {
    const opened = openSealed(secret, { info: annexCTranscript(encryptionInfo, origin), aad: NO_DATA, cipherText })
    if (opened !== null) return { origin, documents: readDeviceDocuments(opened, budget) }
  }
  throw new Malformed('the response was sealed for another origin or request, or was changed since')
}

const NO_DATA = new Uint8Array()
const ARRAY_OF_TWO = 0x82

function readEncryptedResponse(text: string, budget: Budget) {
  const bytes = decodeBase64url(text)
  if (bytes === null || bytes[0] !== ARRAY_OF_TWO) throw new Malformed('the response is not an EncryptedResponse')
  const message = decodeCbor(bytes, budget)
  const [kind, parts] = isCborArray(message) ? message : []
  if (kind !== 'dcapi' || !isCborMap(parts)) throw new Malformed('the response is not an EncryptedResponse')
  const [encapsulated, cipherText] = [parts.get('enc'), parts.get('cipherText')]
  if (!isCborBytes(encapsulated) || !isCborBytes(cipherText))
    throw new Malformed('the response lacks the parts of an EncryptedResponse')
  return { encapsulated, cipherText }
}
