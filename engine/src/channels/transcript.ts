// Builds the session transcript that binds an mdoc to our request. Forms of older drafts are never accepted.

import { sha256 } from '../bytes.ts'
import { encodeArray, type Part } from '../cbor/encode.ts'
import type { Handover } from './record.ts'

export function transcriptOf(kind: string, ...info: readonly Part[]): Uint8Array {
  const handover = encodeArray(kind, { bytes: sha256(encodeArray(...info)) })
  return encodeArray(null, null, { encoded: handover })
}

/** OpenID4VP B.2.6: the thumbprint of the key that the response is encrypted to; null for an unencrypted response. */
export const thumbprintIn = ({ encryption }: Handover): Part =>
  encryption === null ? null : { bytes: encryption.thumbprint }
