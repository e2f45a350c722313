// Runs the cases that all languages share: webhooks, retries and encrypted results.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import {
  openResult,
  ResultError,
  type ResultPrivateKey,
  type Verification,
  VidimusError,
  verifyWebhook,
  WebhookVerificationError,
} from '../src/index.ts'
import { waitBeforeRetry } from '../src/retry.ts'

interface WebhookCase {
  readonly name: string
  readonly expect: object
  /** In base64. */
  readonly body: string
  readonly header: string | null
  readonly secrets: readonly (string | undefined)[]
  readonly now: number
  readonly tolerance?: number
}

interface RetryCase {
  readonly name: string
  readonly error: { readonly code: string; readonly status: number | null; readonly retry_after: number | null }
  readonly call: { readonly attempt: number; readonly repeatable: boolean }
  /** In seconds. */
  readonly terms: { readonly retries: number; readonly longest_wait: number }
  readonly expect: { readonly least: number; readonly most: number } | null
}

async function load<T>(name: string): Promise<readonly T[]> {
  return JSON.parse(await readFile(join(import.meta.dirname, '..', '..', 'cases', name), 'utf8'))
}

async function outcome({ body, header, secrets, now, tolerance }: WebhookCase): Promise<object> {
  const options = { now: new Date(now * 1000), ...(tolerance === undefined ? {} : { toleranceSeconds: tolerance }) }
  try {
    const event = await verifyWebhook(Buffer.from(body, 'base64'), header, secrets, options)
    if (event.type === 'unknown') return { type: event.name, id: null }
    return { type: event.type, id: event.verification.id, status: event.verification.status }
  } catch (error) {
    if (error instanceof WebhookVerificationError) return { code: error.code }
    throw error
  }
}

it('judges every webhook as expected', async () => {
  const cases = await load<WebhookCase>('webhooks.json')
  assert.ok(cases.length > 20)
  for (const one of cases) assert.deepEqual(await outcome(one), one.expect, one.name)
})

it('waits before every retry as expected', async () => {
  const cases = await load<RetryCase>('retries.json')
  assert.ok(cases.length > 20)
  for (const { name, error, call, terms, expect } of cases) {
    const { code, status, retry_after: retryAfterSeconds } = error
    const refusal = new VidimusError({ code, status, retryAfterSeconds, message: 'no' })
    for (const chance of [0, 0.5, 0.999999]) {
      const milliseconds = { retries: terms.retries, longestWaitMs: terms.longest_wait * 1000, chance }
      const wait = waitBeforeRetry(refusal, call, milliseconds)
      if (expect === null) assert.equal(wait, null, name)
      else assert.ok(wait !== null && wait >= expect.least * 1000 && wait <= expect.most * 1000, `${name}: ${wait}`)
    }
  }
})

interface ResultCase {
  readonly name: string
  /** Claims, and those of each credential; or the code of the error. */
  readonly expect: object
  readonly verification: Verification
  readonly keys: readonly ResultPrivateKey[]
  readonly accept_clear?: true
}

it('opens every encrypted result as expected', async () => {
  const cases = await load<ResultCase>('results.json')
  assert.ok(cases.length > 20)
  for (const { name, expect, verification, keys, accept_clear: acceptClear = false } of cases) {
    const outcome = await openResult(verification, keys, { acceptClear }).then(
      ({ claims = {}, credentials = [] }) => ({ claims, credentials: credentials.map((one) => one.claims) }),
      (error) => {
        assert.ok(error instanceof ResultError, `${name}: ${error}`)
        return { code: error.code }
      },
    )
    assert.deepEqual(outcome, expect, name)
  }
})
