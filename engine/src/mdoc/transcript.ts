// What did the holder's device have to sign? The session transcript of OpenID4VP 1.0 (B.2.6.1), made of our own request
// alone: nothing the sender says goes into it. Older transcripts are never tried.

import { sha256 } from '../bytes.ts'
import type { Expected } from '../expected.ts'
import { encodeArray, encodeEmbedded } from './encode.ts'

export type Handover = Pick<Expected, 'clientId' | 'nonce' | 'responseUri' | 'encryption'>

/** SessionTranscript, untagged. */
export function sessionTranscript(request: Handover): Uint8Array {
  const { clientId, nonce, responseUri, encryption } = request
  // B.2.6.1: the thumbprint of the key the response was encrypted to, null exactly where it was not to be encrypted.
  const thumbprint = encryption === null ? null : { bytes: encryption.thumbprint }
  const info = encodeArray(clientId, nonce, thumbprint, responseUri)
  const handover = encodeArray('OpenID4VPHandover', { bytes: sha256(info) })
  return encodeArray(null, null, { encoded: handover })
}

/** ISO 18013-5 §12.4.3, the detached payload of device authentication. `nameSpaces` as received, its tag included. */
export function deviceAuthenticationBytes(transcript: Uint8Array, docType: string, nameSpaces: Uint8Array): Uint8Array {
  return encodeEmbedded(encodeArray('DeviceAuthentication', { encoded: transcript }, docType, { encoded: nameSpaces }))
}
