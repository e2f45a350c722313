// Tests the verification of webhooks.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import {
  type SignatureHeader,
  signWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookErrorCode,
  WebhookVerificationError,
} from '../src/index.ts'

const SECRET = `whsec_${'A'.repeat(43)}`
const OLD_SECRET = `whsec_${'B'.repeat(43)}`
const T = 1_700_000_000
const NOW = new Date(T * 1000)
const EVENT = {
  type: 'verification.completed',
  verification: {
    id: 'ver_00000000000000000000000000000000',
    status: 'completed',
    claims: { given_name: 'Ersatzperson \u2028 / 🎉', age_over_18: true },
    created_at: '2023-11-14T22:13:00.000000Z',
    expires_at: '2023-11-14T22:18:00.000000Z',
  },
  sent_at: '2023-11-14T22:13:20.000000Z',
}
// White space that a serialiser would not write.
const BODY = `${JSON.stringify(EVENT, null, 1)}\n`

function rejects(
  code: WebhookErrorCode,
  changes: {
    body?: string | Uint8Array
    header?: SignatureHeader
    secrets?: string | readonly (string | undefined)[]
    options?: VerifyWebhookOptions
  },
  message = /./,
): Promise<void> {
  const { body = BODY, header, secrets = SECRET, options = { now: NOW } } = changes
  return assert.rejects(verifyWebhook(body, header, secrets, options), (error) => {
    assert.ok(error instanceof WebhookVerificationError, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, message)
    return true
  })
}

function opensslSignature(secret: string, signed: Uint8Array): string {
  const hexkey = `hexkey:${Buffer.from(secret).toString('hex')}`
  const output = execFileSync('openssl', ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', hexkey], { input: signed })
  return /= ([0-9a-f]{64})\s*$/.exec(output.toString())?.[1] ?? assert.fail(output.toString())
}

test('returns the event that the service signed, from bytes and from text', async () => {
  const header = await signWebhook(BODY, SECRET, { now: NOW })
  assert.match(header, /^t=1700000000,v1=[0-9a-f]{64}$/)
  assert.deepEqual(await verifyWebhook(BODY, header, SECRET, { now: NOW }), EVENT)
  assert.deepEqual(await verifyWebhook(Buffer.from(BODY), header, [SECRET], { now: NOW }), EVENT)
  const failed = BODY.replace('"verification.completed"', '"verification.failed"')
  const event = await verifyWebhook(failed, await signWebhook(failed, SECRET, { now: NOW }), SECRET, { now: NOW })
  assert.equal(event.type, 'verification.failed')
})

test('verifies only the bytes of a view, not the buffer around it', async () => {
  const whole = Buffer.from(`xxx${BODY}yyy`)
  const header = await signWebhook(BODY, SECRET, { now: NOW })
  const view = whole.subarray(3, whole.length - 3)
  assert.deepEqual(await verifyWebhook(view, header, SECRET, { now: NOW }), EVENT)
})

test('6.3: openssl computes the same signature over "<t>." and the raw bytes, keyed with the whole secret', async () => {
  const bodies = [BODY, '{}', '', JSON.stringify({ text: '\u2028 / 🎉 é' })].map((text) => Buffer.from(text))
  for (const body of [...bodies, Buffer.from([0xff, 0x00, 0x80])]) {
    const signature = opensslSignature(SECRET, Buffer.concat([Buffer.from(`${T}.`), body]))
    assert.equal(await signWebhook(body, SECRET, { now: NOW }), `t=${T},v1=${signature}`)
  }
  const signature = opensslSignature(SECRET, Buffer.from(`${T}.${BODY}`))
  assert.deepEqual(await verifyWebhook(BODY, `t=${T},v1=${signature}`, SECRET, { now: NOW }), EVENT)
})

test('6.4: rejects when the header is missing', async () => {
  for (const header of [undefined, null, '', []])
    await rejects('missing_header', { header }, /X-Service-Signature is missing/)
})

test('6.4: rejects when the header is malformed, and says how (WH-21)', async () => {
  const v1 = (await signWebhook(BODY, SECRET, { now: NOW })).split(',')[1] ?? ''
  const cases: readonly (readonly [header: string | string[], message: RegExp])[] = [
    [v1, /it has no t\./],
    ['garbage', /it has no t\./],
    [',', /it has no t\./],
    [`T=${T},${v1}`, /it has no t\./],
    [`t=${T}`, /it has no v1/],
    [`t=${T},v0=${v1.slice(3)}`, /it has no v1/],
    [`t=${T},V1=${v1.slice(3)}`, /it has no v1/],
    [`t=${T};${v1}`, /t is not a number|no v1/],
    [`t=,${v1}`, /t is not a number/],
    [`t=abc,${v1}`, /t is not a number/],
    [`t=-${T},${v1}`, /t is not a number/],
    [`t=+${T},${v1}`, /t is not a number/],
    [`t=${T}.0,${v1}`, /t is not a number/],
    [`t=1.7e9,${v1}`, /t is not a number/],
    [`t=0${T},${v1}`, /t is not a number/],
    [`t=0x6553f100,${v1}`, /t is not a number/],
    [`t= ${T},${v1}`, /t is not a number/],
    [`t=${'9'.repeat(400)},${v1}`, /t is not a number/],
    [`t=${T},t=${T},${v1}`, /more than one t/],
    [`t=1,t=${T},${v1}`, /more than one t/],
    [[`t=${T},${v1}`, `t=${T},${v1}`], /not one line/],
  ]
  for (const [header, message] of cases) await rejects('malformed_header', { header }, message)
})

test('accepts a header as an array of one line, spaces after commas, and elements of later versions', async () => {
  const header = await signWebhook(BODY, SECRET, { now: NOW })
  const [t, v1] = header.split(',')
  for (const headers of [[header], `${t}, ${v1}`, `${v1},${t}`, `${t},v2=abc,${v1},x`, `${header},`])
    assert.deepEqual(await verifyWebhook(BODY, headers, SECRET, { now: NOW }), EVENT)
})

test('6.4: rejects when now and t are further apart than the tolerance, in both directions (WH-20)', async () => {
  const header = await signWebhook(BODY, SECRET, { now: NOW })
  const at = (seconds: number) => new Date((T + seconds) * 1000)
  for (const seconds of [-300, -1, 0, 1, 300])
    assert.deepEqual(await verifyWebhook(BODY, header, SECRET, { now: at(seconds) }), EVENT, `${seconds}`)
  await rejects(
    'outside_tolerance',
    { header, options: { now: at(301) } },
    /t=1700000000 \(2023-11-14T22:13:20.000Z\).*now 1700000301 \(2023-11-14T22:18:21.000Z\): 301 seconds ago, and 300/,
  )
  await rejects('outside_tolerance', { header, options: { now: at(-301) } }, /301 seconds ahead/)
  await rejects('outside_tolerance', { header: `t=${'9'.repeat(15)},v1=ab` }, /no date.*ahead/)
})

test('accepts a tolerance of 0, and throws for an invalid tolerance instead of skipping the check', async () => {
  const header = await signWebhook(BODY, SECRET, { now: NOW })
  const at = (milliseconds: number) => ({ toleranceSeconds: 0, now: new Date(T * 1000 + milliseconds) })
  assert.deepEqual(await verifyWebhook(BODY, header, SECRET, at(999)), EVENT)
  await rejects('outside_tolerance', { header, options: at(1000) })
  await rejects('outside_tolerance', { header, options: at(-1) })
  for (const toleranceSeconds of [Number.NaN, Number.POSITIVE_INFINITY, -1])
    await assert.rejects(verifyWebhook(BODY, header, SECRET, { toleranceSeconds, now: NOW }), RangeError)
  await assert.rejects(verifyWebhook(BODY, header, SECRET, { now: new Date(Number.NaN) }), RangeError)
})

test('uses the clock of the machine by default', async () => {
  assert.deepEqual(await verifyWebhook(BODY, await signWebhook(BODY, SECRET), SECRET), EVENT)
  await assert.rejects(verifyWebhook(BODY, await signWebhook(BODY, SECRET, { now: NOW }), SECRET), {
    code: 'outside_tolerance',
  })
})

test('6.4 and 6.5: accepts when any v1 matches any secret', async () => {
  const both = await signWebhook(BODY, [SECRET, OLD_SECRET], { now: NOW })
  assert.equal(both.split(',').length, 3)
  const onlyOld = await signWebhook(BODY, OLD_SECRET, { now: NOW })
  for (const [header, secrets] of [
    [both, SECRET],
    [both, OLD_SECRET],
    [onlyOld, [SECRET, OLD_SECRET]],
    [onlyOld, [OLD_SECRET, SECRET]],
    [`${onlyOld},v1=junk,v1=`, [OLD_SECRET]],
    [`t=${T},v1=junk,${onlyOld.split(',')[1]}`, [OLD_SECRET]],
  ] as const)
    assert.deepEqual(await verifyWebhook(BODY, header, secrets, { now: NOW }), EVENT)
  const [, newest] = both.split(',')
  assert.equal(newest, (await signWebhook(BODY, SECRET, { now: NOW })).split(',')[1])
})

test('finds the matching signature among a thousand', async () => {
  const header = await signWebhook(BODY, SECRET, { now: NOW })
  const junk = Array.from({ length: 1000 }, (_, i) => `v1=${i.toString(16).padStart(64, '0')}`).join(',')
  const padded = header.replace(',v1', `,${junk},v1`)
  assert.deepEqual(await verifyWebhook(BODY, padded, SECRET, { now: NOW }), EVENT)
  await rejects('no_signature_matches', { header: `t=${T},${junk}` })
})

test('rejects a signature with another secret, for other bytes or for another time, and names both causes', async () => {
  const header = await signWebhook(BODY, SECRET, { now: NOW })
  const [, v1 = ''] = header.split(',')
  const causes = /secret is another one.*not the raw body/
  await rejects('no_signature_matches', { header, secrets: OLD_SECRET }, causes)
  await rejects('no_signature_matches', { header, body: `${BODY} ` }, causes)
  await rejects('no_signature_matches', { header, body: '' }, causes)
  await rejects('no_signature_matches', { header: `t=${T + 1},${v1}` }, causes)
  await rejects('no_signature_matches', { header: `t=${T},${v1.toUpperCase().replace('V1', 'v1')}` }, causes)
  await rejects('no_signature_matches', { header: `t=${T},${v1.slice(0, -1)}` }, causes)
  await rejects('no_signature_matches', { header: `t=${T},${v1}0` }, causes)
  await rejects('no_signature_matches', { header: `t=${T},v1=` }, causes)
  await rejects('no_signature_matches', { header: `t=${T},v1= ${v1.slice(3)}` }, causes)
})

test('rejects a body that was parsed and written again, and names the cause (WH-14)', async () => {
  const header = await signWebhook(BODY, SECRET, { now: NOW })
  await rejects('no_signature_matches', { header, body: JSON.stringify(JSON.parse(BODY)) }, /before any JSON parser/)
  const parsed = JSON.parse(BODY)
  await rejects('invalid_body', { header, body: parsed }, /raw bytes or the raw text/)
  await rejects('invalid_body', { header, body: null as unknown as string })
})

test('uses the whole secret as key, including its prefix', async () => {
  const bare = opensslSignature('A'.repeat(43), Buffer.from(`${T}.${BODY}`))
  await rejects('no_signature_matches', { header: `t=${T},v1=${bare}` })
})

test('refuses an empty or unset secret', async () => {
  const forged = opensslSignature('\0', Buffer.from(`${T}.${BODY}`))
  const header = `t=${T},v1=${forged}`
  for (const secrets of ['', [], [''], [undefined], [SECRET, undefined], 'whsec_', `${SECRET}\n`, ` ${SECRET}`, 'sk_a'])
    await rejects('invalid_secret', { header, secrets })
  await assert.rejects(signWebhook(BODY, '', { now: NOW }), { code: 'invalid_secret' })
})

test('returns an event of a type that is newer than the SDK, if it is signed', async () => {
  const payload = { type: 'device.revoked', device: { id: 'dev_1' } }
  const body = JSON.stringify(payload)
  const header = await signWebhook(body, SECRET, { now: NOW })
  const event = await verifyWebhook(body, header, SECRET, { now: NOW })
  assert.deepEqual(event, { type: 'unknown', name: 'device.revoked', payload })
  await rejects('no_signature_matches', { body, header, secrets: OLD_SECRET })
})

test('rejects a signed body that is not an event', async () => {
  const bodies = [
    'null',
    '[]',
    'not json',
    '{}',
    JSON.stringify({ ...EVENT, type: undefined }),
    JSON.stringify({ ...EVENT, type: '' }),
    JSON.stringify({ ...EVENT, type: ['verification.completed'] }),
    JSON.stringify({ ...EVENT, sent_at: undefined }),
    JSON.stringify({ ...EVENT, verification: null }),
    JSON.stringify({ ...EVENT, verification: { id: 'ver_1' } }),
    Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(BODY)]),
    // A complete event with one byte that is not UTF-8.
    Buffer.concat([Buffer.from(BODY.slice(0, -4)), Buffer.from([0xff]), Buffer.from(BODY.slice(-4))]),
  ]
  for (const body of bodies)
    await rejects('malformed_payload', { body, header: await signWebhook(body, SECRET, { now: NOW }) })
})

test('uses only what browsers and edge runtimes have, and accepts bytes of another realm', async () => {
  const source = readFileSync(new URL('../src/webhook.ts', import.meta.url), 'utf8')
  const plain = stripTypeScriptTypes(source).replaceAll(/^export /gm, '')
  assert.doesNotMatch(plain, /\bimport\b|\brequire\b/)
  const context = createContext({ crypto: globalThis.crypto, TextEncoder, TextDecoder })
  const web: typeof import('../src/webhook.ts') = runInContext(`${plain}; ({ verifyWebhook, signWebhook })`, context)
  const header = await web.signWebhook(Buffer.from(BODY), SECRET, { now: NOW })
  assert.equal(header, await signWebhook(BODY, SECRET, { now: NOW }))
  const event = await web.verifyWebhook(Buffer.from(BODY), header, [SECRET], { now: NOW })
  assert.equal(JSON.stringify(event), JSON.stringify(EVENT))
})
