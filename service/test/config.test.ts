// Tests the configuration: its types, that all problems are reported at once, and the table of the operating guide.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import test from 'node:test'
import { readConfig, unreadVariables } from '../src/platform/config/config.ts'
import { ConfigError } from '../src/platform/config/config-problems.ts'
import { VARIABLES } from '../src/platform/config/variables.ts'
import { makePolicy } from '../src/platform/egress/policy.ts'
import { weaknessOf } from '../src/platform/seal/master-key.ts'
import { noteSigner, renderNoteKey } from '../src/platform/signed-note.ts'
import { TEST_MASTER_KEY } from './harness/servers/master-key.ts'

test('an empty environment is enough, and an empty variable counts as absent', () => {
  const config = readConfig({})
  assert.equal(config.port, 8080)
  assert.equal(config.baseUrl, 'http://localhost:8080')
  assert.equal(config.databaseUrl, null)
  assert.deepEqual(config.rates.key, { perSecond: 50, burst: 100 })
  assert.deepEqual(readConfig({ PORT: '', VIDIMUS_RATE_KEY: '' }), config)
})

test('warns of a variable with our prefix that nothing reads', () => {
  const known = Object.fromEntries(Object.keys(VARIABLES).map((name) => [name, 'x']))
  const ofKubernetes = {
    VIDIMUS_SERVICE_HOST: '10.0.0.1',
    VIDIMUS_SERVICE_PORT_HTTP: '8080',
    VIDIMUS_PORT: 'tcp://10.0.0.1:8080',
    VIDIMUS_PORT_8080_TCP_ADDR: '10.0.0.1',
    VIDIMUS_DATABASE_PORT: 'tcp://10.0.0.2:5432',
    VIDIMUS_DATABASE_SERVICE_HOST: '10.0.0.2',
  }
  assert.deepEqual(unreadVariables({ ...known, ...ofKubernetes, VIDIMUS_API_KEY: 'vk_test_x', PATH: '/bin' }), [])
  const misspelt = { VIDIMUS_FORWARD_ONLLY: 'on', VIDIMUS_EGRESS_PORT: '443', VIDIMUS_MASTERKEY: '' }
  assert.deepEqual(unreadVariables({ ...known, ...misspelt }), [
    'VIDIMUS_EGRESS_PORT',
    'VIDIMUS_FORWARD_ONLLY',
    'VIDIMUS_MASTERKEY',
  ])
})

test('every problem is reported at once, with the name of its variable and never a password', () => {
  const env = {
    PORT: 'eighty',
    DATABASE_URL: 'mysql://user:hunter2@host/db',
    REDIS_URL: 'nonsense-hunter2',
    VIDIMUS_MASTER_KEY: 'short',
    VIDIMUS_MASTER_KEYS_READABLE: 'short,hunter2',
    VIDIMUS_EGRESS_ALLOW: '10.0.0.1/8,example.com',
    VIDIMUS_EGRESS_PORTS: '443,0,65536,https',
    VIDIMUS_RATE_KEY: '50',
    VIDIMUS_RATE_IP: '0/10',
    VIDIMUS_LOG_LEVEL: 'loud',
    VIDIMUS_BASE_URL: 'https://verify.example.com/',
    VIDIMUS_ROLE: 'boss',
    NODE_ENV: 'prod',
  }
  assert.throws(
    () => readConfig(env),
    (error) => {
      assert.ok(error instanceof ConfigError)
      assert.deepEqual(error.problems.map(({ variable }) => variable).sort(), Object.keys(env).sort())
      assert.doesNotMatch(error.message, /hunter2/)
      return true
    },
  )
})

test('production with its own store requires a master key', () => {
  const env = {
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://db/vidimus',
    VIDIMUS_BASE_URL: 'https://verify.example.com',
  }
  assert.throws(() => readConfig(env), /VIDIMUS_MASTER_KEY: required/)
  assert.equal(readConfig({ ...env, VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('hex') }).masterKey?.length, 32)
})

const WEAK: [string, Buffer][] = [
  ['nothing but zeros', Buffer.alloc(32)],
  ['one byte repeated', Buffer.alloc(32, 0xa7)],
  ['four bytes repeated', Buffer.alloc(32, Buffer.from('deadbeef', 'hex'))],
  ['two halves that are the same', Buffer.concat([TEST_MASTER_KEY.subarray(0, 16), TEST_MASTER_KEY.subarray(0, 16)])],
  ['counting', Buffer.from(Array.from({ length: 32 }, (_, at) => at))],
  ['counting down by seven', Buffer.from(Array.from({ length: 32 }, (_, at) => (250 - 7 * at) & 0xff))],
  ['a sentence', Buffer.from('correct horse battery staple 123')],
  ['hex of hex', Buffer.from(TEST_MASTER_KEY.toString('hex').slice(0, 32))],
]
for (const [what, key] of WEAK) {
  test(`a master key of ${what} is refused in one line that says how to create one, but may still decrypt`, () => {
    const text = key.toString('hex')
    assert.throws(
      () => readConfig({ VIDIMUS_MASTER_KEY: text }),
      (error) => {
        assert.ok(error instanceof ConfigError)
        assert.match(error.message, /^VIDIMUS_MASTER_KEY: this key [^\n]+; make one with `openssl rand -base64 32`$/)
        assert.ok(!error.message.includes(text))
        return true
      },
    )
    const change = { VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('base64'), VIDIMUS_MASTER_KEYS_READABLE: text }
    assert.deepEqual(readConfig(change).masterKeysReadable, [key])
  })
}

test('random master keys are accepted', () => {
  for (let round = 0; round < 2_000; round += 1) assert.equal(weaknessOf(randomBytes(32)), null)
})

test('production requires an https base URL', () => {
  assert.throws(() => readConfig({ NODE_ENV: 'production' }), /VIDIMUS_BASE_URL: in production/)
  assert.throws(
    () => readConfig({ NODE_ENV: 'production', VIDIMUS_BASE_URL: 'http://verify.example.com' }),
    /VIDIMUS_BASE_URL/,
  )
})

test('a misspelt NODE_ENV is refused, because it would mean development', () => {
  for (const text of ['Production', 'PRODUCTION', 'production ', 'prod', ' '])
    assert.throws(() => readConfig({ NODE_ENV: text }), /NODE_ENV: one of development, test, production, not '/, text)
  for (const text of ['', 'development', 'test']) assert.equal(readConfig({ NODE_ENV: text }).production, false)
})

test('production refuses the egress allow list without the confirming variable', () => {
  const env = {
    NODE_ENV: 'production',
    VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8',
    VIDIMUS_BASE_URL: 'https://verify.example.com',
  }
  assert.throws(() => readConfig(env), /VIDIMUS_EGRESS_ALLOW: not in production/)
  assert.equal(readConfig({ ...env, VIDIMUS_EGRESS_ALLOW_IN_PRODUCTION: 'yes' }).egressAllow.length, 1)
})

test('an OpenID provider is configured completely or not at all, by https', () => {
  const whole = {
    VIDIMUS_OIDC_ISSUER: 'https://id.example.com/realm',
    VIDIMUS_OIDC_CLIENT_ID: 'vidimus',
    VIDIMUS_OIDC_CLIENT_SECRET: 'hunter2',
  }
  assert.deepEqual(readConfig(whole).oidc, {
    issuer: 'https://id.example.com/realm',
    clientId: 'vidimus',
    clientSecret: 'hunter2',
    name: 'OpenID',
  })
  assert.equal(readConfig({}).oidc, null)
  assert.equal(readConfig({ VIDIMUS_OIDC_NAME: 'Ours' }).oidc, null)
  for (const variable of Object.keys(whole)) {
    assert.throws(() => readConfig({ ...whole, [variable]: '' }), new RegExp(`^ConfigError: ${variable}: required if`))
  }
  const issuer = (text: string, more = {}) => readConfig({ ...whole, ...more, VIDIMUS_OIDC_ISSUER: text }).oidc?.issuer
  for (const text of ['http://127.0.0.1:8080/realm', 'http://[::1]:8080']) assert.equal(issuer(text), text)
  const production = { NODE_ENV: 'production', VIDIMUS_BASE_URL: 'https://verify.example.com' }
  for (const text of ['http://127.0.0.1:8080', 'HTTP://127.0.0.1:8080'])
    assert.throws(() => issuer(text, production), /VIDIMUS_OIDC_ISSUER: the provider's https address/)
  for (const text of [
    'http://id.example.com',
    'http://127.0.0.1.example.com',
    'http://localhost:8080',
    'https://user@id.example.com',
    'https://id.example.com?x',
    'https://id.example.com/?x=1',
    'https://id.example.com#x',
    'id.example.com',
  ]) {
    assert.throws(() => issuer(text), /VIDIMUS_OIDC_ISSUER: the provider's https address/, text)
  }
})

test('a list of ports for outbound requests replaces the three default ports; an invalid port is named', () => {
  assert.equal(readConfig({}).egressPorts, null)
  assert.equal(readConfig({ VIDIMUS_EGRESS_PORTS: '' }).egressPorts, null)
  assert.deepEqual(readConfig({ VIDIMUS_EGRESS_PORTS: '443, 9443,' }).egressPorts, [443, 9443])
  for (const bad of ['0', '65536', '0443', '+443', '443-445', '4 43', '443;9443', ',', 'https'])
    assert.throws(
      () => readConfig({ VIDIMUS_EGRESS_PORTS: bad }),
      /VIDIMUS_EGRESS_PORTS: ports separated by commas/,
      bad,
    )
  // The table of variables says which ports apply by default.
  const fallback = VARIABLES.VIDIMUS_EGRESS_PORTS.fallback.split(',').map(Number)
  assert.deepEqual([...makePolicy({ environment: 'live' }).ports], fallback)
})

test('a list with an empty member is refused; a comma may end it', () => {
  const key = TEST_MASTER_KEY.toString('hex')
  const whole = {
    VIDIMUS_MASTER_KEYS_READABLE: key,
    VIDIMUS_EGRESS_ALLOW: '10.0.0.0/8',
    VIDIMUS_EGRESS_PORTS: '443',
    VIDIMUS_TRUSTED_PROXIES: '10.0.0.0/8',
    VIDIMUS_WITNESSES: `${renderNoteKey(noteSigner('witness.example/w', 0x04, TEST_MASTER_KEY))} https://witness.example.com`,
  }
  for (const [name, one] of Object.entries(whole)) {
    for (const text of [one, `${one},`, ` ${one} , `]) readConfig({ [name]: text })
    for (const text of [' ', ',', ' , ', `,${one}`, `${one},,`, `${one}, ,`])
      assert.throws(() => readConfig({ [name]: text }), new RegExp(`^ConfigError: ${name}: `), `${name}=${text}`)
  }
  assert.throws(() => readConfig({ VIDIMUS_TRUSTED_PROXIES: ',' }), /not understood: ''/)
})

test('the base URL is refused if the URL parser would change it', () => {
  const good = ['https://v.example', 'http://localhost:8080', 'https://V.example:8443/a/b', 'https://[::1]:8080']
  for (const text of good) assert.equal(readConfig({ VIDIMUS_BASE_URL: text }).baseUrl, text)
  for (const text of [
    'https://v.example ',
    ' https://v.example',
    'https://v.ex\nample',
    'https://v.example\t',
    'https://v.example\u200b',
    'https://v.example?',
    'https://v.example#',
    'https://v.example/a?',
    'https://:pw@v.example',
    'https://user@v.example',
    'https://@v.example',
    'https:v.example',
    'https:\\\\v.example',
    'https:///v.example',
    'https://v.example/',
    'ftp://v.example',
  ])
    assert.throws(() => readConfig({ VIDIMUS_BASE_URL: text }), /VIDIMUS_BASE_URL: an http\(s\) address/, text)
})

test('the default in the table is the effective one', () => {
  const ofTable = Object.entries(VARIABLES).filter(([, { absent }]) => absent !== null && !Array.isArray(absent))
  const shown = Object.fromEntries(ofTable.map(([name, { fallback }]) => [name, fallback]))
  assert.ok(Object.keys(shown).length > 10)
  assert.deepEqual(readConfig(shown), readConfig({}))
})

test('docs/operating.md lists exactly the variables of the code, with default and meaning', async () => {
  const guide = await readFile(new URL('../../docs/operating.md', import.meta.url), 'utf8')
  for (const [name, { fallback, meaning }] of Object.entries(VARIABLES)) {
    assert.ok(guide.includes(`| \`${name}\` | \`${fallback}\` | ${meaning} |`), `the row of ${name}`)
  }
  const rows = guide.match(/^\| `[A-Z0-9_]+` \|/gm) ?? []
  assert.equal(rows.length, Object.keys(VARIABLES).length)
})
