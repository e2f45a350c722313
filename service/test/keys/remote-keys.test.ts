// Tests external keys with faulty providers: unavailable, slow, disabled, another key, another encoding.

import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import test from 'node:test'
import { Refusal } from '../../src/platform/errors.ts'
import { rawOfDer } from '../../src/platform/keys/ecdsa-der.ts'
import { KeyFailure, type KeyProvider, type RemoteSignature } from '../../src/platform/keys/key-provider.ts'
import { createRemoteKeys, type RemoteKeyOptions, type SignatureEnded } from '../../src/platform/keys/remote-keys.ts'
import { isSignedBy } from '../../src/platform/keys/signing-key.ts'
import type { PinnedKey } from '../../src/platform/keys/stored-key.ts'
import { waitUntil } from '../harness/wait.ts'

const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pinned: PinnedKey = {
  reference: 'pkcs11:token=t;object=k',
  algorithm: 'ES256',
  publicKey: own.publicKey,
}
const rawBy = (privateKey: KeyObject, bytes: Uint8Array): RemoteSignature => ({
  encoding: 'raw',
  signature: sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
})

/** Returns a key provider that behaves as the test says. */
function keysWith(answer: KeyProvider['sign'], options: Partial<RemoteKeyOptions> & { concurrency?: number } = {}) {
  const ended: SignatureEnded['outcome'][] = []
  const reports: (string | null)[] = []
  let calls = 0
  const provider: KeyProvider = {
    concurrency: options.concurrency ?? 2,
    find: async () => pinned,
    create: async () => assert.fail('nothing is created'),
    sign(key, bytes) {
      calls += 1
      return answer(key, bytes)
    },
    wrap: async () => assert.fail('not asked for'),
    unwrap: async () => assert.fail('not asked for'),
    close: async () => undefined,
  }
  const keys = createRemoteKeys({
    provide: async () => provider,
    onEnd: ({ outcome }) => void ended.push(outcome),
    report: (_, failure) => void reports.push(failure?.kind ?? null),
    ...options,
  })
  const signing = keys.open(pinned)
  return { keys, ended, reports, calls: () => calls, sign: async (text: string) => signing.sign(Buffer.from(text)) }
}

const isUnavailable = (error: unknown) => {
  assert.ok(error instanceof Refusal && error.code === 'unavailable' && error.missing === 'key', String(error))
  assert.equal(error.retryAfterSeconds, 5)
  return true
}

test('a signature is checked with the pinned key, and the same bytes are signed once', async () => {
  const provider = keysWith(async (_, bytes) => rawBy(own.privateKey, bytes))
  const [first, second] = await Promise.all([provider.sign('a'), provider.sign('a')])
  assert.deepEqual(first, second)
  assert.deepEqual(await provider.sign('a'), first)
  assert.equal(provider.calls(), 1)
  assert.ok(isSignedBy(pinned, Buffer.from('a'), first ?? new Uint8Array()))
  await provider.sign('b')
  assert.equal(provider.calls(), 2)
  assert.deepEqual(provider.ended, ['signed', 'signed'])
})

test('a reference that is pinned to a new key does not get the cached signature of the earlier key', async () => {
  const next = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const before = rawBy(own.privateKey, Buffer.from('a'))
  const provider = keysWith(async (key, bytes) => (key === pinned ? before : rawBy(next.privateKey, bytes)))
  await provider.sign('a')
  const renewed = { ...pinned, publicKey: next.publicKey }
  const signature = await provider.keys.open(renewed).sign(Buffer.from('a'))
  assert.ok(isSignedBy(renewed, Buffer.from('a'), signature))
})

test('a signature of another key, of other bytes, or in another encoding is never returned', async () => {
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const der = (bytes: Uint8Array) => sign('sha256', bytes, own.privateKey)
  const answers: readonly KeyProvider['sign'][] = [
    async (_, bytes) => rawBy(stranger.privateKey, bytes),
    async () => rawBy(own.privateKey, Buffer.from('other bytes')),
    async (_, bytes) => ({ encoding: 'raw', signature: der(bytes) }),
    async (_, bytes) => ({ encoding: 'der', signature: rawBy(own.privateKey, bytes).signature }),
    async (_, bytes) => ({ encoding: 'der', signature: Buffer.concat([der(bytes), Buffer.from([0])]) }),
    async () => ({ encoding: 'raw', signature: new Uint8Array(0) }),
    async () => ({ encoding: 'raw', signature: new Uint8Array(64) }),
  ]
  for (const answer of answers) {
    const provider = keysWith(answer)
    await assert.rejects(provider.sign('a'), isUnavailable)
    assert.deepEqual(provider.ended, ['wrong_signature'])
    assert.match((await provider.keys.probe(pinned)) ?? '', /signature/)
  }
  const provider = keysWith(async (_, bytes) => ({ encoding: 'der', signature: der(bytes) }))
  assert.equal((await provider.sign('a')).length, 64)
  assert.equal(await provider.keys.probe(pinned), null)
})

test('DER is read strictly, and small numbers are padded', () => {
  const integer = (...bytes: number[]) => [0x02, bytes.length, ...bytes]
  const der = (...parts: number[][]) => {
    const body = parts.flat()
    return Buffer.from([0x30, body.length, ...body])
  }
  const raw = rawOfDer(der(integer(1), integer(0x00, 0x80)), 32)
  assert.equal(raw?.length, 64)
  assert.equal(raw?.[31], 1)
  assert.equal(raw?.[63], 0x80)
  const refused = {
    'a negative number': der(integer(0x80), integer(1)),
    'a needless zero': der(integer(0, 1), integer(1)),
    zero: der(integer(0), integer(1)),
    'an empty number': der(integer(), integer(1)),
    'one number': der(integer(1)),
    'three numbers': der(integer(1), integer(1), integer(1)),
    'a number that is too long': der(integer(1, ...new Array(32).fill(0)), integer(1)),
    'a long form of a short length': Buffer.from([0x30, 0x81, 6, ...integer(1), ...integer(1)]),
    'a length beyond the end': Buffer.from([0x30, 7, ...integer(1), ...integer(1)]),
    'bytes behind it': Buffer.concat([der(integer(1), integer(1)), Buffer.from([0])]),
    nothing: Buffer.alloc(0),
  }
  for (const [what, bytes] of Object.entries(refused)) assert.equal(rawOfDer(bytes, 32), null, what)
})

test('a signature that is not made in time fails, and frees its slot only when the provider answers', async () => {
  const hanging = Promise.withResolvers<void>()
  const provider = keysWith(
    async (_, bytes) => {
      await hanging.promise
      return rawBy(own.privateKey, bytes)
    },
    { deadlineMs: 20, concurrency: 1 },
  )
  await assert.rejects(provider.sign('a'), isUnavailable)
  await assert.rejects(provider.sign('b'), isUnavailable)
  assert.deepEqual(provider.ended, ['late', 'late'])
  assert.equal(provider.calls(), 1, 'the second signature was never started')
  hanging.resolve()
  await waitUntil('the provider signs again', async () => {
    const signed = await provider.sign('c').catch(() => null)
    return signed !== null
  })
})

test('a key that keeps failing is paused; after the pause one call tries it', async () => {
  let isDisabled = true
  const provider = keysWith(
    async (_, bytes) => {
      if (isDisabled) throw new KeyFailure('refused', 'the key is disabled')
      return rawBy(own.privateKey, bytes)
    },
    { pauseMs: 40 },
  )
  for (let i = 0; i < 5; i += 1) await assert.rejects(provider.sign(`${i}`), isUnavailable)
  assert.equal(provider.calls(), 5)
  await assert.rejects(provider.sign('paused'), isUnavailable)
  assert.equal(provider.calls(), 5, 'the provider is not called')
  assert.deepEqual(provider.reports, ['refused'], 'reported once')
  assert.equal(provider.ended.at(-1), 'paused')
  isDisabled = false
  await waitUntil('the key signs again', async () => (await provider.sign('again').catch(() => null)) !== null)
  assert.deepEqual(provider.reports, ['refused', null])
})

test('a bounded number of signatures wait; the others are refused at once', async () => {
  const hanging = Promise.withResolvers<void>()
  const provider = keysWith(
    async (_, bytes) => {
      await hanging.promise
      return rawBy(own.privateKey, bytes)
    },
    { deadlineMs: 60_000, concurrency: 1 },
  )
  const waiting = Array.from({ length: 257 }, (_, i) => provider.sign(`${i}`))
  await assert.rejects(provider.sign('one too many'), isUnavailable)
  assert.deepEqual(provider.ended, ['busy'])
  hanging.resolve()
  assert.equal((await Promise.all(waiting)).length, 257)
})

test('a provider that is not configured, and one that throws, refuse; no other key signs', async () => {
  const absent = createRemoteKeys({
    provide: async () => {
      throw new KeyFailure('refused', 'not set')
    },
  })
  await assert.rejects(async () => absent.open(pinned).sign(Buffer.from('a')), isUnavailable)
  await assert.rejects(absent.findOrCreate('pkcs11:token=t;object=k', 'ES256'), /not set/)
  await assert.rejects(absent.findOrCreate('file:/etc/key', 'ES256'), /a key is named like/)
  await assert.rejects(absent.findOrCreate('pkcs11:token=t;object=k?pin-value=1', 'ES256'), /a key is named like/)
  const broken = keysWith(async () => {
    throw new TypeError('a bug of the provider')
  })
  await assert.rejects(broken.sign('a'), isUnavailable)
  assert.deepEqual(broken.ended, ['away'])
  await assert.rejects(broken.keys.findOrCreate(pinned.reference, 'EdDSA'), /signs ES256; this needs one for EdDSA/)
})
