// Runs a whole flow with the types that openapi-typescript makes, and openapi-fetch, its own client. `run.sh` puts both beside this file.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import createClient from 'openapi-fetch'
import type { paths } from './made.d.ts'

const { VIDIMUS_BASE_URL: baseUrl, VIDIMUS_API_KEY: key, VIDIMUS_ROOT: root } = process.env
assert.ok(baseUrl && key && root, 'VIDIMUS_BASE_URL, VIDIMUS_API_KEY and VIDIMUS_ROOT are needed')
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } })

const made = await client.POST('/v1/verifications', {
  params: { header: { 'Idempotency-Key': randomUUID() } },
  body: { template: 'age_over_18', redirect_url: 'https://shop.example.com/done' },
})
assert.ok(made.data, JSON.stringify(made.error))
const { id, wallet_uri } = made.data
assert.ok(wallet_uri)
const params = { path: { id } }

const polled = await client.GET('/v1/verifications/{id}/status', { params })
assert.equal(polled.data?.status, 'pending')
const answered = execFileSync(
  `${root}/node_modules/.bin/node`,
  ['service/src/main.ts', 'wallet', 'present', wallet_uri, '--json'],
  { cwd: root, encoding: 'utf8' },
)
const code = /response_code=([\w-]+)/.exec(answered)?.[1]
assert.ok(code, answered)

const read = await client.GET('/v1/verifications/{id}', { params })
assert.equal(read.data?.status, 'completed')
assert.equal(read.data.claims?.age_over_18, true)
const redeemed = await client.POST('/v1/verifications/{id}/redeem', { params, body: { response_code: code } })
assert.equal(redeemed.data?.id, id)
const listed = await client.GET('/v1/verifications', { params: { query: { limit: 20 } } })
assert.ok(listed.data?.data.some((one) => one.id === id))
const erased = await client.DELETE('/v1/verifications/{id}', { params })
assert.equal(erased.data?.id, id)
console.log('openapi-typescript: created, waited, read, redeemed, listed, erased')
