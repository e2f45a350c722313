// Defines keys that sign: local keys in this process, and keys in an HSM or a key service.

import { constants, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

/** Names of JOSE. */
export type KeyAlgorithm = 'ES256' | 'ES384' | 'ES512' | 'EdDSA' | 'RS256'

/** RSA signs no requests to wallets (HAIP 1.0 §7). */
export type RequestAlgorithm = Exclude<KeyAlgorithm, 'RS256'>

export interface SigningKey<Algorithm extends KeyAlgorithm = KeyAlgorithm> {
  readonly algorithm: Algorithm
  readonly publicKey: KeyObject
  /** The reference of a key outside of this process; null: the private key is in this process. */
  readonly reference: string | null
  /**
   * Hashes and signs. ECDSA signatures are r‖s (RFC 7518 §3.4), never DER. Only a `LocalKey` returns the signature without
   * a promise. A key outside rejects with the refusal `unavailable` if it cannot sign.
   */
  sign(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>
}

const HASHES: Readonly<Record<KeyAlgorithm, string | null>> = {
  ES256: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
  EdDSA: null,
  RS256: 'sha256',
}

export const hashOf = (algorithm: KeyAlgorithm): string | null => HASHES[algorithm]

const CURVES: Readonly<Record<string, KeyAlgorithm>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' }

/** null: this type of key is not supported. */
export function algorithmOf(key: KeyObject): KeyAlgorithm | null {
  if (key.asymmetricKeyType === 'ed25519') return 'EdDSA'
  if (key.asymmetricKeyType === 'rsa') return 'RS256'
  if (key.asymmetricKeyType !== 'ec') return null
  // Only for curves: the details of a long RSA key take seconds to write.
  return CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''] ?? null
}

/** A local key that signs synchronously. */
export interface LocalKey<Algorithm extends KeyAlgorithm = KeyAlgorithm> extends SigningKey<Algorithm> {
  readonly reference: null
  sign(bytes: Uint8Array): Buffer
}

/** Throws if this type of key is not supported. */
export function localKey(privateKey: KeyObject): LocalKey {
  const algorithm = algorithmOf(privateKey)
  if (algorithm === null) throw new Error('this type of private key is not supported')
  const hash = hashOf(algorithm)
  const how = { key: privateKey, ...ENCODING }
  return {
    algorithm,
    publicKey: createPublicKey(privateKey),
    reference: null,
    sign: (bytes) => sign(hash, bytes, how),
  }
}

/** A local key for slow algorithms: signs in Node's thread pool. */
export function pooledKey(privateKey: KeyObject): SigningKey {
  const { algorithm, publicKey } = localKey(privateKey)
  const how = { key: privateKey, ...ENCODING }
  return {
    algorithm,
    publicKey,
    reference: null,
    sign(bytes) {
      const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
      sign(hashOf(algorithm), bytes, how, (error, signature) => (error === null ? resolve(signature) : reject(error)))
      return promise
    },
  }
}

const ENCODING = { dsaEncoding: 'ieee-p1363', padding: constants.RSA_PKCS1_PADDING } as const

/** Whether this key signed the bytes. ECDSA signatures are r‖s. */
export function isSignedBy(
  { algorithm, publicKey }: Pick<SigningKey, 'algorithm' | 'publicKey'>,
  bytes: Uint8Array,
  signature: Uint8Array,
): boolean {
  const padding = algorithm === 'RS256' ? ENCODING : { dsaEncoding: ENCODING.dsaEncoding }
  return verify(hashOf(algorithm), bytes, { key: publicKey, ...padding }, signature)
}

/** Throws for an RSA key. */
export function requestKey(key: SigningKey): SigningKey<RequestAlgorithm> {
  const { algorithm } = key
  if (algorithm === 'RS256') throw new Error('an RSA key cannot sign requests to wallets')
  return { ...key, algorithm }
}
