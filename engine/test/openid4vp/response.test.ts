// Tests the envelope: only an unambiguous answer in the requested mode, with our state, becomes a presentation.

import assert from 'node:assert/strict'
import { diffieHellman, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { LIMITS, newBudget } from '../../src/limits.ts'
import {
  type ExpectedResponse,
  readResponse,
  readResponseToOneOf,
  type WalletResponse,
} from '../../src/openid4vp/response.ts'
import { leastCpuMs } from '../cpu-time.ts'
import { encrypt, type JwePlan } from './mint-jwe.ts'

const STATE = 'c3RhdGUtMDEyMzQ1Njc4OWFiY2RlZg'
const KID = 'kid-1'
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const otherKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const encrypted: ExpectedResponse = { encryption: { privateKey: keys.privateKey, kid: KID }, state: STATE }
const clear: ExpectedResponse = { encryption: null, state: STATE }

const body = (fields: Record<string, string>): Uint8Array => Buffer.from(new URLSearchParams(fields).toString())
const payload = { vp_token: { pid: ['x'] }, state: STATE }
const jwe = (content: unknown = payload, plan: JwePlan = {}): Uint8Array =>
  body({
    response: encrypt(typeof content === 'string' ? content : JSON.stringify(content), keys.publicKey, {
      kid: KID,
      ...plan,
    }),
  })

const raw = (text: string): Uint8Array => Buffer.from(text)
const token = 'vp_token=%7B%22pid%22%3A%5B%22x%22%5D%7D'

function assertPresented(response: WalletResponse): void {
  assert.equal(JSON.stringify(response), JSON.stringify({ kind: 'presentation', vpToken: { pid: ['x'] } }))
}

test('reads an unencrypted response', () => {
  assertPresented(readResponse(body({ vp_token: '{"pid":["x"]}', state: STATE, iss: 'ignored' }), clear))
})

test('reads an encrypted response, in both encryptions, with and without party information', () => {
  assertPresented(readResponse(jwe(), encrypted))
  assertPresented(readResponse(jwe(payload, { enc: 'A256GCM' }), encrypted))
  assertPresented(readResponse(jwe(payload, { header: { apu: 'cmFuZG9t', apv: 'dGV4dA' } }), encrypted))
})

test('stray separators in a form are ignored', () => {
  assertPresented(readResponse(raw(`&&${token}&&state=${STATE}&`), clear))
})

test('requires no state if none was sent', () => {
  assertPresented(readResponse(jwe({ vp_token: { pid: ['x'] } }), { ...encrypted, state: null }))
  assertPresented(readResponse(jwe({ ...payload, state: 'unasked' }), { ...encrypted, state: null }))
})

test('reads errors, unencrypted and encrypted', () => {
  const denied = { kind: 'wallet_error', code: 'access_denied' }
  assert.deepEqual(readResponse(body({ error: 'access_denied', state: STATE }), clear), denied)
  assert.deepEqual(readResponse(body({ error: 'access_denied', state: STATE }), encrypted), denied)
  assert.deepEqual(readResponse(jwe({ error: 'access_denied', state: STATE }), encrypted), denied)
})

test('an error description is truncated and loses its control characters', () => {
  const error_description = `<b>no</b>\u0000\r\n\u202e${'x'.repeat(500)}`
  const response = readResponse(body({ error: 'server_error', error_description, state: STATE }), clear)
  assert.ok(response.kind === 'wallet_error' && response.description)
  assert.equal(response.description.length, 200)
  assert.match(response.description, /^<b>no<\/b> {4}x+$/)
})

const MALFORMED: readonly (readonly [string, Uint8Array, ExpectedResponse])[] = [
  ['is empty', raw(''), clear],
  ['has neither presentation nor error', body({ state: STATE }), clear],
  ['has neither, although encryption was asked for', body({ state: STATE }), encrypted],
  [
    'has a vp_token in clear although encryption was asked for',
    body({ vp_token: '{"pid":["x"]}', state: STATE }),
    encrypted,
  ],
  ['has a vp_token in clear beside an encrypted response', raw(`${Buffer.from(jwe())}&${token}`), encrypted],
  ['is encrypted although it was asked for in clear', jwe(), clear],
  ['is in clear and encrypted at once', raw(`${Buffer.from(jwe())}&${token}&state=${STATE}`), clear],
  [
    'is not UTF-8 inside',
    body({ response: encrypt(Buffer.from([0x7b, 0xff, 0x7d]), keys.publicKey, { kid: KID }) }),
    encrypted,
  ],
  ['is both presentation and error', body({ vp_token: '{"pid":["x"]}', error: 'access_denied', state: STATE }), clear],
  ['is encrypted, and both presentation and error', jwe({ ...payload, error: 'access_denied' }), encrypted],
  [
    'has an error beside an encrypted response',
    raw(`${Buffer.from(jwe())}&error=access_denied&state=${STATE}`),
    encrypted,
  ],
  ['has another state', jwe({ ...payload, state: 'other' }), encrypted],
  ['has no state', jwe({ vp_token: { pid: ['x'] } }), encrypted],
  ['has a state that is not a string', jwe({ ...payload, state: [STATE] }), encrypted],
  [
    'has its state outside the encryption only',
    raw(`${Buffer.from(jwe({ vp_token: { pid: ['x'] } }))}&state=${STATE}`),
    encrypted,
  ],
  ['has an error without the state', body({ error: 'access_denied' }), clear],
  ['has a vp_token twice', raw(`${token}&${token}&state=${STATE}`), clear],
  ['has a field twice by another spelling', raw(`${token}&vp%5Ftoken=x&state=${STATE}`), clear],
  ['has the response twice', raw(`${Buffer.from(jwe())}&${Buffer.from(jwe())}`), encrypted],
  ['has an unknown field twice', raw(`${token}&state=${STATE}&a=1&a=1`), clear],
  ['has too many fields', raw(`${token}&state=${STATE}${'&'.repeat(100)}`), clear],
  ['is JSON', raw(JSON.stringify({ vp_token: { pid: ['x'] } })), clear],
  ['is not UTF-8', Buffer.concat([raw(`state=${STATE}&${token}&a=`), Buffer.of(0xff)]), clear],
  ['has a broken percent-encoding', raw(`${token}&state=${STATE}&a=%zz`), clear],
  ['has percent-encoded bytes that are not UTF-8', raw(`${token}&state=${STATE}&a=%ff`), clear],
  ['is too large', raw(`${token}&state=${STATE}&a=${'x'.repeat(2_000_000)}`), clear],
  ['has a vp_token that is an array', body({ vp_token: '[["x"]]', state: STATE }), clear],
  ['has a vp_token that is a string', jwe({ ...payload, vp_token: '{"pid":["x"]}' }), encrypted],
  ['has a vp_token with a duplicate member', body({ vp_token: '{"pid":["x"],"pid":["y"]}', state: STATE }), clear],
  ['has a vp_token that is not JSON', body({ vp_token: '{pid:[]}', state: STATE }), clear],
  ['has an error that is not a code', body({ error: 'a"b', state: STATE }), clear],
  ['has an empty error', body({ error: '', state: STATE }), clear],
  ['has an error that is not a string', jwe({ error: 1, state: STATE }), encrypted],
  ['has an error that is too long', body({ error: 'a'.repeat(65), state: STATE }), clear],
  ['has an array as encrypted payload', jwe('[]'), encrypted],
  ['has a string as encrypted payload', jwe('"x"'), encrypted],
  ['has a JWS as encrypted payload', jwe('eyJhbGciOiJub25lIn0.e30.'), encrypted],
  [
    'has an encrypted payload with a duplicate member',
    jwe(`{"vp_token":{},"vp_token":{"pid":["x"]},"state":"${STATE}"}`),
    encrypted,
  ],
  [
    'is encrypted to another key',
    body({ response: encrypt(JSON.stringify(payload), otherKeys.publicKey, { kid: KID }) }),
    encrypted,
  ],
]
for (const [title, bytes, expected] of MALFORMED) {
  test(`refuses a response that ${title}`, () => {
    const response = readResponse(bytes, expected)
    assert.equal(response.kind, 'malformed')
    assert.doesNotMatch(JSON.stringify(response), /"x"|pid/)
  })
}

const HEADERS: readonly (readonly [string, JwePlan])[] = [
  ['no kid', { header: { kid: undefined } }],
  ['another kid', { header: { kid: 'kid-2' } }],
  ['a kid that is a list', { header: { kid: [KID] } }],
  ['compression', { header: { zip: 'DEF' } }],
  ['a critical extension', { header: { crit: ['exp'] } }],
  ['alg dir', { header: { alg: 'dir' } }],
  ['alg RSA-OAEP', { header: { alg: 'RSA-OAEP' } }],
  ['alg ECDH-ES+A256KW', { header: { alg: 'ECDH-ES+A256KW' } }],
  ['an encryption that was not offered', { header: { enc: 'A256CBC-HS512' } }],
  ['an encryption by an inherited name', { header: { enc: 'constructor' } }],
  ['no ephemeral key', { header: { epk: undefined } }],
  [
    'an ephemeral key on another curve',
    { header: { epk: generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' }) } },
  ],
  [
    'an ephemeral key off the curve',
    { header: { epk: { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) } } },
  ],
  ['an ephemeral key with a private part', { header: { epk: otherKeys.privateKey.export({ format: 'jwk' }) } }],
  ['an ephemeral key with short coordinates', { header: { epk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } } }],
  ['party information that is not base64url', { header: { apu: 'a=' } }],
  ['party information that is null', { header: { apv: null } }],
  ['a header that is too long', { header: { x: 'x'.repeat(4_000) } }],
  ['a duplicate member in its header', { headerText: (text) => text.replace('{', '{"alg":"ECDH-ES",') }],
  ['a changed header', { segments: ([header = '', ...rest]) => [header.replace(/.$/, ''), ...rest] }],
  ['an encrypted key', { segments: ([header = '', , ...rest]) => [header, 'AAAA', ...rest] }],
  ['four segments', { segments: (segments) => segments.slice(0, 4) }],
  ['six segments', { segments: (segments) => [...segments, ''] }],
  ['a changed tag', { segments: (segments) => [...segments.slice(0, 4), 'A'.repeat(22)] }],
  ['a truncated tag', { segments: (segments) => [...segments.slice(0, 4), (segments[4] ?? '').slice(0, 16)] }],
  ['an empty tag', { segments: (segments) => [...segments.slice(0, 4), ''] }],
  [
    'a changed ciphertext',
    {
      segments: ([a = '', b = '', c = '', d = '', e = '']) => [
        a,
        b,
        c,
        d.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
        e,
      ],
    },
  ],
  ['an IV of another length', { segments: ([a = '', b = '', , d = '', e = '']) => [a, b, 'A'.repeat(22), d, e] }],
]
for (const [title, plan] of HEADERS) {
  test(`refuses a JWE with ${title}`, () => assert.equal(readResponse(jwe(payload, plan), encrypted).kind, 'malformed'))
}

/** Each of these would decrypt: the agreement is right, and only the form of the ephemeral key is wrong. */
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const secret = diffieHellman({ privateKey, publicKey: keys.publicKey })
const good = publicKey.export({ format: 'jwk' })
const agreed = (epk: unknown): WalletResponse => readResponse(jwe(payload, { agreed: { epk, secret } }), encrypted)
test('an ephemeral key is exactly a public point on P-256', () => {
  assertPresented(agreed(good))
  assertPresented(agreed({ ...good, alg: 'ECDH-ES' }))
  for (const epk of [
    { ...good, d: 'AAAA' },
    { ...good, kty: 'OKP' },
    { ...good, kty: undefined },
    { ...good, crv: undefined },
    { ...good, crv: 'P-384' },
    { ...good, x: `${good.x}=` },
    { ...good, y: `${good.y}\n` },
    { ...good, x: Buffer.concat([Buffer.of(0), Buffer.from(good.x ?? '', 'base64url')]).toString('base64url') },
    { ...good, x: [good.x] },
    { ...good, y: undefined },
    [good],
    'key',
    null,
  ]) {
    assert.equal(agreed(epk).kind, 'malformed', JSON.stringify(epk))
  }
})

test('every segment of a JWE is strict base64url', () => {
  for (const i of [0, 1, 2, 3, 4]) {
    for (const spoilt of ['=', '+', ' ', '*']) {
      const segments = (all: string[]): string[] => all.with(i, all[i] + spoilt)
      assert.equal(readResponse(jwe(payload, { segments }), encrypted).kind, 'malformed')
    }
  }
  const segments = (all: string[]): string[] => all.with(0, Buffer.of(0x7b, 0xff, 0x7d).toString('base64url'))
  assert.equal(readResponse(jwe(payload, { segments }), encrypted).kind, 'malformed')
})

test('reads any bytes from a sender without an exception', () => {
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.string({ unit: 'binary', maxLength: 300 }).map((text) => Buffer.from(`vp_token=${text}`)),
    fc.json().map((text) => Buffer.from(`state=${STATE}&vp_token=${encodeURIComponent(text)}`)),
    fc.json().map((text) => jwe(text)),
    fc
      .dictionary(fc.constantFrom('alg', 'enc', 'kid', 'epk', 'apu', 'apv', 'x'), fc.jsonValue())
      .map((header) => jwe(payload, { header })),
  )
  fc.assert(
    fc.property(anything, fc.constantFrom(clear, encrypted), (bytes, expected) => {
      const { kind } = readResponse(bytes, expected)
      assert.ok(kind === 'malformed' || kind === 'presentation' || kind === 'wallet_error')
    }),
  )
})

const HOSTILE: Readonly<Record<string, readonly [string, ExpectedResponse]>> = {
  percent: ['%41'.repeat(660_000), clear],
  ampersands: ['&'.repeat(2_000_000), clear],
  'encoded brackets': [`vp_token=${'%5B'.repeat(660_000)}`, clear],
  dots: [`response=${'.'.repeat(1_999_000)}`, encrypted],
  'a long header': [`response=${'A'.repeat(1_999_000)}....`, encrypted],
  'a long ciphertext': [`response=${encrypt(' '.repeat(1_400_000), keys.publicKey, { kid: KID })}`, encrypted],
}
for (const [title, [text, expected]] of Object.entries(HOSTILE)) {
  test(`a body of the largest size is judged in a short time: ${title}`, () => {
    const bytes = Buffer.from(text)
    assert.equal(readResponse(bytes, expected).kind, 'malformed')
    const cost = leastCpuMs(50, () => void readResponse(bytes, expected))
    assert.ok(cost < 50, `${cost} ms of CPU`)
  })
}

const byLink: ExpectedResponse = { encryption: null, state: `${STATE}.link` }

test('a response belongs to the request whose state it names', () => {
  for (const first of [clear, encrypted])
    for (const [state, answered] of [
      [STATE, first],
      [`${STATE}.link`, byLink],
      ['another', first],
    ] as const) {
      const encoded = body({ vp_token: '{"pid":["x"]}', state })
      const { response, request } = readResponseToOneOf(encoded, [first, byLink], newBudget())
      assert.equal(request, answered)
      if (request === byLink || (first === clear && state === STATE)) assertPresented(response)
      else assert.equal(response.kind, 'malformed')
    }
  const sealed = readResponseToOneOf(jwe(), [encrypted, byLink], newBudget())
  assertPresented(sealed.response)
  assert.equal(sealed.request, encrypted)
  // If neither request has a state, the response belongs to the first.
  const stateless = { ...clear, state: null }
  assert.equal(readResponseToOneOf(raw(token), [encrypted, stateless], newBudget()).request, encrypted)
})

test('a response to one of several requests is read once, from one budget', () => {
  const most = LIMITS.jsonValues - 10
  const vpToken = JSON.stringify({ pid: Array.from({ length: most }, () => 0) })
  for (const [state, kind] of [
    [STATE, 'presentation'],
    [`${STATE}.link`, 'presentation'],
    ['another', 'malformed'],
  ] as const) {
    const budget = newBudget()
    const { response } = readResponseToOneOf(body({ vp_token: vpToken, state }), [clear, byLink], budget)
    assert.equal(response.kind, kind)
    const spent = LIMITS.jsonValues - budget.valuesLeft
    assert.ok(spent >= most && spent < LIMITS.jsonValues, `${spent} values of ${most} were paid for, once`)
    // No budget is left to read it a second time.
    assert.equal(readResponse(body({ vp_token: vpToken, state: STATE }), clear, budget).kind, 'malformed')
  }
})
