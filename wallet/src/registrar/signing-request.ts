// Reads a certificate signing request (PKCS #10): whose key it is, and that whoever wrote it has the private half.

import { createPublicKey, verify } from 'node:crypto'
import type { PublicJwk } from '../keys.ts'
import { fromPem } from '../pki.ts'
import { RegistrarRefused } from './party.ts'

const SEQUENCE = 0x30
const BIT_STRING = 0x03

/** The key that the request is for. Names in it are not read: the register says who somebody is. */
export function readSigningRequest(pem: string): PublicJwk {
  try {
    const request = readTlv(fromPem(pem), 0)
    requireTag(request, SEQUENCE)
    const information = readTlv(request.body, 0)
    const algorithm = readTlv(request.body, information.end)
    const signature = readTlv(request.body, algorithm.end)
    requireTag(information, SEQUENCE)
    requireTag(signature, BIT_STRING)
    const version = readTlv(information.body, 0)
    const subject = readTlv(information.body, version.end)
    const spki = readTlv(information.body, subject.end)
    const key = createPublicKey({ key: Buffer.from(spki.whole), format: 'der', type: 'spki' })
    if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new RegistrarRefused('a key on P-256 is expected')
    if (!verify('sha256', information.whole, key, signature.body.subarray(1)))
      throw new RegistrarRefused('the signing request is not signed with its own key')
    return key.export({ format: 'jwk' }) as unknown as PublicJwk
  } catch (error) {
    if (error instanceof RegistrarRefused) throw error
    throw new RegistrarRefused('not a signing request in PEM')
  }
}

interface Tlv {
  readonly tag: number
  readonly body: Uint8Array
  readonly whole: Uint8Array
  readonly end: number
}

function readTlv(bytes: Uint8Array, start: number): Tlv {
  const first = bytes[start + 1] ?? 0
  const wide = first < 0x80 ? 0 : first & 0x7f
  if (wide > 3) throw new RegistrarRefused('not a signing request in PEM')
  const length = wide === 0 ? first : Buffer.from(bytes).readUIntBE(start + 2, wide)
  const at = start + 2 + wide
  const end = at + length
  if (end > bytes.length) throw new RegistrarRefused('not a signing request in PEM')
  return { tag: bytes[start] ?? 0, body: bytes.subarray(at, end), whole: bytes.subarray(start, end), end }
}

function requireTag({ tag }: Tlv, expected: number): void {
  if (tag !== expected) throw new RegistrarRefused('not a signing request in PEM')
}
