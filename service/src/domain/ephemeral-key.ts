// The key a wallet encrypts its answer to: one for each verification, on P-256 (HAIP §5.1). At rest it is the 32 bytes of
// the private scalar, sealed; its public half is computed when a request object is made.

import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto'
import type { Random } from './world.ts'

const SCALAR_BYTES = 32
/** The order of the group (FIPS 186-5, P-256). */
const ORDER = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex')
const ZERO = Buffer.alloc(SCALAR_BYTES)

/** A uniform scalar from 1 to the order less 1: what lies outside is thrown away, not bent into the range. */
export function generateEphemeralKey(random: Random): Uint8Array {
  for (;;) {
    const scalar = random(SCALAR_BYTES)
    if (Buffer.compare(scalar, ZERO) > 0 && Buffer.compare(scalar, ORDER) < 0) return scalar
  }
}

export function toPrivateKey(scalar: Uint8Array): KeyObject {
  return createPrivateKey({ key: toPrivateJwk(scalar), format: 'jwk' })
}

/** With `d`: never to be shown. For the public half, `createPublicKey` of the private key. */
export function toPrivateJwk(scalar: Uint8Array): { kty: 'EC'; crv: 'P-256'; x: string; y: string; d: string } {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(scalar)
  const point = pair.getPublicKey() // 04 | x | y
  return {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 1 + SCALAR_BYTES).toString('base64url'),
    y: point.subarray(1 + SCALAR_BYTES).toString('base64url'),
    d: Buffer.from(scalar).toString('base64url'),
  }
}

/** Where the sealed scalar belongs (see Sealer). */
export const ephemeralKeyPlace = (of: { tenantId: string; environment: string; id: string }) =>
  `verifications.encryption_key|${of.tenantId}|${of.environment}|${of.id}`
