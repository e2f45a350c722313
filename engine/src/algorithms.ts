// Which signatures and keys do we accept, and what is each called in every format? One closed table; `none` and MACs are not in it.

import type { Json } from './verdict.ts'

interface SignatureAlgorithm {
  readonly kty: 'EC' | 'OKP'
  readonly crv: string
  /** What node:crypto calls the key. */
  readonly keyType: 'ec' | 'ed25519'
  readonly namedCurve: string | null
  readonly hash: string | null
  readonly coordinateBytes: number
  /** What precedes the coordinates in a SubjectPublicKeyInfo (RFC 5480, RFC 8410). */
  readonly spkiPrefix: Uint8Array
  readonly signatureBytes: number
  /** COSE ids: the RFC 9053 one (with this curve) and the fully specified one of RFC 9864. */
  readonly coseIds: readonly number[]
}

const EC = { kty: 'EC', keyType: 'ec' } as const

/** The only signature algorithms there are, for JWS and COSE alike. `none` and MACs are not in it. */
export const SIGNATURE_ALGORITHMS = {
  ES256: {
    ...EC,
    crv: 'P-256',
    namedCurve: 'prime256v1',
    hash: 'sha256',
    coordinateBytes: 32,
    spkiPrefix: Buffer.from('3059301306072a8648ce3d020106082a8648ce3d03010703420004', 'hex'),
    signatureBytes: 64,
    coseIds: [-7, -9],
  },
  ES384: {
    ...EC,
    crv: 'P-384',
    namedCurve: 'secp384r1',
    hash: 'sha384',
    coordinateBytes: 48,
    spkiPrefix: Buffer.from('3076301006072a8648ce3d020106052b8104002203620004', 'hex'),
    signatureBytes: 96,
    coseIds: [-35, -51],
  },
  ES512: {
    ...EC,
    crv: 'P-521',
    namedCurve: 'secp521r1',
    hash: 'sha512',
    coordinateBytes: 66,
    spkiPrefix: Buffer.from('30819b301006072a8648ce3d020106052b810400230381860004', 'hex'),
    signatureBytes: 132,
    coseIds: [-36, -52],
  },
  EdDSA: {
    kty: 'OKP',
    keyType: 'ed25519',
    crv: 'Ed25519',
    namedCurve: null,
    hash: null,
    coordinateBytes: 32,
    spkiPrefix: Buffer.from('302a300506032b6570032100', 'hex'),
    signatureBytes: 64,
    coseIds: [-8, -19],
  },
} as const satisfies Record<string, SignatureAlgorithm>

export type JwsAlgorithm = keyof typeof SIGNATURE_ALGORITHMS
export const JWS_ALGORITHMS = Object.keys(SIGNATURE_ALGORITHMS) as readonly JwsAlgorithm[]

/** The algorithm of an `alg`; Ed25519 has a second name, which says the curve as well (RFC 9864 §2.2). */
export function algorithmNamed(alg: Json | undefined): JwsAlgorithm | null {
  return typeof alg === 'string' ? (BY_JWS_NAME.get(alg) ?? null) : null
}

const BY_JWS_NAME: ReadonlyMap<string, JwsAlgorithm> = new Map([
  ...JWS_ALGORITHMS.map((name) => [name, name] as const),
  ['Ed25519', 'EdDSA'],
])
/** Every name that an `alg` may have. */
export const JWS_ALGORITHM_NAMES: readonly string[] = [...BY_JWS_NAME.keys()]

export function algorithmOfCoseId(id: number): JwsAlgorithm | null {
  return BY_COSE_ID.get(id) ?? null
}

const BY_COSE_ID: ReadonlyMap<number, JwsAlgorithm> = new Map(
  JWS_ALGORITHMS.flatMap((name) => SIGNATURE_ALGORITHMS[name].coseIds.map((id) => [id, name] as const)),
)
