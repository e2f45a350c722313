// Beside the answer itself: the last ten, the signals, and what a customer screen is told.

import assert from 'node:assert/strict'
import test from 'node:test'
import { SIGNALS } from '../src/device/signals.ts'
import { isDisplayCode, newDisplayCode, readDisplaySays, readTillSays } from '../src/display/display-messages.ts'
import { noteRecent, type Recent } from '../src/recent.ts'
import { chooseLanguage } from '../src/words/words.ts'

const LINK = 'openid4vp://?client_id=x&request_uri=https%3A%2F%2Fverify.example.com%2Fwallet%2Frequest%2Fver_1'

test('the last ten, newest first, each once, and of each only which, when and how', () => {
  let recent: readonly Recent[] = []
  for (let at = 0; at < 12; at += 1)
    recent = noteRecent(recent, { id: `ver_aaaaaaaa${String(at).padStart(6, '0')}`, at, outcome: 'yes' })
  assert.equal(recent.length, 10)
  assert.deepEqual(recent[0], { reference: '000011', at: 11, outcome: 'yes' })
  assert.equal(noteRecent(recent, { id: 'ver_aaaaaaaa000011', at: 99, outcome: 'no' }), recent)
})

test('each answer sounds and feels different', () => {
  const signals = Object.values(SIGNALS)
  for (const member of ['tones', 'vibration'] as const)
    assert.equal(new Set(signals.map((signal) => JSON.stringify(signal[member]))).size, 3, member)
})

test('a customer screen takes a scene, a language and whether it is a test, and nothing else', () => {
  const said = { from: 'till', language: 'de', test: true, scene: { kind: 'code', walletUri: LINK } }
  assert.deepEqual(readTillSays(said), said)
  assert.deepEqual(readTillSays({ ...said, outcome: 'yes', token: 'vd_x' }), said)
  assert.deepEqual(readTillSays({ ...said, scene: { kind: 'done', outcome: 'no' } })?.scene, { kind: 'done' })
  for (const name of Object.keys(said)) {
    const { [name]: _absent, ...rest } = said as Record<string, unknown>
    assert.equal(readTillSays(rest), null, name)
  }
  for (const walletUri of ['', 'javascript:alert(1)', 'no link', `openid4vp://${'x'.repeat(3000)}`, 7])
    assert.equal(readTillSays({ ...said, scene: { kind: 'code', walletUri } }), null, String(walletUri))
  for (const other of [null, 'x', { ...said, language: 'xx' }, { ...said, scene: { kind: 'yes' } }])
    assert.equal(readTillSays(other), null)
})

test('a till hears of a screen only whether it is there', () => {
  assert.deepEqual(readDisplaySays({ from: 'display', kind: 'here' }), { from: 'display', kind: 'here' })
  for (const other of [null, {}, { from: 'till', kind: 'here' }, { from: 'display', kind: 'unpair' }])
    assert.equal(readDisplaySays(other), null)
  for (let round = 0; round < 50; round += 1) assert.ok(isDisplayCode(newDisplayCode()))
  for (const bad of ['', '123', '12345', 'abcd']) assert.ok(!isDisplayCode(bad))
})

test("the language is the first of the browser's that the till speaks", () => {
  assert.equal(chooseLanguage(['pt-PT', 'fr-CA', 'en']), 'fr')
  assert.equal(chooseLanguage(['', 'xx']), 'en')
})
