// Tests that a verification is in one state, and has only the members of that state.

import assert from 'node:assert/strict'
import test from 'node:test'
import {
  type EveryVerification,
  OPTIONAL_DEFAULTS,
  renderVerification,
  type VerificationResult,
  verificationAt,
} from '../../src/core/verifications/domain/verification.ts'
import { millisecondsOf } from '../../src/platform/world.ts'

const EVERY: EveryVerification = {
  ...OPTIONAL_DEFAULTS,
  id: 'ver_1',
  tenantId: 'ten_1',
  environment: 'test',
  createdAt: '2027-06-15T12:00:00.000000Z',
  expiresAt: '2027-06-15T12:05:00.000000Z',
  template: 'identity',
  redirectUrl: 'https://shop.example.com/back',
  webhookUrl: 'https://shop.example.com/hook',
  metadata: { order: '7' },
  clientId: 'x509_hash:abc',
}
const RESPONDED = '2027-06-15T12:01:00.000000Z'
const COMPLETED: VerificationResult = { outcome: 'completed', claims: { age_over_18: true }, credentials: [] }
const FAILED: VerificationResult = {
  outcome: 'failed',
  error: { code: 'wallet_declined', message: 'The holder declined.' },
  credentials: [],
}
const END = millisecondsOf(EVERY.expiresAt)
const WAITING = { state: 'pending', respondedAt: null, result: null } as const

test('a pending verification is expired after its time, and a cancelled one at any time', () => {
  assert.deepEqual(verificationAt(EVERY, WAITING, END - 0.001), { ...EVERY, status: 'pending' })
  assert.deepEqual(verificationAt(EVERY, WAITING, END), { ...EVERY, status: 'expired', cancelled: false })
  const cancelled = verificationAt(EVERY, { ...WAITING, state: 'cancelled' }, 0)
  assert.deepEqual(cancelled, { ...EVERY, status: 'expired', cancelled: true })
})

test('only a completed verification has claims, and only a failed one has an error, whatever the time', () => {
  const completed = verificationAt(EVERY, { state: 'completed', respondedAt: RESPONDED, result: COMPLETED }, END * 2)
  const { claims, credentials } = COMPLETED
  const content = { claims, credentials }
  const ended = { ...EVERY, respondedAt: RESPONDED, receiptSalt: null }
  assert.deepEqual(completed, { ...ended, status: 'completed', content, trustList: null, answeredQueries: [] })
  const salted = { ...COMPLETED, receiptSalt: 'salt' }
  const withSalt = verificationAt(EVERY, { state: 'completed', respondedAt: RESPONDED, result: salted }, END * 2)
  assert.deepEqual(withSalt, {
    ...ended,
    status: 'completed',
    receiptSalt: 'salt',
    content,
    trustList: null,
    answeredQueries: [],
  })
  const forgotten = verificationAt(EVERY, { state: 'completed', respondedAt: RESPONDED, result: 'forgotten' }, END * 2)
  assert.deepEqual(forgotten, { ...ended, status: 'completed', content: null, trustList: null, answeredQueries: [] })
  const failed = verificationAt(EVERY, { state: 'failed', respondedAt: RESPONDED, result: FAILED }, END * 2)
  const { error } = FAILED
  assert.deepEqual(failed, { ...ended, status: 'failed', error, credentials: [], checks: [] })
})

test('a row that ended without its result, or with the result of another end, is not a verification', () => {
  const kept = [
    { state: 'completed', respondedAt: RESPONDED, result: null },
    { state: 'completed', respondedAt: null, result: COMPLETED },
    { state: 'completed', respondedAt: RESPONDED, result: FAILED },
    { state: 'failed', respondedAt: RESPONDED, result: null },
    { state: 'failed', respondedAt: RESPONDED, result: COMPLETED },
    { state: 'failed', respondedAt: RESPONDED, result: 'forgotten' },
  ] as const
  for (const one of kept) assert.throws(() => verificationAt(EVERY, one, 0), /^Error: bug: a (completed|failed) /)
})

test('each state reads exactly as the interface says', () => {
  const rendered = (...[kept, nowMs]: [Parameters<typeof verificationAt>[1], number]) =>
    renderVerification(verificationAt(EVERY, kept, nowMs), 'https://v.example.com')
  const rest =
    '"metadata":{"order":"7"},"redirect_url":"https://shop.example.com/back",' +
    '"created_at":"2027-06-15T12:00:00.000000Z","expires_at":"2027-06-15T12:05:00.000000Z"'
  assert.equal(
    rendered(WAITING, 0),
    '{"id":"ver_1","status":"pending","template":"identity","wallet_uri":"openid4vp://?client_id=x509_hash%3Aabc&request_uri=' +
      'https%3A%2F%2Fv.example.com%2Fwallet%2Frequest%2Fver_1&request_uri_method=post",' +
      `"request_uri":"https://v.example.com/wallet/request/ver_1",${rest}}`,
  )
  const expired = `{"id":"ver_1","status":"expired","template":"identity",${rest}}`
  assert.equal(rendered(WAITING, END), expired)
  assert.equal(rendered({ ...WAITING, state: 'cancelled' }, 0), expired)
  assert.equal(
    rendered({ state: 'completed', respondedAt: RESPONDED, result: COMPLETED }, 0),
    `{"id":"ver_1","status":"completed","template":"identity","claims":{"age_over_18":true},"credentials":[],${rest},"responded_at":"${RESPONDED}"}`,
  )
  assert.equal(
    rendered({ state: 'failed', respondedAt: RESPONDED, result: FAILED }, 0),
    '{"id":"ver_1","status":"failed","template":"identity","credentials":[],' +
      `"error":{"code":"wallet_declined","message":"The holder declined."},${rest},"responded_at":"${RESPONDED}"}`,
  )
})

test('a trust list is named only if it named the authorities of all credentials', () => {
  const checksOn = (...lists: (string | undefined)[]) =>
    lists.map(
      (trustList) => ({ query: 'q', format: 'dc+sd-jwt', checks: {}, ...(trustList && { trustList }) }) as const,
    )
  const listOf = (...lists: (string | undefined)[]) => {
    const result = { ...COMPLETED, checks: checksOn(...lists) }
    const completed = verificationAt(EVERY, { state: 'completed', respondedAt: RESPONDED, result }, END)
    return completed.status === 'completed' ? completed.trustList : undefined
  }
  assert.equal(listOf('https://a.example', 'https://a.example'), 'https://a.example')
  assert.equal(listOf('https://a.example', 'https://b.example'), null)
  assert.equal(listOf('https://a.example', undefined), null)
  assert.equal(listOf(), null)
})
