// Tests which changes of a verification its receipt shows.

import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import test from 'node:test'
import { compareResult } from '../src/receipt-result.ts'

const bytes = randomBytes(32)
const salt = bytes.toString('base64url')
const digest = (text: string) => createHmac('sha256', bytes).update(text).digest('base64url')
const RECEIPT = {
  ...{ jti: 'ver_a', iat: 1_800_000_000, verdict: 'accepted' as const },
  asked: { template: 'age', dcql_sha256: 'd', purpose_sha256: digest('purpose\0Parcel 1') },
  result_sha256: digest('{"claims":{"age":18,"height":1.75},"credentials":[]}'),
}
const RESULT = {
  ...{ id: 'ver_a', status: 'completed', template: 'age', purpose: 'Parcel 1' },
  ...{ claims: { age: 18, height: 1.75 }, credentials: [], responded_at: '2027-01-15T07:59:59.999999Z' },
}
const compared = async (verification: object | string, receipt: typeof RECEIPT | object = RECEIPT) => {
  const found = await compareResult(receipt as typeof RECEIPT, { verification, salt })
  return 'code' in found ? found.code : 'same'
}
const text = JSON.stringify(RESULT)

test('what matches is named, and what no receipt covers', async () => {
  const verification = { ...RESULT, metadata: { order: 'A' }, created_at: 'x', error: null, wallet_uri: null }
  assert.deepEqual(await compareResult(RECEIPT, { verification, salt }), {
    matching: ['id', 'status', 'template', 'purpose', 'claims', 'credentials', 'responded_at'],
    notCovered: ['metadata', 'created_at'],
  })
  // As other languages write it.
  for (const spelling of [
    JSON.stringify(RESULT, null, 2),
    text.replaceAll('":', '" : ').replace('"Parcel', '"\\u0050arcel'),
    text.replace('18,', '18.0,'),
    text.replace('18,', '1.8e+1,').replace('1.75', '1.750'),
    text.replace('{', '{"wallet_uri":null,'),
  ])
    assert.equal(await compared(spelling), 'same', spelling)
})

test('a verification with any other member is refused', async () => {
  const changes: Readonly<Record<string, object>> = {
    other_verification: { id: 'ver_b' },
    malformed_result: { given_name: 'Erika' },
  }
  for (const [code, change] of Object.entries(changes)) assert.equal(await compared({ ...RESULT, ...change }), code)
  assert.equal(await compared({ ...RESULT, wallet_uri: 'openid4vp://' }), 'malformed_result')
  assert.equal(await compared([RESULT]), 'other_verification')
  for (const change of [
    { status: 'failed' },
    { status: undefined },
    { template: 'age_over_65' },
    { template: undefined },
    { template: ['age'] },
    { purpose: 'Parcel 2' },
    { purpose: undefined },
    { purpose: ['Parcel 1'] },
    { claims: { age: 18 } },
    { claims: null },
    { error: { code: 'x', message: 'y' } },
    { responded_at: undefined },
    { responded_at: [RESULT.responded_at] },
    { responded_at: '2027-01-15T07:58:59Z' },
    { responded_at: '2027-01-15T08:01:01Z' },
    { responded_at: '2027-01-15T08:00:00Z (2020)' },
  ])
    assert.equal(await compared({ ...RESULT, ...change }), 'other_result', JSON.stringify(change))
  for (const question of [undefined, { dcql_sha256: 'd' }])
    assert.equal(
      await compared(RESULT, { ...RECEIPT, asked: question }),
      'other_result',
      'the receipt names no template',
    )
  assert.equal(await compared(RESULT, { ...RECEIPT, verdict: 'rejected' }), 'other_result')
  for (const other of ['', '=', randomBytes(32).toString('base64url')]) {
    const found = await compareResult(RECEIPT, { verification: RESULT, salt: other })
    assert.ok('code' in found && found.code === 'other_result')
  }
})

test('a text that readers read differently is refused', async () => {
  for (const ambiguous of [
    text.replace('"claims":', '"claims":{"age":65},"claims":'),
    text.replace('"age":18', '"age":65,"age":18'),
    text.replace('"age":18', '"age":65,"\\u0061ge":18'),
    text.replace('18,', '18.00000000000000000001,'),
    text.replace('"height"', '"far":1e400,"height"'),
    `[${text}]`,
    'null',
    text.slice(1),
    '['.repeat(100_000),
  ])
    assert.equal(await compared(ambiguous), 'malformed_result', ambiguous.slice(0, 200))
  const nothing = { ...RECEIPT, result_sha256: digest('{"claims":{"far":null}}') }
  assert.equal(await compared(text.replace(/"claims".*\[\]/, '"claims":{"far":1e400}'), nothing), 'malformed_result')
})
