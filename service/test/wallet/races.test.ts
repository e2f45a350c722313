// Tests that exactly one of two simultaneous valid answers counts.

import assert from 'node:assert/strict'
import test from 'node:test'
import { repeats } from '../harness/repeats.ts'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, newCredentials, read, respond, validBody } from './verifications.ts'

const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
const wallet = await testWallet(service)
const tenants = await Promise.all([service.tenant({ plan: 'enterprise' }), service.tenant({ plan: 'enterprise' })])
const keys = await Promise.all(tenants.map((tenant) => service.key(tenant)))

const credentials = newCredentials(wallet)
const RACES = repeats(200, 1_000)
const AT_ONCE = 20
/** Long, because the races take much time on a busy machine. */
const PATIENCE_MS = 300_000
const query = {
  credentials: [
    { id: 'p', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['given_name'] }] },
  ],
}
const body = { query, webhook_url: 'http://127.0.0.1:9/hook', redirect_url: 'https://shop.example.com/back' }

test(`N004: each of ${RACES} races of two valid responses has one 200, one 409, one result, one delivery, one audit entry`, {
  timeout: PATIENCE_MS,
}, async () => {
  for (let done = 0; done < RACES; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => race(keys[i % 2] ?? '')))
  }
  const [row] = await service.deps.db.query<Record<string, number>>({
    name: 'test_race_rows',
    text: `select (select count(*) from verification_results)::int as results,
                  (select count(*) from webhook_deliveries)::int as deliveries,
                  (select count(*) from audit_entries where bytes like '%verification.completed%')::int as entries,
                  (select count(*) from verifications where encryption_key is not null)::int as keys`,
  })
  assert.deepEqual(row, { results: RACES, deliveries: RACES, entries: RACES, keys: 0 })
})

async function race(key: string): Promise<void> {
  const created = await create(service, key, body)
  const request = await wallet.request(created.wallet_uri)
  const bodies = await Promise.all([
    validBody(wallet, request, { credentials }),
    validBody(wallet, request, { credentials }),
  ])
  const answers = await Promise.all(bodies.map((one) => respond(service, created.id, one)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  const winner = answers.find(({ status }) => status === 200)
  assert.match(winner?.json.redirect_uri, /^https:\/\/shop\.example\.com\/back#response_code=[\w-]{43}$/)
  assert.equal((await read(service, key, created.id)).status, 'completed')
}
