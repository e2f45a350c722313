// Signing in at a client through the OpenID provider: an independent library, a real browser with the hosted page, the test wallet.

import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import test, { after } from 'node:test'
import * as openid from 'openid-client'
import type { Page } from 'playwright-core'
import { testBrowser } from '../harness/browser.ts'
import { listeningService } from '../harness/listening.ts'
import { asking, redeem, relyingParty, signIn, testClient, walletUriOn } from '../harness/openid-client.ts'
import { answerOffer, offerOf, virtualWallet } from '../harness/virtual-wallet.ts'
import { testWallet } from '../harness/wallet.ts'

const service = await listeningService()
const wallet = await testWallet(service)
const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
const rp = await relyingParty()
const browser = await testBrowser()
const shop = await testClient(service, tenant, { redirectUris: [rp.callback] })
const config = await shop.configure()

/** Nothing that passes between client and provider may stand in a log. */
const secrets: string[] = []
after(() => {
  const logged = service.logged.join('\n')
  for (const secret of secrets) assert.ok(!logged.includes(secret), 'a log line holds a secret or a claim')
})

async function open(): Promise<Page> {
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
  page.on('pageerror', (error) => assert.fail(error))
  return page
}

const visitWith = (page: Page, asked: Awaited<ReturnType<typeof asking>>, scenario?: 'declined' | 'untrusted_issuer') =>
  signIn(page, { asked, rp, wallet, ...(scenario === undefined ? {} : { scenario }) })

async function throughBrowser(parameters: Record<string, string> = {}, at = config) {
  const page = await open()
  const asked = await asking(at, rp, parameters)
  const visit = await visitWith(page, asked)
  await page.context().close()
  secrets.push(visit.url.searchParams.get('code') ?? 'none')
  return { asked, visit }
}

test('a sign-in: hosted page, a wallet elsewhere, back with a code; claims in the ID token and by userinfo', async () => {
  const { asked, visit } = await throughBrowser({ scope: 'openid vidimus:identity' })
  assert.equal(visit.url.searchParams.get('iss'), shop.issuer)
  const tokens = await redeem(config, visit, asked)
  const claims = tokens.claims()
  assert.equal(claims?.given_name, 'Vida')
  assert.equal(claims?.acr, 'http://eidas.europa.eu/LoA/high')
  assert.deepEqual(claims?.amr, ['vc'])
  assert.match(String(claims?.sid), /^ver_/)
  const userinfo = await openid.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '')
  assert.equal(userinfo.given_name, 'Vida')
  assert.equal(userinfo.birthdate, claims?.birthdate)
  assert.ok(tokens.refresh_token === undefined)
  secrets.push(tokens.access_token, tokens.id_token ?? 'none', 'Vida', String(claims?.birthdate))
})
