// Generates and uses key pairs as plain JSON Web Keys, so that a wallet's state can be stored as JSON.

import { createHash, createPrivateKey, createPublicKey, diffieHellman, generateKeyPairSync, sign } from 'node:crypto'

export type Curve = 'P-256' | 'P-384' | 'P-521' | 'Ed25519'

export interface PublicJwk {
  readonly kty: 'EC' | 'OKP'
  readonly crv: Curve
  readonly x: string
  readonly y?: string
}

export interface PrivateJwk extends PublicJwk {
  readonly d: string
}

/** The parameters of each curve: JOSE name, COSE number, hash, and the COSE curve number of RFC 9053. */
export const CURVES = {
  'P-256': { jose: 'ES256', cose: -7, hash: 'sha256', coseCurve: 1 },
  'P-384': { jose: 'ES384', cose: -35, hash: 'sha384', coseCurve: 2 },
  'P-521': { jose: 'ES512', cose: -36, hash: 'sha512', coseCurve: 3 },
  Ed25519: { jose: 'EdDSA', cose: -8, hash: null, coseCurve: 6 },
} as const satisfies Record<Curve, { jose: string; cose: number; hash: string | null; coseCurve: number }>

export function generateKey(curve: Curve = 'P-256'): PrivateJwk {
  const pair = curve === 'Ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: curve })
  return pair.privateKey.export({ format: 'jwk' }) as unknown as PrivateJwk
}

export function publicJwk(key: PublicJwk): PublicJwk {
  const { kty, crv, x, y } = key
  return y === undefined ? { kty, crv, x } : { kty, crv, x, y }
}

/** `raw` is r || s as in JOSE and COSE, `der` as in X.509. */
export function signBytes(key: PrivateJwk, data: Uint8Array, encoding: 'raw' | 'der' = 'raw'): Uint8Array {
  const privateKey = createPrivateKey({ key: { ...key }, format: 'jwk' })
  const dsaEncoding = encoding === 'raw' ? 'ieee-p1363' : 'der'
  return new Uint8Array(sign(CURVES[key.crv].hash, data, { key: privateKey, dsaEncoding }))
}

/** The x-coordinate of the shared point (ECDH, same curve on both sides). */
export function agree(own: PrivateJwk, other: PublicJwk): Uint8Array {
  return new Uint8Array(
    diffieHellman({
      privateKey: createPrivateKey({ key: { ...own }, format: 'jwk' }),
      publicKey: createPublicKey({ key: { ...publicJwk(other) }, format: 'jwk' }),
    }),
  )
}

/** RFC 7638 with SHA-256, as raw bytes. */
export function thumbprint(key: PublicJwk): Uint8Array {
  const members =
    key.kty === 'EC' ? { crv: key.crv, kty: key.kty, x: key.x, y: key.y } : { crv: key.crv, kty: key.kty, x: key.x }
  return sha256(Buffer.from(JSON.stringify(members)))
}

export function sha256(data: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(data).digest())
}

export function toBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url')
}

export function fromBase64url(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64url'))
}
