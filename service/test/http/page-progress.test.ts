// Tests how a hosted page gets its progress: by a stream or by polling, within the limit of streams.

import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import { after, test } from 'node:test'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify from 'fastify'
import { eraseVerification } from '../../src/core/verifications/usecases/forgetting/erase-verification.ts'
import { addProgressRoutes } from '../../src/features/pages/http/progress.ts'
import { PAGE_STREAMS_PER_ADDRESS_MAX } from '../../src/platform/http/bounds/limits.ts'
import { sendProblem } from '../../src/platform/http/send-problem.ts'
import type { ShareBound } from '../../src/platform/shares.ts'
import { listeningService } from '../harness/listening.ts'
import { assertRefused, OPERATOR } from '../harness/service.ts'
import { once, waitUntil, within } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, respond } from '../wallet/verifications.ts'

const service = await listeningService()
const wallet = await testWallet(service)
const tenant = await service.tenant()
const key = await service.key(tenant)
const opened: IncomingMessage[] = []
after(() => {
  for (const answer of opened) answer.destroy()
})

interface Stream {
  readonly status: number
  readonly answer: IncomingMessage
  /** Returns the next step. */
  next(): Promise<string>
  /** Resolves when a heartbeat has come since the last step. */
  heartbeat(): Promise<void>
}

const HEARTBEAT = 'event: beat\ndata: 1\n\n'

async function open(id: string, options: { readonly base?: string; readonly from?: string } = {}): Promise<Stream> {
  const { base = service.base.replace('localhost', '127.0.0.1'), from = '127.0.0.1' } = options
  const request = get(`${base}/verify/${id}/events`, { localAddress: from, agent: false })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  answer.setEncoding('utf8')
  opened.push(answer)
  let text = ''
  const chunks = answer[Symbol.asyncIterator]()
  return {
    status: answer.statusCode ?? 0,
    answer,
    async heartbeat() {
      await waitUntil('a heartbeat comes', async () => {
        if (!text.includes(HEARTBEAT)) text += (await within('the stream says something', chunks.next())).value
        return text.includes(HEARTBEAT)
      })
    },
    async next() {
      // bounded: by the wait for the next chunk.
      for (;;) {
        text = text.replaceAll(HEARTBEAT, '')
        const [whole, step] = /data: (\w+)\n\n/.exec(text) ?? []
        if (whole !== undefined && step !== undefined) {
          text = text.slice(text.indexOf(whole) + whole.length)
          return step
        }
        const chunk = await within('the stream says something', chunks.next())
        if (chunk.done === true) return 'end of stream'
        text += chunk.value
      }
    },
  }
}

const stepOf = async (id: string) => (await service.call('GET', `/verify/${id}/progress`)).json.step

test('a stream reports each step (waiting, fetched, being checked, done) and then ends', async () => {
  const created = await create(service, key)
  const stream = await open(created.id)
  assert.equal(stream.answer.headers['content-type'], 'text/event-stream')
  assert.equal(await stream.next(), 'waiting')
  await wallet.request(created.wallet_uri)
  assert.equal(await stream.next(), 'fetched')
  const answered = wallet.present(created.wallet_uri)
  assert.equal(await stream.next(), 'checking')
  await answered
  assert.equal(await stream.next(), 'completed')
  assert.equal(await stream.next(), 'end of stream')
})

test('a page distinguishes declined from not proven, also by polling', async () => {
  for (const [scenario, step] of [
    ['declined', 'declined'],
    ['revoked', 'failed'],
  ] as const) {
    const created = await create(service, key)
    assert.equal(await stepOf(created.id), 'waiting')
    await wallet.present(created.wallet_uri, scenario)
    assert.equal(await stepOf(created.id), step)
    const stream = await open(created.id)
    assert.deepEqual([await stream.next(), await stream.next()], [step, 'end of stream'])
  }
})

test('an unreadable answer ends nothing: the page returns to its previous step', async () => {
  const created = await create(service, key)
  const stream = await open(created.id)
  assert.equal(await stream.next(), 'waiting')
  assert.equal((await respond(service, created.id, 'nonsense=1')).status, 400)
  assert.deepEqual([await stream.next(), await stream.next()], ['checking', 'waiting'])
  stream.answer.destroy()
})

test('a fetch on another replica, an expiry and an erasure are found by polling the store', async () => {
  const fetched = await create(service, key)
  const stream = await open(fetched.id)
  assert.equal(await stream.next(), 'waiting')
  await service.deps.db.query(
    { name: 'test_fetched', text: 'update verifications set request_fetched_at = created_at where id = $1' },
    [fetched.id],
  )
  assert.equal(await stream.next(), 'fetched')
  assert.equal(await stepOf(fetched.id), 'fetched')
  const erased = await create(service, key)
  const other = await open(erased.id)
  assert.equal(await other.next(), 'waiting')
  const realm = { tenantId: tenant, environment: 'test' } as const
  await eraseVerification(service.deps, { realm, id: erased.id, actor: OPERATOR })
  assert.deepEqual([await other.next(), await other.next()], ['expired', 'end of stream'])
  service.clock.advance(24 * 3_600_000)
  assert.deepEqual([await stream.next(), await stream.next()], ['expired', 'end of stream'])
})

test('a quiet stream sends a heartbeat', async () => {
  const stream = await open((await create(service, key)).id)
  assert.equal(await stream.next(), 'waiting')
  service.clock.advance(25_000)
  await stream.heartbeat()
  stream.answer.destroy()
})

test('an unknown verification has no stream and no step', async () => {
  for (const id of [`ver_${'x'.repeat(32)}`, 'nonsense'])
    for (const path of [`/verify/${id}/events`, `/verify/${id}/progress`])
      assertRefused(await service.call('GET', path), 404, 'session_not_found')
})

test('an address has its share of streams; beyond it a page may still poll, and another address gets one', async () => {
  const created = await create(service, key)
  const streams: Stream[] = []
  for (let count = 0; count < PAGE_STREAMS_PER_ADDRESS_MAX; count += 1) streams.push(await open(created.id))
  assert.deepEqual(new Set(streams.map(({ status }) => status)), new Set([200]))
  assert.equal((await open(created.id)).status, 429)
  assert.equal(await stepOf(created.id), 'waiting')
  const elsewhere = await open(created.id, { from: '127.0.0.2' })
  assert.equal(elsewhere.status, 200)
  for (const { answer } of [...streams, elsewhere]) answer.destroy()
})

test('streams take no request slot: with few slots, pages still follow and others are answered', async () => {
  // Opens eight streams at once, with two request slots.
  const small = await listeningService({ requestsInFlightMax: 2 })
  const created = await create(small, await small.key(await small.tenant()))
  const base = small.base.replace('localhost', '127.0.0.1')
  const streams: Stream[] = []
  for (let count = 0; count < 12; count += 1) streams.push(await open(created.id, { base }))
  assert.deepEqual(new Set(streams.map(({ status }) => status)), new Set([200]))
  assert.equal((await fetch(`${base}/verify/${created.id}/progress`)).status, 200)
  for (const { answer } of streams) answer.destroy()
})

test('the total of streams is limited, and each end frees a slot', async () => {
  const bound: ShareBound = { each: 2, all: 3, reserve: 1, light: 1 }
  const app = fastify().withTypeProvider<TypeBoxTypeProvider>()
  app.setErrorHandler((error, request, reply) => sendProblem(service.deps, error, request, reply))
  addProgressRoutes(app, service.deps, bound)
  const base = await app.listen({ host: '127.0.0.1', port: 0 })
  after(() => app.close())
  const created = await create(service, key)
  const from = (last: number) => open(created.id, { base, from: `127.0.0.${last}` })
  const first = await from(1)
  const statuses = [first.status, (await from(1)).status, (await from(1)).status]
  assert.deepEqual(statuses, [200, 200, 429])
  assert.deepEqual([(await from(2)).status, (await from(3)).status], [200, 429])
  first.answer.destroy()
  await waitUntil('the slot is free', async () => (await from(3)).status === 200)
})
