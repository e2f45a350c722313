// What did the holder's device have to sign? The session transcript of OpenID4VP 1.0 (B.2.6.1), made of our own request
// alone: nothing the sender says goes into it. Older transcripts are never tried.

import { hash } from 'node:crypto'
import type { Expected } from '../expected.ts'
import { encodeArray, encodeBytes, encodeEmbedded, encodeText, NULL } from './encode.ts'

export type Handover = Pick<Expected, 'clientId' | 'nonce' | 'responseUri' | 'encryption'>

/** SessionTranscript, untagged. */
export function sessionTranscript(request: Handover): Uint8Array {
  // B.2.6.1: the thumbprint of the key the response was encrypted to, null exactly where it was not to be encrypted.
  const thumbprint = request.encryption === null ? NULL : encodeBytes(request.encryption.thumbprint)
  const info = encodeArray(
    encodeText(request.clientId),
    encodeText(request.nonce),
    thumbprint,
    encodeText(request.responseUri),
  )
  const handover = encodeArray(encodeText('OpenID4VPHandover'), encodeBytes(hash('sha256', info, 'buffer')))
  return encodeArray(NULL, NULL, handover)
}

/** ISO 18013-5 §12.4.3, the detached payload of device authentication. `nameSpaces` as received, its tag included. */
export function deviceAuthenticationBytes(transcript: Uint8Array, docType: string, nameSpaces: Uint8Array): Uint8Array {
  return encodeEmbedded(encodeArray(encodeText('DeviceAuthentication'), transcript, encodeText(docType), nameSpaces))
}
