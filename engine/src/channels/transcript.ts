// The session transcript that an mdoc is bound to: every channel has its own handover in it, made of our own request alone.
// Older transcripts are never tried.

import { sha256 } from '../bytes.ts'
import { encodeArray, type Part } from '../cbor/encode.ts'
import type { Handover } from './record.ts'

export function transcriptOf(kind: string, ...info: readonly Part[]): Uint8Array {
  const handover = encodeArray(kind, { bytes: sha256(encodeArray(...info)) })
  return encodeArray(null, null, { encoded: handover })
}

/** OpenID4VP B.2.6: the thumbprint of the key the response was encrypted to, null exactly where it was not to be encrypted. */
export const thumbprintIn = ({ encryption }: Handover): Part =>
  encryption === null ? null : { bytes: encryption.thumbprint }
