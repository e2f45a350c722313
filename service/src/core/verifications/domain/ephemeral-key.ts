// What a verification keeps secret until it ends: the key that wallets encrypt their answers to (JWE, on P-256: HAIP §5.1), and for
// ISO 18013-7 Annex C a scalar and a nonce of their own, because one key must not serve two schemes. At rest it is the public point,
// which the request shows, and the rest, sealed to it: with another point in front it does not open.

import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto'
import type { Sealer } from '../../../platform/seal/seal.ts'
import type { Random } from '../../../platform/world.ts'

const SCALAR_BYTES = 32
const ANNEX_C_NONCE_BYTES = 32
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

/** Fresh secrets as they are stored. */
export function newEphemeralKey(deps: { readonly random: Random; readonly sealer: Sealer }, of: Owner): Buffer {
  const scalar = uniformScalar(deps.random)
  const point = multiplied(scalar).subarray(1)
  const secrets = Buffer.concat([scalar, uniformScalar(deps.random), deps.random(ANNEX_C_NONCE_BYTES)])
  return Buffer.concat([point, deps.sealer.seal(secrets, ephemeralKeySealContext(of, point))])
}

/** The public half, proved to be the one that was stored with the private one: nobody may put another in its place. */
export function provenPoint(sealer: Pick<Sealer, 'open'>, stored: Buffer, of: Owner): Point {
  openSecrets(sealer, stored, of)
  return pointOf(stored)
}

/** Coordinates in base64url, as a JWK has them. */
export interface Point {
  readonly x: string
  readonly y: string
}

export function openEphemeralKey(
  sealer: Pick<Sealer, 'open'>,
  stored: Buffer,
  of: Owner,
): { readonly point: Point; readonly privateKey: KeyObject } {
  const { scalar } = openSecrets(sealer, stored, of)
  const point = pointOf(stored)
  return { point, privateKey: privateKeyOf(point, scalar) }
}

export interface AnnexCSecrets {
  readonly nonce: Buffer
  /** 04 | x | y. */
  readonly point: Buffer
  readonly scalar: Buffer
}

/** null for one that an earlier release made: Annex C is not offered then. */
export function openAnnexCSecrets(sealer: Pick<Sealer, 'open'>, stored: Buffer, of: Owner): AnnexCSecrets | null {
  const { annexC } = openSecrets(sealer, stored, of)
  return annexC === null ? null : { ...annexC, point: multiplied(annexC.scalar) }
}

export function annexCKeyOf({ scalar, point }: AnnexCSecrets): KeyObject {
  return privateKeyOf(pointOf(point.subarray(1)), scalar)
}

function privateKeyOf(point: Point, scalar: Buffer): KeyObject {
  const d = scalar.toString('base64url')
  return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', ...point, d }, format: 'jwk' })
}

function openSecrets(sealer: Pick<Sealer, 'open'>, stored: Buffer, of: Owner) {
  const opened = sealer.open(stored.subarray(POINT_BYTES), ephemeralKeySealContext(of, stored.subarray(0, POINT_BYTES)))
  const nonceAt = 2 * SCALAR_BYTES
  const scalar = opened.subarray(0, SCALAR_BYTES)
  if (opened.length === SCALAR_BYTES) return { scalar, annexC: null }
  if (opened.length !== nonceAt + ANNEX_C_NONCE_BYTES)
    throw new Error("bug: a verification's secrets have another length")
  return { scalar, annexC: { scalar: opened.subarray(SCALAR_BYTES, nonceAt), nonce: opened.subarray(nonceAt) } }
}

/** The public point: 04 | x | y. */
function multiplied(scalar: Uint8Array): Buffer {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(scalar)
  return pair.getPublicKey()
}

function pointOf(bytes: Buffer): Point {
  return {
    x: bytes.toString('base64url', 0, SCALAR_BYTES),
    y: bytes.toString('base64url', SCALAR_BYTES, POINT_BYTES),
  }
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
