// Specification part 7: errors. Codes of single routes are tested with their routes; this file tests rules for all.

import assert from 'node:assert/strict'
import test from 'node:test'
import { PROBLEMS } from '../../src/platform/http/problems.ts'
import { assertRefused, testService } from '../harness/service.ts'

const service = await testService()
const tenant = await service.tenant()
const key = await service.key(tenant)
const { call } = service

/** Spec 7, the table: HTTP status and code. */
const TABLE: readonly [number, keyof typeof PROBLEMS][] = [
  [400, 'invalid_request'],
  [400, 'invalid_idempotency_key'],
  [401, 'invalid_api_key'],
  [401, 'api_key_expired'],
  [403, 'insufficient_scope'],
  [404, 'session_not_found'],
  [404, 'invalid_response_code'],
  [409, 'session_already_responded'],
  [409, 'idempotency_key_in_flight'],
  [410, 'session_expired'],
  [422, 'unknown_template'],
  [422, 'invalid_webhook_url'],
  [422, 'idempotency_key_reused'],
  [429, 'rate_limit_exceeded'],
  [429, 'quota_exceeded'],
]

for (const [status, code] of TABLE) {
  test(`7 ${code} is answered with ${status}`, () => {
    assert.equal(PROBLEMS[code].status, status)
  })
}

test('7 every answer that is not a success uses the envelope: unknown route, wrong method', async () => {
  assertRefused(await call('GET', '/v1/nothing', { key }), 404, 'not_found')
  const wrong = await call('PATCH', '/v1/usage', { key })
  assertRefused(wrong, 405, 'method_not_allowed')
  assert.equal(wrong.headers.allow, 'GET, HEAD')
})

test('7 a fault answers 500 internal_error and reveals only a request id', async () => {
  const broken = await testBroken()
  assertRefused(broken, 500, 'internal_error')
  assert.doesNotMatch(broken.text, /select|relation|stack|at |usage_days/)
  assert.match(String(broken.headers['request-id']), /^req_/)
  const line = service.logged.find((entry) => entry.includes('request failed'))
  assert.ok(line?.includes(String(broken.headers['request-id'])))
})

/** Renames a table while the application runs, to cause a fault, which no caller can. */
async function testBroken() {
  const rename = (from: string, to: string) =>
    service.deps.db.query({ name: `test_rename_${from}`, text: `alter table ${from} rename to ${to}` })
  await rename('usage_days', 'usage_days_away')
  try {
    return await call('GET', '/v1/usage', { key })
  } finally {
    await rename('usage_days_away', 'usage_days')
  }
}

test('7 an unknown key gets the message of the table', async () => {
  const answer = await call('GET', '/v1/usage', { headers: { authorization: 'Bearer nonsense' } })
  assertRefused(answer, 401, 'invalid_api_key')
  assert.equal(answer.json.error.message, PROBLEMS.invalid_api_key.message)
})
