// Creates and seals the secrets of an open verification: keys for encrypted answers, and the nonce of Annex C.

import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto'
import type { Random } from '../../../platform/world.ts'
import type { RealmRow } from '../../tenants/domain/realm.ts'

const SCALAR_BYTES = 32
const ANNEX_C_NONCE_BYTES = 32
export const POINT_BYTES = 64
/** The order of the group (FIPS 186-5, P-256). */
const ORDER = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex')
const ZERO = Buffer.alloc(SCALAR_BYTES)

/**
 * Fresh secrets with their public point. JWE (HAIP §5.1) and ISO 18013-7 Annex C have separate keys: one key must not
 * serve two schemes. The seal binds the secrets to the public point.
 */
export interface EphemeralKey {
  readonly point: Buffer
  readonly secrets: Buffer
}

export function newEphemeralKey(random: Random): EphemeralKey {
  const scalar = uniformScalar(random)
  const point = publicPointOf(scalar).subarray(1)
  return { point, secrets: Buffer.concat([scalar, uniformScalar(random), random(ANNEX_C_NONCE_BYTES)]) }
}

/** Coordinates in base64url, as a JWK has them. */
export interface Point {
  readonly x: string
  readonly y: string
}

/** The key that wallets encrypt to. */
export function responseKeyOf(key: EphemeralKey): { readonly point: Point; readonly privateKey: KeyObject } {
  const { scalar } = partsOf(key)
  const point = pointOf(key.point)
  return { point, privateKey: privateKeyOf(point, scalar) }
}

export interface AnnexCSecrets {
  readonly nonce: Buffer
  /** 04 | x | y. */
  readonly point: Buffer
  readonly scalar: Buffer
}

/** null if an earlier release created the key. Then Annex C is not offered. */
export function annexCSecretsOf(key: EphemeralKey): AnnexCSecrets | null {
  const { annexC } = partsOf(key)
  return annexC === null ? null : { ...annexC, point: publicPointOf(annexC.scalar) }
}

export function annexCKeyOf({ scalar, point }: AnnexCSecrets): KeyObject {
  return privateKeyOf(pointOf(point.subarray(1)), scalar)
}

function privateKeyOf(point: Point, scalar: Buffer): KeyObject {
  const d = scalar.toString('base64url')
  return createPrivateKey({ key: { kty: 'EC', crv: 'P-256', ...point, d }, format: 'jwk' })
}

function partsOf({ secrets }: EphemeralKey) {
  const nonceAt = 2 * SCALAR_BYTES
  const scalar = secrets.subarray(0, SCALAR_BYTES)
  if (secrets.length === SCALAR_BYTES) return { scalar, annexC: null }
  if (secrets.length !== nonceAt + ANNEX_C_NONCE_BYTES)
    throw new Error("bug: a verification's secrets have another length")
  return { scalar, annexC: { scalar: secrets.subarray(SCALAR_BYTES, nonceAt), nonce: secrets.subarray(nonceAt) } }
}

/** The public point: 04 | x | y. */
function publicPointOf(scalar: Uint8Array): Buffer {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(scalar)
  return pair.getPublicKey()
}

export function pointOf(bytes: Buffer): Point {
  return {
    x: bytes.toString('base64url', 0, SCALAR_BYTES),
    y: bytes.toString('base64url', SCALAR_BYTES, POINT_BYTES),
  }
}

/** From 1 to the order minus 1: values outside are discarded, not reduced into the range. */
function uniformScalar(random: Random): Uint8Array {
  for (;;) {
    const scalar = random(SCALAR_BYTES)
    if (Buffer.compare(scalar, ZERO) > 0 && Buffer.compare(scalar, ORDER) < 0) return scalar
  }
}

/** The seal context of the secrets. */
export function ephemeralKeySealContext({ tenantId, environment, id }: RealmRow, point: Buffer): string {
  return `verifications.encryption_key|${tenantId}|${environment}|${id}|${point.toString('base64url')}`
}
