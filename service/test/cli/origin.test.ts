// Tests `vidimus origin` on a real store.

import assert from 'node:assert/strict'
import test from 'node:test'
import { commandLine } from '../harness/servers/command-line.ts'
import { testService } from '../harness/service.ts'

const service = await testService()
const tenant = await service.tenant()
const cli = commandLine(service)

const origin = (...args: string[]) => cli.run('origin', ...args, '--tenant', tenant)
const json = async (...args: string[]) => JSON.parse((await origin(...args, '--json')).out)

test('pages, localhost and apps are listed, and removed', async () => {
  const page = await origin('add', 'https://shop.example')
  assert.match(page.out, /https:\/\/shop\.example\/\.well-known\/vidimus-origin\.txt\s+vidimus-origin=\w{32}/)
  assert.equal((await origin('add', 'http://localhost:5173')).code, 0)
  assert.equal((await json('add', 'android:apk-key-hash:7d1043473d55bfa9')).kind, 'app')
  const { data } = await json('list')
  assert.deepEqual(
    data.map((one: { origin: string; proven_at: string | null }) => [one.origin, one.proven_at !== null]),
    [
      ['android:apk-key-hash:7d1043473d55bfa9', true],
      ['http://localhost:5173', true],
      ['https://shop.example', false],
    ],
  )
  for (const { id } of data) assert.equal((await origin('remove', id)).code, 0)
  assert.match((await origin('list')).out, /No origin is listed/)
})

test('an origin that browsers write differently is refused, with the right form', async () => {
  const pasted = await origin('add', 'https://Shop.example/pay')
  assert.equal(pasted.code, 2)
  assert.match(pasted.err, /without path or slash at the end: https:\/\/shop\.example\n/)
  assert.match((await origin('add', 'http://localhost', '--environment', 'live')).err, /localhost is for test/)
  assert.match((await origin('prove', 'org_unknown')).err, /no such origin/)
  assert.match((await origin('remove', 'org_unknown')).err, /no such origin/)
})
