// What did the holder's device have to sign? The session transcript of the channel we asked by, made of our own request
// alone: nothing the sender says goes into it. Older transcripts are never tried.

import { sha256 } from '../../bytes.ts'
import { encodeArray, encodeEmbedded, type Part } from '../../cbor/encode.ts'
import type { Expected } from '../../expected.ts'

export type Handover = Pick<Expected, 'channel' | 'nonce' | 'encryption'>

/** The SessionTranscripts, untagged, of which the device signed one: one for each origin, or the only one. */
export function sessionTranscripts({ channel, nonce, encryption }: Handover): readonly Uint8Array[] {
  // OpenID4VP B.2.6: the thumbprint of the key the response was encrypted to, null exactly where it was not to be encrypted.
  const thumbprint = encryption === null ? null : { bytes: encryption.thumbprint }
  switch (channel.kind) {
    case 'redirect':
      return [transcriptOf('OpenID4VPHandover', channel.clientId, nonce, thumbprint, channel.responseUri)]
    case 'dc_api':
      return channel.origins.map((origin) => transcriptOf('OpenID4VPDCAPIHandover', origin, nonce, thumbprint))
    case 'annex_c':
      return channel.origins.map((origin) => annexCTranscript(channel.encryptionInfo, origin))
  }
}

/** ISO 18013-7 C.5: over the text of `encryptionInfo` as it was sent, not over what it stands for. */
export function annexCTranscript(encryptionInfo: string, origin: string): Uint8Array {
  return transcriptOf('dcapi', encryptionInfo, origin)
}

function transcriptOf(kind: string, ...info: readonly Part[]): Uint8Array {
  const handover = encodeArray(kind, { bytes: sha256(encodeArray(...info)) })
  return encodeArray(null, null, { encoded: handover })
}

/** ISO 18013-5 §12.4.3, the detached payload of device authentication. `nameSpaces` as received, its tag included. */
export function deviceAuthenticationBytes(transcript: Uint8Array, docType: string, nameSpaces: Uint8Array): Uint8Array {
  return encodeEmbedded(encodeArray('DeviceAuthentication', { encoded: transcript }, docType, { encoded: nameSpaces }))
}
