// Tests that a key binding counts only from the holder, for us, for now, and for the disclosed claims.

import assert from 'node:assert/strict'
import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import { NOW } from '../trust/mint-pki.ts'
import {
  CLIENT_ID,
  digest,
  examine,
  expected,
  failedChecks,
  holder,
  type Members,
  mintBinding,
  mintPresentation,
  NONCE,
  type Plan,
  RESPONSE_URI,
  signJwt,
} from './mint-presentation.ts'

const without =
  (name: string) =>
  (members: Members): Members => {
    const { [name]: _, ...rest } = members
    return rest
  }
const withBinding = (changes: Members): Plan => ({ binding: (claims) => ({ ...claims, ...changes }) })
const withHeader = (changes: Members): Plan => ({ bindingHeader: (header) => ({ ...header, ...changes }) })
const withCnf = (cnf: unknown): Plan => ({ payload: (payload) => ({ ...payload, cnf }) })
const holderJwk = holder.publicKey.export({ format: 'jwk' })
const thief = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const YEAR = 365 * 86_400
const issuerJwtOf = (presented: string): string => presented.slice(0, presented.indexOf('~'))
const bindingOf = (presented: string): string => presented.slice(presented.lastIndexOf('~') + 1)

const SPOILT: readonly (readonly [string, Plan, string])[] = [
  ['names no holder key', { payload: without('cnf') }, 'holder_key_present'],
  ['names its holder key by kid only', withCnf({ kid: '1' }), 'holder_key_present'],
  ['names a holder key that is not an object', withCnf({ jwk: 'key' }), 'holder_key_present'],
  ['names its holder by a string', withCnf('key'), 'holder_key_present'],
  ['names a private holder key', withCnf({ jwk: holder.privateKey.export({ format: 'jwk' }) }), 'holder_key_present'],
  ['names a symmetric holder key', withCnf({ jwk: { kty: 'oct', k: 'AAAA' } }), 'holder_key_present'],
  [
    'names a holder key on an unknown curve',
    withCnf({ jwk: { ...holderJwk, crv: 'secp256k1' } }),
    'holder_key_present',
  ],
  ['names a holder key off its curve', withCnf({ jwk: { ...holderJwk, y: holderJwk.x } }), 'holder_key_present'],
  ['has its key binding stripped', { bindingJwt: () => '' }, 'holder_signature_valid'],
  ['is bound with another key', { bindWith: thief.privateKey }, 'holder_signature_valid'],
  [
    'brings the binding key in the header',
    { ...withHeader({ jwk: thief.publicKey.export({ format: 'jwk' }) }), bindWith: thief.privateKey },
    'holder_signature_valid',
  ],
  ['has a key binding of type JWT', withHeader({ typ: 'JWT' }), 'holder_signature_valid'],
  ['has a key binding without type', { bindingHeader: without('typ') }, 'holder_signature_valid'],
  [
    'has an unsigned key binding',
    { ...withHeader({ alg: 'none' }), bindingJwt: (jwt) => jwt.replace(/[^.]*$/, '') },
    'holder_signature_valid',
  ],
  ['has a key binding without algorithm', { bindingHeader: without('alg') }, 'holder_signature_valid'],
  [
    'has a key binding that is a MAC',
    {
      bindingJwt: () =>
        signJwt({ alg: 'HS256', typ: 'kb+jwt' }, { nonce: NONCE }, (input) =>
          createHmac('sha256', JSON.stringify(holderJwk)).update(input).digest('base64url'),
        ),
    },
    'holder_signature_valid',
  ],
  ['has a key binding of another algorithm than its key', withHeader({ alg: 'ES384' }), 'holder_signature_valid'],
  [
    'has a key binding signed in DER',
    {
      bindingJwt: (jwt) =>
        jwt.replace(/[^.]*$/, '') +
        sign('sha256', Buffer.from(jwt.slice(0, jwt.lastIndexOf('.'))), holder.privateKey).toString('base64url'),
    },
    'holder_signature_valid',
  ],
  [
    'has the issuer JWT as its key binding',
    { presented: (text) => text.slice(0, text.lastIndexOf('~') + 1) + issuerJwtOf(text) },
    'holder_signature_valid',
  ],
  ['has another nonce', withBinding({ nonce: 'other' }), 'bound_to_request'],
  ['has a nonce that only begins right', withBinding({ nonce: `${NONCE}x` }), 'bound_to_request'],
  ['has an empty nonce', withBinding({ nonce: '' }), 'bound_to_request'],
  ['has no nonce', { binding: without('nonce') }, 'bound_to_request'],
  ['has a list of nonces', withBinding({ nonce: [NONCE] }), 'bound_to_request'],
  [
    'is for the client id without its prefix',
    withBinding({ aud: CLIENT_ID.replace('x509_hash:', '') }),
    'bound_to_request',
  ],
  ['is for another verifier', withBinding({ aud: 'x509_san_dns:other.example' }), 'bound_to_request'],
  ['is for a list with us in it', withBinding({ aud: [CLIENT_ID] }), 'bound_to_request'],
  ['has no audience', { binding: without('aud') }, 'bound_to_request'],
  ['is a year old', withBinding({ iat: NOW - YEAR }), 'bound_to_request'],
  ['was made before the request', withBinding({ iat: NOW - 121 }), 'bound_to_request'],
  ['was made in the future', withBinding({ iat: NOW + 61 }), 'bound_to_request'],
  ['was made a year in the future', withBinding({ iat: NOW + YEAR }), 'bound_to_request'],
  ['does not say when it was made', { binding: without('iat') }, 'bound_to_request'],
  ['says in words when it was made', withBinding({ iat: String(NOW) }), 'bound_to_request'],
  ['has a key binding that has expired', withBinding({ exp: NOW - 60 }), 'bound_to_request'],
  ['has a key binding that expires at null', withBinding({ exp: null }), 'bound_to_request'],
  ['has a key binding that is not valid yet', withBinding({ nbf: NOW + 61 }), 'bound_to_request'],
  ['has another sd_hash', withBinding({ sd_hash: digest('other') }), 'bound_to_presentation'],
  ['has no sd_hash', { binding: without('sd_hash') }, 'bound_to_presentation'],
  ['has an empty sd_hash', withBinding({ sd_hash: '' }), 'bound_to_presentation'],
  [
    'has an sd_hash by another algorithm',
    {
      binding: ({ sd_hash: _, ...claims }) => ({
        ...claims,
        sd_hash: createHash('sha512').update('x').digest('base64url'),
      }),
    },
    'bound_to_presentation',
  ],
  [
    'had a disclosure taken away after binding',
    { presented: (text) => text.replace(/~[^~]+~/, '~') },
    'bound_to_presentation',
  ],
  [
    'had its disclosures reordered after binding',
    { presented: (text) => text.replace(/~([^~]+)~([^~]+)~/, '~$2~$1~') },
    'bound_to_presentation',
  ],
  [
    'carries the binding of another credential of the holder',
    { bindingJwt: () => bindingOf(mintPresentation({ concealed: { given_name: 'Max' } })) },
    'bound_to_presentation',
  ],
]

for (const [title, plan, check] of SPOILT) {
  test(`rejects a presentation that ${title}`, () => {
    const examination = examine(mintPresentation(plan))
    assert.deepEqual(failedChecks(examination), [check])
    assert.equal(examination.failure?.code, 'holder_binding_invalid')
    assert.equal(examination.claims, null)
  })
}

test('rejects a presentation made for another request', () => {
  const presented = mintPresentation()
  for (const changes of [
    { nonce: 'n'.repeat(43) },
    { channel: { kind: 'redirect', clientId: 'x509_hash:other', responseUri: RESPONSE_URI } as const },
    { requestedAt: NOW + 120, now: NOW + 130 },
  ]) {
    assert.deepEqual(failedChecks(examine(presented, { expected: { ...expected, ...changes } })), ['bound_to_request'])
  }
})

test('a minimal holder key is enough', () => {
  const { kty, crv, x, y } = holderJwk
  assert.equal(examine(mintPresentation(withCnf({ jwk: { kty, crv, x, y } }))).failure, null)
})

test('holders may have keys of every accepted type', () => {
  const ed25519 = generateKeyPairSync('ed25519')
  const binding =
    (alg: string, hash: string | null, key: typeof p384.privateKey) =>
    (jwt: string): string => {
      const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
      return signJwt({ alg, typ: 'kb+jwt' }, claims, (input) =>
        sign(hash, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url'),
      )
    }
  const cases = [
    ['ES384', 'sha384', p384],
    ['EdDSA', null, ed25519],
  ] as const
  for (const [alg, hash, keys] of cases) {
    const plan = {
      ...withCnf({ jwk: keys.publicKey.export({ format: 'jwk' }) }),
      bindingJwt: binding(alg, hash, keys.privateKey),
    }
    assert.equal(examine(mintPresentation(plan)).failure, null, alg)
  }
})

test('the sd_hash uses the hash algorithm of the credential', () => {
  const sha512 = (text: string): string => createHash('sha512').update(text).digest('base64url')
  const unbound = mintPresentation({
    payload: (payload) => ({ ...payload, _sd_alg: 'sha-512', _sd: [] }),
    disclosures: () => [],
    bindingJwt: () => '',
  })
  const right = unbound + mintBinding(unbound, withBinding({ sd_hash: sha512(unbound) }))
  assert.equal(examine(right).failure, null)
  assert.deepEqual(failedChecks(examine(unbound + mintBinding(unbound))), ['bound_to_presentation'])
})

test('bindings at the limits of their time are accepted', () => {
  for (const iat of [NOW - 120, NOW + 60, NOW - 0.5]) {
    assert.equal(examine(mintPresentation(withBinding({ iat, exp: NOW - 59, nbf: NOW + 60 }))).failure, null)
  }
})
