// Tests the PIN of kiosk mode: what is stored, and the cost of guessing.

import assert from 'node:assert/strict'
import test from 'node:test'
import { isPin, makePin, type PinBox, readStoredPin, type StoredPin, tryPin } from '../src/device/pin.ts'

const NOW = 1_800_000_000_000
/** The same hash with fewer steps, because this tests the counting. */
const quick = { ...(await pinOf('4711', 10)), wrong: 0, waitUntil: 0 }

async function pinOf(digits: string, iterations: number): Promise<StoredPin> {
  const salt = Buffer.from('0123456789abcdef')
  const key = await crypto.subtle.importKey('raw', Buffer.from(digits), 'PBKDF2', false, ['deriveBits'])
  const hash = await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations }, key, 256)
  const base64 = (bytes: ArrayBuffer | Buffer) => Buffer.from(bytes as ArrayBuffer).toString('base64')
  return { salt: base64(salt), hash: base64(hash), iterations, wrong: 0, waitUntil: 0 }
}

function boxOf(pin: StoredPin | 'damaged' | null): PinBox & { kept: StoredPin | 'damaged' | null } {
  return {
    kept: pin,
    load() {
      return this.kept
    },
    save(next) {
      this.kept = next
    },
  }
}

test('the stored value is salted and slow, and never contains the digits', async () => {
  const [one, other] = [await makePin('4711'), await makePin('4711')]
  assert.notEqual(one.hash, other.hash)
  assert.ok(one.iterations >= 600_000)
  assert.doesNotMatch(JSON.stringify({ ...one, iterations: 0 }), /4711/)
  assert.deepEqual(await tryPin(boxOf(one), '4711', NOW), { kind: 'right' })
})

test('after five guesses each attempt waits, up to a quarter of an hour; the right PIN resets the count', async () => {
  const box = boxOf(quick)
  let now = NOW
  for (const left of [4, 3, 2, 1]) assert.deepEqual(await tryPin(box, '0000', now), { kind: 'wrong', left })
  for (const seconds of [30, 60, 120, 240, 480, 900, 900]) {
    assert.deepEqual(await tryPin(box, '0000', now), { kind: 'wait', seconds })
    // Even the right PIN waits.
    assert.equal((await tryPin(box, '4711', now + seconds * 1000 - 1)).kind, 'wait')
    now += seconds * 1000
  }
  assert.deepEqual(await tryPin(box, '4711', now), { kind: 'right' })
  assert.deepEqual(await tryPin(box, '0000', now), { kind: 'wrong', left: 4 })
})

test('an attempt is counted before it is checked: a reload gains nothing', async () => {
  const box = boxOf(quick)
  const pending = tryPin(box, '4711', NOW)
  assert.equal((box.kept as StoredPin).wrong, 1)
  await pending
  assert.equal((box.kept as StoredPin).wrong, 0)
})

test('a device clock that is set to an earlier time never extends the longest wait', async () => {
  const attempt = await tryPin(boxOf({ ...quick, wrong: 9, waitUntil: NOW }), '4711', NOW - 86_400_000)
  assert.deepEqual(attempt, { kind: 'wait', seconds: 900 })
})

test('an unreadable value matches no PIN', async () => {
  for (const stored of [null, 'damaged'] as const) assert.equal((await tryPin(boxOf(stored), '4711', NOW)).kind, 'wait')
  const whole: Record<string, unknown> = { ...quick }
  assert.deepEqual(readStoredPin(whole), quick)
  for (const name of Object.keys(whole)) {
    const { [name]: _absent, ...rest } = whole
    assert.equal(readStoredPin(rest), 'damaged', name)
    assert.equal(readStoredPin({ ...whole, [name]: null }), 'damaged', name)
  }
  for (const other of [null, 4711, 'x', { ...whole, hash: '' }, { ...whole, iterations: 0 }, { ...whole, wrong: -9 }])
    assert.equal(readStoredPin(other), 'damaged')
  for (const hash of ['', '!', 'AAAA'])
    assert.notEqual((await tryPin(boxOf({ ...quick, hash }), '', NOW)).kind, 'right')
})

test('a PIN has four to eight digits', () => {
  for (const good of ['0000', '12345678']) assert.ok(isPin(good))
  for (const bad of ['', '123', '123456789', '12a4', ' 1234', '１２３４']) assert.ok(!isPin(bad), bad)
})
