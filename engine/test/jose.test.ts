// Tests signatures of JWS for every algorithm.

import assert from 'node:assert/strict'
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { test } from 'node:test'
import {
  algorithmNamed,
  algorithmOfCoseId,
  JWS_ALGORITHMS,
  type JwsAlgorithm,
  SIGNATURE_ALGORITHMS,
} from '../src/algorithms.ts'
import { Malformed } from '../src/bytes.ts'
import {
  importKey,
  parseCompactJws,
  readPublicJwk,
  thumbprintOf,
  verifySignature,
  verifyWithStated,
} from '../src/jose.ts'
import type { JsonObject } from '../src/verdict.ts'

const data = Buffer.from('what was signed')

function keyPair(algorithm: JwsAlgorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  const { namedCurve } = SIGNATURE_ALGORITHMS[algorithm]
  return namedCurve === null ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve })
}

function signWith(
  privateKey: KeyObject,
  hash: string | null,
  dsaEncoding: 'ieee-p1363' | 'der' = 'ieee-p1363',
): Buffer {
  return sign(hash, data, { key: privateKey, dsaEncoding })
}

for (const algorithm of JWS_ALGORITHMS) {
  test(`${algorithm}: accepts its own signature and no other bytes`, () => {
    const { publicKey, privateKey } = keyPair(algorithm)
    const signature = signWith(privateKey, SIGNATURE_ALGORITHMS[algorithm].hash)
    assert.equal(verifySignature(algorithm, publicKey, { data, signature }), true)
    for (let bit = 0; bit < signature.length * 8; bit += 7) {
      const flipped = Buffer.from(signature)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      assert.equal(verifySignature(algorithm, publicKey, { data, signature: flipped }), false)
    }
    assert.equal(verifySignature(algorithm, publicKey, { data: Buffer.from('other'), signature }), false)
    assert.equal(verifySignature(algorithm, publicKey, { data, signature: signature.subarray(1) }), false)
    assert.equal(
      verifySignature(algorithm, publicKey, { data, signature: Buffer.concat([signature, Buffer.of(0)]) }),
      false,
    )
    assert.equal(verifySignature(algorithm, publicKey, { data, signature: Buffer.alloc(signature.length) }), false)
    assert.equal(verifySignature(algorithm, publicKey, { data, signature: Buffer.alloc(0) }), false)
  })

  test(`${algorithm}: refuses keys of every other algorithm`, () => {
    for (const other of JWS_ALGORITHMS.filter((name) => name !== algorithm)) {
      const { publicKey, privateKey } = keyPair(other)
      const signature = signWith(privateKey, SIGNATURE_ALGORITHMS[other].hash)
      assert.equal(verifySignature(algorithm, publicKey, { data, signature }), false, other)
    }
  })

  test(`${algorithm}: a public key survives a conversion to JWK and back`, () => {
    const { publicKey, privateKey } = keyPair(algorithm)
    const stated = readPublicJwk(publicKey.export({ format: 'jwk' }) as JsonObject)
    assert.ok(stated)
    assert.equal(stated.algorithm, algorithm)
    assert.ok(importKey(stated)?.key.equals(publicKey))
    const signature = signWith(privateKey, SIGNATURE_ALGORITHMS[algorithm].hash)
    assert.equal(verifyWithStated(stated, { data, signature }), true)
    assert.equal(verifyWithStated(stated, { data: Buffer.from('something else'), signature }), false)
    assert.equal(verifyWithStated(stated, { data, signature: signature.subarray(1) }), false)
  })
}

test('refuses a DER signature in place of r‖s', () => {
  const { publicKey, privateKey } = keyPair('ES256')
  assert.equal(verifySignature('ES256', publicKey, { data, signature: signWith(privateKey, 'sha256', 'der') }), false)
})

test('refuses ES256 by a P-384 key that signed with SHA-256', () => {
  const { publicKey, privateKey } = keyPair('ES384')
  const signature = signWith(privateKey, 'sha256')
  assert.equal(verifySignature('ES256', publicKey, { data, signature }), false)
  assert.equal(verifySignature('ES384', publicKey, { data, signature }), false)
})

test('refuses secp256k1, although its signatures have the length of ES256 signatures', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  assert.equal(verifySignature('ES256', publicKey, { data, signature: signWith(privateKey, 'sha256') }), false)
})

test('a private key verifies nothing', () => {
  const { privateKey } = keyPair('ES256')
  assert.equal(
    verifySignature('ES256', createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })), {
      data,
      signature: signWith(privateKey, 'sha256'),
    }),
    false,
  )
})

test('no MAC, "none" or inherited name is an algorithm', () => {
  for (const name of [
    'none',
    'None',
    'HS256',
    'RS256',
    'PS256',
    'ES256K',
    'es256',
    '',
    'constructor',
    '__proto__',
    'toString',
    null,
    1,
    ['ES256'],
  ]) {
    assert.equal(algorithmNamed(name), null, String(name))
  }
})

test('COSE identifiers name the same algorithms', () => {
  assert.deepEqual([-7, -9, -35, -51, -36, -52, -8, -19].map(algorithmOfCoseId), [
    'ES256',
    'ES256',
    'ES384',
    'ES384',
    'ES512',
    'ES512',
    'EdDSA',
    'EdDSA',
  ])
  for (const id of [5, 4, -257, -37, -50, 0, 7]) assert.equal(algorithmOfCoseId(id), null)
})

function encode(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
}

test('parses a compact JWS', () => {
  const text = `${encode({ alg: 'ES256' })}.${encode({ a: 1 })}.${encode('sig')}`
  const jws = parseCompactJws(text)
  assert.equal(jws.header.alg, 'ES256')
  assert.equal(jws.payload.a, 1)
  assert.equal(Buffer.from(jws.data).toString(), text.slice(0, text.lastIndexOf('.')))
  assert.equal(Buffer.from(jws.signature).toString(), 'sig')
})

const good = [encode({ alg: 'ES256' }), encode({}), 'AAAA'] as const
const MALFORMED: Readonly<Record<string, string>> = {
  'two segments': good.slice(0, 2).join('.'),
  'four segments': [...good, 'AAAA'].join('.'),
  'a padded header': `${good[0]}=.${good[1]}.${good[2]}`,
  'a header that is not an object': `${encode([])}.${good[1]}.${good[2]}`,
  'a payload that is not an object': `${good[0]}.${encode('"a"')}.${good[2]}`,
  'a header with a duplicate member': `${encode('{"alg":"ES256","alg":"none"}')}.${good[1]}.${good[2]}`,
  'a payload that is not UTF-8': `${good[0]}.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.${good[2]}`,
  'a critical extension': `${encode({ alg: 'ES256', crit: ['b64'], b64: false })}.${good[1]}.${good[2]}`,
  'an empty list of critical extensions': `${encode({ alg: 'ES256', crit: [] })}.${good[1]}.${good[2]}`,
  'a signature in standard base64': `${good[0]}.${good[1]}.+/+/`,
  'a signature with stray bits': `${good[0]}.${good[1]}.AB`,
  'a line break': `${good[0]}.${good[1]}.AAAA\n`,
  nothing: '',
}
for (const [title, text] of Object.entries(MALFORMED)) {
  test(`refuses a JWS with ${title}`, () => assert.throws(() => parseCompactJws(text), Malformed))
}

for (const algorithm of ['ES256', 'ES384', 'ES512'] as const) {
  test(`${algorithm}: refuses a key that is not a point of its curve`, () => {
    const { publicKey, privateKey } = keyPair(algorithm)
    const jwk = publicKey.export({ format: 'jwk' }) as JsonObject
    const nowhere = Buffer.alloc(SIGNATURE_ALGORITHMS[algorithm].coordinateBytes).toString('base64url')
    const signature = signWith(privateKey, SIGNATURE_ALGORITHMS[algorithm].hash)
    for (const spoilt of [
      { ...jwk, y: jwk.x ?? '' },
      { ...jwk, x: nowhere, y: nowhere },
      // Short coordinates are padded. Padded coordinates of another curve are not a point of this curve.
      { ...jwk, x: 'AAAA' },
    ]) {
      const stated = readPublicJwk(spoilt)
      assert.ok(stated)
      assert.equal(importKey(stated), null)
      assert.equal(verifyWithStated(stated, { data, signature }), null)
    }
  })
}

test('refuses every JWK that is not a public verification key', () => {
  const jwk = keyPair('ES256').publicKey.export({ format: 'jwk' }) as JsonObject
  const okp = keyPair('EdDSA').publicKey.export({ format: 'jwk' }) as JsonObject
  const x = String(jwk.x)
  assert.ok(readPublicJwk(jwk))
  assert.ok(readPublicJwk({ ...jwk, use: 'sig', alg: 'ES256', key_ops: ['verify'], kid: '1' }))
  const spoilt: readonly (JsonObject | undefined | null)[] = [
    { ...jwk, d: x },
    { ...jwk, k: 'AAAA' },
    { kty: 'oct', k: 'AAAA' },
    { kty: 'RSA', n: x, e: 'AQAB' },
    { ...jwk, kty: 'OKP' },
    { ...jwk, crv: 'secp256k1' },
    { ...jwk, x: `${x}=` },
    { ...jwk, x: Buffer.concat([Buffer.of(0), Buffer.from(x, 'base64url')]).toString('base64url') },
    { ...jwk, x: '' },
    { kty: 'EC', crv: 'P-256', x },
    { ...jwk, y: 1 },
    { ...jwk, use: 'enc' },
    { ...jwk, key_ops: ['sign'] },
    { ...jwk, key_ops: 'verify' },
    { ...jwk, alg: 'ES384' },
    { ...jwk, alg: 'none' },
    { ...jwk, alg: 'ECDH-ES' },
    { ...okp, crv: 'X25519' },
    { ...okp, x: 'AAAA' },
    {},
    undefined,
    null,
  ]
  for (const key of spoilt) assert.equal(readPublicJwk(key), null, JSON.stringify(key))
})

test('Ed25519 has two names, and no other algorithm does', () => {
  assert.deepEqual(['EdDSA', 'Ed25519', 'ES256'].map(algorithmNamed), ['EdDSA', 'EdDSA', 'ES256'])
})

for (const coordinate of ['x', 'y'] as const) {
  test(`a key whose ${coordinate} is written without its leading zeros equals the key with them`, () => {
    const key = shortKey(coordinate)
    const jwk = key.publicKey.export({ format: 'jwk' }) as JsonObject
    const short = Buffer.from(String(jwk[coordinate]), 'base64url').subarray(1).toString('base64url')
    const [whole, filled] = [readPublicJwk(jwk), readPublicJwk({ ...jwk, [coordinate]: short })]
    assert.ok(whole)
    assert.deepEqual(filled, whole)
    assert.equal(verifyWithStated(whole, { data, signature: signWith(key.privateKey, 'sha256') }), true)
  })
}

/** One key in 256 has such a coordinate. */
function shortKey(coordinate: 'x' | 'y'): ReturnType<typeof keyPair> {
  for (let tries = 0; tries < 100_000; tries += 1) {
    const key = keyPair('ES256')
    if (Buffer.from(key.publicKey.export({ format: 'jwk' })[coordinate] ?? '', 'base64url')[0] === 0) return key
  }
  throw new Error(`none of 100,000 keys has a short ${coordinate}`)
}

test('an Ed25519 key may use either name of its algorithm, and no other', () => {
  const okp = keyPair('EdDSA').publicKey.export({ format: 'jwk' }) as JsonObject
  const ec = keyPair('ES256').publicKey.export({ format: 'jwk' }) as JsonObject
  for (const alg of ['EdDSA', 'Ed25519']) {
    assert.ok(readPublicJwk({ ...okp, alg }))
    assert.equal(readPublicJwk({ ...ec, alg }), null)
  }
  assert.equal(readPublicJwk({ ...okp, alg: 'ES256' }), null)
})

test('the thumbprint of an EC key covers its four members, and a key without all four has no thumbprint', () => {
  const { kty = '', crv = '', x = '', y = '' } = keyPair('ES256').publicKey.export({ format: 'jwk' })
  const text = `{"crv":"${crv}","kty":"${kty}","x":"${x}","y":"${y}"}`
  const expected = createHash('sha256').update(text).digest('base64url')
  const thumbprint = thumbprintOf({ y, x, use: 'enc', kty, crv })
  assert.equal(Buffer.from(thumbprint ?? []).toString('base64url'), expected)
  for (const partial of [
    { kty, crv, x },
    { kty, crv, y },
    { kty, x, y },
    { crv, x, y },
    { kty, crv, x: 1, y },
  ]) {
    assert.equal(thumbprintOf(partial), null)
  }
})

test('the thumbprint follows RFC 7638 and ignores other members of the key', () => {
  // The example of RFC 8037 appendix A.3.
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', kid: 'ignored' }
  assert.equal(
    Buffer.from(thumbprintOf(jwk) ?? []).toString('base64url'),
    'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  )
  assert.equal(thumbprintOf({ kty: 'RSA', n: 'AQAB' }), null)
})
