// Signs a digest, like key services. node:crypto always hashes, so ECDSA (FIPS 186-5 §6.4.1) is written out here.

import { constants, createECDH, type KeyObject, privateEncrypt, randomBytes } from 'node:crypto'

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
/** RFC 8017 §9.2, note 1. */
const SHA256_INFO = Buffer.from('3031300d060960864801650304020105000420', 'hex')

const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
const bytesOf = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex')

/** Returns r‖s for P-256, and PKCS #1 v1.5 for RSA. */
export function signDigest(digest: Uint8Array, key: KeyObject): Buffer {
  if (key.asymmetricKeyType === 'rsa')
    return privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.concat([SHA256_INFO, digest]))
  const d = numberOf(Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url'))
  const k = (numberOf(randomBytes(40)) % (ORDER - 1n)) + 1n
  const point = createECDH('prime256v1')
  point.setPrivateKey(bytesOf(k))
  const r = numberOf(point.getPublicKey().subarray(1, 33)) % ORDER
  const s = (inverse(k) * (numberOf(digest) + r * d)) % ORDER
  return Buffer.concat([bytesOf(r), bytesOf(s)])
}

/** Uses Fermat's little theorem: the order is a prime. */
function inverse(value: bigint): bigint {
  let result = 1n
  let base = value % ORDER
  for (let exponent = ORDER - 2n; exponent > 0n; exponent >>= 1n) {
    if ((exponent & 1n) === 1n) result = (result * base) % ORDER
    base = (base * base) % ORDER
  }
  return result
}
