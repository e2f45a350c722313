// Verifies, in the reader thread, the signature of a list with the key of its first certificate. The caller judges
// whether that certificate may sign status lists.

import { coveredBytes } from '../cbor/cose.ts'
import { verifyWith } from '../jose.ts'
import { MalformedCertificate, parseCertificate } from '../trust/certificate.ts'
import type { OwnSignature, TokenContent, UncheckedToken } from './list-types.ts'

/** Returns null if there is no certificate, or if its key cannot have signed the list. The caller then uses a key of its own. */
export function checkOwnSignature(token: UncheckedToken): OwnSignature | null {
  const { chain, algorithm, signed } = token
  const [der] = Array.isArray(chain) ? chain : []
  if (der === undefined) return null
  try {
    const { fingerprint, signatureKey } = parseCertificate(der)
    if (signatureKey === null || signatureKey.algorithm !== algorithm) return null
    return { fingerprint, holds: verifyWith(signatureKey, { data: coveredBy(token), signature: signed.signature }) }
  } catch (error) {
    if (error instanceof MalformedCertificate) return null
    throw error
  }
}

/** Returns the bytes that the signature of a list covers. */
export function coveredBy({ signed }: Pick<TokenContent, 'signed'>): Uint8Array {
  const [first = new Uint8Array(), payload] = signed.parts
  return payload === undefined ? first : coveredBytes('Signature1', { protectedBytes: first }, payload)
}
