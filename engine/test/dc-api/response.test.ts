// Tests answers that pages post: their form, the modes, the encryption and the costs.

import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { test } from 'node:test'
import { assembleJwe } from '../../../wallet/mutations/jwe.ts'
import { sealHpke } from '../../../wallet/src/dc-api/hpke.ts'
import { annexCTranscript } from '../../../wallet/src/dc-api/transcript.ts'
import { type CborValue, encodeCbor, mapOf } from '../../../wallet/src/encoding/cbor.ts'
import { answerDcApi, TYPE } from '../../../wallet/src/index.ts'
import type { PublicJwk } from '../../../wallet/src/keys.ts'
import { type Budget, type JsonObject, LIMITS, newBudget, readDcApiResponse } from '../../src/index.ts'
import { newWork } from '../../src/limits.ts'
import { encryptionInfo, encryptionKey, issuer, judgeAnswer, NOW, ORIGIN, offerFor } from './verifier.ts'

const SPACE = 'org.iso.18013.5.1'
const LICENCE = {
  id: 'mdl',
  format: 'mso_mdoc',
  meta: { doctype_value: TYPE.mdl },
  claims: [{ path: [SPACE, 'family_name'] }],
}
const query = { credentials: [LICENCE] }
const options = { origin: ORIGIN, now: NOW, issuer }
const SIGNED = 'openid4vp-v1-signed'
const both = await offerFor({ query, protocols: [SIGNED, 'org-iso-mdoc'] })
const clear = await offerFor({ query, protocols: [SIGNED], encrypted: false })

const read = (answer: unknown, offered: Pick<typeof both, 'offer'> = both, budget?: Budget) =>
  readDcApiResponse(Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer)), offered.offer, budget)
const kindOf = (answer: unknown, offered?: Pick<typeof both, 'offer'>) => read(answer, offered).kind

const { data } = await answerDcApi(both, { ...options, protocols: [SIGNED] })
const sealed = (await answerDcApi(both, { ...options, protocols: ['org-iso-mdoc'] })).data as {
  readonly response: string
}

test('D09: only an offered protocol is accepted', () => {
  assert.equal(kindOf({ protocol: SIGNED, data }), 'presentation')
  for (const protocol of [
    'openid4vp-v1-unsigned',
    'openid4vp-v1-multisigned',
    'openid4vp',
    '',
    null,
    [SIGNED],
    undefined,
  ])
    assert.equal(kindOf({ protocol, data }), 'malformed', String(protocol))
  assert.equal(kindOf({ protocol: 'org-iso-mdoc', data: sealed }, clear), 'malformed')
})

test('D23: accepts only a body that is one JSON object without repeated members, with an object as data', () => {
  for (const other of ['x', 1, null, [], [data], undefined, {}, { 0: 123 }])
    assert.equal(kindOf({ protocol: SIGNED, data: other }), 'malformed', JSON.stringify(other))
  const text = JSON.stringify({ protocol: SIGNED, data })
  for (const body of ['', '[]', 'null', `${text}x`, text.replace('{', '{"protocol":"org-iso-mdoc",'), `\ufeff${text}`])
    assert.equal(kindOf(body), 'malformed')
  assert.equal(readDcApiResponse(Buffer.of(0x7b, 0xff, 0x7d), both.offer).kind, 'malformed')
})

test('D08, N008, N009: accepts only the requested response mode', async () => {
  const answer = await answerDcApi(clear, options)
  assert.equal(kindOf(answer, clear), 'presentation')
  assert.equal(kindOf(answer), 'malformed')
  assert.equal(kindOf({ protocol: SIGNED, data }, clear), 'malformed')
  const { vp_token: vpToken } = answer.data as JsonObject
  assert.equal(kindOf({ protocol: SIGNED, data: { ...(data as object), vp_token: vpToken } }), 'malformed')
  // The response of one protocol is not an answer under the other.
  assert.equal(kindOf({ protocol: SIGNED, data: sealed }), 'malformed')
  assert.equal(kindOf({ protocol: 'org-iso-mdoc', data }), 'malformed')
})

test('recognises an error, unencrypted and encrypted, and refuses an error beside a presentation', () => {
  assert.deepEqual(read({ protocol: SIGNED, data: { error: 'access_denied' } }), {
    kind: 'wallet_error',
    code: 'access_denied',
  })
  assert.equal(kindOf({ protocol: SIGNED, data: { error: 'access_denied' } }, clear), 'wallet_error')
  const { x, y } = encryptionKey.jwk
  const key = { kty: 'EC', crv: 'P-256', x: String(x), y: String(y) } as const
  const response = assembleJwe({ payload: { error: 'invalid_request' }, key, kid: encryptionKey.kid })
  assert.equal(kindOf({ protocol: SIGNED, data: { response } }), 'wallet_error')
  for (const other of [{ ...(data as object), error: 'access_denied' }, { error: 'a"b' }, { error: 1 }, { error: '' }])
    assert.equal(kindOf({ protocol: SIGNED, data: other }), 'malformed')
  const token = { vp_token: { mdl: ['x'] }, error: 'access_denied' }
  assert.equal(kindOf({ protocol: SIGNED, data: token }, clear), 'malformed')
  // Annex C has no error message.
  assert.equal(kindOf({ protocol: 'org-iso-mdoc', data: { error: 'access_denied' } }), 'malformed')
})

test('accepts the member of an encrypted answer as response or Response, and only once', () => {
  const iso = (other: object) => kindOf({ protocol: 'org-iso-mdoc', data: other })
  assert.equal(iso(sealed), 'presentation')
  assert.equal(iso({ Response: sealed.response }), 'presentation')
  assert.equal(iso({ ...sealed, Response: sealed.response }), 'malformed')
  assert.equal(iso({ response: [sealed.response] }), 'malformed')
  assert.equal(iso({ response: `${sealed.response}=` }), 'malformed')
})

const recipient = createPublicKey(both.offer.annexC?.privateKey ?? '').export({ format: 'jwk' }) as unknown as PublicJwk
const info = annexCTranscript(encryptionInfo, ORIGIN)

async function sealedAnswer(plaintext: CborValue | Uint8Array, frame?: (parts: Map<string, CborValue>) => CborValue) {
  const bytes = plaintext instanceof Uint8Array ? plaintext : encodeCbor(plaintext)
  const { enc, cipherText } = await sealHpke({ recipient, info, plaintext: bytes })
  const parts = new Map<string, CborValue>([
    ['enc', enc],
    ['cipherText', cipherText],
  ])
  const message = frame?.(parts) ?? ['dcapi', parts]
  return { protocol: 'org-iso-mdoc', data: { response: Buffer.from(encodeCbor(message)).toString('base64url') } }
}

test('refuses an encrypted answer whose frame has another name, other parts or bytes after it; ignores unknown members', async () => {
  const empty = mapOf({ version: '1.0', status: 0 })
  assert.equal(kindOf(await sealedAnswer(empty)), 'wallet_error')
  assert.equal(kindOf(await sealedAnswer(empty, (parts) => ['dcapi', parts.set('more', 1)])), 'wallet_error')
  const frames: readonly ((parts: Map<string, CborValue>) => CborValue)[] = [
    (parts) => ['other', parts],
    (parts) => ['dcapi', parts, 1],
    (parts) => [parts],
    (parts) => parts,
    (parts) => ['dcapi', new Map([...parts].slice(0, 1))],
    (parts) => ['dcapi', new Map([...parts].slice(1))],
    (parts) => ['dcapi', parts.set('enc', 'text')],
    (parts) => ['dcapi', parts.set('cipherText', [])],
    () => 0,
  ]
  for (const frame of frames) assert.equal(kindOf(await sealedAnswer(empty, frame)), 'malformed', String(frame))
  const { protocol, data: good } = await sealedAnswer(empty)
  const longer = Buffer.concat([Buffer.from(good.response, 'base64url'), Buffer.of(0)]).toString('base64url')
  assert.equal(kindOf({ protocol, data: { response: longer } }), 'malformed')
  // ISO 18013-7 C.4 requires an array of two in its shortest form. This array has a longer head.
  const wide = Buffer.concat([Buffer.of(0x98, 2), Buffer.from(good.response, 'base64url').subarray(1)])
  assert.equal(kindOf({ protocol, data: { response: wide.toString('base64url') } }), 'malformed')
})

test("a response without documents, with a status or with errors is a wallet's error", async () => {
  const documents = [mapOf({ docType: TYPE.mdl })]
  const cases: readonly [CborValue, string][] = [
    [mapOf({ version: '1.0', status: 0 }), 'wallet_error'],
    [mapOf({ version: '1.0', status: 10 }), 'wallet_error'],
    [mapOf({ version: '1.0', documents, status: 10 }), 'wallet_error'],
    [mapOf({ version: '1.0', documentErrors: [mapOf({ [TYPE.mdl]: 0 })], status: 0 }), 'wallet_error'],
    [mapOf({ version: '1.0', documents: [mapOf({ docType: 'other' })], status: 0 }), 'query_not_satisfied'],
    [mapOf({ version: '1.0', documents: [mapOf({})], status: 0 }), 'query_not_satisfied'],
    [mapOf({ version: '1.0', documents, status: 0 }), 'credential_invalid'],
    [mapOf({ version: '2.0', documents, status: 0 }), 'malformed'],
    [mapOf({ documents, status: 0 }), 'malformed'],
    [mapOf({ version: '1.0', documents }), 'malformed'],
    [mapOf({ version: '1.0', documents: [], status: 0 }), 'malformed'],
    [mapOf({ version: '1.0', documents: [1], status: 0 }), 'malformed'],
    [mapOf({ version: '1.0', documents, documentErrors: [mapOf({ [TYPE.mdl]: 0 })], status: 0 }), 'malformed'],
    [mapOf({ version: '1.0', documentErrors: [1], status: 0 }), 'malformed'],
    [mapOf({ version: '1.0', documentErrors: [mapOf({ x: 'y' })], status: 0 }), 'malformed'],
    [[], 'malformed'],
    [new Uint8Array(), 'malformed'],
  ]
  for (const [response, expected] of cases) {
    const outcome = await judgeAnswer(both, await sealedAnswer(response))
    const concluded =
      outcome.kind === 'verdict' && outcome.verdict.outcome === 'rejected' ? outcome.verdict.code : outcome.kind
    assert.equal(concluded, expected, JSON.stringify(response))
  }
})

test('judges a returned document by the query if the wallet reports another document as an error', async () => {
  const other = { ...LICENCE, id: 'other', meta: { doctype_value: 'other' } }
  const offered = await offerFor({
    query: { credentials: [LICENCE, other], credential_sets: [{ options: [['other'], ['mdl']] }] },
    protocols: ['org-iso-mdoc'],
  })
  const outcome = await judgeAnswer(offered, await answerDcApi(offered, options))
  assert.equal(outcome.kind === 'verdict' && outcome.verdict.outcome, 'accepted')
})

test('the number of documents is limited', async () => {
  const documents = Array.from({ length: LIMITS.presentations + 1 }, (_, i) => mapOf({ docType: `type-${i}` }))
  const outcome = await judgeAnswer(both, await sealedAnswer(mapOf({ version: '1.0', documents, status: 0 })))
  assert.ok(outcome.kind === 'verdict' && outcome.verdict.outcome === 'rejected')
  assert.match(outcome.verdict.message, /too many documents/)
})

test('the size of the body is limited', () => {
  const sized = (bytes: number) => {
    const text = JSON.stringify({ protocol: SIGNED, data: { error: 'access_denied' } })
    return `${text}${' '.repeat(bytes - text.length)}`
  }
  assert.equal(kindOf(sized(LIMITS.bodyBytes)), 'wallet_error')
  assert.equal(kindOf(sized(LIMITS.bodyBytes + 1)), 'malformed')
})

for (const name of ['valuesLeft', 'itemsLeft', 'work'] as const) {
  test(`an encrypted answer and its documents spend ${name} from one budget: the exact amount is accepted, one less is refused`, async () => {
    const answer = { protocol: 'org-iso-mdoc', data: sealed }
    const judge = async (budget: Budget) => {
      const outcome = await judgeAnswer(both, answer, budget)
      return outcome.kind === 'verdict' ? outcome.verdict.outcome : outcome.kind
    }
    const whole = newBudget()
    assert.equal(await judge(whole), 'accepted')
    const leftOf = (budget: Budget) => (name === 'work' ? budget.work.left : budget[name])
    const only = (left: number) => (name === 'work' ? newBudget(newWork(left)) : { ...newBudget(), [name]: left })
    const spent = leftOf(newBudget()) - leftOf(whole)
    assert.ok(spent > 0)
    assert.equal(await judge(only(spent)), 'accepted')
    assert.notEqual(await judge(only(spent - 1)), 'accepted')
  })
}

test('spends budget on the key agreement of an encrypted answer before it computes it', () => {
  const budget = newBudget(newWork(0))
  assert.equal(read({ protocol: 'org-iso-mdoc', data: sealed }, both, budget).kind, 'malformed')
})

test('an offer without an origin throws a bug; an Annex C answer to an offer without a key is malformed', () => {
  const { offer } = both
  const body = Buffer.from(JSON.stringify({ protocol: 'org-iso-mdoc', data: sealed }))
  assert.throws(() => readDcApiResponse(body, { ...offer, origins: [] }), /^Error: bug:/)
  assert.equal(readDcApiResponse(body, { ...offer, annexC: null }).kind, 'malformed')
})
