// Runs random lives of verifications against a model of the specification, also concurrently.

import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { verifyStored } from '../../src/features/audit/usecases/verify-audit.ts'
import { millisecondsOf } from '../../src/platform/world.ts'
import type { Answer } from '../harness/answer.ts'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'

const service = await testService()
const wallet = await testWallet(service)
const { call, clock } = service
const TTL = { short: 60, long: 3600 } as const
const WINDOW = 24 * 3_600_000
const QUOTA = 12

interface Life {
  readonly id: string
  readonly walletUri: string
  expiresAt: number
  state: 'pending' | 'completed' | 'failed' | 'erased'
  code: string | null
}

interface KnownKey {
  readonly body: string
  readonly text: string
  readonly id: string
  readonly until: number
}

interface Model {
  readonly lives: Life[]
  readonly keys: Map<string, KnownKey>
  readonly used: Map<string, number>
}

interface Real {
  readonly tenantId: string
  readonly key: string
}

type Step =
  | { readonly do: 'create'; readonly key: string | null; readonly ttl: keyof typeof TTL }
  | { readonly do: 'wait'; readonly seconds: number }
  | { readonly do: 'respond'; readonly which: number; readonly scenario: 'good' | 'declined' | 'untrusted' }
  | { readonly do: 'redeem'; readonly which: number; readonly wrong: boolean }
  | { readonly do: 'cancel'; readonly which: number }
  | { readonly do: 'erase'; readonly which: number }
  | { readonly do: 'read'; readonly which: number }

const which = fc.nat({ max: 9 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      key: fc.option(fc.constantFrom('a', 'b', 'c'), { freq: 3 }),
      ttl: fc.constantFrom('short' as const, 'long' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      seconds: fc.constantFrom(1, 59, 61, 3_601, 40_000, 86_400),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('respond' as const),
      which,
      scenario: fc.constantFrom('good' as const, 'declined' as const, 'untrusted' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('redeem' as const), which, wrong: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('erase' as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('read' as const), which }) },
)

/** Steps at exactly the expiry of a verification, which chance would rarely choose. */
const AT_ITS_END: Step[] = [
  { do: 'wait', seconds: 1 },
  { do: 'create', key: null, ttl: 'short' },
  { do: 'wait', seconds: 59 },
  { do: 'read', which: 0 },
  { do: 'wait', seconds: 1 },
  { do: 'read', which: 0 },
  { do: 'respond', which: 0, scenario: 'good' },
]

const today = () => new Date(clock.now()).toISOString().slice(0, 10)

function statusOf(life: Life): string {
  return life.state === 'pending' && clock.now() >= life.expiresAt ? 'expired' : life.state
}

async function take(one: Step, model: Model, real: Real): Promise<void> {
  if (one.do === 'wait') return clock.advance(one.seconds * 1000)
  if (one.do === 'create') return create(one, model, real)
  const life = model.lives[one.which % Math.max(1, model.lives.length)]
  if (life === undefined) return
  if (one.do === 'respond') return respond(life, one.scenario)
  if (one.do === 'redeem') return redeem(life, one.wrong, real)
  if (one.do === 'cancel') return cancel(life, real)
  if (one.do === 'erase') return erase(life, model, real)
  return read(life, real)
}

function post(real: Real, body: object, key: string | null): Promise<Answer> {
  return call('POST', '/v1/verifications', {
    key: real.key,
    body,
    ...(key === null ? {} : { headers: { 'idempotency-key': key } }),
  })
}

async function create(one: Extract<Step, { do: 'create' }>, model: Model, real: Real): Promise<void> {
  const body = { template: 'identity', ttl_seconds: TTL[one.ttl], redirect_url: 'https://shop.example/back' }
  const known = one.key === null ? undefined : model.keys.get(one.key)
  const answer = await post(real, body, one.key)
  if (known !== undefined && clock.now() < known.until) {
    if (known.body !== JSON.stringify(body)) return assert.equal(answer.json.error?.code, 'idempotency_key_reused')
    assert.equal(answer.headers['idempotent-replayed'], 'true')
    return assert.equal(answer.text, known.text)
  }
  const used = model.used.get(today()) ?? 0
  if (used >= QUOTA) return assert.equal(answer.json.error?.code, 'quota_exceeded')
  assert.equal(answer.status, 201, answer.text)
  assert.equal(answer.headers['idempotent-replayed'], undefined)
  model.used.set(today(), used + 1)
  const { id, wallet_uri: walletUri, expires_at: expiresAt } = answer.json
  model.lives.push({ id, walletUri, expiresAt: millisecondsOf(expiresAt), state: 'pending', code: null })
  if (one.key !== null) {
    model.keys.set(one.key, { body: JSON.stringify(body), text: answer.text, id, until: clock.now() + WINDOW })
  }
}

async function respond(life: Life, scenario: 'good' | 'declined' | 'untrusted'): Promise<void> {
  const status = statusOf(life)
  const presented = await wallet.present(life.walletUri, scenario).then(JSON.stringify, (error: Error) => error)
  if (status !== 'pending') return assert.ok(presented instanceof Error, `a wallet was served in state ${status}`)
  assert.ok(!(presented instanceof Error), String(presented))
  life.state = scenario === 'good' ? 'completed' : 'failed'
  life.code = /response_code=([A-Za-z0-9_-]{43})/.exec(presented)?.[1] ?? null
  assert.ok(life.code !== null, presented)
}

async function redeem(life: Life, wrong: boolean, real: Real): Promise<void> {
  const code = wrong || life.code === null ? 'w'.repeat(43) : life.code
  const good = code === life.code && life.state !== 'erased'
  const answer = await call('POST', `/v1/verifications/${life.id}/redeem`, {
    key: real.key,
    body: { response_code: code },
  })
  if (!good) return assert.equal(answer.json.error?.code, 'invalid_response_code')
  assert.equal(answer.json.status, life.state)
  life.code = null
}

async function cancel(life: Life, real: Real): Promise<void> {
  const answer = await call('POST', `/v1/verifications/${life.id}/cancel`, { key: real.key })
  if (life.state === 'erased') return assert.equal(answer.json.error?.code, 'session_not_found')
  if (life.state !== 'pending') return assert.equal(answer.json.error?.code, 'session_already_responded')
  assert.equal(answer.json.status, 'expired')
  life.expiresAt = Math.min(life.expiresAt, clock.now())
}

async function erase(life: Life, model: Model, real: Real): Promise<void> {
  const answer = await call('DELETE', `/v1/verifications/${life.id}`, { key: real.key })
  assert.equal(answer.status, life.state === 'erased' ? 404 : 200)
  life.state = 'erased'
  for (const [key, known] of model.keys) if (known.id === life.id) model.keys.delete(key)
}

async function read(life: Life, real: Real): Promise<void> {
  const answer = await call('GET', `/v1/verifications/${life.id}`, { key: real.key })
  const status = await call('GET', `/v1/verifications/${life.id}/status`)
  if (life.state === 'erased') return assert.deepEqual([answer.status, status.status], [404, 404])
  assert.equal(answer.json.status, statusOf(life))
  assert.equal(status.json.status, statusOf(life))
  assert.equal(answer.json.claims !== undefined, life.state === 'completed')
  assert.equal(answer.json.error !== undefined, life.state === 'failed')
}

async function books(
  real: Real,
): Promise<{ rows: number; created: number; erased: number; ended: number; cancelled: number; used: number }> {
  const [row] = await service.deps.db.query<Awaited<ReturnType<typeof books>>>(
    {
      name: 'test_books',
      text: `with actions as (select convert_from(bytes, 'UTF8')::jsonb ->> 'action' as action
                           from audit_entries where tenant_id = $1 and environment = 'test')
             select (select count(*)::int from verifications where tenant_id = $1) as rows,
                    (select count(*)::int from actions where action = 'verification.created') as created,
                    (select count(*)::int from actions where action = 'verification.erased') as erased,
                    (select count(*)::int from actions where action in ('verification.completed', 'verification.failed')) as ended,
                    (select count(*)::int from actions where action = 'verification.cancelled') as cancelled,
                    (select coalesce(sum(created), 0)::int from usage_days where tenant_id = $1) as used`,
    },
    [real.tenantId],
  )
  assert.ok(row !== undefined)
  return row
}

async function newReal(dailyQuota: number): Promise<Real> {
  const tenantId = await service.tenant({ dailyQuota })
  return { tenantId, key: await service.key(tenantId) }
}

test('any sequence of operations has the results of the model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const model: Model = { lives: [], keys: new Map(), used: new Map() }
      const real = await newReal(QUOTA)
      for (const one of steps) await take(one, model, real)
      const alive = model.lives.filter((life) => life.state !== 'erased')
      const list = await call('GET', '/v1/verifications?limit=100', { key: real.key })
      assert.deepEqual(
        list.json.data.map((one: { id: string; status: string }) => [one.id, one.status]),
        alive.map((life) => [life.id, statusOf(life)]).reverse(),
      )
      const { rows, created, erased, used } = await books(real)
      assert.deepEqual([rows, created, used], [alive.length, model.lives.length, model.lives.length])
      assert.equal(erased, model.lives.length - alive.length)
    }),
    { numRuns: 40, endOnFailure: false, examples: [[AT_ITS_END]] },
  )
})

test('concurrent operations keep the totals consistent: each verification ends once, is redeemed once, is erased once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
      const real = await newReal(1_000)
      const body = { template: 'identity', redirect_url: 'https://shop.example/back' }
      const lives = await Promise.all(Array.from({ length: 4 }, async () => (await post(real, body, null)).json))
      const codes = new Map<string, string>()
      const spent: string[] = []
      const outcomes = await Promise.all(steps.map((one) => atOnce(one, { real, lives, codes, spent })))
      const { rows, created, erased, ended, cancelled, used } = await books(real)
      assert.ok(ended + cancelled <= created, 'a verification was both answered and cancelled')
      assert.equal(used, created)
      assert.equal(rows, created - erased)
      assert.equal(outcomes.filter((outcome) => outcome === 'ended').length, ended)
      assert.equal(outcomes.filter((outcome) => outcome === 'erased').length, erased)
      assert.equal(outcomes.filter((outcome) => outcome === 'created').length + lives.length, created)
      assert.equal(new Set(spent).size, spent.length)
      const realm = { tenantId: real.tenantId, environment: 'test' } as const
      assert.equal((await verifyStored(service.deps, { realm, log: 'whole' })).outcome, 'whole')
    }),
    { numRuns: 12, endOnFailure: false },
  )
})

interface Crowd {
  readonly real: Real
  readonly lives: readonly { id: string; wallet_uri: string }[]
  readonly codes: Map<string, string>
  readonly spent: string[]
}

async function atOnce(one: Step, { real, lives, codes, spent }: Crowd): Promise<string> {
  if (one.do === 'wait') return 'nothing'
  if (one.do === 'create') {
    const answer = await post(real, { template: 'identity', ttl_seconds: TTL[one.ttl] }, one.key)
    assert.ok([201, 409, 422].includes(answer.status), answer.text)
    return answer.status === 201 && answer.headers['idempotent-replayed'] === undefined ? 'created' : 'nothing'
  }
  const life = lives[one.which % lives.length]
  assert.ok(life !== undefined)
  const path = `/v1/verifications/${life.id}`
  if (one.do === 'respond') {
    const presented = await wallet.present(life.wallet_uri, one.scenario).then(JSON.stringify, () => '')
    const code = /response_code=([A-Za-z0-9_-]{43})/.exec(presented)?.[1]
    if (code !== undefined) codes.set(life.id, code)
    return code === undefined ? 'nothing' : 'ended'
  }
  if (one.do === 'redeem') {
    const code = codes.get(life.id) ?? 'w'.repeat(43)
    const answer = await call('POST', `${path}/redeem`, { key: real.key, body: { response_code: code } })
    assert.ok([200, 404].includes(answer.status), answer.text)
    if (answer.status === 200) spent.push(life.id)
    return 'nothing'
  }
  if (one.do === 'cancel') {
    const answer = await call('POST', `${path}/cancel`, { key: real.key })
    assert.ok([200, 404, 409].includes(answer.status), answer.text)
    return 'nothing'
  }
  const answer = await call(one.do === 'erase' ? 'DELETE' : 'GET', path, { key: real.key })
  assert.ok([200, 404].includes(answer.status), answer.text)
  return one.do === 'erase' && answer.status === 200 ? 'erased' : 'nothing'
}
