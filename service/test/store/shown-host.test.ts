// Tests that the line with the store's host never contains a password or a part of one.

import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { openWorld } from '../../src/assemble.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { shownHost } from '../../src/platform/postgres/connection.ts'
import { welcome } from '../../src/welcome.ts'
import { testDatabase } from '../harness/servers/database.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'

test('only host and port of a URL are shown, whatever else is in it', () => {
  const shown: readonly [url: string, host: string | null][] = [
    ['postgres://db.example.com/vidimus', 'db.example.com'],
    ['postgresql://vidimus@db.example.com:5433/vidimus?sslmode=require', 'db.example.com:5433'],
    ['postgres://vidimus:hunter2@[2001:db8::1]:5432/vidimus', '[2001:db8::1]:5432'],
    ['postgres://db.example.com?user=vidimus&password=hunter2', 'db.example.com'],
    ['postgres:///vidimus?host=/var/run/postgresql', null],
    ['postgres://vidimus:hunter2@/vidimus?host=/var/run/postgresql', null],
    // An @ after the ? may belong to the query or the password: nothing is shown.
    ['postgres://db.example.com/vidimus?password=hunter2@3', null],
  ]
  for (const [url, host] of shown) assert.equal(shownHost(url), host, url)
})

test('a password with odd characters, written unescaped, is not shown in part either', () => {
  for (const password of [
    'p@ss',
    '@',
    'a:b',
    'pa/ss',
    'pa#ss',
    'pa?ss',
    '/@#?:',
    '#@',
    '?@/',
    '12345#6',
    'a@b/c@d?e#f',
  ]) {
    const url = `postgres://vidimus:${password}@db.example.com:5432/vidimus?sslmode=require`
    assert.ok([null, 'db.example.com:5432'].includes(shownHost(url)), `${password}: ${shownHost(url)}`)
  }
  const odd = fc.string({ unit: fc.constantFrom('@', ':', '/', '?', '#', '%', '5', 's'), minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(odd, odd, (user, password) => {
      const host = shownHost(`postgres://${user}:${password}@db.example.com/vidimus`)
      assert.ok(host === null || host === 'db.example.com', `${host}`)
    }),
  )
})

test('the start line and the description of the store contain no password', async () => {
  const { url } = await testDatabase()
  const databaseUrl = url.replace('@', ':pa@ss:hunter2@')
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    VIDIMUS_MASTER_KEY: TEST_MASTER_KEY.toString('hex'),
    VIDIMUS_LOG_LEVEL: 'debug',
  })
  const lines: string[] = []
  const world = await openWorld(config, (line) => void lines.push(line))
  try {
    assert.equal(world.store.description, 'PostgreSQL at DATABASE_URL')
    assert.doesNotMatch([welcome(world, null), ...lines].join('\n'), /hunter2|pa@ss/)
  } finally {
    await world.close()
  }
})
