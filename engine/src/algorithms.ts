// Lists the signature algorithms and keys that we accept, with their names in each format and their cost.

import type { KeyObject } from 'node:crypto'
import type { Json } from './verdict.ts'

/** The curve's name in a JWK. RSA keys have no curve. */
export type KeyKind = 'P-256' | 'P-384' | 'P-521' | 'Ed25519' | 'RSA'

/** How a certificate names the algorithm. Identifiers are exact DER in hex, so parameters can be neither omitted nor added. */
interface CertificateAlgorithm {
  readonly crv: KeyKind
  /** The name of the key type in node:crypto. */
  readonly keyType: 'ec' | 'ed25519' | 'rsa'
  readonly hash: 'sha256' | 'sha384' | 'sha512' | null
  /** AlgorithmIdentifier of the key. Named curves only: explicit curve parameters are how CVE-2020-0601 forged keys. */
  readonly keyIdentifier: string
  /** AlgorithmIdentifier of a signature in a certificate or revocation list. */
  readonly signatureIdentifier: string
}

interface SignatureAlgorithm extends CertificateAlgorithm {
  /** The cost of a verification, relative to one on P-256. */
  readonly work: number
  /** Every `alg` in a JWS that means this algorithm. */
  readonly jwsNames: readonly string[]
  /** COSE ids: that of RFC 9053, which does not name the curve, and the fully specified one of RFC 9864. */
  readonly coseIds: readonly number[]
  readonly kty: 'EC' | 'OKP'
  /** RFC 9053 §7.1. */
  readonly coseCurve: number
  readonly namedCurve: string | null
  readonly coordinateBytes: number
  /** The bytes of a SubjectPublicKeyInfo in front of the coordinates (RFC 5480, RFC 8410). */
  readonly spkiPrefix: Uint8Array
  readonly signatureBytes: number
}

const EC = { kty: 'EC', keyType: 'ec' } as const

/** The only signature algorithms of JWS and COSE. All others are refused, including `none` and MACs. */
export const SIGNATURE_ALGORITHMS = {
  ES256: {
    ...EC,
    jwsNames: ['ES256'],
    coseIds: [-7, -9],
    crv: 'P-256',
    coseCurve: 1,
    namedCurve: 'prime256v1',
    hash: 'sha256',
    coordinateBytes: 32,
    signatureBytes: 64,
    ...spki('3059', '301306072a8648ce3d020106082a8648ce3d030107', '03420004'),
    signatureIdentifier: '300a06082a8648ce3d040302',
    work: 1,
  },
  ES384: {
    ...EC,
    jwsNames: ['ES384'],
    coseIds: [-35, -51],
    crv: 'P-384',
    coseCurve: 2,
    namedCurve: 'secp384r1',
    hash: 'sha384',
    coordinateBytes: 48,
    signatureBytes: 96,
    ...spki('3076', '301006072a8648ce3d020106052b81040022', '03620004'),
    signatureIdentifier: '300a06082a8648ce3d040303',
    work: 8,
  },
  ES512: {
    ...EC,
    jwsNames: ['ES512'],
    coseIds: [-36, -52],
    crv: 'P-521',
    coseCurve: 3,
    namedCurve: 'secp521r1',
    hash: 'sha512',
    coordinateBytes: 66,
    signatureBytes: 132,
    ...spki('30819b', '301006072a8648ce3d020106052b81040023', '0381860004'),
    signatureIdentifier: '300a06082a8648ce3d040304',
    work: 24,
  },
  EdDSA: {
    kty: 'OKP',
    keyType: 'ed25519',
    // RFC 9864 §2.2: the second name includes the curve.
    jwsNames: ['EdDSA', 'Ed25519'],
    coseIds: [-8, -19],
    crv: 'Ed25519',
    coseCurve: 6,
    namedCurve: null,
    hash: null,
    coordinateBytes: 32,
    signatureBytes: 64,
    ...spki('302a', '300506032b6570', '032100'),
    signatureIdentifier: '300506032b6570',
    work: 2,
  },
} as const satisfies Record<string, SignatureAlgorithm>

const RSA = { crv: 'RSA', keyType: 'rsa', keyIdentifier: '300d06092a864886f70d0101010500' } as const

/**
 * RSA (PKCS #1 v1.5) is accepted only on certificates and revocation lists, where authorities in trusted lists still
 * use it, and on trusted lists in XML (xml/signature.ts). RSASSA-PSS, SHA-1 and DSA are refused.
 */
const AUTHORITY_ALGORITHMS: readonly CertificateAlgorithm[] = [
  { ...RSA, hash: 'sha256', signatureIdentifier: '300d06092a864886f70d01010b0500' },
  { ...RSA, hash: 'sha384', signatureIdentifier: '300d06092a864886f70d01010c0500' },
  { ...RSA, hash: 'sha512', signatureIdentifier: '300d06092a864886f70d01010d0500' },
]

/**
 * Returns the bytes of a SubjectPublicKeyInfo in front of the coordinates, and the key's algorithm identifier in it.
 */
function spki(before: string, keyIdentifier: string, after: string) {
  return { keyIdentifier, spkiPrefix: Buffer.from(before + keyIdentifier + after, 'hex') }
}

export type JwsAlgorithm = keyof typeof SIGNATURE_ALGORITHMS
export const JWS_ALGORITHMS = Object.keys(SIGNATURE_ALGORITHMS) as readonly JwsAlgorithm[]

/** Longer names are not looked up, see `LIMITS.keyLength`. */
const isShort = (name: string) => name.length <= 64

/** Returns the algorithm that an `alg` names. */
export function algorithmNamed(alg: Json | undefined): JwsAlgorithm | null {
  return typeof alg === 'string' && isShort(alg) ? (BY_JWS_NAME.get(alg) ?? null) : null
}

const BY_JWS_NAME: ReadonlyMap<string, JwsAlgorithm> = new Map(
  JWS_ALGORITHMS.flatMap((name) => SIGNATURE_ALGORITHMS[name].jwsNames.map((alg) => [alg, name] as const)),
)
/** Every accepted value of `alg`. */
export const JWS_ALGORITHM_NAMES: readonly string[] = [...BY_JWS_NAME.keys()]

export function algorithmOfCoseId(id: number): JwsAlgorithm | null {
  return BY_COSE_ID.get(id) ?? null
}

const BY_COSE_ID: ReadonlyMap<number, JwsAlgorithm> = new Map(
  JWS_ALGORITHMS.flatMap((name) => SIGNATURE_ALGORITHMS[name].coseIds.map((id) => [id, name] as const)),
)
/** Every accepted algorithm id of a COSE header. */
export const COSE_IDS: readonly number[] = [...BY_COSE_ID.keys()]

/**
 * Returns the algorithm that a wallet lists by an `alg`, a COSE id, or a name of RFC 9864 that only COSE has. Use it
 * only to compare lists: signatures under such names are still refused.
 */
export function algorithmListed(value: Json): JwsAlgorithm | null {
  if (typeof value === 'number') return algorithmOfCoseId(value)
  return algorithmNamed(value) ?? (typeof value === 'string' && isShort(value) ? (COSE_NAMES.get(value) ?? null) : null)
}

const COSE_NAMES: ReadonlyMap<string, JwsAlgorithm> = new Map([
  ['ESP256', 'ES256'],
  ['ESP384', 'ES384'],
  ['ESP512', 'ES512'],
])

/** Returns the only algorithm that keys on this curve sign data with, by the names of a JWK. */
export function algorithmOfCurve(kty: unknown, crv: unknown): JwsAlgorithm | null {
  const found = JWS_ALGORITHMS.find((name) => {
    const row = SIGNATURE_ALGORITHMS[name]
    return row.kty === kty && row.crv === crv
  })
  return found ?? null
}

/** Returns the only algorithm of a COSE_Key, by the number of its curve. */
export function algorithmOfCoseCurve(kty: SignatureAlgorithm['kty'], curve: unknown): JwsAlgorithm | null {
  const found = JWS_ALGORITHMS.find((name) => {
    const row = SIGNATURE_ALGORITHMS[name]
    return row.kty === kty && row.coseCurve === curve
  })
  return found ?? null
}

/** Returns the only algorithm of a certificate's key; null for RSA, which signs certificates only. */
export function algorithmOfKind(kind: KeyKind): JwsAlgorithm | null {
  return JWS_ALGORITHMS.find((name) => SIGNATURE_ALGORITHMS[name].crv === kind) ?? null
}

const OF_CERTIFICATES: readonly CertificateAlgorithm[] = [
  ...Object.values(SIGNATURE_ALGORITHMS),
  ...AUTHORITY_ALGORITHMS,
]

/** The algorithm of a signature in a certificate. For ECDSA it names the hash only; the key decides the curve. */
export type CertificateSignature = Pick<CertificateAlgorithm, 'keyType' | 'hash'>

export function certificateSignature(identifier: string): CertificateSignature | null {
  return OF_CERTIFICATES.find(({ signatureIdentifier }) => signatureIdentifier === identifier) ?? null
}

export function keyKindIdentified(identifier: string): KeyKind | null {
  return OF_CERTIFICATES.find(({ keyIdentifier }) => keyIdentifier === identifier)?.crv ?? null
}

/** A curve, or the key of a certificate. For RSA, the length of the key counts too. */
export type VerifyingKey = keyof typeof CURVE_WORK | { readonly kind: KeyKind; readonly publicKey: KeyObject }

/** Returns the cost of a verification with this key, relative to one on P-256. */
export function workOf(key: VerifyingKey): number {
  if (typeof key === 'string') return CURVE_WORK[key]
  return key.kind === 'RSA' ? rsaWork(key.publicKey) : CURVE_WORK[key.kind]
}

const CURVE_WORK = {
  'P-256': SIGNATURE_ALGORITHMS.ES256.work,
  'P-384': SIGNATURE_ALGORITHMS.ES384.work,
  'P-521': SIGNATURE_ALGORITHMS.ES512.work,
  Ed25519: SIGNATURE_ALGORITHMS.EdDSA.work,
} as const satisfies Record<Exclude<KeyKind, 'RSA'>, number>

/** The cost grows with the square of the length. With exponent 65537, measured: 0.3 for 2048 bits, 1.0 for 4096, 3.6 for 8192. */
function rsaWork({ asymmetricKeyDetails }: KeyObject): number {
  const bits = asymmetricKeyDetails?.modulusLength ?? LONGEST_RSA_BITS
  return 0.1 + (bits / 4096) ** 2
}

const LONGEST_RSA_BITS = 8192
