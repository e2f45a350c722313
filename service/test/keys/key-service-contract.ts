// Defines the tests that every key service must pass, behind a proxy that injects faults.

import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { test } from 'node:test'
import { readConfig } from '../../src/platform/config/config.ts'
import { rawOfDer } from '../../src/platform/keys/ecdsa-der.ts'
import { createMasterKeySource } from '../../src/platform/keys/master-key-source.ts'
import { createProvide } from '../../src/platform/keys/providers.ts'
import { createRemoteKeys, type SignatureEnded } from '../../src/platform/keys/remote-keys.ts'
import type { KeyServiceWorld } from '../../src/platform/keys/services/key-service.ts'
import { isSignedBy, type KeyAlgorithm } from '../../src/platform/keys/signing-key.ts'
import { readWrappedKey, renderWrappedKey } from '../../src/platform/keys/wrapped-key.ts'
import type { Answer, Fault, FaultProxy, Passing } from '../harness/servers/fault-proxy.ts'
import { derOfRaw } from './doubles/ecdsa-der.ts'

export interface Counterpart {
  readonly env: Readonly<Record<string, string>>
  readonly world?: KeyServiceWorld | undefined
  readonly proxy: FaultProxy
  reference(name: string): string
  readonly algorithms: readonly KeyAlgorithm[]
  /** How its ECDSA signatures are encoded. */
  readonly encoding: 'raw' | 'der'
  /** The form of a created key's reference: it names one version of one key. */
  readonly pinned: RegExp
  isSignature(passing: Passing): boolean
  signatureIn(body: string): Buffer
  withSignature(body: string, signature: Buffer): string
  readonly answers: Readonly<Record<'throttled' | 'expired' | 'disabled', Answer>>
}

export type Opened = ReturnType<typeof openKeys>

/** Longer than a busy machine takes, because only tests of deadlines may reach one. */
export const NO_DEADLINE_MS = 60_000

export function openKeys({ env, world }: Pick<Counterpart, 'env' | 'world'>, deadlineMs = NO_DEADLINE_MS) {
  const ended: SignatureEnded['outcome'][] = []
  const keys = createRemoteKeys({
    provide: createProvide(readConfig(env).keys, { ...world, deadlineMs: NO_DEADLINE_MS }),
    onEnd: ({ outcome }) => void ended.push(outcome),
    deadlineMs,
  })
  return { ...keys, ended }
}

/** The key service sends this text with every fault. None of our messages may repeat it. */
export const SECRET = 'zzz a text of the key service zzz'

export function testKeyService(what: string, counterpart: Counterpart): void {
  const { proxy, reference, algorithms, encoding } = counterpart
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const signedBy = (key: typeof other, bytes: Uint8Array) =>
    sign('sha256', bytes, { key, dsaEncoding: encoding === 'raw' ? 'ieee-p1363' : 'der' })

  test(`${what}: keys are created there, found again, and sign`, async (t) => {
    const keys = openKeys(counterpart)
    t.after(() => keys.close())
    for (const algorithm of algorithms) {
      const name = `made-${algorithm.toLowerCase()}`
      const created = await keys.findOrCreate(reference(name), algorithm)
      assert.match(created.reference, counterpart.pinned)
      const again = await keys.findOrCreate(reference(name), algorithm)
      assert.equal(again.reference, created.reference)
      assert.ok(again.publicKey.equals(created.publicKey))
      const exact = await keys.findOrCreate(created.reference, algorithm)
      assert.ok(exact.publicKey.equals(created.publicKey), 'the pinned reference names the same key')
      const bytes = randomBytes(300)
      assert.ok(isSignedBy(created, bytes, await keys.open(created).sign(bytes)))
      const wrong = algorithm === 'ES256' ? 'RS256' : 'ES256'
      await assert.rejects(keys.findOrCreate(reference(name), wrong), /this needs one for/)
    }
    assert.deepEqual(new Set(keys.ended), new Set(['signed']))
  })

  test(`${what}: the master key is wrapped and unwrapped, and another key does not unwrap it`, async (t) => {
    const keys = openKeys(counterpart)
    t.after(() => keys.close())
    const source = createMasterKeySource(keys)
    const masterKey = new Uint8Array(randomBytes(32))
    const text = await source.wrap(reference('wrapping'), masterKey)
    const wrapped = readWrappedKey(text) ?? assert.fail('unreadable')
    assert.deepEqual(Buffer.from(await source.unwrap(wrapped)), Buffer.from(masterKey))
    assert.ok(!proxy.seen.some(({ path }) => path.includes(Buffer.from(masterKey).toString('base64'))))
    await source.wrap(reference('another'), masterKey)
    const flipped = Buffer.from(wrapped.wrapped)
    const last = flipped.length - 6
    flipped[last] = flipped[last] === 65 ? 66 : 65
    for (const bad of [
      { ...wrapped, wrapped: flipped },
      { ...wrapped, reference: reference('another') },
      { ...wrapped, reference: reference('nothing') },
      { ...wrapped, wrapped: Buffer.from('x') },
    ])
      await assert.rejects(source.unwrap(bad), { name: 'MasterKeyProblem' }, renderWrappedKey(bad))
  })

  test(`${what}: whatever the key service answers, only a signature of the pinned key is used`, async (t) => {
    const keys = openKeys(counterpart)
    t.after(() => keys.close())
    const pinned = await keys.findOrCreate(reference('faults'), 'ES256')
    const bytes = Buffer.from('to be signed')
    const inOther = (body: string): string => {
      const signature = counterpart.signatureIn(body)
      const changed = encoding === 'der' ? rawOfDer(signature, 32) : derOfRaw(signature)
      return counterpart.withSignature(body, Buffer.from(changed ?? assert.fail()))
    }
    const faults: readonly (readonly [string, Fault, SignatureEnded['outcome'], RegExp])[] = [
      ['a connection that breaks', 'reset', 'away', /does not answer/],
      ['no answer', 'hang', 'late', /no answer within 400 ms/],
      ['throttled', counterpart.answers.throttled, 'throttled', /answers \d+/],
      ['disabled', counterpart.answers.disabled, 'refused', /answers \d+|no such key|has no key/],
      ['out of order', { status: 503, body: '{}' }, 'away', /answers 503/],
      ['a redirect', { status: 307, body: '{}' }, 'refused', /answers 307/],
      ['no JSON', { status: 200, body: SECRET }, 'away', /not valid base64|no signature|in transit/],
      ['a list', { status: 200, body: '[]' }, 'away', /not valid base64|no signature|in transit/],
      [
        'no signature',
        (body) => counterpart.withSignature(body, Buffer.alloc(0)),
        'away',
        /not valid base64|no signature/,
      ],
      ['zeros', (body) => counterpart.withSignature(body, Buffer.alloc(64)), 'wrong_signature', /signature/],
      ['another encoding', inOther, 'wrong_signature', /does not have the form/],
      [
        'another key',
        (body) => counterpart.withSignature(body, signedBy(other, bytes)),
        'wrong_signature',
        /not from the pinned key/,
      ],
    ]
    for (const [name, fault, outcome, why] of faults) {
      const tried = openKeys(counterpart, name === 'no answer' ? 400 : undefined)
      await tried.findOrCreate(pinned.reference, 'ES256')
      proxy.fault = (passing) => (counterpart.isSignature(passing) ? fault : null)
      const problem = await tried.probe(pinned)
      await assert.rejects(async () => tried.open(pinned).sign(bytes), { code: 'unavailable' }, name)
      proxy.fault = () => null
      assert.deepEqual(tried.ended, [outcome, outcome], `${name}: ${problem}`)
      assert.match(problem ?? '', why, name)
      assert.ok(!String(problem).includes('zzz'), name)
      assert.equal(await keys.probe(pinned), null, `the key signs again after: ${name}`)
      await tried.close()
    }
  })

  test(`${what}: expired credentials are replaced once; without new ones nothing is signed`, async (t) => {
    const keys = openKeys(counterpart)
    t.after(() => keys.close())
    const pinned = await keys.findOrCreate(reference('faults'), 'ES256')
    let refusals = 1
    proxy.fault = (passing) => {
      if (!counterpart.isSignature(passing) || refusals === 0) return null
      refusals -= 1
      return counterpart.answers.expired
    }
    assert.equal(await keys.probe(pinned), null)
    refusals = Number.POSITIVE_INFINITY
    const before = proxy.seen.filter(counterpart.isSignature).length
    assert.match((await keys.probe(pinned)) ?? '', /answers 4\d\d/)
    assert.equal(proxy.seen.filter(counterpart.isSignature).length - before, 2, 'the call is retried once')
    proxy.fault = () => null
    assert.deepEqual(keys.ended, ['signed', 'refused'])
    assert.equal(await keys.probe(pinned), null)
  })
}
