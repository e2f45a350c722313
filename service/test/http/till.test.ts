// Tests the till's files over HTTP: complete, with the right types, and under a strict policy.

import assert from 'node:assert/strict'
import test from 'node:test'
import { assertRefused, testService } from '../harness/service.ts'

const service = await testService()

test('the page has no inline script or style, and its policy allows none', async () => {
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

/** Returns every file of the build, as in the worker's own list, and the worker. */
async function builtPaths(): Promise<string[]> {
  const worker = await service.call('GET', '/till/worker.js')
  assert.equal(worker.status, 200)
  const [list = '[]'] = /\["\/till[^\]]*\]/.exec(worker.text) ?? []
  return ['/till/worker.js', ...(JSON.parse(list) as string[])]
}

test('the worker caches the page and all its parts, and each is served with its type', async () => {
  const page = await service.call('GET', '/till')
  const paths = await builtPaths()
  const named = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
  assert.ok(named.length >= 5)
  for (const path of named) assert.ok(paths.includes(path), path)
  assert.equal(paths.filter((path) => path.split('?')[0] === '/till').length, 1)
  const types = {
    js: /^text\/javascript/,
    css: /^text\/css/,
    svg: /^image\/svg/,
    png: /^image\/png/,
    woff2: /^font\/woff2/,
    webmanifest: /^application\/manifest/,
  }
  for (const path of paths) {
    const file = await service.call('GET', path)
    assert.equal(file.status, 200, path)
    assert.ok(file.text.length > 0, path)
    const [, extension, expected] = Object.entries(types)
      .map(([name, type]) => [path.endsWith(`.${name}`), name, type] as const)
      .find(([fits]) => fits) ?? [true, 'html', /^text\/html/]
    assert.match(String(file.headers['content-type']), expected, extension)
    assert.match(String(file.headers['content-security-policy']), /^default-src 'none'; script-src 'self';/)
  }
  const manifest = await service.call('GET', '/till/manifest.webmanifest')
  const { start_url, scope, icons } = JSON.parse(manifest.text)
  assert.deepEqual([start_url, scope], ['/till', '/till'])
  for (const { src } of icons) assert.ok(paths.includes(src), src)
  // What browsers request before they offer to install it.
  for (const size of ['192x192', '512x512'])
    assert.ok(
      icons.some(({ sizes }: { sizes: string }) => sizes === size),
      size,
    )
})

test('hashed files are cached for ever, the others are revalidated and not sent again', async () => {
  for (const path of await builtPaths()) {
    const file = await service.call('GET', path)
    const hashed = path.startsWith('/till/assets/')
    assert.equal(file.headers['cache-control'], hashed ? 'public, max-age=31536000, immutable' : 'no-cache', path)
    const etag = String(file.headers.etag)
    const again = await service.call('GET', path, { headers: { 'if-none-match': `"other", ${etag}` } })
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag], path)
    const other = await service.call('GET', path, { headers: { 'if-none-match': '"other"' } })
    assert.equal(other.status, 200, path)
  }
})

test('only the files of the build can be reached there', async () => {
  for (const path of ['/.built-from', '/src/app.ts', '/assets/other.js', '/../package.json', '/%2e%2e/package.json']) {
    assertRefused(await service.call('GET', `/till${path}`), 404, 'not_found')
  }
})
