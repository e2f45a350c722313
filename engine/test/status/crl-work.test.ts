// Tests the cost of revocation lists: each is verified once per key, even if many certificates have this key. Counts, never times.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { LIMITS, newBudget, newWork, PRICES, VERIFICATION } from '../../src/limits.ts'
import { readList } from '../../src/status/content.ts'
import { readCrlStatus } from '../../src/status/crl.ts'
import type { CrlContent } from '../../src/status/list-types.ts'
import { createListMemory } from '../../src/status/memory.ts'
import { type Certificate, parseCertificate } from '../../src/trust/certificate.ts'
import { extensionOf, tlv } from '../trust/mint-certificate.ts'
import { mintAuthority } from '../trust/mint-pki.ts'
import { crlNumber, mintCrl, NOW } from './mint-status.ts'

const SERIAL = Buffer.of(7)
const subject = { CN: 'Invented Root' }
const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const key = pair()
const certificateOf = (keyOfIt: typeof key, at: number) =>
  mintAuthority({ subject, key: keyOfIt, serial: Buffer.of(1, at) })
const by = certificateOf(key, 0)

/** Returns a CRL of about `bytes` bytes: few entries with long extensions. */
function crlOf(bytes: number): CrlContent {
  const padding = [extensionOf('2a0304', false, tlv(4, Buffer.alloc(30_000)))]
  const revoked = Array.from({ length: Math.ceil(bytes / 30_100) }, (_, at) => ({
    serial: Buffer.of(2, at >> 8, at & 255),
    extensions: padding,
  }))
  const list = readList(mintCrl({ by, revoked, extensions: [crlNumber] }), 'crl')?.list
  assert.ok(list?.kind === 'crl')
  return list
}

/** Checks all authorities at once, as for one response. */
async function ask(
  content: CrlContent,
  authorities: readonly Certificate[],
  memory = createListMemory(),
  left?: number,
) {
  const budget = newBudget(newWork(left))
  const before = budget.work.left
  const statuses = await Promise.all(
    authorities.map((authority) =>
      readCrlStatus(content, { serial: SERIAL, authority }, { now: NOW, skewSeconds: 60 }, { memory, budget }),
    ),
  )
  return { outcomes: statuses.map(({ outcome }) => outcome), spent: before - budget.work.left }
}

const certificates = (count: number, keyOf: () => typeof key) =>
  Array.from({ length: count }, (_, at) => parseCertificate(certificateOf(keyOf(), at).der))

const priceOf = ({ crl }: CrlContent) =>
  PRICES.handover + Math.ceil((crl.signed.length * VERIFICATION) / PRICES.copiedBytes)

test('120 certificates of one key need one verification, and later responses need none', async () => {
  const content = crlOf(60_000)
  const memory = createListMemory()
  const all = certificates(120, () => key)
  const first = await ask(content, all, memory)
  assert.deepEqual([new Set(first.outcomes), first.spent], [new Set(['valid']), priceOf(content)])
  assert.equal((await ask(content, all, memory)).spent, 0)
})

test('verifying with each further key costs the copied bytes, and needs budget', async () => {
  const content = crlOf(1_000_000)
  const others = certificates(3, pair)
  const { outcomes, spent } = await ask(content, others)
  assert.deepEqual([outcomes, spent], [['unknown', 'unknown', 'unknown'], 3 * priceOf(content)])
  const poor = await ask(content, others, createListMemory(), 2 * priceOf(content))
  assert.deepEqual(poor.outcomes, ['unknown', 'unknown', 'exceeded'])
  const long = await ask(crlOf(4_800_000), certificates(5, pair))
  assert.ok(long.outcomes.includes('exceeded'))
  assert.equal(long.spent, LIMITS.work)
})

test('many other keys do not displace a key that is in use', async () => {
  const content = crlOf(1_000)
  const memory = createListMemory()
  const own = certificates(1, () => key)
  await ask(content, own, memory)
  for (const round of [1, 2, 3]) {
    await ask(content, certificates(15, pair), memory)
    assert.equal((await ask(content, own, memory)).spent, 0, `round ${round}`)
  }
  // A key that 16 other keys displaced is verified again, and costs work again.
  await ask(content, certificates(16, pair), memory)
  assert.equal((await ask(content, own, memory)).spent, priceOf(content))
})

test('finds in one step a serial number that a list repeats', async () => {
  const entry = { serial: SERIAL, extensions: [extensionOf('551d15', false, tlv(0x0a, Buffer.of(6)))] }
  for (const [last, outcome] of [
    [entry, 'suspended'],
    [{ serial: SERIAL }, 'revoked'],
  ] as const) {
    const list = readList(mintCrl({ by, revoked: [...Array(1_000).fill(entry), last] }), 'crl')?.list
    assert.ok(list?.kind === 'crl')
    let looks = 0
    const get = (entries: Uint8Array, name: string | symbol): unknown => {
      looks += 1
      return Reflect.get(entries, name)
    }
    const onHold = new Proxy(list.crl.onHold, { get })
    const { outcomes } = await ask(
      { ...list, crl: { ...list.crl, onHold } },
      certificates(1, () => key),
    )
    assert.deepEqual([outcomes, looks], [[outcome], 1])
  }
})
