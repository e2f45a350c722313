// Computes session transcripts over the Digital Credentials API: by OpenID4VP (B.2.6.2) and by ISO 18013-7 Annex C (C.5).

import { encodeCbor } from '../encoding/cbor.ts'
import { sha256 } from '../keys.ts'

interface DcApiHandover {
  /** The origin as the platform reports it, without a prefix. */
  readonly origin: string
  readonly nonce: string
  /** The thumbprint of the verifier's encryption key; null if the response is not encrypted. */
  readonly thumbprint: Uint8Array | null
}

export function dcApiTranscript({ origin, nonce, thumbprint }: DcApiHandover): Uint8Array {
  return encodeCbor([null, null, ['OpenID4VPDCAPIHandover', sha256(encodeCbor([origin, nonce, thumbprint]))]])
}

/** `encryptionInfo` is the received text, not its decoded value. */
export function annexCTranscript(encryptionInfo: string, origin: string): Uint8Array {
  return encodeCbor([null, null, ['dcapi', sha256(encodeCbor([encryptionInfo, origin]))]])
}
