// Tests keys that a sender chooses. V8 hashes long texts by their length only and integers without a secret, so a sender can
// choose keys that collide. V8 compares colliding keys with each other.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, it, test } from 'node:test'
import { algorithmNamed } from '../src/algorithms.ts'
import { createBirthReader } from '../src/birth-date.ts'
import { Malformed } from '../src/bytes.ts'
import { encodeCbor } from '../src/cbor/canonical.ts'
import { cborBudget, decodeCbor } from '../src/cbor/cbor.ts'
import { parseForm } from '../src/form.ts'
import { parseMdoc } from '../src/formats/mdoc/parse.ts'
import { jsonOf } from '../src/formats/mdoc/values.ts'
import { discloseClaims } from '../src/formats/sd-jwt/disclosures.ts'
import { parseCompactJws } from '../src/jose.ts'
import { isLongerThan, parseJson } from '../src/json.ts'
import { LIMITS } from '../src/limits.ts'
import { parseQuery } from '../src/openid4vp/dcql.ts'
import { InvalidQuery } from '../src/openid4vp/fields.ts'
import { readResponse } from '../src/openid4vp/response.ts'
import { nameKey } from '../src/trust/name-key.ts'
import { collidingIntegers } from './colliding-integers.ts'
import { MDL_SPACE, mintMdoc } from './mdoc/mint-mdoc.ts'
import { encode } from './sdjwt/mint-presentation.ts'

/** The first length that V8 does not hash. */
const UNHASHED = 16_384
/** Short enough to be hashed, also after base64url encoding. */
const SHORTER = 12_000
/** This many texts cost 400 ms if V8 compares them with each other. A large heap adds far less. */
const COUNT = 400
/** As many texts as fit into a body. */
const BODY_COUNT = 120

const long = (length: number, number: number) => `${'a'.repeat(length - 8)}${String(number).padStart(8, '0')}`
const texts = (count: number, length: number, from = 0) =>
  Array.from({ length: count }, (_, at) => long(length, from + at))

describe('long keys are refused', () => {
  const most = long(LIMITS.keyLength, 0)
  const tooLong = `${most}a`
  const places: Record<string, (text: string) => unknown> = {
    'a member of JSON': (text) => parseJson(JSON.stringify({ [text]: 0 })),
    'a text key of CBOR': (text) => decodeCbor(encodeCbor(new Map([[text, 0]]))),
    'a byte key of CBOR': (text) => {
      const bytes = Buffer.alloc(Math.floor((text.length - "h''".length) / 2))
      const head = Buffer.from([0xa1, 0x59, bytes.length >> 8, bytes.length & 0xff])
      return decodeCbor(Buffer.concat([head, bytes, Buffer.of(0)]), undefined, true)
    },
    'a field of a form': (text) => parseForm(Buffer.from(`${text}=1`)),
    'a digest': (text) => discloseClaims({ _sd: [text] }, []),
    'a digest of an array element': (text) => discloseClaims({ list: [{ '...': text }] }, []),
    'a disclosed claim': (text) => {
      const disclosure = encode(['salt', text, 1])
      return discloseClaims({ _sd: [digestOf(disclosure)] }, [disclosure])
    },
  }
  for (const [place, read] of Object.entries(places))
    it(place, () => {
      assert.doesNotThrow(() => read(most))
      assert.throws(() => read(tooLong), Malformed)
    })

  it('long values are accepted, because they are only compared', () => {
    const value = 'a'.repeat(300_000)
    assert.deepEqual(parseJson(JSON.stringify([value])), [value])
    assert.equal(isLongerThan({ value }, 300_000), true)
    assert.equal(isLongerThan({ value }, 300_300), false)
  })
})

describe('names that are array indices are limited, because V8 can be made to rebuild all members again and again', () => {
  const values = (count: number) => Object.fromEntries(indices(count).map((name) => [name, 0]))
  const disclosures = (count: number) => indices(count).map((name) => encode(['salt', String(name), 0]))
  const places: Record<string, (count: number) => unknown> = {
    'members of JSON': (count) => parseJson(JSON.stringify(values(count))),
    'keys of a value of an mdoc': (count) =>
      jsonOf(decodeCbor(encodeCbor(new Map(indices(count).map((name) => [String(name), 0]))))),
    'elements of an mdoc': (count) => parseMdoc(mintMdoc({ elements: { [MDL_SPACE]: values(count) } }), cborBudget()),
    'name spaces of an mdoc': (count) => {
      const spaces = Object.fromEntries(indices(count).map((name) => [name, { given_name: 'x' }]))
      return parseMdoc(mintMdoc({ elements: spaces }), cborBudget())
    },
    'disclosed claims': (count) => discloseClaims({ _sd: disclosures(count).map(digestOf) }, disclosures(count)),
    'disclosed claims beside others': (count) => {
      const disclosed = disclosures(count).slice(1)
      return discloseClaims({ [indices(1).join()]: 0, _sd: disclosed.map(digestOf) }, disclosed)
    },
    'claims of a query': (count) =>
      parseQuery({
        credentials: [0, 1, 2].map((part) => ({
          id: `q${part}`,
          format: 'dc+sd-jwt',
          meta: { vct_values: ['urn:example'] },
          claims: indices(count)
            .filter((_, at) => at % 3 === part)
            .map((name) => ({ path: [String(name)] })),
        })),
      }),
  }
  for (const [place, read] of Object.entries(places))
    it(place, () => {
      assert.doesNotThrow(() => read(LIMITS.indexNames))
      assert.throws(() => read(LIMITS.indexNames + 1), place === 'claims of a query' ? InvalidQuery : Malformed)
    })

  it('other names with digits are not', () => {
    const names = Array.from({ length: 2 * LIMITS.indexNames }, (_, at) => [
      `0${at}`,
      `${at}a`,
      `-${at}`,
      `1${at}${2 ** 40}`,
    ])
    assert.doesNotThrow(() => parseJson(JSON.stringify(Object.fromEntries(names.flat().map((name) => [name, 0])))))
  })
})

test('a number in JSON has few characters: hundreds of digits take long to read', () => {
  const digits = (count: number) => `0.${'1'.repeat(count - 2)}`
  assert.doesNotThrow(() => parseJson(digits(LIMITS.numberLength)))
  assert.throws(() => parseJson(digits(LIMITS.numberLength + 1)), Malformed)
})

/** Consecutive ones, then pairs so far apart that V8 turns its array into a table and back. */
function indices(count: number): number[] {
  const start = Math.floor(count * 0.94)
  const names = Array.from({ length: start }, (_, at) => at)
  for (let top = start + 1_650; names.length < count; top += 1_026)
    names.push(...[top, top + 1].slice(0, count - names.length))
  return names
}

describe('integer keys of CBOR that collide', () => {
  const map = (keys: readonly number[]) => encodeCbor(new Map(keys.map((key) => [key, 0])))
  const inTurn = Array.from({ length: LIMITS.integerKeys }, (_, at) => at)

  it('are limited: one map may have few large integers, and as many small ones as digest IDs need', () => {
    const large = collidingIntegers(LIMITS.largeKeys + 1, 1_024)
    assert.doesNotThrow(() => decodeCbor(map(inTurn)))
    assert.doesNotThrow(() => decodeCbor(map(large.slice(1))))
    assert.throws(() => decodeCbor(map(large)), Malformed)
    assert.throws(() => decodeCbor(map(large.map((key) => -key))), Malformed)
    assert.throws(() => decodeCbor(map([...inTurn, LIMITS.integerKeys])), Malformed)
  })

  it('do not make reading a map many times slower', () => {
    const read = (keys: readonly number[]) => {
      const bytes = map(keys)
      // As many keys as ten responses may have, because some clocks of CPU time tick only every 4 ms.
      const many = 10 * Math.floor(LIMITS.cborItems / (2 * keys.length + 1))
      const before = process.threadCpuUsage()
      for (let at = 0; at < many; at++)
        try {
          decodeCbor(bytes)
        } catch (error) {
          assert.ok(error instanceof Malformed)
        }
      const { user, system } = process.threadCpuUsage(before)
      return (user + system) / 1000
    }
    const [colliding, fewer] = [LIMITS.integerKeys, LIMITS.largeKeys].map((count) => collidingIntegers(count, 1_024))
    const [all = [], most = []] = [colliding, fewer]
    read(inTurn)
    const costs = Array.from({ length: 10 }, () => [read(all), read(most), read(inTurn)] as const)
    const sum = (at: 0 | 1 | 2) => costs.reduce((total, one) => total + one[at], 0)
    // Colliding keys take about seven times as long with the limit on large keys, and seventy times without it.
    for (const at of [0, 1] as const) assert.ok(sum(at) < 14 * sum(2) + 20, `${sum(at)} ms beside ${sum(2)}`)
  })
})

describe('a text that V8 does not hash costs no more than a shorter one', () => {
  const header = (text: string) => encode({ alg: 'ES256', more: text })
  /** Prepares the work on texts of one length. */
  const places: Record<string, (texts: readonly string[]) => () => void> = {
    'names in a response': (names) => {
      const members = names.slice(0, BODY_COUNT).map((name) => `%22${name}%22:0`)
      const body = Buffer.from(`vp_token=%7B${members.join(',')}%7D`)
      assert.ok(body.length < LIMITS.bodyBytes)
      return () => void readResponse(body, { encryption: null, state: null })
    },
    'headers that are looked up in the cache': (contents) => {
      const known = new Map([['x', {}]])
      const jws = contents.map((text) => `${header(text)}.${encode({})}.`)
      return () => {
        for (const text of jws) parseCompactJws(text, known)
      }
    },
    algorithms: (names) => () => {
      for (const name of names) assert.equal(algorithmNamed(name), null)
    },
    'birth dates': (dates) => {
      const read = createBirthReader('2026-11-18')
      return () => {
        for (const date of dates) assert.equal(read(date), null)
      }
    },
    'names of certificates': (contents) => {
      const names = contents.map((text) => Buffer.from(text))
      return () => assert.equal(new Set(names.map(nameKey)).size, names.length)
    },
    'texts whose length is computed': (contents) => {
      const claims = Object.fromEntries(contents.map((text, at) => [`claim${at}`, text]))
      return () => assert.equal(isLongerThan(claims, COUNT * UNHASHED * 2), false)
    },
  }
  for (const [place, prepare] of Object.entries(places))
    it(place, () => {
      let from = 0
      // Uses other texts each time, because V8 caches comparisons.
      const cost = (length: number) => {
        from += 1000
        const run = prepare(texts(COUNT, length, from))
        const before = process.threadCpuUsage()
        run()
        const { user, system } = process.threadCpuUsage(before)
        return (user + system) / 1000
      }
      cost(SHORTER)
      // Alternates and adds up the costs, because some clocks of CPU time tick every 4 ms.
      const costs = Array.from({ length: 8 }, () => [cost(UNHASHED), cost(SHORTER)] as const)
      const sum = (at: 0 | 1) => costs.reduce((total, one) => total + one[at], 0)
      // Without a limit it takes at least twenty times as long.
      assert.ok(sum(0) < 4 * sum(1) + 40, `${sum(0)} ms beside ${sum(1)}`)
    })
})

function digestOf(disclosure: string): string {
  return hash('sha256', disclosure, 'base64url')
}
