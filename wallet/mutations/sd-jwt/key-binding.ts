// Lists changed key binding of an SD-JWT (N116-N132): the credential is genuine, but its presentation is not.

import { createHmac } from 'node:crypto'
import type { Json, JsonObject } from '../../src/encoding/json.ts'
import { generateKey, publicJwk, thumbprint, toBase64url } from '../../src/keys.ts'
import { digestOf, signJws } from '../../src/sdjwt.ts'
import type { Mutation } from '../mutation.ts'
import { spoiledSdJwt } from '../spoiled.ts'
import type { World } from '../world.ts'
import { CLIENT_ID, NONCE, NOW } from '../world.ts'
import type { SdJwtHooks } from './sd-jwt-trial.ts'
import { presentSdJwt, sdJwtTrial } from './sd-jwt-trial.ts'

const YEAR = 365 * 86_400

const claims = (
  id: string,
  title: string,
  expectedCheck: string,
  change: (usual: JsonObject, sdJwt: string) => JsonObject,
): Mutation => spoiledSdJwt(id, title, expectedCheck, { keyBindingClaims: change })

const unbound = (id: string, title: string, change: JsonObject): Mutation =>
  claims(id, title, 'bound_to_request', (usual) => ({ ...usual, ...change }))

const SIGNATURES: readonly Mutation[] = [
  spoiledSdJwt('N116', 'the key binding JWT stripped', 'holder_signature_valid', { keyBinding: () => '' }),
  spoiledSdJwt('N117', 'a key binding JWT signed by another key', 'holder_signature_valid', (world) => ({
    keyBindingKey: world.otherKey,
  })),
  spoiledSdJwt('N118', 'a key binding JWT signed by the key in its own header', 'holder_signature_valid', (world) => ({
    keyBindingKey: world.otherKey,
    keyBindingHeader: (usual) => ({ ...usual, jwk: { ...publicJwk(world.otherKey) } }),
  })),
  spoiledSdJwt('N125', 'typ JWT', 'holder_signature_valid', {
    keyBindingHeader: (usual) => ({ ...usual, typ: 'JWT' }),
  }),
  spoiledSdJwt('N125', 'no typ', 'holder_signature_valid', { keyBindingHeader: ({ typ: _, ...usual }) => usual }),
  spoiledSdJwt('N126', 'alg none', 'holder_signature_valid', {
    keyBindingHeader: (usual) => ({ ...usual, alg: 'none' }),
    keyBinding: (jwt) => jwt.slice(0, jwt.lastIndexOf('.') + 1),
  }),
  spoiledSdJwt('N126', 'HS256 with the public key as secret', 'holder_signature_valid', (world) => ({
    keyBindingHeader: (usual) => ({ ...usual, alg: 'HS256' }),
    keyBinding: (jwt) => {
      const input = jwt.slice(0, jwt.lastIndexOf('.'))
      return `${input}.${createHmac('sha256', JSON.stringify(publicJwk(world.holderKey)))
        .update(input)
        .digest('base64url')}`
    },
  })),
  spoiledSdJwt('N126', 'alg of another curve', 'holder_signature_valid', {
    keyBindingHeader: (usual) => ({ ...usual, alg: 'ES384' }),
  }),
  spoiledSdJwt('N117', 'the payload of the key binding JWT changed after signing', 'holder_signature_valid', {
    keyBinding: (jwt) => {
      const [head = '', body = '', signature = ''] = jwt.split('.')
      return `${head}.${Buffer.from(Buffer.from(body, 'base64url').toString().replace('{', '{"x":1,')).toString('base64url')}.${signature}`
    },
  }),
  spoiledSdJwt('N116', 'a key binding that is not a JWT', 'well_formed', { keyBinding: () => 'not-a-jwt' }),
]

const REQUEST: readonly Mutation[] = [
  unbound('N119', 'aud without its prefix', { aud: CLIENT_ID.slice('x509_hash:'.length) }),
  unbound('N120', 'aud of another verifier', { aud: 'x509_san_dns:other-verifier.example' }),
  unbound('N121', 'aud in an array', { aud: [CLIENT_ID] }),
  claims('N121', 'no aud', 'bound_to_request', ({ aud: _, ...usual }) => usual),
  unbound('N122', 'another nonce', { nonce: `${NONCE}x` }),
  unbound('N122', 'the nonce in another case', { nonce: NONCE.toLowerCase() }),
  unbound('N122', 'the nonce in an array', { nonce: [NONCE] }),
  claims('N123', 'no nonce', 'bound_to_request', ({ nonce: _, ...usual }) => usual),
  unbound('N124', 'made a year ago', { iat: NOW - YEAR }),
  unbound('N124', 'made a year in the future', { iat: NOW + YEAR }),
  unbound('N124', 'iat is a string', { iat: String(NOW) }),
  claims('N124', 'no iat', 'bound_to_request', ({ iat: _, ...usual }) => usual),
  unbound('N124', 'its own exp has passed', { exp: NOW - 3600 }),
]

const COVERAGE: readonly Mutation[] = [
  claims('N127', 'another sd_hash', 'bound_to_presentation', (usual) => ({ ...usual, sd_hash: digestOf('another') })),
  claims('N127', 'no sd_hash', 'bound_to_presentation', ({ sd_hash: _, ...usual }) => usual),
  claims('N129', 'sd_hash by SHA-512', 'bound_to_presentation', (usual, sdJwt) => ({
    ...usual,
    sd_hash: digestOf(sdJwt, 'sha512'),
  })),
  spoiledSdJwt('N128', 'a disclosure added after signing', 'bound_to_presentation', {
    presented: (presented, all) => {
      const email = all.find((disclosure) => disclosure.path[0] === 'email')?.text ?? ''
      const at = presented.lastIndexOf('~')
      return `${presented.slice(0, at)}~${email}${presented.slice(at)}`
    },
  }),
  spoiledSdJwt('N128', 'a disclosure removed after signing', 'bound_to_presentation', {
    presented: (presented) => presented.split('~').toSpliced(1, 1).join('~'),
  }),
  spoiledSdJwt('N128', 'disclosures reordered after signing', 'bound_to_presentation', {
    presented: (presented) => {
      const [issuerJwt = '', ...rest] = presented.split('~')
      const binding = rest.pop() ?? ''
      return [issuerJwt, ...rest.toReversed(), binding].join('~')
    },
  }),
  {
    id: 'N132',
    title: 'the key binding JWT of another credential of the same holder',
    format: 'dc+sd-jwt',
    expectedCheck: 'bound_to_presentation',
    make: (world) => {
      const other = presentSdJwt(world)
      return sdJwtTrial(world, { keyBinding: () => other.slice(other.lastIndexOf('~') + 1) })
    },
  },
]

/** The key that the issuer names for the holder. */
const confirmed = (id: string, title: string, cnf: (world: World) => Json): Mutation =>
  spoiledSdJwt(id, title, 'holder_key_present', (world) => ({
    payload: (payload) => ({ ...payload, cnf: cnf(world) }),
  }))

const KEYS: readonly Mutation[] = [
  spoiledSdJwt('N130', 'no cnf', 'holder_key_present', { payload: ({ cnf: _, ...payload }) => payload }),
  confirmed('N130', 'cnf without a jwk', () => ({})),
  confirmed('N131', 'a private key in cnf', (world) => ({ jwk: { ...world.holderKey } })),
  confirmed('N131', 'a symmetric key in cnf', () => ({ jwk: { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA' } })),
  confirmed('N131', 'an unsupported curve in cnf', (world) => ({
    jwk: { ...publicJwk(world.holderKey), crv: 'secp256k1' },
  })),
  confirmed('N131', 'a point that is not on the curve', (world) => ({
    jwk: { ...publicJwk(world.holderKey), x: toBase64url(new Uint8Array(32).fill(7)) },
  })),
  confirmed('N131', 'only a thumbprint in cnf', (world) => ({ jkt: toBase64url(thumbprint(world.holderKey)) })),
]

const ACCEPTED: readonly Mutation[] = [
  spoiledSdJwt('N117', 'a holder with an Ed25519 key', 'accepted', () => otherHolder('Ed25519')),
  spoiledSdJwt('N117', 'a holder with a P-521 key', 'accepted', () => otherHolder('P-521')),
  {
    ...spoiledSdJwt('N118', 'keys in the header of the key binding JWT are not read', 'accepted', (world) => ({
      keyBindingHeader: (usual) => ({ ...usual, jwk: { ...publicJwk(world.otherKey) }, kid: 'x' }),
    })),
    positive: true,
  },
]

export const KEY_BINDING_MUTATIONS: readonly Mutation[] = [...SIGNATURES, ...REQUEST, ...COVERAGE, ...KEYS, ...ACCEPTED]

function otherHolder(curve: 'Ed25519' | 'P-521'): SdJwtHooks {
  const key = generateKey(curve)
  return {
    keyBindingKey: key,
    payload: (payload) => ({ ...payload, cnf: { jwk: { ...publicJwk(key) } } }),
    sign: signJws,
  }
}
