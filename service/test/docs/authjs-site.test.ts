// Tests examples/authjs against a running service: a browser signs in.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, mock, test } from 'node:test'
import { createSite } from '../../../examples/authjs/site.ts'
import { listeningService } from '../harness/listening.ts'
import { codeOnPhone, testClient, typeCode, walletUriOn } from '../harness/openid-client.ts'
import { testBrowser } from '../harness/pages/browser.ts'
import { once } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'

const service = await listeningService()
const wallet = await testWallet(service)
const tenant = await service.tenant({ name: 'Wine shop' })
const browser = await testBrowser()
const server = createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
const address = `http://localhost:${(server.address() as AddressInfo).port}`
const { issuer, client, secret } = await testClient(service, tenant, {
  redirectUris: [`${address}/api/auth/callback/vidimus`],
  templates: ['identity'],
})
// The library compares times, and the service under test has its own clock.
mock.timers.enable({ apis: ['Date'], now: service.clock.now() })
const options = { address, issuer, clientId: client.id, clientSecret: secret ?? '', secret: 'of the site in this test' }
server.on('request', createSite(options))
after(() => {
  server.close()
  server.closeAllConnections()
})

test('a person signs in and is greeted by name; one who declines is not signed in', async () => {
  for (const scenario of ['declined', 'good'] as const) {
    const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
    await page.goto(address)
    await page.click('a')
    await page.click('button[type=submit]')
    const { redirectUri } = await wallet.present(await walletUriOn(page), scenario)
    // The phone shows a code, and the person types it where the sign-in began.
    if (scenario === 'good') await typeCode(page, await codeOnPhone(String(redirectUri)))
    await page.waitForURL((url) => url.href.startsWith(address))
    await page.goto(address)
    assert.match(await page.innerText('p'), scenario === 'good' ? /Welcome, Vida Specimen/ : /Sign in/)
    await page.context().close()
  }
})
