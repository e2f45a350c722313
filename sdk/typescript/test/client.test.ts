// Tests the merchant's client against the running service, over real connections that tests can break.

import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { pairDevice } from '../../../service/test/harness/devices.ts'
import { listeningService } from '../../../service/test/harness/listening.ts'
import { once } from '../../../service/test/harness/wait.ts'
import { testWallet } from '../../../service/test/harness/wallet.ts'
import { Vidimus, VidimusError, type VidimusOptions } from '../src/index.ts'

const service = await listeningService()
const tenant = await service.tenant({ plan: 'enterprise' })
const apiKey = await service.key(tenant)
const wallet = await testWallet(service)

/** Waits take no time; their lengths are recorded. */
function client(change: Partial<VidimusOptions> = {}): Vidimus & { waits: number[] } {
  const waits: number[] = []
  let now = 0
  const sleep = async (milliseconds: number) => {
    waits.push(milliseconds)
    now += milliseconds
  }
  return Object.assign(new Vidimus({ baseUrl: service.base, apiKey, sleep, now: () => now, ...change }), { waits })
}

/** Runs `interfere` for each request. Its return value replaces the answer. */
function wire(interfere: (count: number, request: Request) => Promise<Response | undefined>): {
  fetch: typeof globalThis.fetch
  sent: Request[]
} {
  const sent: Request[] = []
  return {
    sent,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      sent.push(request.clone())
      return (await interfere(sent.length, request)) ?? globalThis.fetch(request)
    },
  }
}

const AGE = { template: 'age_over_18', purpose: 'To test the SDK' } as const

const refusedAs = (code: string, status: number | null) => (error: unknown) => {
  assert.ok(error instanceof VidimusError, String(error))
  assert.deepEqual([error.code, error.status], [code, status])
  return true
}

describe('every route', () => {
  it('creates, answers, waits, reads, lists and erases', async () => {
    const vidimus = client()
    const created = await vidimus.verifications.create({ ...AGE, metadata: { order: '17' }, browser_binding: 'none' })
    assert.equal(created.status, 'pending')
    assert.deepEqual(await vidimus.verifications.status(created.id), { id: created.id, status: 'pending' })
    await wallet.present(created.wallet_uri ?? '')
    const result = await vidimus.verifications.waitForResult(created.id)
    assert.equal(result.status, 'completed')
    assert.deepEqual(result.claims, { age_over_18: true })
    assert.deepEqual(result.metadata, { order: '17' })
    assert.deepEqual(await vidimus.verifications.get(created.id), result)
    assert.equal((await vidimus.verifications.list({ limit: 1 }))[0]?.id, created.id)
    assert.equal((await vidimus.verifications.list({ template: 'identity', reference: '17' })).length, 0)
    assert.equal((await vidimus.verifications.list({ reference: '17', status: 'completed' }))[0]?.id, created.id)
    const ofTemplate = await Array.fromAsync(vidimus.verifications.all({ template: 'identity' }))
    assert.deepEqual(ofTemplate, [])
    const erased = await vidimus.verifications.erase(created.id)
    assert.equal(erased.deleted.verification_sessions, 1)
    await assert.rejects(vidimus.verifications.get(created.id), refusedAs('session_not_found', 404))
  })

  it('redeems the code of a redirect once', async () => {
    const vidimus = client()
    const { id, wallet_uri } = await vidimus.verifications.create({ ...AGE, redirect_url: 'https://shop.example/done' })
    const { redirectUri } = await wallet.present(wallet_uri ?? '')
    const code = new URL(redirectUri ?? '').hash.replace('#response_code=', '')
    assert.equal((await vidimus.verifications.redeem(id, code)).status, 'completed')
    await assert.rejects(vidimus.verifications.redeem(id, code), refusedAs('invalid_response_code', 404))
  })

  it('cancels a pending verification, also after a broken connection, but no answered verification', async () => {
    let lost = 0
    const flaky: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init)
      if (!String(input).endsWith('/cancel') || lost++ > 0) return answer
      throw new TypeError('fetch failed')
    }
    const vidimus = client({ fetch: flaky })
    const { id } = await vidimus.verifications.create(AGE)
    assert.equal((await vidimus.verifications.cancel(id)).status, 'expired')
    assert.equal(lost, 2)
    const answered = await vidimus.verifications.create(AGE)
    await wallet.present(answered.wallet_uri ?? '')
    await assert.rejects(vidimus.verifications.cancel(answered.id), refusedAs('session_already_responded', 409))
  })

  it('asks with a query instead of a template', async () => {
    const query = {
      credentials: [
        {
          id: 'pid',
          format: 'dc+sd-jwt',
          meta: { vct_values: ['urn:eudi:pid:1'] },
          claims: [{ path: ['given_name'] }],
        },
      ],
    }
    const created = await client().verifications.create({ query })
    assert.equal(created.template, undefined)
  })

  it('registers, pairs, refreshes, lists and revokes devices', async () => {
    const vidimus = client()
    const { device, pairing_code } = await vidimus.devices.register({
      name: 'Till 9',
      allowed_templates: ['age_over_18'],
    })
    const pair = await vidimus.devices.enroll(pairing_code)
    assert.equal(pair.device.status, 'active')
    const next = await vidimus.devices.refresh(pair.refresh_token)
    assert.notEqual(next.access_token, pair.access_token)
    assert.ok((await vidimus.devices.list()).some(({ id }) => id === device.id))
    assert.equal((await vidimus.devices.revoke(device.id)).status, 'revoked')
    assert.equal((await vidimus.devices.revoke(device.id)).status, 'revoked')
  })

  it('reads usage', async () => {
    const usage = await client().usage.get()
    assert.equal(usage.daily_quota, 1_000_000)
    assert.ok(usage.verifications_created > 0)
  })

  it('works with the token of a device', async () => {
    const { accessToken } = await pairDevice(service, apiKey)
    const till = client({ apiKey: accessToken })
    const { id } = await till.verifications.create(AGE)
    assert.equal((await till.verifications.list())[0]?.id, id)
    await assert.rejects(till.verifications.erase(id), refusedAs('insufficient_scope', 403))
  })
})

describe('lists', () => {
  it('iterates over all pages, newest first, each verification once', async () => {
    const key = await service.key(await service.tenant())
    const vidimus = client({ apiKey: key })
    const created: string[] = []
    for (let count = 0; count < 7; count += 1) created.unshift((await vidimus.verifications.create(AGE)).id)
    for (const pageSize of [1, 3, 7, 100]) {
      const seen: string[] = []
      for await (const { id } of vidimus.verifications.all({ pageSize })) seen.push(id)
      assert.deepEqual(seen, created, `pages of ${pageSize}`)
    }
    const third = await vidimus.verifications.get(created[2] ?? '')
    const older: string[] = []
    for await (const { id } of vidimus.verifications.all({ before: third.created_at })) older.push(id)
    assert.deepEqual(older, created.slice(3))
    await vidimus.verifications.cancel(created[4] ?? '')
    const expired: string[] = []
    for await (const { id } of vidimus.verifications.all({ pageSize: 2, status: 'expired' })) expired.push(id)
    assert.deepEqual(expired, [created[4]], 'the expired verification is after pages without one')
  })
})

describe('retries', () => {
  it('a retry after a lost answer returns the same verification, which is charged once', async () => {
    const { fetch, sent } = wire(async (count, request) => {
      if (count > 1) return undefined
      await globalThis.fetch(request)
      throw new TypeError('terminated')
    })
    const before = await client().usage.get()
    const vidimus = client({ fetch })
    const created = await vidimus.verifications.create(AGE)
    const after = await client().usage.get()
    assert.equal(created.status, 'pending')
    assert.equal(after.verifications_created - before.verifications_created, 1)
    assert.equal(sent.length, 2)
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'))
    assert.ok(keys[0] !== null && keys[0] === keys[1])
    assert.equal(vidimus.waits.length, 1)
  })

  it('each creation uses its own idempotency key', async () => {
    const { fetch, sent } = wire(async () => undefined)
    const vidimus = client({ fetch })
    const [one, other] = await Promise.all([vidimus.verifications.create(AGE), vidimus.verifications.create(AGE)])
    assert.notEqual(one.id, other.id)
    assert.equal(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size, 2)
  })

  it("a caller's own idempotency key returns the same verification; another body is refused", async () => {
    const vidimus = client()
    const first = await vidimus.verifications.create(AGE, { idempotencyKey: 'order-4711' })
    assert.equal((await vidimus.verifications.create(AGE, { idempotencyKey: 'order-4711' })).id, first.id)
    await assert.rejects(
      vidimus.verifications.create({ template: 'identity' }, { idempotencyKey: 'order-4711' }),
      refusedAs('idempotency_key_reused', 422),
    )
  })

  it('obeys Retry-After', async () => {
    const { fetch } = wire(async (count) =>
      count === 1 ? envelope(429, 'rate_limit_exceeded', { 'retry-after': '3' }) : undefined,
    )
    const vidimus = client({ fetch })
    await vidimus.usage.get()
    assert.ok(vidimus.waits.length === 1 && (vidimus.waits[0] ?? 0) >= 3000)
  })

  it('reports an exhausted quota without a retry', async () => {
    const poor = await service.key(await service.tenant({ dailyQuota: 0 }))
    const { fetch, sent } = wire(async () => undefined)
    await assert.rejects(client({ apiKey: poor, fetch }).verifications.create(AGE), (error) => {
      assert.ok(error instanceof VidimusError && error.code === 'quota_exceeded' && error.status === 429)
      assert.match(error.requestId ?? '', /^req_/)
      assert.equal(error.retryAfterSeconds, 12 * 3600)
      return true
    })
    assert.equal(sent.length, 1)
  })

  it('does not retry calls that are not idempotent after a broken connection', async () => {
    for (const act of [
      (vidimus: Vidimus) => vidimus.verifications.redeem('ver_x', 'c'.repeat(43)),
      (vidimus: Vidimus) => vidimus.devices.enroll('VD-AAAA-AAAA'),
      (vidimus: Vidimus) => vidimus.devices.refresh('vdr_x'),
      (vidimus: Vidimus) => vidimus.devices.register({ name: 'Till', allowed_templates: ['age_over_18'] }),
    ]) {
      const { fetch, sent } = wire(async () => {
        throw new TypeError('fetch failed')
      })
      await assert.rejects(act(client({ fetch })), refusedAs('connection_failed', null))
      assert.equal(sent.length, 1)
    }
  })

  it('gives up after the last attempt', async () => {
    const { fetch, sent } = wire(async () => new Response('<h1>Bad gateway</h1>', { status: 502 }))
    await assert.rejects(client({ fetch }).usage.get(), refusedAs('unexpected_answer', 502))
    assert.equal(sent.length, 4)
  })
})

describe('waiting for a result', () => {
  it('polls with growing pauses and without the key, and reads the verification once at the end', async () => {
    const { fetch, sent } = wire(async (count) => {
      if (count === 12) service.clock.advance(301_000)
      return undefined
    })
    const vidimus = client({ fetch })
    const { id } = await client().verifications.create(AGE)
    const result = await vidimus.verifications.waitForResult(id)
    assert.equal(result.status, 'expired')
    assert.deepEqual(vidimus.waits.slice(0, 3), [1000, 1250, 1562.5])
    assert.equal(Math.max(...vidimus.waits), 5000)
    const polls = sent.slice(0, -1)
    assert.ok(polls.every(({ url, headers }) => url.endsWith('/status') && headers.get('authorization') === null))
    assert.equal(sent.at(-1)?.url, `${service.base}/v1/verifications/${id}`)
  })

  it('survives a network failure, and waits for the rate limit', async () => {
    const { id, wallet_uri } = await client().verifications.create(AGE)
    await wallet.present(wallet_uri ?? '')
    const { fetch } = wire(async (count) => {
      if (count <= 6) throw new TypeError('fetch failed')
      if (count <= 12) return envelope(429, 'rate_limit_exceeded', { 'retry-after': '20' })
      return undefined
    })
    assert.equal((await client({ fetch }).verifications.waitForResult(id)).status, 'completed')
  })

  it('ends at its timeout, on its signal, and for an unknown verification', async () => {
    const vidimus = client()
    const { id } = await vidimus.verifications.create(AGE)
    await assert.rejects(vidimus.verifications.waitForResult(id, { timeoutMs: 10_000 }), refusedAs('timeout', null))
    const stop = AbortSignal.abort(new Error('the customer left'))
    await assert.rejects(vidimus.verifications.waitForResult(id, { signal: stop }), /the customer left/)
    await assert.rejects(vidimus.verifications.waitForResult('ver_unknown'), refusedAs('session_not_found', 404))
  })
})

describe('failures', () => {
  it('times out if the service does not answer', async () => {
    const fetch: typeof globalThis.fetch = (_input, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
    await assert.rejects(client({ fetch, timeoutMs: 5, retries: 0 }).usage.get(), refusedAs('timeout', null))
  })

  it('names the system error of an unreachable service', async () => {
    const gone = createServer().listen(0, '127.0.0.1')
    await once(gone, 'listening')
    const { port } = gone.address() as AddressInfo
    gone.close()
    await once(gone, 'close')
    const unreachable = client({ baseUrl: `http://127.0.0.1:${port}`, retries: 0 })
    await assert.rejects(unreachable.usage.get(), (error) => {
      assert.ok(error instanceof VidimusError)
      assert.match(error.message, /ECONNREFUSED/)
      return true
    })
  })

  it('does not follow a redirect, which would send the key to another server', async () => {
    const { fetch, sent } = wire(
      async () => new Response(null, { status: 302, headers: { location: 'https://elsewhere.example/' } }),
    )
    await assert.rejects(client({ fetch }).usage.get(), refusedAs('unexpected_answer', 302))
    assert.equal(sent.length, 1)
    assert.equal(sent[0]?.redirect, 'manual')
  })

  it('refuses a page instead of JSON', async () => {
    const { fetch } = wire(async () => new Response('<html>', { status: 200 }))
    await assert.rejects(client({ fetch }).usage.get(), refusedAs('unexpected_answer', 200))
  })

  it('refuses an empty id, which would lead to another route', async () => {
    const vidimus = client()
    assert.throws(() => vidimus.verifications.get(''), TypeError)
    assert.throws(() => vidimus.verifications.erase(''), TypeError)
    await assert.rejects(vidimus.devices.revoke(''), TypeError)
    await assert.rejects(vidimus.verifications.get('../usage'), refusedAs('session_not_found', 404))
  })

  it('throws for wrong options when the client is created, without showing the key', () => {
    for (const bad of ['', 'vk_', 'sk_live_abc', `${apiKey}\n`, ` ${apiKey}`]) {
      assert.throws(
        () => client({ apiKey: bad }),
        (error: Error) => error instanceof TypeError && !error.message.includes(apiKey),
      )
    }
    for (const baseUrl of ['', 'verify.example.com', 'ftp://x', 'https://user:pass@x', 'https://x/?a=b']) {
      assert.throws(() => client({ baseUrl }), TypeError, baseUrl)
    }
    assert.throws(() => client({ timeoutMs: 0 }), RangeError)
    assert.throws(() => client({ retries: -1 }), RangeError)
    assert.throws(() => client({ longestWaitMs: Number.NaN }), RangeError)
  })

  it('neither the client nor its errors show the key, a code or a claim', async () => {
    const vidimus = client()
    const shown = [inspect(vidimus, { depth: 10, showHidden: true }), JSON.stringify(vidimus), String(vidimus)]
    const code = 'c'.repeat(43)
    await vidimus.verifications
      .redeem('ver_x', code)
      .catch((error) => shown.push(inspect(error, { showHidden: true, depth: 10 })))
    const { fetch } = wire(async (_count, request) => {
      throw Object.assign(new TypeError(`failed: ${request.headers.get('authorization')}`), { request })
    })
    const broken = client({ fetch, retries: 0 })
    await broken.verifications
      .redeem('ver_x', code)
      .catch((error) => shown.push(inspect(error, { showHidden: true, depth: 10 })))
    assert.equal(shown.length, 5)
    for (const text of shown) assert.ok(!text.includes(apiKey) && !text.includes(code), text)
  })
})

function envelope(status: number, code: string, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({ error: { code, message: 'no' } }), { status, headers })
}
