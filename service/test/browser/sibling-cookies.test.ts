// Tests with a real browser that no sibling domain can make it look like the browser that began a sign-in.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import test, { after } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { listeningService } from '../harness/listening.ts'
import { testClient, visit } from '../harness/openid-client.ts'
import { wholeBrowser } from '../harness/pages/browser.ts'
import { once } from '../harness/wait.ts'
import { authorizeUrl, CALLBACK } from '../oidc/callers.ts'
import { makeAuthority } from '../outbound/certificates.ts'

const HOST = 'verify.shop.test'
const authority = await makeAuthority()
/** What the browser sent, byte by byte. */
let sent = Buffer.alloc(0)
let servicePort = 0
const front = createTlsServer({ ...(await authority.issue({ names: [HOST] })) }, (socket) => {
  const inner = connect(servicePort, '127.0.0.1')
  socket.on('data', (bytes: Buffer) => {
    sent = Buffer.concat([sent, bytes])
  })
  socket.pipe(inner).pipe(socket)
  for (const one of [socket, inner]) one.on('error', () => [socket, inner].map((other) => other.destroy()))
})
const port = await listen(front)
const service = await listeningService({ baseUrl: `https://${HOST}:${port}` })
servicePort = Number(new URL(service.base).port)
const browser = await wholeBrowser(['--host-resolver-rules=MAP *.shop.test 127.0.0.1'])

async function listen(server: ReturnType<typeof createServer | typeof createTlsServer>): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return (server.address() as AddressInfo).port
}

test('a sibling domain without TLS, which a network can imitate, plants the cookie of the sign-in that it began', async () => {
  const shop = await testClient(service, await service.tenant(), { redirectUris: [CALLBACK] })
  const url = authorizeUrl(shop)
  const { location, cookies } = await visit(service, url.pathname + url.search)
  const cookie = cookies[0]?.split(';')[0] ?? ''
  assert.match(cookie, /^__Host-vidimus-at-\w+=[\w-]{43}$/)
  const names = { plain: cookie, padded: `\u00a0${cookie}` }
  const sibling = createServer((request, response) => {
    const name = names[request.url === '/padded' ? 'padded' : 'plain']
    response.writeHead(303, {
      'set-cookie': `${name}; Domain=shop.test; Path=/`,
      location: `${service.deps.config.baseUrl}${location}`,
    })
    // Bytes: with a text Node would write the header in UTF-8, too.
    response.end(Buffer.from('Taking you there'))
  })
  const siblingPort = await listen(sibling)
  for (const [path, arrives] of [
    ['/plain', false],
    ['/padded', true],
  ] as const) {
    sent = Buffer.alloc(0)
    const context = await browser.newContext({ locale: 'en-GB', ignoreHTTPSErrors: true })
    const page = await context.newPage()
    const answer = await page.goto(`http://evil.shop.test:${siblingPort}${path}`)
    assert.ok(page.url().startsWith(`https://${HOST}:${port}/verify/`), page.url())
    assert.equal(sent.includes(cookie, 0, 'latin1'), arrives, path)
    assert.equal(answer?.status(), 403, path)
    await page.getByText('This sign-in was started in another browser').waitFor()
    assert.equal(await page.locator('a[href^="openid4vp:"], [data-verification]').count(), 0)
    await context.close()
  }
})
