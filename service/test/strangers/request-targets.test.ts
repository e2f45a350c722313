// Targets that name a whole URL (RFC 9112 §3.2.2): the authority is ignored, costs nothing, and the head has a bound.

import assert from 'node:assert/strict'
import test from 'node:test'
import { HEAD_BYTES_MAX } from '../../src/platform/http/bounds/limits.ts'
import { readableTarget } from '../../src/platform/http/request-target.ts'
import { rawClient } from '../harness/servers/raw-client.ts'
import { testService } from '../harness/service.ts'

const service = await testService()
const client = await rawClient(service.app)
const HEADERS = ' HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
const get = (target: string) => client.ask(`GET ${target}${HEADERS}`)

test('only path and query of a whole URL count', () => {
  const targets = {
    'http://x': '/',
    'https://user@x:1/a/b?c=/d': '/a/b?c=/d',
    'HTTP://x?a=b': '/?a=b',
    'http://x/a/../b': '/a/../b',
    'http:///a': '/a',
    'http://%zz/a': '/a',
    'http://x/%zz': '/%25zz',
    'ftp://x/a': '/no-address',
    'http:/a': '/no-address',
  }
  for (const [target, expected] of Object.entries(targets)) assert.equal(readableTarget(target), expected, target)
})

test('a whole URL with any authority is answered like its path', async () => {
  for (const authority of ['x', '%zz', 'a'.repeat(1_000), 'xn--a', '1.2.3.4.5', '[::1]'])
    assert.match(await get(`http://${authority}/healthz`), /^HTTP\/1\.1 200 /, authority)
  assert.match(await get('http://x/nowhere'), /^HTTP\/1\.1 404 /)
})

test('a host that is expensive to normalise costs no more than another text', () => {
  // A normaliser moves each mark of the second kind before all marks of the first.
  const marks = (mark: string) => mark.repeat(HEAD_BYTES_MAX / 2 / mark.length)
  const target = `http://a${marks('%cc%81')}${marks('%cc%a7')}/healthz`
  const before = process.cpuUsage()
  for (let count = 0; count < 100; count += 1) assert.equal(readableTarget(target), '/healthz')
  const { user, system } = process.cpuUsage(before)
  assert.ok(user + system < 20_000, `100 targets took ${user + system} µs of CPU`)
})

test('a target up to the bound of the head is read, a longer one gets 431', async () => {
  const fitting = HEAD_BYTES_MAX - `GET /${HEADERS}`.length
  assert.match(await get(`/${'a'.repeat(fitting - 100)}`), /^HTTP\/1\.1 404 /)
  assert.match(await get(`/${'a'.repeat(fitting + 100)}`), /^HTTP\/1\.1 431 /)
})
