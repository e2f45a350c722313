// Tests which origins a tenant can list.

import assert from 'node:assert/strict'
import test from 'node:test'
import { isOrigin } from '@vidimus/engine'
import { originWithin, readOrigin, showsToken } from '../../src/core/tenants/domain/origin.ts'

const kindOf = (text: string, environment: 'test' | 'live' = 'live') => {
  const read = readOrigin(text, environment)
  return read.outcome === 'read' ? read.kind : read.problem
}

test('an origin must have exactly the form that browsers write', () => {
  for (const text of [
    'https://shop.example',
    'https://shop.example:8443',
    'https://xn--mnchen-3ya.example',
    'https://a.b.c.d.example',
  ])
    assert.equal(kindOf(text), 'web', text)
  for (const text of [
    'https://shop.example/',
    'https://shop.example/pay',
    'https://shop.example?',
    'https://shop.example#',
    'https://shop.example:443',
    'https://Shop.example',
    'HTTPS://shop.example',
    'https://münchen.example',
    'https://user@shop.example',
    'https:shop.example',
    'https:///shop.example',
    'https://',
    ' https://shop.example',
    'https://shop.example\n',
    `https://${'a.'.repeat(200)}example`,
    'shop.example',
    '//shop.example',
    'null',
    '*',
    '',
  ])
    assert.equal(kindOf(text), 'not_an_origin', JSON.stringify(text))
})

test('plain http is allowed only for the local machine, in test; a listed origin can be used', () => {
  for (const text of ['http://127.0.0.1:5173', 'http://[::1]:5173', 'http://localhost']) {
    assert.equal(kindOf(text, 'test'), 'local', text)
    assert.equal(kindOf(text, 'live'), 'local_in_test_only', text)
    assert.ok(isOrigin(text), text)
  }
  assert.equal(kindOf('http://localhost', 'test'), 'local')
  assert.equal(kindOf('http://localhost:5173', 'test'), 'local')
  assert.equal(kindOf('http://localhost:5173', 'live'), 'local_in_test_only')
  for (const text of [
    'http://shop.example',
    'http://localhost.shop.example',
    'http://127.0.0.1.shop.example',
    'http://10.0.0.1',
  ])
    assert.equal(kindOf(text, 'test'), 'not_https', text)
})

test("an app's origin is an opaque text that no page can have", () => {
  assert.equal(kindOf('android:apk-key-hash:7d1043473d55bfa90e8530d35801d4e381bc69f0'), 'app')
  for (const text of ['android:', 'android:a b', 'ftp://shop.example', 'Android:a', 'android:a\u0000', 'file:///x'])
    assert.equal(kindOf(text), 'not_an_origin', JSON.stringify(text))
})

test('the origin of a pasted address is found', () => {
  assert.equal(originWithin('https://Shop.example:443/pay?a=b'), 'https://shop.example')
  assert.equal(originWithin('shop.example/pay'), 'https://shop.example')
  assert.equal(originWithin('ftp://shop.example'), null)
  assert.equal(originWithin('https://'), null)
})

test('a line that contains only the token proves an origin', () => {
  const token = 'vidimus-origin=abc'
  const shows = (text: string) => showsToken(Buffer.from(text), token)
  for (const text of [token, `${token}\n`, `${token}\r\n`, `vidimus-origin=other\n${token}\n`])
    assert.ok(shows(text), JSON.stringify(text))
  for (const text of ['', `${token}d`, ` ${token}`, `${token} `, `# ${token}`, `<p>${token}</p>`, 'vidimus-origin='])
    assert.ok(!shows(text), JSON.stringify(text))
})
