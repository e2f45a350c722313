// Tests which addresses the egress policy allows, by their text alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePolicy, OPERATOR_POLICY } from '../../src/platform/egress/policy.ts'
import { checkUrl } from '../../src/platform/egress/url.ts'
import { cidrs } from './world.ts'

const LIVE = makePolicy({ environment: 'live' })
const TEST = makePolicy({ environment: 'test' })
const DEVELOPMENT = makePolicy({ environment: 'live', allow: cidrs('127.0.0.0/8', '::1/128') })

function verdict(text: string, policy = LIVE): string {
  const result = checkUrl(text, policy)
  return result.outcome === 'ok' ? 'ok' : result.reason
}

test('returns the parts that a client needs, in canonical form', () => {
  const result = checkUrl('HTTPS://Hooks.Merchant.com:8443/a/../b?c=d', LIVE)
  assert.deepEqual(result, {
    outcome: 'ok',
    url: {
      href: 'https://hooks.merchant.com:8443/b?c=d',
      scheme: 'https',
      host: 'hooks.merchant.com',
      authority: 'hooks.merchant.com:8443',
      address: null,
      port: 8443,
      path: '/b?c=d',
      onlyAllowListed: null,
    },
  })
})

test('leaves the default port out of the Host header, by scheme', () => {
  for (const [text, port] of [
    ['http://hooks.merchant.com', 80],
    ['https://hooks.merchant.com', 443],
    ['http://hooks.merchant.com:80/', 80],
  ] as const) {
    const result = checkUrl(text, LIVE)
    assert.equal(result.outcome === 'ok' && result.url.port, port, text)
    assert.equal(result.outcome === 'ok' && result.url.authority, 'hooks.merchant.com', text)
  }
})

test('accepts 2,048 characters at most', () => {
  const base = 'https://hooks.merchant.com/'
  assert.equal(verdict(base + 'a'.repeat(2048 - base.length)), 'ok')
  assert.equal(verdict(base + 'a'.repeat(2049 - base.length)), 'too_long')
})

test('refuses a name whose last label is not a top-level domain', () => {
  for (const text of ['https://a.b1/', 'https://a.b-c/', 'https://a.x/', 'https://merchant.com_/'])
    assert.equal(verdict(text), 'top_level_label', text)
})

test('refuses empty labels and labels that end in a hyphen', () => {
  for (const text of ['https://hooks..merchant.com/', 'https://.merchant.com/', 'https://hooks-.merchant.com/'])
    assert.equal(verdict(text), 'label', text)
})

test('refuses every special-use suffix, at any depth and in any case', () => {
  const names = 'localhost local internal localdomain lan home corp mail intranet private arpa onion alt i2p test'
  for (const suffix of `${names} example invalid svc consul home.arpa cluster.local`.split(' ')) {
    assert.equal(verdict(`https://x.${suffix}/`), 'special_use_name', suffix)
    assert.equal(verdict(`http://a.b.X.${suffix.toUpperCase()}/`), 'special_use_name', suffix)
  }
  assert.equal(verdict('https://internal.merchant.com/'), 'ok')
  assert.equal(verdict('https://merchantlocal.com/'), 'ok')
})

test("allows internal hosts in the operator's settings, never in a tenant's", () => {
  const inside = [
    'https://vault.vault.svc.cluster.local:8200/v1',
    'http://169.254.169.254/latest',
    'https://10.1.2.3:8200/',
  ]
  for (const url of inside) {
    assert.equal(verdict(url, OPERATOR_POLICY), 'ok', url)
    for (const policy of [LIVE, TEST, DEVELOPMENT]) assert.notEqual(verdict(url, policy), 'ok', url)
  }
  assert.equal(verdict('https://vault@10.1.2.3/', OPERATOR_POLICY), 'userinfo')
})

test('refuses our own host names in any case', () => {
  const policy = makePolicy({ environment: 'test', ownHosts: ['API.vidimus.org'] })
  assert.equal(verdict('https://api.VIDIMUS.org/v1', policy), 'own_host')
  assert.equal(verdict('https://hooks.vidimus.org/', policy), 'ok')
})

test('refuses public literals in live and checks them by address in test', () => {
  assert.equal(verdict('https://8.8.8.8/', LIVE), 'address_literal')
  assert.equal(verdict('https://8.8.8.8/', TEST), 'ok')
  assert.equal(verdict('https://8.8.8.8:9000/', TEST), 'port')
  assert.equal(verdict('https://10.0.0.1/', TEST), 'private')
})

test('allows literals of the allow list on any port, but only in canonical form', () => {
  assert.equal(verdict('http://127.0.0.1:34567/', DEVELOPMENT), 'ok')
  assert.equal(verdict('http://[::1]:34567/', DEVELOPMENT), 'ok')
  for (const text of ['http://127.1/', 'http://2130706433/', 'http://127.0.0.01/', 'http://[0:0:0:0:0:0:0:1]/'])
    assert.equal(verdict(text, DEVELOPMENT), 'host_not_canonical', text)
  assert.equal(verdict('http://[::ffff:127.0.0.1]/', DEVELOPMENT), 'ipv4_mapped')
  assert.equal(verdict('http://10.0.0.1/', DEVELOPMENT), 'private')
})

test('allows a name on an unusual port only by the allow list', () => {
  const result = checkUrl('https://hooks.merchant.com:34567/', DEVELOPMENT)
  assert.equal(result.outcome === 'ok' && result.url.onlyAllowListed, 'port')
  assert.equal(verdict('https://hooks.merchant.com:34567/', LIVE), 'port')
})

test('allows a name without a dot only by the allow list', () => {
  for (const text of ['https://localhost/', 'http://LOCALHOST:34567/', 'https://status-list/']) {
    const result = checkUrl(text, DEVELOPMENT)
    assert.equal(result.outcome === 'ok' && result.url.onlyAllowListed, 'single_label', text)
    assert.equal(verdict(text, LIVE), 'single_label', text)
  }
  assert.equal(verdict('https://-a/', DEVELOPMENT), 'label')
  assert.equal(verdict('https://localhost./', DEVELOPMENT), 'trailing_dot')
  const own = makePolicy({ environment: 'test', allow: cidrs('127.0.0.0/8'), ownHosts: ['vidimus'] })
  assert.equal(verdict('http://vidimus/', own), 'own_host')
})

test('uses the ports of the policy', () => {
  const policy = makePolicy({ environment: 'live', ports: [443] })
  assert.equal(verdict('http://hooks.merchant.com/', policy), 'port')
  assert.equal(verdict('https://hooks.merchant.com/', policy), 'ok')
})

test('refuses an allow list that allows everything', () => {
  assert.throws(() => makePolicy({ environment: 'test', allow: cidrs('0.0.0.0/0') }), /must not allow everything/)
  assert.throws(() => makePolicy({ environment: 'test', allow: cidrs('::/0') }), /must not allow everything/)
})
