// Lists changed issuer parts of an SD-JWT: signature, header and times (N064-N074, N089-N093).

import { createHmac, createPublicKey } from 'node:crypto'
import { mintSigner } from '../../src/authorities.ts'
import type { JsonObject } from '../../src/encoding/json.ts'
import { fromBase64url, generateKey, publicJwk, signBytes, toBase64url } from '../../src/keys.ts'
import { certificateBytes, toPem } from '../../src/pki.ts'
import { signJws, signJwsText } from '../../src/sdjwt.ts'
import type { Mutation } from '../mutation.ts'
import { spoiledSdJwt } from '../spoiled.ts'
import type { World } from '../world.ts'
import { DAY, NOW } from '../world.ts'
import { sdJwtTrial } from './sd-jwt-trial.ts'

/** Replaces the signature of the issuer JWT. */
const resigned = (
  id: string,
  title: string,
  signature: (original: Uint8Array, input: string, world: World) => Uint8Array,
): Mutation =>
  spoiledSdJwt(id, title, 'issuer_signature_valid', (world) => ({
    issuerJwt: (jwt) => {
      const at = jwt.lastIndexOf('.')
      return `${jwt.slice(0, at)}.${toBase64url(signature(fromBase64url(jwt.slice(at + 1)), jwt.slice(0, at), world))}`
    },
  }))

const header = (
  id: string,
  title: string,
  expectedCheck: string,
  change: (usual: JsonObject) => JsonObject,
): Mutation => spoiledSdJwt(id, title, expectedCheck, { header: change })

const payload = (
  id: string,
  title: string,
  expectedCheck: string,
  change: (usual: JsonObject) => JsonObject,
): Mutation => spoiledSdJwt(id, title, expectedCheck, { payload: change })

/** The order of the P-256 group: r and s must be smaller. */
const ORDER = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex')

const SIGNATURES: readonly Mutation[] = [
  resigned('N064', 'one bit of the signature flipped', (original) =>
    original.map((byte, index) => (index === 7 ? byte ^ 4 : byte)),
  ),
  resigned('N064', 'the signature of another credential', (_, __, world) =>
    signBytes(world.issuer.sdJwt.signer.key, Buffer.from('another')),
  ),
  resigned('N064', 'no signature', () => new Uint8Array()),
  resigned('N068', 'a signature in DER', (_, input, world) =>
    signBytes(world.issuer.sdJwt.signer.key, Buffer.from(input), 'der'),
  ),
  resigned('N069', 'r and s are zero', () => new Uint8Array(64)),
  resigned(
    'N069',
    'r is the order of the group',
    (original) => new Uint8Array(Buffer.concat([ORDER, original.slice(32)])),
  ),
  resigned('N069', 'a byte too many', (original) => new Uint8Array(Buffer.concat([original, Uint8Array.of(0)]))),
  {
    ...spoiledSdJwt('N064', 'the payload changed after signing', 'issuer_signature_valid', {
      issuerJwt: (jwt) => {
        const [head = '', body = '', signature = ''] = jwt.split('.')
        const changed = Buffer.from(body, 'base64url')
          .toString()
          .replace(/"exp":\d+/, `"exp":${NOW + 99 * DAY}`)
        return `${head}.${Buffer.from(changed).toString('base64url')}.${signature}`
      },
    }),
  },
]

const ALGORITHMS: readonly Mutation[] = [
  spoiledSdJwt('N065', 'alg none without a signature', 'algorithm_allowed', {
    header: (usual) => ({ ...usual, alg: 'none' }),
    issuerJwt: (jwt) => jwt.slice(0, jwt.lastIndexOf('.') + 1),
  }),
  spoiledSdJwt('N065', 'alg none with a valid signature', 'algorithm_allowed', {
    header: (usual) => ({ ...usual, alg: 'none' }),
  }),
  spoiledSdJwt('N066', 'HS256 with the public key of the issuer as secret', 'algorithm_allowed', (world) => ({
    header: (usual) => ({ ...usual, alg: 'HS256' }),
    issuerJwt: (jwt) => {
      const input = jwt.slice(0, jwt.lastIndexOf('.'))
      const key = createPublicKey({ key: { ...publicJwk(world.issuer.sdJwt.signer.key) }, format: 'jwk' })
      const secret = key.export({ format: 'pem', type: 'spki' })
      return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
    },
  })),
  spoiledSdJwt('N067', 'ES256 in the header, a P-384 key in the certificate', 'issuer_signature_valid', (world) => ({
    signer: mintSigner(
      world.issuer.sdJwt.authority,
      { country: 'DE', commonName: 'P-384 signer' },
      { notBefore: NOW - DAY, notAfter: NOW + DAY, subjectKey: generateKey('P-384') },
    ),
  })),
  header('N067', 'ES384 in the header, a P-256 key in the certificate', 'issuer_signature_valid', (usual) => ({
    ...usual,
    alg: 'ES384',
  })),
  header('N065', 'no alg', 'algorithm_allowed', ({ alg: _, ...usual }) => usual),
  header('N065', 'alg is not a string', 'algorithm_allowed', (usual) => ({ ...usual, alg: ['ES256'] })),
  header('N066', 'RS256', 'algorithm_allowed', (usual) => ({ ...usual, alg: 'RS256' })),
]

const HEADERS: readonly Mutation[] = [
  header('N070', 'no typ', 'well_formed', ({ typ: _, ...usual }) => usual),
  header('N070', 'typ JWT', 'well_formed', (usual) => ({ ...usual, typ: 'JWT' })),
  header('N070', 'typ kb+jwt', 'well_formed', (usual) => ({ ...usual, typ: 'kb+jwt' })),
  spoiledSdJwt(
    'N071',
    'signed by a key in the jwk header, with the certificate of the true issuer',
    'issuer_signature_valid',
    (world) => ({
      header: (usual) => ({
        ...usual,
        jwk: { ...publicJwk(world.otherKey) },
        jku: 'https://attacker.example/keys',
        x5u: 'https://attacker.example/c',
      }),
      issuerKey: world.otherKey,
    }),
  ),
  spoiledSdJwt(
    'N071',
    'signed by a key in the jwk header, without certificates',
    'issuer_certificate_present',
    (world) => ({
      header: ({ x5c: _, ...usual }) => ({ ...usual, jwk: { ...publicJwk(world.otherKey) } }),
      issuerKey: world.otherKey,
    }),
  ),
  header('N072', 'no x5c', 'issuer_certificate_present', ({ x5c: _, ...usual }) => usual),
  spoiledSdJwt('N073', 'x5c in base64url', 'issuer_certificate_present', (world) => ({
    header: (usual) => ({ ...usual, x5c: [`${toBase64url(certificateBytes(world.issuer.sdJwt.signer))}`] }),
  })),
  spoiledSdJwt('N073', 'x5c in PEM', 'issuer_certificate_present', (world) => ({
    header: (usual) => ({ ...usual, x5c: [toPem(certificateBytes(world.issuer.sdJwt.signer))] }),
  })),
  spoiledSdJwt('N073', 'x5c is a string', 'issuer_certificate_present', (world) => ({
    header: (usual) => ({ ...usual, x5c: world.issuer.sdJwt.signer.certificate }),
  })),
  header('N074', 'x5c is empty', 'issuer_certificate_present', (usual) => ({ ...usual, x5c: [] })),
  header('N074', 'x5c holds an empty string', 'issuer_certificate_present', (usual) => ({ ...usual, x5c: [''] })),
  header('N092', 'an unknown crit', 'well_formed', (usual) => ({ ...usual, crit: ['exp'], exp: NOW + DAY })),
  header('N092', 'crit b64', 'well_formed', (usual) => ({ ...usual, crit: ['b64'], b64: false })),
  spoiledSdJwt('N093', 'a header member twice', 'well_formed', {
    sign: (head, body, key) =>
      signJwsText(JSON.stringify(head).replace('{', '{"alg":"none",'), JSON.stringify(body), key),
  }),
  spoiledSdJwt('N093', 'a payload member twice', 'well_formed', {
    sign: (head, body, key) =>
      signJwsText(JSON.stringify(head), JSON.stringify(body).replace('{', `{"exp":${NOW + 999 * DAY},`), key),
  }),
  spoiledSdJwt('N073', 'the issuer JWT padded', 'well_formed', { issuerJwt: (jwt) => jwt.replace('.', '=.') }),
  payload('V002', 'no vct', 'well_formed', ({ vct: _, ...usual }) => usual),
  payload('V002', 'vct is an array', 'well_formed', (usual) => ({ ...usual, vct: [usual.vct ?? ''] })),
]

const TIMES: readonly Mutation[] = [
  payload('N089', 'expired', 'within_validity', (usual) => ({ ...usual, exp: NOW - DAY })),
  payload('N090', 'a credential that is not valid yet', 'within_validity', (usual) => ({ ...usual, nbf: NOW + DAY })),
  payload('N090', 'a credential issued in the future', 'within_validity', (usual) => ({ ...usual, iat: NOW + DAY })),
  payload('N091', 'exp is a string', 'within_validity', (usual) => ({ ...usual, exp: String(NOW + DAY) })),
  payload('N091', 'exp is negative', 'within_validity', (usual) => ({ ...usual, exp: -1 })),
  payload('N091', 'exp is null', 'within_validity', (usual) => ({ ...usual, exp: null })),
  payload('N091', 'nbf is an object', 'within_validity', (usual) => ({ ...usual, nbf: {} })),
  spoiledSdJwt('N091', 'exp is 1e400', 'well_formed', {
    sign: (head, body, key) =>
      signJwsText(JSON.stringify(head), JSON.stringify(body).replace(/"exp":\d+/, '"exp":1e400'), key),
  }),
  {
    ...payload('N089', 'a credential that expired within the permitted skew', 'accepted', (usual) => ({
      ...usual,
      exp: NOW - 10,
    })),
    positive: true,
  },
]

const GOOD: readonly Mutation[] = [
  {
    id: 'N113',
    title: 'a valid SD-JWT',
    format: 'dc+sd-jwt',
    expectedCheck: 'accepted',
    positive: true,
    make: (world) => sdJwtTrial(world),
  },
  {
    ...spoiledSdJwt('N067', 'an issuer on P-384 with ES384', 'accepted', (world) => {
      const signer = mintSigner(
        world.issuer.sdJwt.authority,
        { country: 'DE', commonName: 'P-384 signer' },
        { notBefore: NOW - DAY, notAfter: NOW + DAY, subjectKey: generateKey('P-384') },
      )
      return { signer, sign: (head, body, key) => signJws({ ...head, alg: 'ES384' }, body, key) }
    }),
    positive: true,
  },
]

export const SD_JWT_ISSUER_MUTATIONS: readonly Mutation[] = [
  ...SIGNATURES,
  ...ALGORITHMS,
  ...HEADERS,
  ...TIMES,
  ...GOOD,
]
