// Races claims, refreshes and revocations of devices in two processes on one database.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { SCOPES } from '../../wire/values/keys.ts'
import { createKey } from '../src/core/tenants/usecases/manage-keys.ts'
import { createTenant } from '../src/core/tenants/usecases/manage-tenants.ts'
import { createAudit } from '../src/features/audit/usecases/audit.ts'
import { repeats } from './harness/repeats.ts'
import { testDatabase } from './harness/servers/database.ts'
import { startReplicas } from './harness/servers/replicas.ts'

const DEVICES = repeats(12, 40)
const REVOCATIONS = repeats(20, 60)

const ends: (() => Promise<void>)[] = []
const { db, url } = await testDatabase({ after: (work) => void ends.push(work) })
const key = await firstKey()
const replicas = await startReplicas(url, 2)
after(async () => {
  await replicas.stop()
  for (const end of ends) await end()
})

async function firstKey(): Promise<string> {
  const clock = { now: () => Date.now() }
  const random = (size: number) => new Uint8Array(randomBytes(size))
  const audit = createAudit({ random, derivedKeys: { derive: (_, size) => randomBytes(size) } })
  const deps = { db, clock, random, audit }
  const actor = { type: 'operator', id: 'test' } as const
  const { id } = await createTenant(deps, { name: 'Races', plan: 'business', dailyQuota: null, actor })
  const scope = {
    tenantId: id,
    environment: 'test',
    name: 'races',
    scopes: SCOPES,
    expiresInDays: null,
    actor,
  } as const
  const created = await createKey(deps, scope)
  assert.ok(created !== null)
  return created.key
}

interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of the answer
  readonly json: any
}

async function call(replica: number, method: string, path: string, options: { token?: string; body?: unknown } = {}) {
  const response = await fetch(`${replicas.urls[replica % replicas.urls.length]}${path}`, {
    method,
    headers: {
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  })
  return { status: response.status, json: await response.json() } as Reply
}

const enroll = (replica: number, code: string) =>
  call(replica, 'POST', '/v1/devices/enroll', { body: { pairing_code: code } })
const refresh = (replica: number, token: string) =>
  call(replica, 'POST', '/v1/devices/token', { body: { refresh_token: token } })

async function register(replica: number): Promise<Reply> {
  const body = { name: 'Race', allowed_templates: ['age_over_18'] }
  return call(replica, 'POST', '/v1/devices', { token: key, body })
}

const times = <T>(count: number, work: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)))

async function statuses(): Promise<Map<string, string>> {
  const { json } = await call(0, 'GET', '/v1/devices', { token: key })
  return new Map(json.data.map((device: { id: string; status: string }) => [device.id, device.status]))
}

test(`of 30 simultaneous claims of a code over two processes one succeeds, for each of ${DEVICES} codes`, async () => {
  for (let at = 0; at < DEVICES; at += 1) {
    const { json } = await register(at)
    const replies = await times(30, (claim) => enroll(claim, json.pairing_code))
    const winners = replies.filter(({ status }) => status === 200)
    assert.equal(winners.length, 1)
    assert.equal(winners[0]?.json.device.id, json.device.id)
    for (const { status, json: refused } of replies.filter((reply) => reply.status !== 200)) {
      assert.equal(status, 400)
      assert.equal(refused.error.code, 'invalid_pairing_code')
    }
  }
  const [counted] = await db.query<{ pairs: number; enrolled: number }>({
    name: 'test_pairs_of_claims',
    text: `select (select count(*) from device_token_pairs) as pairs,
                  (select count(*) from audit_entries where encode(bytes, 'escape') like '%device.enrolled%') as enrolled`,
  })
  assert.deepEqual(counted, { pairs: DEVICES, enrolled: DEVICES })
})

test(`of 20 simultaneous refreshes over two processes one succeeds, and the device is revoked, for each of ${DEVICES} devices`, async () => {
  const outcomes = []
  for (let at = 0; at < DEVICES; at += 1) {
    const { json } = await register(at)
    const pair = (await enroll(at, json.pairing_code)).json
    const replies = await times(20, (attempt) => refresh(attempt, pair.refresh_token))
    const winners = replies.filter(({ status }) => status === 200)
    assert.equal(winners.length, 1)
    for (const { status, json: refused } of replies.filter((reply) => reply.status !== 200)) {
      assert.equal(status, 400)
      assert.equal(refused.error.code, 'invalid_refresh_token')
    }
    outcomes.push({ id: json.device.id, old: pair.access_token, next: winners[0]?.json })
  }
  const known = await statuses()
  for (const { id, old, next } of outcomes) {
    assert.equal(known.get(id), 'revoked')
    for (const replica of [0, 1]) {
      for (const token of [old, next.access_token]) {
        assert.equal((await call(replica, 'GET', '/v1/usage', { token })).status, 401)
      }
    }
    assert.equal((await refresh(0, next.refresh_token)).status, 400)
  }
  const [counted] = await db.query<{ revoked: number }>({
    name: 'test_revocations',
    text: `select count(*) as revoked from audit_entries where encode(bytes, 'escape') like '%device.revoked%'`,
  })
  assert.deepEqual(counted, { revoked: DEVICES })
})

test('a revocation on one replica applies on the other from the next request on, also to a refresh in progress', async () => {
  for (let round = 0; round < REVOCATIONS; round += 1) {
    const { json } = await register(round)
    const pair = (await enroll(round, json.pairing_code)).json
    assert.equal((await call(round + 1, 'GET', '/v1/usage', { token: pair.access_token })).status, 200)
    const [rotated, revoked] = await Promise.all([
      refresh(round + 1, pair.refresh_token),
      call(round, 'DELETE', `/v1/devices/${json.device.id}`, { token: key }),
    ])
    assert.equal(revoked.json.status, 'revoked')
    const tokens = [pair.access_token, ...(rotated.status === 200 ? [rotated.json.access_token] : [])]
    for (const token of tokens) {
      const answers = await Promise.all([0, 1].map((replica) => call(replica, 'GET', '/v1/usage', { token })))
      for (const answer of answers) {
        assert.equal(answer.status, 401)
        assert.equal(answer.json.error.code, 'invalid_api_key')
      }
    }
  }
})
