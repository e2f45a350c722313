// The key a wallet encrypts its answer to: one for each verification, on P-256 (HAIP §5.1). At rest it is its public point, which the
// request shows, and the private scalar, sealed to it: with another point in front it does not open. Offers to browsers have keys of
// their own (sealed-offer.ts).

import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto'
import type { Sealer } from '../seal/seal.ts'
import type { Random } from '../world.ts'

const SCALAR_BYTES = 32
export const POINT_BYTES = 64
/** The order of the group (FIPS 186-5, P-256). */
const ORDER = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex')
const ZERO = Buffer.alloc(SCALAR_BYTES)

/** Whose key it is. */
interface Owner {
  readonly tenantId: string
  readonly environment: string
  readonly id: string
}

/** A fresh key as it is stored. */
export function newEphemeralKey(deps: { readonly random: Random; readonly sealer: Sealer }, of: Owner): Buffer {
  const { scalar, point } = newKeyPair(deps.random)
  return Buffer.concat([point, deps.sealer.seal(scalar, ephemeralKeySealContext(of, point))])
}

/** A fresh key; the point is x | y. */
export function newKeyPair(random: Random): { readonly scalar: Uint8Array; readonly point: Buffer } {
  const scalar = uniformScalar(random)
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(scalar)
  return { scalar, point: pair.getPublicKey().subarray(1) } // 04 | x | y
}

/** The public half, proved to be the one that was stored with the private one: nobody may put another in its place. */
export function provenPoint(sealer: Pick<Sealer, 'open'>, stored: Buffer, of: Owner): Point {
  openScalar(sealer, stored, of)
  return pointOf(stored)
}

/** Coordinates in base64url, as a JWK has them. */
export interface Point {
  readonly x: string
  readonly y: string
}

/** Of a key that was just made, or of its point; one from the store is to be proven. */
export function pointOf(stored: Buffer): Point {
  return {
    x: stored.toString('base64url', 0, SCALAR_BYTES),
    y: stored.toString('base64url', SCALAR_BYTES, POINT_BYTES),
  }
}

export function openEphemeralKey(
  sealer: Pick<Sealer, 'open'>,
  stored: Buffer,
  of: Owner,
): { readonly point: Point; readonly privateKey: KeyObject } {
  const point = pointOf(stored)
  return { point, privateKey: privateKeyOf(point, openScalar(sealer, stored, of).toString('base64url')) }
}

/** `scalar` in base64url, as a JWK has it. */
export function privateKeyOf(point: Point, scalar: string): KeyObject {
  return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', ...point, d: scalar }, format: 'jwk' })
}

function openScalar(sealer: Pick<Sealer, 'open'>, stored: Buffer, of: Owner): Buffer {
  return sealer.open(stored.subarray(POINT_BYTES), ephemeralKeySealContext(of, stored.subarray(0, POINT_BYTES)))
}

/** From 1 to the order less 1: what lies outside is thrown away, not bent into the range. */
function uniformScalar(random: Random): Uint8Array {
  for (;;) {
    const scalar = random(SCALAR_BYTES)
    if (Buffer.compare(scalar, ZERO) > 0 && Buffer.compare(scalar, ORDER) < 0) return scalar
  }
}

/** Where the sealed scalar belongs (see Sealer). */
export function ephemeralKeySealContext({ tenantId, environment, id }: Owner, point: Buffer): string {
  return `verifications.encryption_key|${tenantId}|${environment}|${id}|${point.toString('base64url')}`
}
