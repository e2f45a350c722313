// Tests requests from a worker thread: same outcomes, no cost for the event loop, and a thread that dies or hangs.

import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { LIMITS, newListBudget } from '@vidimus/engine'
import { createListReader } from '../../src/features/trust/outbound/list-reader.ts'
import { createStatusLists } from '../../src/features/trust/outbound/status-lists.ts'
import { type Egress, egressUntil, makeEgress, type RequestEnded, request } from '../../src/platform/egress/client.ts'
import {
  createRequestThread,
  type RequestThread,
  sendFromThread,
  type ThreadOptions,
} from '../../src/platform/egress/request-thread.ts'
import { once } from '../harness/wait.ts'
import { startDnsServer } from './dns-server.ts'
import { answering, INSIDE, OK, OUTSIDE, startPair, startReceiver, testPolicy } from './world.ts'

const HOST = 'lists.issuer.com'
const HEAD = 'HTTP/1.1 200 OK\r\n'
const LOST = { outcome: { outcome: 'timeout', reason: 'thread_lost' }, bodyBytes: 0, handshakeBytes: 0 }

const dns = await startDnsServer((name) => ({ A: [name === HOST ? OUTSIDE : INSIDE] }))
after(() => dns.close())
const dir = await mkdtemp(join(tmpdir(), 'vidimus-thread-'))
after(() => rm(dir, { recursive: true }))

const egress = makeEgress({
  policy: testPolicy({ environment: 'test', ownHosts: ['verifier.operator.com'] }),
  dnsServers: [dns.address],
})

function openThread(options: ThreadOptions = {}, by: Egress = egress) {
  const problems: string[] = []
  const thread = createRequestThread(
    { test: by, live: by },
    { ...options, report: (problem) => problems.push(problem) },
  )
  after(() => thread.close())
  return { thread, problems }
}

const get = (url: string, bodyBytesMax = 100_000) => ({ method: 'GET', url, bodyBytesMax }) as const

const { thread } = openThread()

const answers: readonly (readonly [name: string, answer: string, bodyBytes: number])[] = [
  ['a short body', `${HEAD}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\nok`, 2],
  ['no body', `${HEAD}Content-Length: 0\r\n\r\n`, 0],
  ['a long body', `${HEAD}Content-Length: 90000\r\n\r\n${'x'.repeat(90_000)}`, 90_000],
  ['an error', 'HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno', 2],
  ['a body that breaks off', `${HEAD}Content-Length: 10\r\n\r\nhello`, 5],
  ['a redirect to the inside', `HTTP/1.1 302 Go\r\nLocation: http://${INSIDE}/\r\nContent-Length: 0\r\n\r\n`, 0],
  ['what is not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', 0],
]
for (const [name, answer, bodyBytes] of answers) {
  test(`${name}: the thread returns the same as the event loop`, async () => {
    const pair = await startPair(answering(answer))
    after(() => pair.close())
    const options = get(`http://${HOST}:${pair.outside.port}/`)
    const done = await thread.request('test', options)
    assert.equal(done.bodyBytes, bodyBytes)
    const expected = await request(egress, options)
    if (expected.outcome === 'answered') assert.equal(expected.body.length, bodyBytes)
    const plain = <T extends object>(one: T) =>
      'body' in one ? { ...one, body: Buffer.from(one.body as Buffer) } : one
    assert.deepEqual(plain(done.outcome), plain(expected))
    assert.deepEqual([pair.outside.connections(), pair.trap.connections()], [2, 0])
  })
}

test('a body over the limit ends in the thread, and its received bytes are counted', async () => {
  const receiver = await startReceiver(answering(`${HEAD}Content-Length: 9000\r\n\r\n${'x'.repeat(9_000)}`))
  after(() => receiver.close())
  const done = await thread.request('test', get(`http://${HOST}:${receiver.port}/`, 1_000))
  assert.deepEqual(done.outcome, { outcome: 'response_too_large', reason: 'body' })
  assert.ok(done.bodyBytes > 1_000, `${done.bodyBytes}`)
})

for (const [url, reason] of [
  ['https://inside.attacker.com/', 'resolved_loopback'],
  [`http://${INSIDE}/`, 'loopback'],
  ['https://verifier.operator.com/', 'own_host'],
  ['ftp://lists.issuer.com/', 'scheme'],
] as const) {
  test(`the thread has the policy: ${url} is refused as ${reason}`, async () => {
    assert.deepEqual((await thread.request('test', get(url))).outcome, { outcome: 'egress_denied', reason })
    assert.deepEqual(await request(egress, get(url)), { outcome: 'egress_denied', reason })
  })
}

test('each environment has its own policy in the thread', async () => {
  const live = makeEgress({ policy: testPolicy({ environment: 'live', allow: [] }) })
  const test = makeEgress({ policy: testPolicy({ environment: 'test' }) })
  const both = createRequestThread({ test, live })
  after(() => both.close())
  const receiver = await startReceiver(answering(OK))
  after(() => receiver.close())
  const options = get(`http://${OUTSIDE}:${receiver.port}/`)
  assert.equal((await both.request('test', options)).outcome.outcome, 'answered')
  assert.equal((await both.request('live', options)).outcome.outcome, 'egress_denied')
  assert.equal(receiver.connections(), 1)
})

test('the end of a request is reported in its context and by the clock of the event loop', async () => {
  const contexts: (string | undefined)[] = []
  const context = new AsyncLocalStorage<string>()
  const ends: RequestEnded[] = []
  const watched = {
    ...egress,
    onEnd: (end: RequestEnded) => {
      contexts.push(context.getStore())
      ends.push(end)
    },
  }
  const receiver = await startReceiver(answering(OK))
  after(() => receiver.close())
  const { thread } = openThread({}, watched)
  const before = performance.now()
  await Promise.all(
    ['one', 'two'].map((name) =>
      context.run(name, () => thread.request('test', get(`http://${HOST}:${receiver.port}/`))),
    ),
  )
  const now = performance.now()
  assert.deepEqual(contexts.sort(), ['one', 'two'])
  for (const { method, outcome, sentAt, tookMs } of ends) {
    assert.deepEqual([method, outcome], ['GET', 'answered'])
    assert.ok(sentAt >= before && sentAt + tookMs <= now)
  }
})

test('the thread has a lower priority than the event loop', async () => {
  // On other systems than Linux a thread has no priority of its own.
  if (process.platform !== 'linux') return
  const niceOf = (task: string) =>
    Number(readFileSync(`/proc/self/task/${task}/stat`, 'utf8').split(') ')[1]?.split(' ')[16])
  const before = new Set(readdirSync('/proc/self/task'))
  const own = niceOf(String(process.pid))
  await openThread().thread.request('test', get('ftp://lists.issuer.com/'))
  assert.equal(niceOf(String(process.pid)), own, 'the event loop keeps its own')
  const started = readdirSync('/proc/self/task').filter((task) => !before.has(task))
  assert.ok(started.some((task) => niceOf(task) > own))
})

/** Returns a thread that misbehaves for an address that ends in "bad", and never answers one that ends in "slow". */
async function worker(name: string, otherwise: string): Promise<URL> {
  const path = join(dir, `${name}.mjs`)
  const text = `import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ id, options: { url } }) => {
      if (url.endsWith('bad')) { ${otherwise} }
      if (url.endsWith('slow')) return
      parentPort.postMessage({ id, outcome: { outcome: 'dns_failure', reason: 'no_address' }, bodyBytes: 7, handshakeBytes: 0 })
    })`
  await writeFile(path, text)
  return pathToFileURL(path)
}

const LONG_MS = 60_000
const ways: readonly (readonly [string, string, RegExp, number])[] = [
  ['throws', `throw new Error('hostile')`, /failed/, LONG_MS],
  ['ends', 'process.exit(0)', /ended/, LONG_MS],
  ['hangs', 'for (;;) {}', /hangs/, 1_000],
  ['takes more memory than it may', 'const all = []; for (;;) all.push(new Array(1e6).fill({}))', /failed/, LONG_MS],
]
for (const [what, otherwise, problem, graceMs] of ways) {
  test(`all requests of a thread that ${what} fail, and another thread sends the next one`, async () => {
    const workerUrl = await worker(what.replaceAll(' ', '-'), otherwise)
    const { thread, problems } = openThread({ workerUrl, graceMs })
    const send = (path: string) =>
      thread.request('test', { ...get(`https://${HOST}/${path}`), limits: { totalMilliseconds: graceMs } })
    const replied = { outcome: { outcome: 'dns_failure', reason: 'no_address' }, bodyBytes: 7, handshakeBytes: 0 }
    assert.deepEqual(await send('good'), replied)
    assert.deepEqual(await Promise.all([send('slow'), send('bad')]), [LOST, LOST])
    assert.equal(problems.length, 1)
    assert.match(problems[0] ?? '', problem)
    assert.deepEqual(await send('good'), replied)
  })
}

test('without a thread no request is answered', async () => {
  const { thread, problems } = openThread({ workerUrl: pathToFileURL(join(dir, 'absent.mjs')) })
  assert.deepEqual(await thread.request('test', get(`https://${HOST}/`)), LOST)
  assert.equal(problems.length, 1)
})

test('when a thread is closed, its requests fail, and it does not keep the process alive', async () => {
  const { thread, problems } = openThread({ workerUrl: await worker('closed', 'for (;;) {}') })
  const sent = ['slow', 'bad'].map((path) => thread.request('test', get(`https://${HOST}/${path}`)))
  await thread.close()
  assert.deepEqual(await Promise.all(sent), [LOST, LOST])
  assert.deepEqual(await thread.request('test', get(`https://${HOST}/good`)), LOST)
  assert.deepEqual(problems, [])
})

test('a cancelled request rejects with the reason, and the thread closes its connection', async () => {
  const receiver = await startReceiver((socket) => void socket.resume())
  after(() => receiver.close())
  const ends: string[] = []
  const watched = { ...egress, onEnd: ({ outcome }: RequestEnded) => void ends.push(outcome) }
  const { thread, problems } = openThread({}, watched)
  const job = new AbortController()
  const sending = egressUntil(sendFromThread({ test: watched, live: watched }, thread).test, job.signal)
  const sent = request(sending, get(`http://${HOST}:${receiver.port}/`))
  await receiver.connected(1)
  const reason = new Error('the job ends')
  job.abort(reason)
  await assert.rejects(sent, reason)
  await receiver.idle()
  await assert.rejects(request(sending, get(`http://${HOST}:${receiver.port}/`)), reason)
  assert.equal(receiver.connections(), 1)
  assert.deepEqual(ends, ['called_off'])
  assert.deepEqual(problems, [])
})

test('a mistake of the caller rejects, and does not end the thread', async () => {
  const { thread, problems } = openThread()
  const sending = sendFromThread({ test: egress, live: egress }, thread).test
  const pending = request(sending, get('https://nowhere.attacker.com/'))
  await assert.rejects(request(sending, { ...get(`https://${HOST}/`), headers: { Host: 'other' } }), /bug/)
  assert.equal((await pending).outcome, 'egress_denied')
  assert.deepEqual(problems, [])
})

test('only the view of its buffer is sent as a body', async () => {
  const bodies: string[] = []
  const receiver = await startReceiver((socket) => {
    let text = ''
    socket.on('data', (part) => {
      text += part
      if (!text.endsWith('end')) return
      bodies.push(text.split('\r\n\r\n')[1] ?? '')
      socket.end(OK)
    })
  })
  after(() => receiver.close())
  const url = `http://${HOST}:${receiver.port}/`
  const body = Buffer.from('secret hello end of another').subarray(7, 16)
  await thread.request('test', { method: 'POST', url, body, bodyBytesMax: 100 })
  assert.deepEqual(bodies, ['hello end'])
})

const reader = createListReader()
after(() => reader.close())

/** Lists that this thread downloads, without the limits per minute; each for its own response. */
function listsBy(requests: RequestThread) {
  const failures: string[] = []
  const lists = createStatusLists({
    requests,
    own: async () => null,
    reader,
    reportFailure: ({ cause, reason }) => void failures.push(`${cause} ${reason}`),
    bytesMax: LIMITS.oneListBytes,
    bounds: { perMinute: { lists: 1e9, bytes: 1e12, items: 1e12 } },
  })
  const ask = (uri: string, budget = newListBudget()) =>
    lists.find({
      source: { kind: 'status_list_jwt', format: 'dc+sd-jwt', uri },
      environment: 'test',
      nowMs: 1_800_000_000_000,
      owner: 'one',
      budget,
    })
  return { ask, failures }
}

test('a list whose thread was lost is unavailable, costs nothing, and its host may be asked again at once', async () => {
  const { thread, problems } = openThread({ workerUrl: await worker('lost', 'process.exit(0)') })
  const { ask, failures } = listsBy(thread)
  const budget = newListBudget()
  for (const lost of [1, 2]) {
    assert.equal((await ask(`https://${HOST}/bad`, budget)).outcome, 'unavailable')
    assert.equal(problems.length, lost, 'it is asked again, with another thread')
  }
  assert.deepEqual(budget, newListBudget())
  assert.deepEqual(failures, ['timeout thread_lost', 'timeout thread_lost'])
})

/** CPU time of this thread alone: other threads and processes do not count. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

const ROUNDS = 40
/** Measured: at least 20 times less. */
const CHEAPER = 5

test('a host that sends its whole cost in one read costs the event loop almost nothing', async () => {
  const host = new Worker(new URL('./hostile-host.ts', import.meta.url))
  after(() => host.terminate())
  const [port] = await once(host, 'message')
  const { ask, failures } = listsBy(thread)
  const urlOf = (at: number) => `http://${HOST}:${port}/${at}`
  const all = async (each: (at: number) => Promise<unknown>) => {
    for (let at = 0; at < ROUNDS; at += 1) await each(at)
  }
  const onLoop = (at: number) => request(egress, get(urlOf(at), LIMITS.oneListBytes))
  // One request each before the measurement, so that both are compiled.
  assert.deepEqual(await onLoop(0), { outcome: 'protocol_error', reason: 'short_parts' })
  assert.equal((await ask(urlOf(ROUNDS))).outcome, 'unavailable')
  const control = await cpuOf(() => all(onLoop))
  const spent = await cpuOf(() => all((at) => ask(urlOf(at))))
  assert.deepEqual(failures, Array(ROUNDS + 1).fill('protocol_error short_parts'))
  assert.ok(spent * CHEAPER < control, `${spent} ms of the event loop, and ${control} ms where it downloads itself`)
})
