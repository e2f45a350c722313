// Tests examples/sign-in and the recipes of docs/oidc.md against a running service.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import * as openid from 'openid-client'
import { createShop } from '../../../examples/sign-in/shop.ts'
import { listeningService } from '../harness/listening.ts'
import { codeOnPhone, testClient, typeCode, walletUriOn } from '../harness/openid-client.ts'
import { testBrowser } from '../harness/pages/browser.ts'
import { once } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'

const service = await listeningService()
const wallet = await testWallet(service)
const tenant = await service.tenant({ name: 'Wine shop' })
const server = createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
const address = `http://localhost:${(server.address() as AddressInfo).port}`
const { issuer, client, secret } = await testClient(service, tenant, {
  redirectUris: [`${address}/callback`],
  templates: ['age_over_18'],
  defaultTemplate: null,
  claimsInIdToken: false,
})
const clockSkew = Math.round((service.clock.now() - Date.now()) / 1000)
server.on('request', await createShop({ address, issuer, clientId: client.id, clientSecret: secret ?? '', clockSkew }))
after(() => {
  server.close()
  server.closeAllConnections()
})

test('sells a bottle after a sign-in, but not after a decline', async () => {
  const page = await (await testBrowser()).newPage()
  for (const [scenario, expected] of [
    ['good', /Sold/],
    ['declined', /there is no wine/],
  ] as const) {
    await page.goto(address)
    await page.click('a')
    const { redirectUri } = await wallet.present(await walletUriOn(page), scenario)
    // The phone shows a code, and the person types it where the sign-in began.
    if (scenario === 'good') await typeCode(page, await codeOnPhone(String(redirectUri)))
    await page.waitForURL((url) => url.href.startsWith(`${address}/callback`))
    assert.match(await page.innerText('p'), expected)
  }
  assert.match(await (await fetch(`${address}/callback?code=x&state=y`)).text(), /begin again/)
})

test("the Keycloak realm names the provider's endpoints, in the members that Keycloak's import reads", async () => {
  const text = await readFile(new URL('../../../examples/keycloak/vidimus-realm.json', import.meta.url), 'utf8')
  const realm = JSON.parse(text.replaceAll(`\${VIDIMUS_ISSUER}`, issuer))
  const [provider] = realm.identityProviders
  const found = await openid.discovery(new URL(issuer), client.id, undefined, undefined, {
    execute: [openid.allowInsecureRequests],
  })
  const metadata = found.serverMetadata()
  assert.deepEqual(
    [provider.config.authorizationUrl, provider.config.tokenUrl, provider.config.userInfoUrl, provider.config.jwksUrl],
    [metadata.authorization_endpoint, metadata.token_endpoint, metadata.userinfo_endpoint, metadata.jwks_uri],
  )
  assert.equal(provider.providerId, 'oidc')
  assert.ok(metadata.token_endpoint_auth_methods_supported?.includes(provider.config.clientAuthMethod))
  // The import reads every value of these maps as a text.
  for (const { config } of [provider, ...realm.identityProviderMappers])
    for (const value of Object.values(config)) assert.equal(typeof value, 'string')
  for (const mapper of realm.identityProviderMappers) assert.equal(mapper.identityProviderAlias, provider.alias)
})
