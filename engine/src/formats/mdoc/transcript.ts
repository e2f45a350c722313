// Builds the bytes that the holder's device signs: device authentication over the channel's session transcript.

import { encodeArray, encodeEmbedded } from '../../cbor/encode.ts'

/** ISO 18013-5 §12.4.3: the detached payload of device authentication. `nameSpaces`: the received bytes including their tag. */
export function deviceAuthenticationBytes(transcript: Uint8Array, docType: string, nameSpaces: Uint8Array): Uint8Array {
  return encodeEmbedded(encodeArray('DeviceAuthentication', { encoded: transcript }, docType, { encoded: nameSpaces }))
}
