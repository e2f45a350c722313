// Tests worker threads that read lists: a worker dies, hangs, or gets lists from a greedy sender.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { mintCrl, mintCwt, mintJwt } from '../../../engine/test/status/mint-status.ts'
import { createListReader, type ReaderOptions, readersFor } from '../../src/features/trust/outbound/list-reader.ts'

const ANY = { bytes: Number.POSITIVE_INFINITY, items: Number.POSITIVE_INFINITY }

const dir = await mkdtemp(join(tmpdir(), 'vidimus-reader-'))
after(() => rm(dir, { recursive: true }))

/** Returns a worker that misbehaves with a list whose first byte is 0xff; otherwise it returns the bytes as read. */
async function worker(name: string, otherwise: string): Promise<URL> {
  const path = join(dir, `${name}.mjs`)
  const text = `import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ id, bytes }) => {
      if (bytes[0] === 0xff) { ${otherwise} }
      parentPort.postMessage({ id, cost: { bytes: 0, items: 0 }, read: { bytes } })
    })`
  await writeFile(path, text)
  return pathToFileURL(path)
}

function openReader(options: ReaderOptions = {}) {
  const problems: string[] = []
  const reader = createListReader({ ...options, report: (problem) => problems.push(problem) })
  after(() => reader.close())
  return { reader, problems }
}

test('a list of each kind is read, and its bytes come back', async () => {
  const { reader, problems } = openReader()
  for (const [bytes, kind] of [
    [mintJwt(), 'status_list_jwt'],
    [mintCwt(), 'status_list_cwt'],
    [mintCrl({ revoked: [{ serial: Buffer.of(1) }] }), 'crl'],
  ] as const) {
    const expected = Buffer.from(bytes)
    const done = await reader.read({ bytes, kind, limit: ANY }, new Set(['one']))
    assert.ok(done !== null && done.read !== null)
    assert.deepEqual(Buffer.from(done.read.bytes), expected)
    assert.equal(done.read.content.list.kind, kind)
    assert.ok(done.read.memory >= expected.length)
    assert.ok(done.cost.bytes >= expected.length)
  }
  const none = await reader.read(
    { bytes: Buffer.from('no list'), kind: 'status_list_jwt', limit: ANY },
    new Set(['one']),
  )
  assert.ok(none !== null && none.read === null)
  assert.deepEqual(problems, [])
})

test('bytes are transferred, not copied, and bytes that are not a list are not returned', async () => {
  const { reader } = openReader()
  const bytes = new Uint8Array(1_000_000)
  const reading = reader.read({ bytes, kind: 'crl', limit: ANY }, new Set(['one']))
  assert.equal(bytes.byteLength, 0)
  const done = await reading
  assert.ok(done !== null && done.read === null)
  assert.deepEqual(Object.keys(done).sort(), ['cost', 'id', 'isOverBudget', 'read'])
})

test('for a list that costs more than the caller allows, only the cost is returned', async () => {
  const { reader } = openReader()
  const list = mintCrl({ revoked: [{ serial: Buffer.of(1) }, { serial: Buffer.of(2) }] })
  const { length } = list
  for (const [limit, isOverBudget] of [
    [{ bytes: length, items: 2 }, false],
    [{ bytes: length - 1, items: 2 }, true],
    [{ bytes: length, items: 1 }, true],
  ] as const) {
    const done = await reader.read({ bytes: Buffer.from(list), kind: 'crl', limit }, new Set(['one']))
    assert.ok(done !== null)
    assert.deepEqual([done.isOverBudget, done.read === null], [isOverBudget, isOverBudget])
    assert.deepEqual(done.cost, { bytes: length, items: 2 })
  }
})

test('the thread that reads lists has a lower priority than the event loop', async () => {
  // On other systems than Linux a thread has no priority of its own.
  if (process.platform !== 'linux') return
  const niceOf = (thread: string) =>
    Number(readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1]?.split(' ')[16])
  const before = new Set(readdirSync('/proc/self/task'))
  const { reader } = openReader({ workers: 1 })
  const own = niceOf(String(process.pid))
  await reader.read({ bytes: mintJwt(), kind: 'status_list_jwt', limit: ANY }, new Set(['one']))
  assert.equal(niceOf(String(process.pid)), own, 'the event loop keeps its own')
  const started = readdirSync('/proc/self/task').filter((thread) => !before.has(thread))
  assert.ok(started.some((thread) => niceOf(thread) > own))
})

const LONG_MS = 60_000
const ways: [string, string, RegExp, number][] = [
  ['throws', `throw new Error('hostile')`, /failed/, LONG_MS],
  ['ends', 'process.exit(0)', /ended/, LONG_MS],
  ['hangs', 'for (;;) {}', /too long/, 1_000],
  ['takes more memory than it may', 'const all = []; for (;;) all.push(new Array(1e5).fill({}))', /failed/, LONG_MS],
  [
    'answers another question',
    'parentPort.postMessage({ id: id - 1, read: { bytes } }); for (;;) {}',
    /too long/,
    1_000,
  ],
]
for (const [what, otherwise, problem, readWithinMs] of ways) {
  test(`a worker that ${what} has read nothing, and another worker reads the next list`, async () => {
    const workerUrl = await worker(what.replaceAll(' ', '-'), otherwise)
    const { reader, problems } = openReader({ workerUrl, workers: 1, readWithinMs })
    // A first list, so that the worker's start is not counted.
    assert.ok((await reader.read({ bytes: Uint8Array.of(1), kind: 'crl', limit: ANY }, new Set(['one']))) !== null)
    const [bad, good] = await Promise.all([
      reader.read({ bytes: Uint8Array.of(0xff), kind: 'crl', limit: ANY }, new Set(['one'])),
      reader.read({ bytes: Uint8Array.of(1, 2), kind: 'crl', limit: ANY }, new Set(['one'])),
    ])
    assert.equal(bad, null)
    assert.deepEqual(good === null ? null : [...(good.read?.bytes ?? [])], [1, 2])
    assert.equal(problems.length, 1)
    assert.match(problems[0] ?? '', problem)
  })
}

test('a worker that cannot be started has read nothing', async () => {
  const { reader, problems } = openReader({ workerUrl: pathToFileURL(join(dir, 'absent.mjs')), workers: 1 })
  assert.equal(await reader.read({ bytes: Uint8Array.of(1), kind: 'crl', limit: ANY }, new Set(['one'])), null)
  assert.equal(problems.length, 1)
})

test('tenants take turns, however many lists one of them requests', async () => {
  const workerUrl = await worker('turns', '')
  const { reader } = openReader({ workerUrl, workers: 1 })
  const order: string[] = []
  const read = async (owner: string) => {
    await reader.read({ bytes: Uint8Array.of(1), kind: 'crl', limit: ANY }, new Set([owner]))
    order.push(owner)
  }
  const greedy = Array.from({ length: 10 }, () => read('greedy'))
  await Promise.all([...greedy, read('one'), read('two')])
  assert.deepEqual(order.slice(0, 4), ['greedy', 'greedy', 'one', 'two'])
})

test('closing the reader rejects all waiting callers, and lets the process end', async () => {
  const workerUrl = await worker('closed', 'for (;;) {}')
  const { reader, problems } = openReader({ workerUrl, workers: 1 })
  const reading = [
    reader.read({ bytes: Uint8Array.of(0xff), kind: 'crl', limit: ANY }, new Set(['one'])),
    reader.read({ bytes: Uint8Array.of(1), kind: 'crl', limit: ANY }, new Set(['one'])),
  ]
  await reader.close()
  assert.deepEqual(await Promise.all(reading), [null, null])
  assert.equal(await reader.read({ bytes: Uint8Array.of(1), kind: 'crl', limit: ANY }, new Set(['one'])), null)
  assert.deepEqual(problems, [])
})

test('one processor is reserved for the event loop', () => {
  assert.deepEqual([1, 2, 3, 16].map(readersFor), [1, 1, 2, 2])
})
