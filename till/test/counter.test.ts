// Tests the last ten outcomes, the signals, and the messages to a customer screen.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { SIGNALS } from '../src/device/signals.ts'
import { newCode, readCode, showCode, symbolsOf } from '../src/display/display-code.ts'
import { readDisplaySays, readTillSays } from '../src/display/display-messages.ts'
import { readServiceScene } from '../src/display/service-scenes.ts'
import { NO_LOOK } from '../src/look.ts'
import { noteRecent, type Recent } from '../src/recent.ts'
import { chooseLanguage } from '../src/words/words.ts'

const LINK = 'openid4vp://?client_id=x&request_uri=https%3A%2F%2Fverify.example.com%2Fwallet%2Frequest%2Fver_1'

test('lists the last ten outcomes, newest first, each once, without personal data', () => {
  let recent: readonly Recent[] = []
  for (let at = 0; at < 12; at += 1)
    recent = noteRecent(recent, {
      id: `ver_aaaaaaaa${String(at).padStart(6, '0')}`,
      at,
      outcome: 'yes',
      template: 'age_over_18',
    })
  assert.equal(recent.length, 10)
  assert.deepEqual(recent[0], { reference: '000011', at: 11, outcome: 'yes', template: 'age_over_18' })
  assert.equal(noteRecent(recent, { id: 'ver_aaaaaaaa000011', at: 99, outcome: 'no', template: 'age_over_18' }), recent)
})

test('each outcome has its own sound and vibration', () => {
  const signals = Object.values(SIGNALS)
  for (const member of ['tones', 'vibration'] as const)
    assert.equal(new Set(signals.map((signal) => JSON.stringify(signal[member]))).size, 3, member)
})

test('a customer screen accepts only a scene, a language and whether it is a test', () => {
  const message = {
    from: 'till',
    shop: 'Weinhandlung Sonnenhof',
    look: {
      style: '/assets/brand/0b6b4f-x-small-inter/till.css',
      logo: `/assets/logo/ten_1/test/${'a'.repeat(32)}`,
      logoDark: null,
    },
    language: 'de',
    test: true,
    scene: { kind: 'code', question: { template: 'age_over_18', title: null }, walletUri: LINK, agreed: [] },
  }
  assert.deepEqual(readTillSays(message), message)
  assert.deepEqual(readTillSays({ ...message, outcome: 'yes', token: 'vd_x' }), message)
  assert.deepEqual(
    readTillSays({ ...message, scene: { kind: 'done', outcome: 'no', template: 'age_over_18' } })?.scene,
    {
      kind: 'done',
    },
  )
  const older = { ...message, shop: undefined, scene: { ...message.scene, question: undefined } }
  assert.deepEqual(readTillSays(older), { ...message, shop: null, scene: { ...message.scene, question: null } })
  assert.equal(readTillSays({ ...message, shop: 'x'.repeat(301) })?.shop, null)
  for (const style of ['https://evil.example/a.css', '/assets/brand/../till.css', '//evil.example/till.css', 1])
    assert.deepEqual(readTillSays({ ...message, look: { style, logo: 'data:,' } })?.look, NO_LOOK)
  for (const name of Object.keys(message).filter((one) => !['shop', 'look'].includes(one))) {
    const { [name]: _absent, ...rest } = message as Record<string, unknown>
    assert.equal(readTillSays(rest), null, name)
  }
  for (const walletUri of ['', 'javascript:alert(1)', 'no link', `openid4vp://${'x'.repeat(3000)}`, 7])
    assert.equal(readTillSays({ ...message, scene: { kind: 'code', walletUri, agreed: [] } }), null, String(walletUri))
  for (const other of [null, 'x', { ...message, language: 'xx' }, { ...message, scene: { kind: 'yes' } }])
    assert.equal(readTillSays(other), null)
})

test('a till accepts from a customer screen only whether it is there', () => {
  assert.deepEqual(readDisplaySays({ from: 'display', kind: 'here' }), { from: 'display', kind: 'here' })
  for (const other of [null, {}, { from: 'till', kind: 'here' }, { from: 'display', kind: 'unpair' }])
    assert.equal(readDisplaySays(other), null)
})

test("a screen's code is read as people type it, and is derived from its token as in the service", () => {
  for (let round = 0; round < 50; round += 1) {
    const code = newCode()
    assert.equal(readCode(` ${showCode(code).toLowerCase()} `), code)
  }
  assert.equal(readCode('olil–0000'), '01110000')
  for (const bad of ['', '1234', '123456789', 'UUUU-UUUU', 'service']) assert.equal(readCode(bad), null)
  const hash = createHash('sha256').update('a token').digest()
  // The service has the same case: service/test/http/displays.test.ts.
  assert.equal(symbolsOf(hash), '3HEBFBPG')
})

test('a customer screen accepts from the service a welcome, a code, or that it has no till', () => {
  assert.deepEqual(readServiceScene({ kind: 'welcome', test: false }), {
    shop: null,
    look: NO_LOOK,
    test: false,
    scene: { kind: 'welcome' },
  })
  const question = { template: 'wine_club', title: 'Member of the wine club' }
  const code = { kind: 'code', shop: 'Sonnenhof', test: true, question, wallet_uri: LINK, agreed: [] }
  const scene = { kind: 'code', question, walletUri: LINK, agreed: [] }
  assert.deepEqual(readServiceScene(code), { shop: 'Sonnenhof', look: NO_LOOK, test: true, scene })
  const others = [
    null,
    { kind: 'unconnected' },
    { kind: 'done', test: true },
    { kind: 'welcome' },
    { ...code, agreed: 1 },
  ]
  for (const other of others) assert.equal(readServiceScene(other), null)
})

test("the language is the browser's first that the till supports", () => {
  assert.equal(chooseLanguage(['pt-PT', 'fr-CA', 'en']), 'fr')
  assert.equal(chooseLanguage(['', 'xx']), 'en')
})
