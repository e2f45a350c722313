// Tests that hostile input is judged quickly, because limits on size and number apply before expensive work.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leastCpuMs } from '../cpu-time.ts'
import { digest, disclosure, encode, examine, failedChecks, mintPresentation, PERSON } from './mint-presentation.ts'

const CPU_MS_MAX = 50

function assertCheap(run: () => void): void {
  const cost = leastCpuMs(CPU_MS_MAX, run)
  assert.ok(cost < CPU_MS_MAX, `${cost} ms of CPU`)
}

const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`claim_${i}`, `value ${i}`]))

test('judges 500 disclosures in time, and refuses one more', () => {
  const presented = mintPresentation({ concealed: many })
  assert.equal(examine(presented).failure, null)
  assertCheap(() => examine(presented))
  assert.deepEqual(failedChecks(examine(mintPresentation({ concealed: { ...many, more: 1 } }))), ['well_formed'])
})

test('a portrait of 100 KB is judged in time', () => {
  const presented = mintPresentation({ concealed: { ...PERSON, portrait: 'A'.repeat(140_000) } })
  assert.equal(examine(presented).failure, null)
  assertCheap(() => examine(presented))
})

const HOSTILE: Readonly<Record<string, () => string>> = {
  'a megabyte of "~"': () => '~'.repeat(1_000_000),
  'a megabyte of "."': () => '.'.repeat(1_000_000),
  'a megabyte of letters': () => 'A'.repeat(1_000_000),
  'a hundred thousand disclosures': () =>
    mintPresentation({ disclosures: () => Array(100_000).fill(encode(['a', 'b', 1])) }),
  'brackets in the payload': () =>
    mintPresentation({ payload: (payload) => ({ ...payload, deep: Array(9_000).fill([]) }) }),
  'a payload of many members': () =>
    mintPresentation({
      payload: (payload) => ({
        ...payload,
        ...Object.fromEntries(Array.from({ length: 19_000 }, (_, i) => [`${i * 4001}`, 1])),
      }),
    }),
  'a payload of many digests': () =>
    mintPresentation({
      payload: (payload) => ({ ...payload, _sd: Array.from({ length: 15_000 }, (_, i) => digest(String(i))) }),
      disclosures: () => [],
    }),
  'disclosures of many values': () =>
    mintPresentation({
      concealed: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`c${i}`, Array(20_000).fill(0)])),
    }),
  'a chain of disclosures': () => {
    const links: string[] = []
    let value: unknown = 1
    for (let i = 0; i < 500; i++) {
      const link = encode([`${i}`, 'a', value])
      links.push(link)
      value = { _sd: [digest(link)] }
    }
    return mintPresentation({
      payload: (payload) => ({ ...payload, _sd: [digest(links.at(-1) ?? '')] }),
      disclosures: () => links,
    })
  },
  'escapes in a long string': () => mintPresentation({ concealed: { a: '\n'.repeat(150_000) } }),
  'a long number': () => {
    const long = Buffer.from(`["s","a",${'1'.repeat(260_000)}]`).toString('base64url')
    return mintPresentation({ payload: (payload) => ({ ...payload, _sd: [digest(long)] }), disclosures: () => [long] })
  },
  'a disclosure that is too long': () => mintPresentation({ concealed: { a: 'A'.repeat(400_000) } }),
  'a text beyond the cap': () =>
    mintPresentation({ concealed: { a: 'A'.repeat(300_000), b: 'A'.repeat(250_000), c: 'A'.repeat(250_000) } }),
  'a deep key binding': () =>
    mintPresentation({
      bindingJwt: () => `${encode({})}.${Buffer.from('['.repeat(500_000)).toString('base64url')}.AAAA`,
    }),
}
for (const [title, make] of Object.entries(HOSTILE)) {
  test(`judges ${title} in time`, () => {
    const presented = make()
    assertCheap(() => examine(presented))
  })
}

test('accepts a large disclosure within its limit', () => {
  const presented = mintPresentation({ concealed: { given_name: 'E'.repeat(200_000) } })
  assert.equal(examine(presented).failure, null)
  assert.ok(presented.includes(disclosure('given_name', 'E'.repeat(200_000))))
})
