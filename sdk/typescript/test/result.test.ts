// Tests how encrypted results are opened, with JWEs that another library made.

import assert from 'node:assert/strict'
import test from 'node:test'
import { CompactEncrypt, calculateJwkThumbprint, importJWK } from 'jose'
import {
  generateResultKey,
  isEncrypted,
  openChallenge,
  openResult,
  ResultError,
  type ResultPrivateKey,
} from '../src/result.ts'
import type { Verification } from '../src/verification.ts'

const CONTENT = { claims: { family_name: 'Specimen' }, credentials: [{ claims: { family_name: 'Specimen' } }] }
const CREDENTIAL = {
  format: 'dc+sd-jwt' as const,
  doctype_or_vct: 'urn:eudi:pid:1',
  claims: {},
  issuer: {},
  trusted: true,
  signature_valid: true,
  holder_binding_valid: true,
  findings: [],
}
const encoded = (text: string) => new TextEncoder().encode(text)
const { publicKey, privateKey } = await generateResultKey()
const kid = await calculateJwkThumbprint({ ...publicKey })

async function encrypt(text: string, change: { typ?: string; enc?: string; audience?: string; kid?: string } = {}) {
  return new CompactEncrypt(encoded(text))
    .setProtectedHeader({
      alg: 'ECDH-ES',
      enc: change.enc ?? 'A256GCM',
      typ: change.typ ?? 'vidimus-result+jwe',
      kid: change.kid ?? kid,
    })
    .setKeyManagementParameters({ apv: encoded(change.audience ?? 'ver_1') })
    .encrypt(await importJWK({ ...publicKey }, 'ECDH-ES'))
}
const verificationWith = (claims: Record<string, unknown>): Verification => ({
  id: 'ver_1',
  status: 'completed',
  created_at: '2027-06-15T12:00:00.000000Z',
  expires_at: '2027-06-15T12:05:00.000000Z',
  claims,
  credentials: [CREDENTIAL],
})
const refuses = (result: Promise<unknown>, code: string) =>
  assert.rejects(result, (error) => error instanceof ResultError && error.code === code)

test('opens a verification with its claims and the claims of its credentials', async () => {
  const verification = verificationWith({ $jwe: await encrypt(JSON.stringify(CONTENT)) })
  assert.equal(isEncrypted(verification), true)
  const opened = await openResult(verification, privateKey)
  assert.deepEqual(opened, {
    ...verificationWith(CONTENT.claims),
    credentials: [{ ...CREDENTIAL, ...CONTENT.credentials[0] }],
  })
  assert.equal(isEncrypted(opened), false)
})

test('refuses a result that is not encrypted unless the caller accepts it, and returns a result without claims unchanged', async () => {
  const clear = verificationWith({ family_name: 'Specimen' })
  await refuses(openResult(clear, privateKey), 'not_encrypted')
  assert.equal(await openResult(clear, privateKey, { acceptClear: true }), clear)
  const { claims, ...forgotten } = clear
  assert.equal(await openResult(forgotten, privateKey), forgotten)
  await refuses(openResult(verificationWith({ $jwe: 'a..b.c.d', beside: true }), privateKey), 'damaged')
})

test('uses the right one of several keys, and reports no_key without it', async () => {
  const other = await generateResultKey()
  const verification = verificationWith({ $jwe: await encrypt(JSON.stringify(CONTENT)) })
  const opened = await openResult(verification, [other.privateKey, privateKey])
  assert.equal(opened.claims?.family_name, 'Specimen')
  await refuses(openResult(verification, other.privateKey), 'no_key')
  const disguised: ResultPrivateKey = { ...privateKey, d: other.privateKey.d }
  await refuses(openResult(verification, disguised), 'damaged')
})

test('refuses a result for another verification, of another type or with another encryption', async () => {
  const content = JSON.stringify(CONTENT)
  for (const change of [
    { audience: 'ver_2' },
    { audience: '' },
    { typ: 'vidimus-challenge+jwe' },
    { typ: 'JWE' },
    { enc: 'A128GCM' },
  ]) {
    await refuses(openResult(verificationWith({ $jwe: await encrypt(content, change) }), privateKey), 'damaged')
  }
  for (const text of ['', '[]', 'null', '{"claims":{}}', '{"claims":{},"credentials":[]}', 'no json']) {
    await refuses(openResult(verificationWith({ $jwe: await encrypt(text) }), privateKey), 'damaged')
  }
})

test('refuses a text that is not a JWE as damaged', async () => {
  const jwe = await encrypt(JSON.stringify(CONTENT))
  const parts = jwe.split('.')
  const noise = ['', 'a', '....', 'a.b.c.d.e', jwe.slice(1), `${jwe}.`, jwe.replace('..', '.x.'), `${parts[0]}....`]
  for (const text of noise) await refuses(openResult(verificationWith({ $jwe: text }), privateKey), 'damaged')
})

test('a challenge opens only with the key and the id that it was created for', async () => {
  const challenge = await encrypt('the answer', { typ: 'vidimus-challenge+jwe', audience: 'rky_1' })
  assert.equal(await openChallenge(challenge, privateKey, 'rky_1'), 'the answer')
  await refuses(openChallenge(challenge, privateKey, 'rky_2'), 'damaged')
})
