// Tests the Digital Credentials API on a merchant's page of another origin, with Chromium's virtual wallet.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import test from 'node:test'
import type { Frame, Page } from 'playwright-core'
import { addOrigin } from '../../src/features/trust/usecases/origins/manage-origins.ts'
import { listeningService } from '../harness/listening.ts'
import { wholeBrowser } from '../harness/pages/browser.ts'
import { startShopPage } from '../harness/pages/shop-page.ts'
import { assertCount, assertText } from '../harness/pages/shown.ts'
import { answerOffer, offerOf, type VirtualWallet, virtualWallet } from '../harness/pages/virtual-wallet.ts'
import { OPERATOR } from '../harness/service.ts'
import { within } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { type Created, create, read } from '../wallet/verifications.ts'

const service = await listeningService()
const wallet = await testWallet(service)
const tenantId = await service.tenant()
const key = await service.key(tenantId)
const browser = await wholeBrowser()
const shop = await startShopPage(service.base)
const stranger = await startShopPage(service.base)
const { origin } = shop
const listed = await addOrigin(service.deps, { realm: { tenantId, environment: 'test' }, origin, actor: OPERATOR })
assert.equal(listed.outcome, 'added')

const BUTTON = 'vidimus-verify [part~=browser]'
const CODE = 'vidimus-verify img'

const make = (more: object = {}) => create(service, key, { template: 'identity', origin, ...more })
const statusOf = async ({ id }: Created) => (await read(service, key, id)).status
const says = (page: Page | Frame, text: string) => page.locator('vidimus-verify [part=status]', { hasText: text })

async function newPage(): Promise<{ page: Page; platform: VirtualWallet }> {
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
  page.on('pageerror', (error) => assert.fail(error))
  return { page, platform: await virtualWallet(page) }
}

interface Opened {
  readonly created: Created
  readonly page: Page
  readonly platform: VirtualWallet
  readonly offer: unknown
}

async function open(more: object = {}): Promise<Opened> {
  const created = await make(more)
  const { page, platform } = await newPage()
  const offer = await offerOf(page, created.id, () => page.goto(shop.urlOf(created)))
  await page.locator(BUTTON).waitFor()
  return { created, page, platform, offer }
}

/** The element is back at the button, with the other channels unfolded. */
async function assertBack(at: Page | Frame, created: Created): Promise<void> {
  await at.locator('vidimus-verify details[open]').waitFor()
  await at.locator(`${BUTTON}:enabled`).waitFor()
  await at.locator(CODE).waitFor()
  assert.equal(await statusOf(created), 'pending')
}

for (const [protocol, format] of [
  ['openid4vp-v1-signed', 'dc+sd-jwt'],
  ['openid4vp-v1-signed', 'mso_mdoc'],
  ['org-iso-mdoc', 'mso_mdoc'],
] as const)
  test(`the shop's own page asks, and a wallet answers for its origin: ${protocol}, ${format}`, async () => {
    const { created, page, platform, offer } = await open()
    assert.ok(await page.locator(CODE).isVisible(), 'a wide page shows the code for a phone below the button')
    await platform.respond(await answerOffer(wallet, offer, { origin, protocols: [protocol], formats: [format] }))
    await page.click(BUTTON)
    await says(page, 'Details shared').waitFor()
    await page.locator(BUTTON).waitFor({ state: 'hidden' })
    assert.equal(await statusOf(created), 'completed')
    assert.deepEqual(await page.evaluate('window.seen.map(({ status }) => status)'), ['pending', 'completed'])
    await page.context().close()
  })

test("the guide's script tag is enough: the service serves the script, with its integrity hash", async () => {
  const created = await make()
  const { page, platform } = await newPage()
  const guide = await readFile(new URL('../../../docs/browser-wallets.md', import.meta.url), 'utf8')
  const [, tag = ''] = /```html\n(.*?)\n```/s.exec(guide) ?? []
  assert.match(tag, /integrity=/)
  const body = tag
    .replace('https://verify.example.com', service.base)
    .replace('ver_…', created.id)
    .replace('openid4vp://…', created.wallet_uri.replaceAll('&', '&amp;'))
  const offer = await offerOf(page, created.id, () => page.goto(shop.urlOfBody(body)))
  await platform.respond(await answerOffer(wallet, offer, { origin }))
  await page.click(BUTTON)
  await says(page, 'Details shared').waitFor()
  assert.equal(await statusOf(created), 'completed')
  await page.goto(shop.urlOfBody(body.replace('sha384-', 'sha384-A')))
  await assertCount(page.locator('vidimus-verify'), 0)
  await page.context().close()
})

test('after a cancelled request the other channels are shown again; an unreadable answer is reported as a failure', async () => {
  const { created, page, platform, offer } = await open()
  const note = page.locator('vidimus-verify [part=note]')
  await platform.decline()
  await page.click(BUTTON)
  await assertBack(page, created)
  await assertText(note, '')
  await platform.respond({ protocol: 'openid4vp-v1-signed', data: { error: 'access_denied' } })
  await page.click(BUTTON)
  await assertBack(page, created)
  await assertText(note, '')
  await platform.respond(await answerOffer(wallet, offer, { origin, misbehaviour: 'answer_in_clear' }))
  await page.click(BUTTON)
  await note.filter({ hasText: 'did not work' }).waitFor()
  await assertBack(page, created)
  await platform.respond(await answerOffer(wallet, offer, { origin }))
  await page.click(BUTTON)
  await says(page, 'Details shared').waitFor()
  await page.context().close()
})

test('with a redirect_url the page goes there with the response code, unless the shop prevents it', async () => {
  const back = `${origin}/back`
  const { created, page, platform, offer } = await open({ redirect_url: back })
  await platform.respond(await answerOffer(wallet, offer, { origin }))
  await page.click(BUTTON)
  await page.waitForURL(`${back}#response_code=*`)
  const code = new URL(page.url()).hash.replace('#response_code=', '')
  const body = { response_code: code }
  assert.equal((await service.call('POST', `/v1/verifications/${created.id}/redeem`, { key, body })).status, 200)
  await page.context().close()
  const other = await open({ redirect_url: back })
  await other.platform.respond(await answerOffer(wallet, other.offer, { origin }))
  await other.page.evaluate("addEventListener('vidimus-redirect', (event) => event.preventDefault())")
  await other.page.click(BUTTON)
  await says(other.page, 'Details shared').waitFor()
  // The outcome comes by the stream, the redirect address comes with the answer: either may be first.
  const raised = (await other.page.evaluate(`new Promise((done) => {
    const check = () => {
      const found = window.seen.find(({ redirectUri }) => redirectUri !== undefined)
      if (found === undefined) setTimeout(check, 20)
      else done(found.redirectUri)
    }
    check()
  })`)) as string
  assert.match(raised, /\/back#response_code=/)
  assert.equal(other.page.url(), shop.urlOf(other.created))
  await other.page.context().close()
})

test('a page of another origin gets no button, and its posts are refused', async () => {
  const created = await make()
  const { page } = await newPage()
  await page.goto(stranger.urlOf(created))
  await page.locator(CODE).waitFor()
  const offer = (await service.call('GET', `/wallet/dc-api/${created.id}`)).json
  const answer = await answerOffer(wallet, offer, { origin })
  const post = `fetch('${service.base}/wallet/dc-api/${created.id}', { method: 'POST', mode: MODE, body: ${JSON.stringify(JSON.stringify(answer))}, headers: { 'content-type': TYPE } }).then(() => 'sent', () => 'stopped')`
  for (const [mode, type, expected] of [
    ['cors', 'application/json', 'stopped'],
    // Requests that need no preflight are refused when they arrive.
    ['no-cors', 'text/plain', 'sent'],
  ])
    assert.equal(await page.evaluate(post.replace('MODE', `'${mode}'`).replace('TYPE', `'${type}'`)), expected)
  await assert.rejects(answerOffer(wallet, offer, { origin: stranger.origin }), /origin_unexpected/)
  await page.locator(CODE).waitFor()
  await page.locator(BUTTON).waitFor({ state: 'hidden' })
  assert.equal(await statusOf(created), 'pending')
  await page.context().close()
})

test('in a frame the browser asks only if the frame is allowed to', async () => {
  for (const allow of ['', 'digital-credentials-get']) {
    const created = await make()
    const { page, platform } = await newPage()
    const url = stranger.frameOf(shop.urlOf(created), allow)
    const offer = await offerOf(page, created.id, () => page.goto(url))
    const frame = page.frames().find((one) => one.url().startsWith(origin))
    assert.ok(frame !== undefined)
    await frame.locator(BUTTON).waitFor()
    await platform.respond(await answerOffer(wallet, offer, { origin }))
    await frame.click(BUTTON)
    if (allow === '') await assertBack(frame, created)
    else await says(frame, 'Details shared').waitFor()
    assert.equal(await statusOf(created), allow === '' ? 'pending' : 'completed')
    await page.context().close()
  }
})

test("the hosted page of a verification for the shop's origin does not ask the browser, and cannot be framed", async () => {
  const created = await make()
  const { page } = await newPage()
  await page.goto(`${service.base}/verify/${created.id}`, { waitUntil: 'networkidle' })
  await page.locator('svg[role=img]').first().waitFor()
  await assertCount(page.locator('[data-ask]'), 0)
  await page.goto(shop.frameOf(`${service.base}/verify/${created.id}`, 'digital-credentials-get'))
  await assertCount(page.frameLocator('iframe').locator('[data-verification]'), 0)
  await page.context().close()
})

test("of two answers at once, one by the code and one on the shop's page, exactly one wins", async () => {
  const { created, page, platform, offer } = await open()
  await platform.respond(await answerOffer(wallet, offer, { origin }))
  const posted = page.waitForResponse((response) => response.request().method() === 'POST')
  const byCode = Promise.withResolvers<Awaited<ReturnType<typeof wallet.present>>>()
  // The wallet answers at the same time as the page: a page that learns of the answer first sends nothing.
  await page.route('**/wallet/dc-api/**', async (route) => {
    if (route.request().method() === 'POST') byCode.resolve(wallet.present(created.wallet_uri))
    await route.continue()
  })
  await page.click(BUTTON)
  const statuses = [(await within('the wallet answers by code', byCode.promise)).status, (await posted).status()]
  assert.deepEqual(statuses.toSorted(), [200, 409])
  await says(page, 'Details shared').waitFor()
  assert.equal(await statusOf(created), 'completed')
  await page.context().close()
})
