// What did the holder's device have to sign? Device authentication over the session transcript of the channel we asked by.

import { encodeArray, encodeEmbedded } from '../../cbor/encode.ts'

/** ISO 18013-5 §12.4.3, the detached payload of device authentication. `nameSpaces` as received, its tag included. */
export function deviceAuthenticationBytes(transcript: Uint8Array, docType: string, nameSpaces: Uint8Array): Uint8Array {
  return encodeEmbedded(encodeArray('DeviceAuthentication', { encoded: transcript }, docType, { encoded: nameSpaces }))
}
