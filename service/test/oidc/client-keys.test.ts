// Tests that verifying with keys of clients is cheap: one key is tried per assertion, within the sender's budget.

import assert from 'node:assert/strict'
import { createSign, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import test from 'node:test'
import { LIMITS } from '../../../engine/src/limits.ts'
import { problemOf } from '../../src/features/oidc/domain/client.ts'
import { findClientKey, readClientKeys } from '../../src/features/oidc/domain/client-keys.ts'
import { TERMS, testClient } from '../harness/openid-client.ts'
import { GENEROUS, testService } from '../harness/service.ts'
import { CALLBACK, pathOf } from './callers.ts'

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ecJwk = ec.publicKey.export({ format: 'jwk' })
const { n = '' } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
const setOf = (...keys: object[]) => JSON.stringify({ keys })
const rsaJwk = (e: string) => ({ kty: 'RSA', n, e })
const exponentOf = (value: bigint) => Buffer.from(value.toString(16).padStart(16, '0'), 'hex').toString('base64url')

test('RSA keys have the limits of certificates, and an exponent as long as the modulus is refused', () => {
  assert.equal(readClientKeys(setOf(rsaJwk('AQAB'))).length, 1)
  assert.equal(readClientKeys(setOf(rsaJwk(exponentOf(LIMITS.rsaExponent)))).length, 1)
  for (const e of [n, exponentOf(LIMITS.rsaExponent + 2n), 'AQ']) {
    const jwks = setOf(rsaJwk(e))
    assert.equal(readClientKeys(jwks).length, 0)
    assert.ok(findClientKey(jwks, { alg: 'RS256' }) === null, 'nor if an invalid key is already stored')
    const terms = { ...TERMS, redirectUris: [CALLBACK], jwks }
    assert.equal(problemOf(terms, 'private_key_jwt', 'test'), 'jwks')
  }
})

test('several keys of an algorithm must have names, and only the named one is tried', () => {
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  assert.equal(readClientKeys(setOf({ ...ecJwk, kid: 'a' }, { ...other, kid: 'b' }, rsaJwk('AQAB'))).length, 3)
  assert.equal(readClientKeys(setOf(ecJwk, other)).length, 0)
  assert.equal(readClientKeys(setOf({ ...ecJwk, kid: 'a' }, other)).length, 0)
  assert.equal(readClientKeys(setOf({ ...ecJwk, kid: 'a' }, { ...other, kid: 'a' })).length, 0)
  const found = (jwks: string, header: object) =>
    findClientKey(jwks, { alg: 'ES256', ...header })?.key.export({ format: 'jwk' }).x
  const named = setOf({ ...ecJwk, kid: 'a' }, { ...other, kid: 'b' }, rsaJwk('AQAB'))
  assert.deepEqual([found(named, { kid: 'a' }), found(named, { kid: 'b' })], [ecJwk.x, other.x])
  assert.deepEqual(
    [found(named, {}), found(named, { kid: 'c' }), found(named, { alg: 'none' })],
    [undefined, undefined, undefined],
  )
  assert.equal(findClientKey(named, { alg: 'RS256' })?.alg, 'RS256', 'the only key of its algorithm')
  assert.equal(found(setOf(ecJwk), { kid: 'whatever' }), ecJwk.x, 'the only key, which has no name')
  assert.equal(found(setOf({ ...ecJwk, kid: 'a' }), {}), ecJwk.x)
  assert.equal(found(setOf(ecJwk, other), {}), undefined, 'stored before names were required')
})

test('attempts in the name of a client are limited per network before anything is verified', async () => {
  const narrow = { ...GENEROUS.rates, key: { perSecond: 0.001, burst: 3 } }
  const service = await testService({ rates: narrow })
  const registered = await testClient(service, await service.tenant(), {
    redirectUris: [CALLBACK],
    authMethod: 'private_key_jwt',
    jwks: setOf(ecJwk),
  })
  const assertionBy = (key: KeyObject) => {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { id } = registered.client
    const exp = Math.floor(service.clock.now() / 1000) + 60
    const input = `${encode({ alg: 'ES256' })}.${encode({ iss: id, sub: id, aud: registered.issuer, exp, jti: randomUUID() })}`
    return `${input}.${createSign('sha256').update(input).sign({ key, dsaEncoding: 'ieee-p1363' }, 'base64url')}`
  }
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const bring = async (from: string, key: KeyObject) => {
    const form = {
      grant_type: 'authorization_code',
      client_assertion_type: TYPE,
      client_assertion: assertionBy(key),
      code: 'x',
    }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const raw = new URLSearchParams(form).toString()
    return (await service.call('POST', pathOf(registered, '/token'), { headers, raw, from })).status
  }
  assert.deepEqual([await bring('2001:db8:1:1::1', stranger), await bring('2001:db8:1:2::1', stranger)], [401, 401])
  assert.deepEqual([await bring('2001:db8:1:3::1', stranger), await bring('2001:db8:1:4::1', stranger)], [401, 429])
  assert.equal(await bring('2001:db8:1:5::1', ec.privateKey), 429, 'the key is not read')
  assert.equal(
    await bring('198.51.100.7', ec.privateKey),
    400,
    'the client itself, from its own address: there is no such code',
  )
})

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
