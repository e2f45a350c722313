// Tests proof helpers with real processes and sockets: no behaviour makes an invalid proof valid.

import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { ZkStatement } from '@vidimus/engine'
import type { ZkVerifier } from '../../src/core/ports/zk-verifier.ts'
import { createZkVerifier, helpersFor, type ZkBounds, zkBounds } from '../../src/features/trust/outbound/zk/verifier.ts'
import { warmUpOf } from '../../src/features/trust/outbound/zk/warm-up.ts'
import { readHelperAddress } from '../../src/platform/helper-address.ts'
import { once, waitUntil } from '../harness/wait.ts'

const STATEMENT: ZkStatement = {
  system: 'longfellow-libzk-v1',
  circuitHash: 'ab'.repeat(32),
  issuerKey: { x: Buffer.alloc(32, 1).toString('base64url'), y: Buffer.alloc(32, 2).toString('base64url') },
  transcript: Buffer.from('transcript'),
  docType: 'eu.europa.ec.av.1',
  timestamp: '2026-03-01T12:00:00Z',
  claims: [{ nameSpace: 'eu.europa.ec.av.1', element: 'age_over_18', value: Buffer.of(0xf5) }],
  proof: Buffer.alloc(600_000, 7),
}

const BOUNDS: ZkBounds = {
  atOnce: 2,
  queued: { each: 5, all: 6, reserve: 1, light: 1 },
  waitMs: 60_000,
  checkMs: 60_000,
}
const CALLER = { tenantId: 'tnt_a', verificationId: 'ver_a' }
const folder = await mkdtemp(join(tmpdir(), 'vidimus-zk-'))
const opened: ZkVerifier[] = []
after(async () => {
  for (const verifier of opened) verifier.close()
  await rm(folder, { recursive: true })
})

/** Starts a helper process that runs this JavaScript for each line. The code reads the line as `line`. */
function processOf(perLine: string, bounds: Partial<ZkBounds> = {}, warmUp: readonly ZkStatement[] = []) {
  const program = `require('readline').createInterface({input:process.stdin}).on('line',line=>{${perLine}})`
  const problems: string[] = []
  const address = { kind: 'command', file: process.execPath, parameters: ['-e', program] } as const
  const verifier = createZkVerifier(address, (problem) => problems.push(problem), { ...BOUNDS, ...bounds }, warmUp)
  opened.push(verifier)
  return { verifier, problems }
}

const say = (answer: string) => `console.log(JSON.stringify({id:JSON.parse(line).id,answer:${answer}}))`

test('sends a helper the whole statement, and accepts its answer', async () => {
  const expected = {
    id: 1,
    system: STATEMENT.system,
    circuit_hash: STATEMENT.circuitHash,
    issuer_key: { x: '01'.repeat(32), y: '02'.repeat(32) },
    transcript: Buffer.from('transcript').toString('base64'),
    doc_type: 'eu.europa.ec.av.1',
    timestamp: STATEMENT.timestamp,
    claims: [{ namespace: 'eu.europa.ec.av.1', element: 'age_over_18', value: '9Q==' }],
    proof: Buffer.from(STATEMENT.proof).toString('base64'),
  }
  const digest = "require('crypto').createHash('sha256').update(line).digest('hex')"
  const { createHash } = await import('node:crypto')
  const wanted = createHash('sha256').update(JSON.stringify(expected)).digest('hex')
  const { verifier } = processOf(say(`${digest}==='${wanted}'?'valid':'invalid'`))
  assert.equal(await verifier.verify(STATEMENT, CALLER), 'valid')
  assert.equal(await verifier.verify({ ...STATEMENT, docType: 'another' }, CALLER), 'invalid')
})

test('helpers leave a processor to other processes, and queue no more than they can check in time', () => {
  const command = { kind: 'command', file: '/bin/true', parameters: [] } as const
  const counts = [1, 2, 3, 64].map((processors) => helpersFor(command, processors))
  assert.deepEqual(counts, [1, 1, 2, 2])
  assert.equal(helpersFor({ kind: 'socket', path: '/run/zk' }, 1), 2)
  for (const helpers of [1, 2]) {
    const { atOnce, queued, waitMs } = zkBounds(helpers)
    assert.equal(atOnce, helpers)
    assert.ok((queued.all / atOnce - 1) * 1000 < waitMs)
    assert.ok(queued.each <= queued.all - queued.reserve && queued.light < queued.each)
  }
})

test('a helper runs only on idle processors', async () => {
  const SCHED_IDLE = '5'
  const pidFile = join(folder, 'pid')
  const { verifier } = processOf(`require('fs').writeFileSync('${pidFile}',String(process.pid));${say("'valid'")}`)
  assert.equal(await verifier.verify(STATEMENT, CALLER), 'valid')
  const threads = `/proc/${await readFile(pidFile, 'utf8')}/task`
  const policies = async () => {
    const stats = (await readdir(threads)).map((thread) => readFile(join(threads, thread, 'stat'), 'utf8'))
    // The scheduling policy is the 39th field after the name, which may contain blanks.
    return new Set((await Promise.all(stats)).map((text) => text.slice(text.lastIndexOf(')') + 2).split(' ')[38]))
  }
  const isIdle = async () => (await policies()).symmetricDifference(new Set([SCHED_IDLE])).size === 0
  await waitUntil('all its threads are idle', isIdle)
})

for (const [title, words, problem] of [
  ['says that it cannot', say("'unavailable'"), /cannot check/],
  ['dies', 'process.exit(1)', /ended/],
  ['says no JSON', "console.log('valid')", /invalid answer/],
  ['answers another question', `console.log(JSON.stringify({id:99,answer:'valid'}))`, /invalid answer/],
  ['says another word', say("'VALID'"), /invalid answer/],
  ['says it as no text', say('true'), /invalid answer/],
  ['never ends its line', "process.stdout.write('x'.repeat(10000))", /ended/],
] as const)
  test(`a helper that ${title} gives no answer, and the next request starts a new helper`, async () => {
    const { verifier, problems } = processOf(words)
    assert.equal(await verifier.verify(STATEMENT, CALLER), 'unavailable')
    assert.equal(await verifier.verify(STATEMENT, CALLER), 'unavailable')
    assert.match(problems.join('\n'), problem)
  })

test('a helper has a low priority, and none of our environment variables', async () => {
  process.env.VIDIMUS_TEST_SECRET = 'ours'
  const condition = "require('os').getPriority()===19&&!('VIDIMUS_TEST_SECRET' in process.env)"
  const { verifier } = processOf(say(`${condition}?'valid':'invalid'`))
  assert.equal(await verifier.verify(STATEMENT, CALLER), 'valid')
})

test('a missing helper gives no answer', async () => {
  for (const text of ['/nowhere/at/all', `unix:${folder}/nowhere`]) {
    const address = readHelperAddress(text)
    assert.ok(address !== null)
    const verifier = createZkVerifier(address, () => undefined, BOUNDS)
    opened.push(verifier)
    assert.equal(await verifier.verify(STATEMENT, CALLER), 'unavailable')
  }
})

test('a check that takes too long is stopped, and a request that waited too long is refused: neither has a verdict', async () => {
  const { verifier, problems } = processOf('', { atOnce: 1, checkMs: 50 })
  assert.equal(await verifier.verify(STATEMENT, CALLER), 'later')
  const impatient = processOf('', { atOnce: 1, waitMs: 50 })
  const [first, second] = [impatient.verifier.verify(STATEMENT, CALLER), impatient.verifier.verify(STATEMENT, CALLER)]
  assert.equal(await second, 'later')
  impatient.verifier.close()
  assert.equal(await first, 'later')
  for (const reported of [problems, impatient.problems]) assert.match(reported.join('\n'), /in time/)
})

test('a proof that took too long may be retried once; then it gets no answer, and others start again', async () => {
  const { verifier } = processOf('', { atOnce: 1, checkMs: 50 })
  const other = { ...CALLER, verificationId: 'ver_b' }
  assert.equal(await verifier.verify(STATEMENT, CALLER), 'later')
  assert.equal(await verifier.verify(STATEMENT, CALLER), 'unavailable')
  assert.equal(await verifier.verify(STATEMENT, other), 'later')
})

test('however many requests wait too long, each started check gets its full time', async () => {
  const slow = `const {id}=JSON.parse(line);setTimeout(()=>console.log(JSON.stringify({id,answer:'valid'})),300)`
  const { verifier } = processOf(slow, { atOnce: 1, waitMs: 450 })
  const answers = await Promise.all(Array.from({ length: 5 }, () => verifier.verify(STATEMENT, CALLER)))
  assert.equal(answers[0], 'valid')
  // A caller that waited for the maximum time is refused, without blocking others.
  assert.equal(answers.at(-1), 'later')
  assert.equal(await verifier.verify(STATEMENT, CALLER), 'valid')
})

test('a stopped helper has exited before another replaces it', async () => {
  const pidFile = join(folder, 'pids')
  const lines = async () => (await readFile(pidFile, 'utf8')).trim().split('\n')
  await writeFile(pidFile, '')
  const perLine = `const fs=require('fs');const before=fs.readFileSync('${pidFile}','utf8').match(/\\d+/g)??[]
    const isThere=pid=>{try{return process.kill(Number(pid),0)}catch{return false}}
    fs.appendFileSync('${pidFile}',process.pid+(before.some(isThere)?' beside another':'')+'\\n')`
  const { verifier } = processOf(perLine, { atOnce: 1, checkMs: 200 })
  // On a busy machine a helper may be stopped before it has written anything.
  await waitUntil('four helpers were started', async () => {
    assert.notEqual(await verifier.verify(STATEMENT, CALLER), 'valid')
    return (await lines()).length >= 4
  })
  assert.doesNotMatch((await lines()).join(), /beside/)
})

test("only a helper's first answer counts, and output before a question is not an answer to it", async () => {
  // The second line of the same write says yes to the question that waits.
  const yesToBoth = `const {id}=JSON.parse(line);process.stdout.write(JSON.stringify({id,answer:'invalid'})+'\\n'+JSON.stringify({id:id+1,answer:'valid'})+'\\n')`
  const { verifier, problems } = processOf(yesToBoth, { atOnce: 1 })
  const verdicts = [verifier.verify(STATEMENT, CALLER), verifier.verify(STATEMENT, CALLER)]
  assert.deepEqual(await Promise.all(verdicts), ['invalid', 'invalid'])
  assert.match(problems.join('\n'), /invalid answer/)
})

/** Returns a helper at a socket that answers on demand. */
async function stalledHelper(name: string) {
  const waiting: { readonly id: number; readonly say: (id: number, answer: string) => void }[] = []
  const server = createServer((socket) => {
    let text = ''
    socket.on('error', () => undefined)
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n')) {
        const { id } = JSON.parse(text.slice(0, at)) as { id: number }
        text = text.slice(at + 1)
        waiting.push({ id, say: (to, answer) => socket.write(`${JSON.stringify({ id: to, answer })}\n`) })
      }
    })
  })
  const path = join(folder, name)
  server.listen(path)
  await once(server, 'listening')
  const pendingAt = async (at: number) => {
    await waitUntil(`${at + 1} questions were asked`, () => waiting.length > at)
    const found = waiting[at]
    assert.ok(found !== undefined)
    return found
  }
  return { address: { kind: 'socket', path } as const, waiting, pendingAt, server }
}

test('a late answer is ignored, on its own connection or another', async () => {
  const { address, pendingAt, server } = await stalledHelper('late')
  const problems: string[] = []
  const patient = createZkVerifier(address, (problem) => problems.push(problem), { ...BOUNDS, atOnce: 1 })
  const first = patient.verify(STATEMENT, CALLER)
  const late = await pendingAt(0)
  late.say(999, 'valid')
  assert.equal(await first, 'unavailable')
  const before = patient.verify(STATEMENT, CALLER)
  const one = await pendingAt(1)
  late.say(late.id, 'valid')
  late.say(one.id, 'valid')
  one.say(one.id, 'invalid')
  assert.equal(await before, 'invalid')
  const second = patient.verify(STATEMENT, CALLER)
  const two = await pendingAt(2)
  assert.notEqual(two.id, one.id)
  two.say(one.id, 'valid')
  assert.equal(await second, 'unavailable')
  assert.match(problems.join('\n'), /invalid answer/)
  // Numbers are not reused even after the helper's connection was lost.
  const third = patient.verify(STATEMENT, CALLER)
  const three = await pendingAt(3)
  assert.ok(three.id > two.id)
  three.say(three.id, 'valid')
  assert.equal(await third, 'valid')
  patient.close()
  server.close()
})

test('a limited number of checks run and wait, per tenant and in total; further ones are refused at once', async () => {
  const { address, waiting, pendingAt, server } = await stalledHelper('many')
  const verifier = createZkVerifier(address, () => undefined, BOUNDS)
  const verdicts = Array.from({ length: 7 }, () => verifier.verify(STATEMENT, CALLER))
  // Two are checked, three wait; two are the limit of one tenant.
  assert.deepEqual(await Promise.all(verdicts.slice(5)), ['later', 'later'])
  await pendingAt(1)
  assert.equal(waiting.length, 2)
  // One more sender is admitted; then the queue is full.
  const other = verifier.verify(STATEMENT, { ...CALLER, tenantId: 'tnt_b' })
  assert.equal(await verifier.verify(STATEMENT, { ...CALLER, tenantId: 'tnt_c' }), 'later')
  for (let answered = 0; answered < 6; answered++) {
    const { id, say } = await pendingAt(answered)
    say(id, 'valid')
  }
  assert.deepEqual(await Promise.all([...verdicts.slice(0, 5), other]), Array(6).fill('valid'))
  // Callers that still wait when the service stops get an error.
  const last = verifier.verify(STATEMENT, CALLER)
  await pendingAt(6)
  verifier.close()
  assert.equal(await last, 'later')
  assert.equal(await verifier.verify(STATEMENT, CALLER), 'later')
  server.close()
})

const WARM = warmUpOf(STATEMENT.system, [
  { id: 'a', hash: STATEMENT.circuitHash, attributes: 1, version: 7, blockEncHash: 1, blockEncSig: 1 },
  { id: 'b', hash: 'cd'.repeat(32), attributes: 2, version: 7, blockEncHash: 1, blockEncSig: 1 },
])
const [FIRST, SECOND] = WARM.map(({ circuitHash }) => circuitHash)

test('a helper loads its circuits at the start: until then nothing can be checked, and it gets no proof', async () => {
  const { address, waiting, pendingAt, server } = await stalledHelper('warm')
  const verifier = createZkVerifier(address, () => undefined, { ...BOUNDS, atOnce: 1 }, WARM)
  opened.push(verifier)
  assert.ok(FIRST !== undefined && SECOND !== undefined)
  assert.equal(verifier.canCheck(FIRST), false)
  const first = await pendingAt(0)
  const proof = verifier.verify(STATEMENT, CALLER)
  first.say(first.id, 'invalid')
  const second = await pendingAt(1)
  assert.equal(verifier.canCheck(FIRST), false, 'one circuit is still to be loaded')
  // The helper does not have the second circuit.
  second.say(second.id, 'unavailable')
  const requested = await pendingAt(2)
  assert.deepEqual([verifier.canCheck(FIRST), verifier.canCheck(SECOND)], [true, false])
  requested.say(requested.id, 'valid')
  assert.equal(await proof, 'valid')
  assert.equal(waiting.length, 3)
  server.close()
})

test('a helper that accepts the proof of zero bytes is reported, and gets no proof', async () => {
  const { verifier, problems } = processOf(say("'valid'"), { atOnce: 1 }, WARM)
  await waitUntil('it is reported twice', () => problems.length >= 2)
  assert.match(problems.join(), /accepted a proof of zero bytes/)
  assert.equal(verifier.canCheck(STATEMENT.circuitHash), false)
})

test('a helper that ended is warmed up again before the next proof, and checks nothing until then', async () => {
  const dies = `const q=JSON.parse(line);if(q.doc_type!=='warm.up'&&q.timestamp.startsWith('2000'))process.exit(1);`
  const { verifier } = processOf(dies + say("q.doc_type==='warm.up'?'invalid':'valid'"), { atOnce: 1 }, WARM)
  const isReady = () => verifier.canCheck(STATEMENT.circuitHash)
  await waitUntil('the helper is warm', isReady)
  assert.equal(await verifier.verify({ ...STATEMENT, timestamp: '2000-01-01T00:00:00Z' }, CALLER), 'unavailable')
  assert.equal(isReady(), false)
  assert.equal(await verifier.verify(STATEMENT, CALLER), 'valid')
  assert.equal(isReady(), true)
})

for (const [title, words] of [
  ['has no circuit', say("'unavailable'")],
  ['ends at once', 'process.exit(1)'],
  ['says what is not an answer', "console.log('ready')"],
] as const)
  test(`a helper that ${title} is never ready, and the sender of a proof must retry`, async () => {
    const { verifier, problems } = processOf(words, { atOnce: 1, waitMs: 300 }, WARM)
    await waitUntil('it was tried', () => problems.length > 0)
    assert.equal(verifier.canCheck(STATEMENT.circuitHash), false)
    assert.equal(await verifier.verify(STATEMENT, CALLER), 'later')
  })

test('an address is a socket or a command, with a full path', () => {
  assert.deepEqual(readHelperAddress('unix:/run/zk.sock'), { kind: 'socket', path: '/run/zk.sock' })
  assert.deepEqual(readHelperAddress('/usr/bin/python3 /opt/zk/verify.py'), {
    kind: 'command',
    file: '/usr/bin/python3',
    parameters: ['/opt/zk/verify.py'],
  })
  for (const text of ['python3 verify.py', 'unix:run/zk.sock', 'unix:', ' '])
    assert.equal(readHelperAddress(text), null, text)
})
