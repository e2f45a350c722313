// The till's files over HTTP: whole, typed right, and under a policy that lets nothing else in.

import assert from 'node:assert/strict'
import test from 'node:test'
import { TILL_PATHS } from '../../src/http/till/files.ts'
import { assertRefused, testService } from '../harness/service.ts'

const service = await testService()

test('the page holds no inline script or style, and its policy allows none', async () => {
  const page = await service.call('GET', '/till')
  assert.equal(page.status, 200)
  assert.match(String(page.headers['content-type']), /^text\/html/)
  assert.doesNotMatch(page.text, /<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/)
  const policy = String(page.headers['content-security-policy'])
  assert.match(policy, /^default-src 'none'; script-src 'self';/)
  assert.doesNotMatch(policy, /unsafe|\*|https?:/)
  assert.match(String(page.headers['permissions-policy']), /camera=\(self\)/)
  assert.equal(page.headers['x-content-type-options'], 'nosniff')
})

test('scripts are served as JavaScript without a type left in them, and the manifest as one', async () => {
  for (const path of TILL_PATHS) {
    const file = await service.call('GET', `/till${path}`)
    assert.equal(file.status, 200, path)
    assert.ok(file.text.length > 0, path)
    const type = String(file.headers['content-type'])
    if (/\.(ts|js)$/.test(path)) {
      assert.match(type, /^text\/javascript/)
      assert.doesNotMatch(file.text, /^(?:export )?(?:interface|type) /m, path)
      assert.doesNotMatch(file.text, /^import type /m, path)
    }
  }
  const manifest = await service.call('GET', '/till/manifest.webmanifest')
  assert.match(String(manifest.headers['content-type']), /^application\/manifest\+json/)
  assert.equal(JSON.parse(manifest.text).start_url, '/till')
})

test('nothing beside the listed files is reachable there', async () => {
  for (const path of [
    '/files/service/src/main.ts',
    '/files/sdk/src/index.ts',
    '/app.ts',
    '/../package.json',
    '/%2e%2e/x',
  ]) {
    assertRefused(await service.call('GET', `/till${path}`), 404, 'not_found')
  }
})
