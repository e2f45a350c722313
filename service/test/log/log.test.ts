// Tests the public log: which leaves it has, one history for all writers, and no signature over an inconsistent log.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { blindedHead, headKeyOf } from '../../src/features/audit/domain/blinded-heads.ts'
import { openTreeHead } from '../../src/features/transparency/domain/log/checkpoint.ts'
import { receiptLeaf } from '../../src/features/transparency/domain/log/leaves.ts'
import { blindingKeyOf, logSigner } from '../../src/features/transparency/domain/log/log-keys.ts'
import { isConsistent } from '../../src/features/transparency/domain/log/merkle.ts'
import { verifyProof } from '../../src/features/transparency/domain/log/proof-file.ts'
import { leafOf } from '../../src/features/transparency/store/receipt-places.ts'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import { proveConsistency } from '../../src/features/transparency/usecases/read-log.ts'
import { logKey, mirrorLog } from '../harness/log/log-mirror.ts'
import { BARE_ENVIRONMENT } from '../harness/servers/bare-environment.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'
import { assertRefused, type TestService, testService } from '../harness/service.ts'
import { once, waitUntil } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { create } from '../wallet/verifications.ts'

/** Ends verifications, each with a receipt; returns their ids. */
async function opened(service: TestService) {
  const wallet = await testWallet(service)
  const tenant = await service.tenant()
  const key = await service.key(tenant)
  const end = async () => {
    const created = await create(service, key)
    await wallet.present(created.wallet_uri, 'declined')
    return created.id
  }
  const receipt = async (id: string, path = 'receipt') =>
    service.call('GET', `/v1/verifications/${id}/${path}`, { key })
  return { tenant, key, end, receipt }
}

test('heads of chains and receipts become leaves from which a stranger can compute the checkpoint', async () => {
  const service = await testService()
  assertRefused(await service.call('GET', '/log/checkpoint'), 404, 'not_found')
  const { tenant, end, receipt } = await opened(service)
  const id = await end()
  assertRefused(await receipt(id, 'receipt.tlog-proof'), 503, 'unavailable')
  await growLog(service.deps)
  const first = await mirrorLog(service)
  const jws = (await receipt(id)).text
  assert.ok(first.leaves.some((leaf) => leaf.equals(receiptLeaf(jws))))
  const [head] = await service.deps.db.query<{ seq: number; hash: Buffer; at: string }>(
    { name: 'test_head', text: `select seq, hash, at from audit_heads where tenant_id = $1 and environment = 'test'` },
    [tenant],
  )
  assert.ok(head !== undefined)
  const headKey = headKeyOf(blindingKeyOf(service.deps.derivedKeys, tenant), 'test')
  const isHead = (marker: Buffer, at: number) =>
    first.leaves.some((leaf, end) => {
      const [one, other] = end > at ? blindedHead(headKey, 0, head, end - at) : []
      return one?.equals(marker) === true && other?.equals(leaf) === true
    })
  assert.ok(first.leaves.some(isHead))
  service.clock.advance(49 * 3_600_000)
  assert.deepEqual(await growLog(service.deps), { outcome: 'grown', leaves: 0, real: 0 })
  assert.equal(
    (await mirrorLog(service)).checkpoint,
    first.checkpoint,
    'without new leaves for two days nothing is signed',
  )
  await end()
  await growLog(service.deps)
  const second = await mirrorLog(service)
  assert.deepEqual(second.leaves.slice(0, first.size), first.leaves)
  const proof = await proveConsistency(service.deps.db, first.size, second.size)
  assert.ok(isConsistent(first, second, proof))
})

test('L09 the proof of a receipt verifies with public keys alone, also after erasure and while the log grows', async () => {
  const service = await testService()
  const { key, end, receipt } = await opened(service)
  const id = await end()
  const jws = (await receipt(id)).text
  for (let round = 0; round < 3; round += 1) {
    await end()
    await growLog(service.deps)
    const { text } = await receipt(id, 'receipt.tlog-proof')
    const verdict = verifyProof(text, receiptLeaf(jws), { log: await logKey(service), witnesses: [] })
    assert.equal(verdict.outcome, 'included')
    assert.equal(
      verifyProof(text, receiptLeaf(`${jws}x`), { log: await logKey(service), witnesses: [] }).outcome,
      'not_included',
    )
    if (round === 0) await service.call('DELETE', `/v1/verifications/${id}`, { key })
  }
  const stranger = await service.key(await service.tenant())
  const answer = await service.call('GET', `/v1/verifications/${id}/receipt.tlog-proof`, { key: stranger })
  assertRefused(answer, 404, 'session_not_found')
})

test('L10 nothing in the public log names a tenant or a verification', async () => {
  const service = await testService()
  const { tenant, end } = await opened(service)
  const id = await end()
  await growLog(service.deps)
  const { leaves, checkpoint } = await mirrorLog(service)
  const published = Buffer.concat([...leaves, Buffer.from(checkpoint)])
  for (const name of [tenant, tenant.replace(/^[a-z]+_/, ''), id, id.replace(/^[a-z]+_/, '')]) {
    for (const spelling of [Buffer.from(name), Buffer.from(name, 'hex'), Buffer.from(name, 'base64url')]) {
      if (spelling.length > 4) assert.ok(!published.includes(spelling), name)
    }
  }
  // Two tenants have different keys: each finds only its own leaves.
  const other = await service.tenant()
  const keys = [tenant, other].map((one) => blindingKeyOf(service.deps.derivedKeys, one).toString('hex'))
  assert.notEqual(keys[0], keys[1])
})

test('L04 simultaneous writers make one history, in which every size is signed once', async () => {
  const service = await testService()
  const { end } = await opened(service)
  await service.deps.db.query({ name: 'test_notes', text: 'create table signed_notes (note text)' })
  await service.deps.db.query({
    name: 'test_notes_function',
    text: `create function keep_note() returns trigger language plpgsql as
           $$ begin insert into signed_notes values (new.note); return new; end $$`,
  })
  await service.deps.db.query({
    name: 'test_notes_trigger',
    text: 'create trigger keep_note after update of note on log_heads for each row execute function keep_note()',
  })
  for (let round = 0; round < 5; round += 1) {
    await Promise.all([end(), end(), ...Array.from({ length: 5 }, () => growLog(service.deps))])
  }
  await growLog(service.deps)
  const rows = await service.deps.db.query<{ note: string }>({
    name: 'test_read_notes',
    text: 'select note from signed_notes',
  })
  const key = await logKey(service)
  const heads = rows.map(({ note }) => {
    const read = openTreeHead(note, key)
    assert.ok(read.outcome === 'signed')
    return read.head
  })
  assert.ok(heads.length >= 5)
  assert.equal(new Set(heads.map(({ size }) => size)).size, heads.length, 'no size twice')
  const sorted = heads.toSorted((a, b) => a.size - b.size)
  for (const [i, newer] of sorted.entries()) {
    const older = sorted[i - 1]
    if (older === undefined) continue
    assert.ok(isConsistent(older, newer, await proveConsistency(service.deps.db, older.size, newer.size)))
  }
  const { leaves } = await mirrorLog(service)
  assert.equal(new Set(leaves.map((leaf) => leaf.toString('hex'))).size, leaves.length, 'no leaf twice')
  const receipts = await service.deps.db.query<{ jws: string; leaf: number }>({
    name: 'test_receipts',
    text: `select r.jws, ${leafOf('r')} as leaf from receipts r`,
  })
  assert.equal(receipts.length, 10)
  for (const { jws, leaf } of receipts) assert.ok(leaves[leaf]?.equals(receiptLeaf(jws)))
})

test('L05 kill -9 between leaf and checkpoint stores nothing, and the log continues with one history', async () => {
  const service = await testService()
  const { end, receipt } = await opened(service)
  await end()
  await growLog(service.deps)
  const before = await mirrorLog(service)
  const id = await end()
  // The trigger waits for the test's lock after the tiles are written and before the head is.
  await service.deps.db.query({
    name: 'test_wait_function',
    text: `create function wait_for_test() returns trigger language plpgsql as
           $$ begin perform pg_advisory_xact_lock(4711); return new; end $$`,
  })
  await service.deps.db.query({
    name: 'test_wait_trigger',
    text: 'create trigger wait_for_test before update on log_heads for each row execute function wait_for_test()',
  })
  await service.deps.db.transaction(async (tx) => {
    await tx.query({ name: 'test_hold', text: 'select pg_advisory_xact_lock(4711)' })
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('../harness/children/log-child.ts', import.meta.url))],
      {
        env: {
          ...BARE_ENVIRONMENT,
          DATABASE_URL: service.url,
          VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
          VIDIMUS_BASE_URL: 'https://verify.example.com',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    await waiting(service)
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  // The child's server process ends when its connection is gone; then the row is free.
  const growth = await growLog(service.deps)
  // The head of the chain (two leaves) and the receipt.
  assert.ok(growth.outcome === 'grown' && growth.real === 3, JSON.stringify(growth))
  const after = await mirrorLog(service)
  assert.deepEqual(after.leaves.slice(0, before.size), before.leaves)
  assert.ok(isConsistent(before, after, await proveConsistency(service.deps.db, before.size, after.size)))
  assert.equal((await receipt(id, 'receipt.tlog-proof')).status, 200)
})

/** Returns when a statement waits for the test's lock. */
async function waiting(service: TestService): Promise<void> {
  const statement = {
    name: 'test_waiting',
    text: `select 1 as one from pg_locks where locktype = 'advisory' and objid = 4711 and not granted`,
  }
  await waitUntil('the log waits for the lock', async () => (await service.deps.db.query(statement)).length > 0)
}

const TAMPERINGS: Readonly<Record<string, string>> = {
  'a tile with another hash': `update log_tiles set bytes = overlay(bytes placing '\\x00' from 5) where level = 0`,
  'a tile that is gone': 'delete from log_tiles where level = 0',
  'another size': 'update log_heads set size = size - 1',
  'a checkpoint of the attacker': `update log_heads set note = replace(note, E'\\n', E'\\n1')`,
  'no checkpoint': 'update log_heads set note = null, origin = null',
}

for (const [what, text] of Object.entries(TAMPERINGS)) {
  test(`L06 ${what}: the log halts, says why, and signs nothing`, async () => {
    const service = await testService()
    const { end } = await opened(service)
    await end()
    await growLog(service.deps)
    await service.deps.db.query({ name: 'test_tamper', text })
    await end()
    const [before] = await service.deps.db.query({ name: 'test_note', text: 'select note, size from log_heads' })
    const growth = await growLog(service.deps)
    assert.equal(growth.outcome, 'halted')
    assert.deepEqual(await growLog(service.deps), growth, 'and stays so')
    const [after] = await service.deps.db.query({ name: 'test_note', text: 'select note, size from log_heads' })
    assert.deepEqual(after, before)
    assert.ok(service.logged.some((line) => line.includes('the log is halted')))
  })
}

test('a head without a valid MAC of this service is not published', async () => {
  const service = await testService()
  const { tenant, end } = await opened(service)
  await end()
  await growLog(service.deps)
  await service.deps.db.query(
    { name: 'test_forge_head', text: `update audit_heads set seq = seq + 1, hash = $2 where tenant_id = $1` },
    [tenant, Buffer.alloc(32, 1)],
  )
  const growth = await growLog(service.deps)
  assert.ok(growth.outcome === 'grown' && growth.real === 0)
})

test('the log keeps its first name, whatever address the service has now', async () => {
  const service = await testService()
  const { end } = await opened(service)
  await end()
  await growLog(service.deps)
  await end()
  const moved = { ...service.deps, config: { ...service.deps.config, baseUrl: 'https://other.example.com' } }
  assert.equal((await growLog(moved)).outcome, 'grown')
  const { checkpoint } = await mirrorLog(service)
  assert.equal(
    openTreeHead(checkpoint, logSigner(service.deps.derivedKeys, 'verify.example.com/log')).outcome,
    'signed',
  )
})

test('missing tiles, and paths that no log has, are 404', async () => {
  const service = await testService()
  const { end } = await opened(service)
  await end()
  await growLog(service.deps)
  const { size } = await mirrorLog(service)
  for (const path of [
    '0/000',
    `0/000.p/${size + 1}`,
    '1/000.p/1',
    'entries/001',
    '0/../../keys',
    'x',
    '0/000.p/0',
    '9/000',
  ]) {
    const answer = await service.app.inject({ method: 'GET', url: `/log/tile/${path}` })
    assert.equal(answer.statusCode, 404, path)
  }
  assert.equal((await service.app.inject({ method: 'GET', url: '/log/tile/0/000.p/1' })).rawPayload.length, 32)
})

test('the public routes use the budget of their address', async () => {
  const generous = { perSecond: 1e6, burst: 1e6 }
  const rates = {
    key: generous,
    tenant: generous,
    address: generous,
    verification: generous,
    enroll: generous,
    enrollAll: generous,
  }
  const service = await testService({ rates: { ...rates, ip: { perSecond: 0.001, burst: 4 } } })
  await growLog(service.deps)
  const paths = ['/log/checkpoint', '/log/key', '/log/receipt-keys', '/log/tile/0/000']
  for (const path of paths)
    assert.notEqual(
      (await service.app.inject({ method: 'GET', url: path, remoteAddress: '203.0.113.99' })).statusCode,
      429,
      path,
    )
  for (const path of paths)
    assert.equal(
      (await service.app.inject({ method: 'GET', url: path, remoteAddress: '203.0.113.99' })).statusCode,
      429,
      path,
    )
})
