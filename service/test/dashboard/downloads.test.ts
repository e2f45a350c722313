// Tests downloads that are read while they are sent: two at a time per tenant, each with a deadline.

import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { after } from 'node:test'
import Fastify from 'fastify'
import { DOWNLOADS, TIMES } from '../../src/platform/http/bounds/limits.ts'
import { createDownloads } from '../../src/platform/http/downloads.ts'
import { sendProblem } from '../../src/platform/http/send-problem.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { once, waitUntil } from '../harness/wait.ts'

const service = await testService()
const { deps } = service

const WAITING = {
  name: 'test_waiting_for_locks',
  text: `select from pg_locks l join pg_stat_activity a on a.pid = l.pid
         where not l.granted and a.datname = current_database()`,
}

test('a tenant may download two files at once, of any kind; another tenant has its own slots, and each end frees one', async () => {
  const admin = await person(service, await service.tenant(), 'admin')
  const other = await person(service, await service.tenant(), 'admin')
  const csv = (who = admin) => who.call('GET', '@/verifications/export')
  const trail = (who = admin) => who.call('GET', '@/audit/export')
  const running = await deps.db.transaction(async (tx) => {
    await tx.query({ name: 'test_hold', text: 'lock table verifications in access exclusive mode' }, [])
    const begun = Array.from({ length: DOWNLOADS.each }, () => csv())
    await waitUntil('both wait for the table', async () => (await deps.db.query(WAITING)).length >= begun.length)
    for (const refused of [await csv(), await trail()]) {
      assertRefused(refused, 429, 'rate_limit_exceeded')
      assert.equal(refused.headers['retry-after'], '10')
    }
    assert.equal((await trail(other)).status, 200)
    return { begun }
  })
  for (const answer of await Promise.all(running.begun)) assert.equal(answer.status, 200)
  assert.equal((await csv()).status, 200)
  assert.equal((await trail()).status, 200)
})

/** Returns a server whose files never end, with the number of those that are still read. */
async function startEndless(deadlineMs: number) {
  const app = Fastify()
  app.setErrorHandler((error, request, reply) => sendProblem(deps, error, request, reply))
  const downloads = createDownloads(deadlineMs)
  const files = { open: 0 }
  async function* lines() {
    files.open += 1
    try {
      // bounded: by its reader.
      for (;;) yield 'one more line\n'.repeat(5_000)
    } finally {
      files.open -= 1
    }
  }
  app.get<{ Params: { tenant: string } }>('/:tenant', (request, reply) =>
    downloads.send(reply, request.params.tenant, async () => ({ type: 'text/csv', name: 'a.csv', lines: lines() })),
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  after(() => app.close())
  const { port } = app.server.address() as AddressInfo
  const ask = (tenant: string) =>
    new Promise<IncomingMessage>((resolve, reject) =>
      get({ port, host: '127.0.0.1', path: `/${tenant}`, agent: false }, resolve).on('error', reject),
    )
  return { ask, files }
}

const bytesOf = async (file: IncomingMessage) => {
  let bytes = 0
  for await (const chunk of file) bytes += (chunk as Buffer).length
  return bytes
}

test('at the deadline the connection ends, for clients that read or do not read, and the file is visibly truncated', async () => {
  const { ask, files } = await startEndless(200)
  const [idle, read] = await Promise.all([ask('ours'), ask('ours')])
  await assert.rejects(bytesOf(read), { code: 'ECONNRESET' })
  await assert.rejects(bytesOf(idle), { code: 'ECONNRESET' })
  await waitUntil('no file is open', () => files.open === 0)
  const again = await ask('ours')
  assert.equal(again.statusCode, 200)
  again.destroy()
})

test('a client that leaves in the middle of a file frees its slot, and no more is read for it', async () => {
  const { ask, files } = await startEndless(TIMES.download)
  const begun = await Promise.all(Array.from({ length: DOWNLOADS.each }, () => ask('ours')))
  const refused = await ask('ours')
  assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [429, '10'])
  refused.resume()
  const [leaving] = begun
  assert.ok(leaving !== undefined)
  await Promise.all(begun.map((file) => once(file, 'readable')))
  leaving.destroy()
  await waitUntil('the file is closed', () => files.open < begun.length)
  assert.equal(files.open, begun.length - 1)
  begun.push(await askUntilTaken(() => ask('ours')))
  assert.equal((await ask('ours')).resume().statusCode, 429, 'one slot, not more')
  for (const file of begun) file.destroy()
})

test('all tenants together have a limit; the last slots are for tenants that have none', async () => {
  const { ask } = await startEndless(TIMES.download)
  const { each, all, reserve, light } = DOWNLOADS
  const begun: IncomingMessage[] = []
  const take = async (tenant: string) => {
    const file = await ask(tenant)
    assert.equal(file.statusCode, 200)
    begun.push(file)
  }
  for (let at = 0; begun.length < all - reserve; at += 1) {
    for (let own = 0; own < each && begun.length < all - reserve; own += 1) await take(`busy-${at}`)
  }
  for (let at = 0; begun.length < all; at += 1) {
    for (let own = 0; own < light && begun.length < all; own += 1) await take(`first-${at}`)
    const second = await ask(`first-${at}`)
    assert.deepEqual(
      [second.statusCode, second.headers['retry-after']],
      [503, '10'],
      'each tenant gets only one slot from the reserve',
    )
    second.resume()
  }
  assert.equal((await ask('late')).resume().statusCode, 503)
  begun[0]?.destroy()
  begun.push(await askUntilTaken(() => ask('late')))
  for (const file of begun) file.destroy()
})

/** Repeats the request until a slot is free, because the service notices a moment later that a client left. */
async function askUntilTaken(ask: () => Promise<IncomingMessage>): Promise<IncomingMessage> {
  let file = await ask()
  await waitUntil('a slot is free', async () => {
    if (file.statusCode === 200) return true
    file.resume()
    file = await ask()
    return false
  })
  return file
}
