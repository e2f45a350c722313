// Tests the docs as a site: each guide and code has its page, links lead somewhere, and guides cannot inject markup.

import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import { en } from '../../../labels/en.ts'
import { GUIDES, NOT_SHOWN } from '../../src/features/docs/http/contents.ts'
import { highlight } from '../../src/features/docs/http/highlight.ts'
import { renderMarkdown } from '../../src/features/docs/http/markdown.ts'
import { OPERATIONS_WITH_SAMPLES } from '../../src/features/docs/http/samples.ts'
import { addressOfLink } from '../../src/features/docs/http/site.ts'
import { INTERNAL_ERROR, PROBLEMS } from '../../src/platform/http/problems.ts'
import { assertRefused, testService } from '../harness/service.ts'
import { ROOT } from './blocks.ts'

const service = await testService()
const CODES = [...Object.keys(PROBLEMS), INTERNAL_ERROR.code, ...Object.keys(en.reasons)]
const pages = new Map<string, string>()

async function open(path: string): Promise<string> {
  const known = pages.get(path)
  if (known !== undefined) return known
  const page = await service.call('GET', path)
  assert.equal(page.status, 200, path)
  assert.match(String(page.headers['content-type']), /^text\/html/, path)
  pages.set(path, page.text)
  return page.text
}

test('every guide is in the contents, or explicitly excluded', async () => {
  const files = (await readdir(join(ROOT, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)
  const known: string[] = [...GUIDES.map(({ file }) => file), ...NOT_SHOWN]
  assert.deepEqual(
    files.filter((file) => !known.includes(file)),
    [],
  )
})

test('from the first page every link leads to a page, and to a heading of it', async () => {
  const idsOf = (html: string) => new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id))
  const waiting = ['/docs']
  const seen = new Set(waiting)
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const html = await open(path)
    const ids = idsOf(html)
    assert.equal((html.match(/<h1[ >]/g) ?? []).length, 1, path)
    for (const [, href = ''] of html.matchAll(/<a [^>]*href="([^"]*)"/g)) {
      const [target = '', anchor] = href.split('#')
      if (/^https?:/.test(target)) continue
      if (target === '') assert.ok(ids.has(anchor ?? ''), `${path}: ${href}`)
      else if (!target.startsWith('/docs'))
        assert.ok(['/dashboard', '/openapi.json'].includes(target), `${path}: ${href}`)
      else {
        if (anchor !== undefined) assert.ok(idsOf(await open(target)).has(anchor), `${path}: ${href}`)
        if (!seen.has(target)) waiting.push(target)
        seen.add(target)
      }
    }
  }
  for (const { path } of GUIDES) assert.ok(seen.has(`/docs/${path}`), path)
  assert.ok(seen.has('/docs/changelog') && seen.has('/docs/api/verifications'))
})

test('every code has a page, and every answer that is not a success links to it', async () => {
  for (const code of CODES) assert.match(await open(`/docs/errors/${code}`), new RegExp(`<h1>${code}</h1>`))
  const listed = await open('/docs/errors')
  for (const code of ['quota_exceeded', 'invalid_idempotency_key'])
    assert.ok(listed.includes(`<a href="/docs/errors/${code}"><code>`), code)
  assert.match(await open('/docs/errors/invalid_transaction'), /<a href="\/docs\/transaction-data">Transactions<\/a>/)
  const answers = await Promise.all([
    service.call('GET', '/v1/usage'),
    service.call('GET', '/nowhere'),
    service.call('PUT', '/v1/usage'),
    service.call('GET', '/v1/verifications/x/status'),
    service.call('GET', '/dashboard/api/me'),
  ])
  for (const { status, json, headers } of answers) {
    assert.ok(status >= 400)
    const link = `<${service.deps.config.baseUrl}/docs/errors/${json.error.code}>; rel="help"`
    assert.equal(headers.link, link)
    assert.ok(CODES.includes(json.error.code))
  }
  assert.equal((await service.call('GET', '/healthz')).headers.link, undefined)
})

test('pages have no inline script or style, their policy allows none, and other paths do not exist', async () => {
  for (const path of ['/docs', '/docs/webhooks', '/docs/api/devices', '/docs/errors/not_found']) {
    const page = await service.call('GET', path)
    assert.doesNotMatch(page.text, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/, path)
    const policy = String(page.headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
    assert.doesNotMatch(policy, /unsafe|\*|https?:/)
    for (const [, file = ''] of page.text.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)) {
      const asset = await service.call('GET', file)
      assert.equal(asset.status, 200, file)
      assert.match(String(asset.headers['cache-control']), /immutable/)
    }
    const again = await service.call('GET', path, { headers: { 'if-none-match': String(page.headers.etag) } })
    assert.equal(again.status, 304)
  }
  const outside = [
    'x',
    'errors/x',
    'api/x',
    'testing',
    'decisions/x',
    'decisions/..%2f..%2fpackage',
    'assets/x.js',
    '../package.json',
  ]
  for (const path of outside) assertRefused(await service.call('GET', `/docs/${path}`), 404, 'not_found')
})

test('every merchant call has samples in five languages, with the address of this service', async () => {
  const document = (await service.call('GET', '/openapi.json')).json
  /** Files for verifiers, and a route of another standard: no client has a method for them. */
  const without = ['getReceipt', 'getReceiptProof']
  const operations = Object.entries(document.paths as Record<string, Record<string, { operationId: string }>>)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([, methods]) => Object.values(methods).map(({ operationId }) => operationId))
  assert.deepEqual(operations.filter((name) => !without.includes(name)).sort(), [...OPERATIONS_WITH_SAMPLES].sort())
  const page = await open('/docs/api/verifications')
  for (const language of ['curl', 'typescript', 'python', 'php', 'go'])
    assert.ok(page.includes(`data-sample="${language}"`))
  assert.ok(page.includes(service.deps.config.baseUrl))
  for (const [, about = ''] of page.matchAll(/<dd>([^<]+)<\/dd>/g)) assert.match(about, /[.:?!]$/)
})

test('the search finds guides, calls and codes, and its index is small', async () => {
  const index = await service.call('GET', '/docs/search.json')
  assert.ok(gzipSync(index.text).length < 68 * 1024, `${gzipSync(index.text).length} bytes`)
  const entries = index.json as {
    url: string
    page: string
    heading: string
  }[]
  for (const url of [
    '/docs/webhooks#verify',
    '/docs/errors/quota_exceeded',
    '/docs/api/verifications#createVerification',
  ])
    assert.ok(
      entries.some((entry) => entry.url === url),
      url,
    )
  for (const { url } of entries) assert.match(url, /^\/docs\//)
})

test('the search knows synonyms and tolerates typos: the right page comes first', async () => {
  const script = new URL('../../src/features/docs/http/assets/find.js', import.meta.url).href
  const { find }: { find(index: unknown, query: string): { url: string }[] } = await import(script)
  const index = (await service.call('GET', '/docs/search.json')).json
  const first = (query: string) => find(index, query).map(({ url }) => url.split('#')[0])
  for (const [query, page] of [
    ['gdpr', '/docs/erasure'],
    ['delete user data', '/docs/erasure'],
    ['idempotncy', '/docs/api'],
    ['localhost webhook', '/docs/webhooks'],
    ['webhok', '/docs/webhooks'],
    ['quota', '/docs/errors/quota_exceeded'],
    ['how do I delete my customers data', '/docs/erasure'],
    ['age verification', '/docs/templates'],
    ['api key', '/docs/api'],
    ['rate limit', '/docs/errors/rate_limit_exceeded'],
    ['qr code', '/docs/hosted-page'],
    ['go live', '/docs/going-live'],
    ['sso keycloak', '/docs/oidc'],
    ['send link by sms', '/docs/links'],
    ['verify webhook signature', '/docs/webhooks'],
    ['postgres backup', '/docs/operating'],
    ['change the logo', '/docs/hosted-page'],
    ['polling', '/docs/results'],
    ['certifcate pdf', '/docs/evidence'],
    ['smtp', '/docs/mail'],
    ['zero knowlege', '/docs/zk-verifier'],
    ['credential_revoked', '/docs/errors/credential_revoked'],
  ] as const)
    assert.equal(first(query)[0], page, `${query}: ${first(query).join(' ')}`)
  const sections = first('webhooks').filter((page) => /\/docs\/(?:typescript|python|php|go)$/.test(page ?? ''))
  assert.ok(sections.length <= 1, `the libraries have the same section: ${sections.join(' ')}`)
  assert.ok(!first('age').includes('/docs/api/usage'), 'a word is not found inside of another')
  assert.deepEqual(first('zzzzqq'), [])
  assert.deepEqual(first(' - '), [])
})

test('the Markdown that the guides use is rendered, and all else stays text', () => {
  const { title, html, headings } = renderMarkdown(
    [
      '# A *title*',
      'Text with `<code>`, **bold `**` words**, *stress*, [a link](x.md#y), [nowhere](z) and <https://example.com/?a&b>.',
      'It goes on.',
      '',
      '<!-- not',
      'shown -->',
      '## One thing',
      '- a',
      '  goes on',
      '- b',
      '',
      '1. first',
      '',
      '   ```ts',
      '   const x = 1',
      '   ```',
      '2. second',
      '',
      '> said',
      '',
      '| a | b |',
      '|---|---|',
      '| `x\\|y` | <b> |',
      '',
      '| a | b | `c` |',
      '|---|---|---|',
      '| `a_long_name_that_does_not_fit` | 2 | 3 |',
      '## One thing',
      '<script>alert(1)</script>',
      '',
      '<div onclick="alert(2)">',
      '*in* <img src=x onerror=alert(3)> https://bare.example',
      '</div>',
      '- [ ] open',
    ].join('\n'),
    (target) => (target.startsWith('x.md') ? '/docs/x#y' : null),
  )
  assert.equal(title, 'A title')
  assert.deepEqual(
    headings.map(({ id }) => id),
    ['one-thing', 'one-thing-1'],
  )
  for (const part of [
    '<code>&#60;code&#62;</code>',
    '<strong>bold <code>**</code> words</strong>',
    '<em>stress</em>',
    '<a href="/docs/x#y">a link</a>, nowhere and <a href="https://example.com/?a&#38;b">',
    'It goes on.</p>',
    '<ul><li>a\ngoes on</li><li>b</li></ul>',
    '<li>second</li></ol>',
    '<pre class="code" tabindex="0" data-language="ts"><code><span class="w">const</span> x = <span class="n">1</span></code></pre>',
    '<blockquote><p>said</p></blockquote>',
    '<td role="cell" data-head="a"><code>x|y</code></td><td role="cell" data-head="b">&#60;b&#62;</td>',
    '<div class="table many"',
    '<td role="cell" data-head="a"><code>a_<wbr>long_<wbr>name_<wbr>that_<wbr>does_<wbr>not_fit</code></td>',
    '<td role="cell" data-head="c">3</td>',
    '<p>&#60;script&#62;alert(1)&#60;/script&#62;</p>',
    '<em>in</em> &#60;img src=x onerror=alert(3)&#62; https://bare.example',
    '<li>☐ open</li>',
  ])
    assert.ok(html.includes(part), `${part}\n${html}`)
  assert.doesNotMatch(html, /shown|<script|<div on|<img|<input/)
})

test('highlighted code stays the same text', () => {
  const plain = (html: string) => html.replace(/<\/?span[^>]*>/g, '')
  for (const [language, code] of [
    ['ts', `const x = 'a' // b\nawait fetch("https://x/y#z")`],
    ['sh', `curl -H 'a: b' https://x/#y # c`],
    ['python', `def f(): return "x" # y`],
    ['json', `{"a": [1, true, null]}`],
    ['', 'const x'],
  ] as const) {
    const html = highlight(code, language)
    assert.equal(
      plain(html),
      code.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`),
      language,
    )
    assert.equal(html.includes('<span'), language !== '')
  }
  assert.doesNotMatch(highlight('curl https://x/#y', 'sh'), /class="c"/)
})

test('links of guides lead to the pages of the files they name', () => {
  assert.equal(addressOfLink('docs/devices.md', 'forgetting.md#x'), '/docs/forgetting#x')
  assert.equal(addressOfLink('sdk/php/README.md', '../../docs/forgetting.md'), '/docs/forgetting')
  assert.equal(addressOfLink('docs/webhooks.md', '../sdk/go/README.md#webhooks'), '/docs/clients/go#webhooks')
  assert.equal(
    addressOfLink('docs/x.md', 'decisions/0018-bounds-at-the-door.md'),
    '/docs/decisions/0018-bounds-at-the-door',
  )
  assert.equal(addressOfLink('docs/x.md', '../SECURITY.md'), null)
  assert.equal(addressOfLink('docs/x.md', '#here'), '#here')
})
