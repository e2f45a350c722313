// Tests the element's script: its address, caching and integrity, as in the guide.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import test from 'node:test'
import { buildElementScript, elementTag } from '../../../tools/build-element.ts'
import { GUIDE, renderGuide } from '../../../tools/generate-element-tag.ts'
import { testService } from '../harness/service.ts'

const service = await testService()
const script = await buildElementScript()
const { path, integrity } = elementTag(script)

test('the guide has address and integrity of this script', async () => {
  assert.equal(await readFile(GUIDE, 'utf8'), await renderGuide(), 'run: node tools/generate-element-tag.ts')
  assert.ok((await readFile(GUIDE, 'utf8')).includes(integrity))
})

test('the versioned address serves the script for ever, to every page; the other addresses are revalidated', async () => {
  const answer = await service.call('GET', path)
  assert.equal(answer.status, 200, answer.text)
  assert.equal(`sha384-${createHash('sha384').update(answer.text).digest('base64')}`, integrity)
  const { headers } = answer
  assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.match(String(headers['content-type']), /^text\/javascript/)
  for (const other of ['/sdk/vidimus-verify.js', '/sdk/vidimus-verify-0123456789abcdef.js']) {
    const served = await service.call('GET', other)
    assert.deepEqual([served.status, served.text], [200, answer.text], other)
    assert.equal(served.headers['cache-control'], 'no-cache', other)
    const again = await service.call('GET', other, { headers: { 'if-none-match': String(served.headers.etag) } })
    assert.equal(again.status, 304)
  }
})

test('there is nothing else below /sdk', async () => {
  for (const other of ['/sdk/', '/sdk/index.html', '/sdk/vidimus-verify-0.js', '/sdk/..%2findex.html', '/sdk/a/b.js'])
    assert.equal((await service.call('GET', other)).status, 404, other)
})
