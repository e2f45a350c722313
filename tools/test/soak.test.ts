// Tests the verdict of the soak test, without hours of load.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { once } from '../../service/test/harness/wait.ts'
import { describeExcess, describeGrowth, judgeTenant, listMissingWebhooks } from '../soak/conclude.ts'
import { createLedger } from '../soak/ledger.ts'
import type { Receiver } from '../soak/receiver.ts'
import { openRecord } from '../soak/record.ts'
import { watchedFetch } from '../soak/watched-fetch.ts'

describe('the command', () => {
  const soak = (...args: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, '..', 'soak.ts'), ...args], {
      encoding: 'utf8',
      timeout: 60_000,
    })

  it('lists its options with --help, and runs nothing', () => {
    const { status, stdout } = soak('--help')
    assert.equal(status, 0)
    for (const option of ['--minutes', '--flows', '--faults', '--record']) assert.ok(stdout.includes(option), option)
  })

  it('answers an unknown option with the existing ones', () => {
    const { status, stderr } = soak('--minute', '3')
    assert.equal(status, 2)
    assert.match(stderr, /--minute'[\s\S]*--minutes NUMBER/)
    assert.doesNotMatch(stderr, /\bat .*soak\.ts/)
  })
})

const samples = (values: number[]) => ({ name: 'memory', values, slack: 10 })

describe('growth', () => {
  it('is found if the end is above the beginning', () => {
    assert.match(
      describeGrowth(samples(Array.from({ length: 100 }, (_, i) => 100 + i * 2))) ?? '',
      /memory grew from 1\d\d/,
    )
  })

  it('is not found in small variations, in a warm-up, or in a single peak', () => {
    assert.equal(describeGrowth(samples(Array.from({ length: 100 }, (_, i) => 100 + (i % 7) * 3))), null)
    assert.equal(describeGrowth(samples(Array.from({ length: 100 }, (_, i) => Math.min(200, 20 * i)))), null)
    assert.equal(describeGrowth(samples(Array.from({ length: 100 }, (_, i) => (i === 97 ? 900 : 100)))), null)
  })

  it('needs enough samples to report growth', () => {
    assert.equal(describeGrowth(samples([1, 2, 300, 4000])), null)
  })
})

describe('the maximum of a resource', () => {
  const excessOf = (values: number[]) => describeExcess({ name: 'connections', values, most: 24 })

  it('is not exceeded by growing pools, or by a process that is being replaced', () => {
    assert.equal(excessOf(Array.from({ length: 100 }, (_, i) => (i < 50 ? 9 : 24))), null)
    assert.equal(excessOf(Array.from({ length: 100 }, (_, i) => (i === 97 ? 30 : 20))), null)
  })

  it('is exceeded by a lasting excess', () => {
    assert.match(excessOf(Array.from({ length: 100 }, (_, i) => 10 + i)) ?? '', /connections: \d+ at the end/)
  })

  it('is exceeded if nothing was counted', () => {
    assert.match(excessOf([Number.NaN]) ?? '', /NaN at the end/)
  })
})

it('reports the webhook as missing if a verification ended, has a webhook, and was neither erased nor acknowledged', () => {
  const ledger = createLedger()
  const entry = { tenant: 't', expected: 'completed', hasWebhook: true, erased: false } as const
  ledger.entries.set('owed', { ...entry, id: 'owed' })
  ledger.entries.set('had', { ...entry, id: 'had' })
  ledger.entries.set('erased', { ...entry, id: 'erased', erased: true })
  ledger.entries.set('pending', { ...entry, id: 'pending', expected: 'pending' })
  ledger.entries.set('unasked', { ...entry, id: 'unasked', hasWebhook: false })
  const receiver = { acknowledged: new Map([['had', 1]]) } as unknown as Receiver
  assert.deepEqual(listMissingWebhooks(ledger, receiver), ['owed'])
})

describe("the service's data and the ledger", () => {
  const entry = { tenant: 't', expected: 'completed', hasWebhook: false, erased: false } as const
  const ledgerOf = (uncertain = 0) => {
    const ledger = createLedger()
    for (const id of ['a', 'b']) ledger.entries.set(id, { ...entry, id })
    ledger.charged.set('t', 2)
    ledger.uncertain.set('t', uncertain)
    return ledger
  }
  const both = new Map([
    ['a', 'completed'],
    ['b', 'completed'],
  ])

  it('are equal', () => {
    assert.deepEqual(judgeTenant(ledgerOf(), 't', { found: both, counted: 2 }), [])
  })

  it('differ if a verification is missing, unknown, or charged too often or too rarely', () => {
    assert.equal(judgeTenant(ledgerOf(), 't', { found: new Map([['a', 'completed']]), counted: 2 }).length, 1)
    const more = new Map([...both, ['c', 'pending']])
    assert.equal(judgeTenant(ledgerOf(), 't', { found: more, counted: 2 }).length, 1)
    assert.equal(judgeTenant(ledgerOf(), 't', { found: both, counted: 3 }).length, 1)
    assert.equal(judgeTenant(ledgerOf(), 't', { found: both, counted: 1 }).length, 1)
  })

  it('may differ by one more verification per call with an unknown outcome, but never by a lost verification', () => {
    const more = new Map([...both, ['c', 'pending']])
    assert.deepEqual(judgeTenant(ledgerOf(1), 't', { found: more, counted: 3 }), [])
    const ledger = ledgerOf()
    ledger.entries.set('a', { ...entry, id: 'a', expected: 'unknown' })
    assert.deepEqual(judgeTenant(ledger, 't', { found: new Map([...both, ['a', 'failed']]), counted: 2 }), [])
    assert.equal(judgeTenant(ledger, 't', { found: new Map([['b', 'completed']]), counted: 2 }).length, 1)
    ledger.entries.set('a', { ...entry, id: 'a', erased: 'unknown' })
    for (const found of [both, new Map([['b', 'completed']])])
      assert.deepEqual(judgeTenant(ledger, 't', { found, counted: 2 }), [])
  })
})

it('reports each 5xx, even if a client retries; excuses 503 while the store is unavailable, and never 500', async () => {
  const server = createServer((request, response) => void response.writeHead(Number(request.url?.slice(1))).end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const problemsOf = async (status: number, isAway: boolean) => {
      const ledger = createLedger()
      const answer = await watchedFetch(ledger, { isStoreAway: () => isAway })(`${url}/${status}`)
      assert.equal(answer.status, status)
      return ledger.problems.length
    }
    assert.deepEqual(await Promise.all([200, 401, 500, 503].map((status) => problemsOf(status, false))), [0, 0, 1, 1])
    assert.deepEqual(await Promise.all([200, 401, 500, 503].map((status) => problemsOf(status, true))), [0, 0, 1, 0])
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

it('a failed run leaves its logs and events, and a successful run leaves nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vidimus-record-'))
  try {
    for (const isRed of [true, false]) {
      const record = await openRecord(join(folder, String(isRed)))
      const ledger = createLedger(record.note)
      record.file('process-1.log').write('{"msg":"request"}\n')
      ledger.note('a key is revoked')
      await record.close(isRed)
      assert.equal(existsSync(record.folder), isRed)
      if (isRed)
        assert.match(readFileSync(join(record.folder, 'events.log'), 'utf8'), /^20\d\d-.*Z a key is revoked\n$/)
      if (isRed) assert.match(readFileSync(join(record.folder, 'process-1.log'), 'utf8'), /request/)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
