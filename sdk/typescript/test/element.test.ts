// Tests <vidimus-verify> in a real browser, on a merchant's page with another origin and a strict policy.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { after } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { listeningService } from '../../../service/test/harness/listening.ts'
import { assertAccessible } from '../../../service/test/harness/pages/accessible.ts'
import { testBrowser } from '../../../service/test/harness/pages/browser.ts'
import { once, within } from '../../../service/test/harness/wait.ts'
import { testWallet } from '../../../service/test/harness/wallet.ts'
import { CARD, PAYLOAD } from '../../../service/test/transactions/asking.ts'
import { buildElementScript } from '../../../tools/build-element.ts'
import { elementWords } from '../src/card/words.ts'

const service = await listeningService()
const key = await service.key(await service.tenant())
const wallet = await testWallet(service)
const browser = await testBrowser()
const shop = await startShop()

async function startShop(): Promise<string> {
  const element = await buildElementScript()
  const listen = "window.seen = []; addEventListener('vidimus-status', ({ detail }) => window.seen.push(detail))"
  const server = createServer((request, response) => {
    if (request.url === '/element.js') return response.setHeader('content-type', 'text/javascript').end(element)
    if (request.url === '/page.js') return response.setHeader('content-type', 'text/javascript').end(listen)
    const policy = `default-src 'none'; script-src 'self'; img-src ${service.base}; connect-src ${service.base}`
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy })
    response.end(
      '<!doctype html><html lang="en"><title>Shop</title><script src="/page.js"></script><script src="/element.js"></script><main><h1>Shop</h1></main>',
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function create(): Promise<{ id: string; wallet_uri: string }> {
  return (await service.call('POST', '/v1/verifications', { key, body: { template: 'age_over_18' } })).json
}

interface Shown {
  readonly page: Page
  readonly complaints: string[]
  /** The status of the answer to its event stream. */
  readonly streamed: Promise<number>
}

async function show(attributes: Record<string, string>): Promise<Shown> {
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    // These verifications belong to the hosted page, so the browser reports their offer as refused here.
    const text = `${message.text()} ${message.location().url}`
    if (message.type() === 'error' && !text.includes('/wallet/dc-api/')) complaints.push(text)
  })
  const stream = Promise.withResolvers<number>()
  page.on('response', (response) => {
    if (response.url().endsWith('/events')) stream.resolve(response.status())
  })
  await page.goto(shop)
  await until(page, 'customElements.get("vidimus-verify") !== undefined')
  await page.evaluate(`{
    const element = document.createElement('vidimus-verify')
    for (const [name, value] of ${JSON.stringify(Object.entries(attributes))}) element.setAttribute(name, value)
    document.querySelector('main').append(element)
  }`)
  return { page, complaints, streamed: stream.promise }
}

/** The page's policy forbids polling by `eval`, so the page itself waits. */
const until = (page: Page, condition: string) =>
  within(
    condition,
    page.evaluate(
      `new Promise((done) => { const look = () => (${condition} ? done() : setTimeout(look, 20)); look() })`,
    ),
  )

const seen = async (page: Page) => (await page.evaluate('window.seen.map(({ status }) => status)')) as string[]

test('shows a QR code and a button, waits on a stream, and shows each status', async () => {
  const { id, wallet_uri } = await create()
  const { page, complaints, streamed } = await show({
    'base-url': `${service.base}/`,
    verification: id,
    'wallet-uri': wallet_uri,
  })
  const image = page.locator('vidimus-verify img')
  await image.waitFor()
  await until(page, 'document.querySelector("vidimus-verify").shadowRoot.querySelector("img").naturalWidth > 0')
  assert.equal(await page.locator('vidimus-verify a').getAttribute('href'), wallet_uri)
  assert.match(await page.locator('vidimus-verify [part=status]').innerText(), /Waiting/)
  const card = page.locator('vidimus-verify [part=card]')
  await card.getByText('Confirm to Test tenant that you are 18 or older').waitFor()
  await card.getByText(/^Whether you are 18 or older \(yes\sor\sno\sonly\)$/).waitFor()
  await card.getByText(/also sees what type of ID you used/).waitFor()
  for (const row of ['What your wallet sends for this check', 'Accepted IDs', 'No wallet yet?'])
    await card.getByText(row).waitFor()
  // The stream is on another origin than the page, and opens without an error.
  assert.equal(await within('the stream is answered', streamed), 200)
  await wallet.present(wallet_uri)
  await page.locator('vidimus-verify [part=status]', { hasText: 'Age check complete' }).waitFor()
  assert.ok(!(await image.isVisible()))
  assert.deepEqual(await seen(page), ['pending', 'completed'])
  assert.deepEqual(complaints, [])
  await page.close()
})

test('uses the language of the page, and reports an unknown verification', async () => {
  const { wallet_uri } = await create()
  const { page } = await show({
    'base-url': service.base,
    verification: 'ver_unknown',
    'wallet-uri': wallet_uri,
    lang: 'de-AT',
  })
  await page.locator('vidimus-verify [part=status]', { hasText: 'gibt es nicht mehr' }).waitFor()
  assert.deepEqual(await seen(page), ['unknown'])
  await page.close()
})

test('has six languages, and English for all others', () => {
  const codes = ['de-AT', 'fr', 'it-CH', 'es', 'nl', 'en', 'tlh', ''].map((language) => elementWords(language).code)
  assert.equal(new Set(codes).size, 6)
  assert.deepEqual(codes.slice(5), Array(3).fill('QR code that opens your wallet'))
})

test('shows a payment before it is confirmed, in the language of the page, and is accessible in every state', async () => {
  const payment = { type: 'urn:eudi:sca:payment:1', payload: { ...PAYLOAD, payee: { name: '<b>Shop', id: 'a' } } }
  const { json } = await service.call('POST', '/v1/verifications', {
    key,
    body: { query: { credentials: [CARD] }, transaction: [payment] },
  })
  const attributes = { 'base-url': service.base, verification: json.id, 'wallet-uri': json.wallet_uri, lang: 'de-AT' }
  const { page, streamed } = await show(attributes)
  const card = page.locator('vidimus-verify [part=card]')
  await card.getByRole('heading', { name: /Zahlung an <b>Shop 42,50\s€/ }).waitFor()
  await card.getByText('Referenz: order-4711').waitFor()
  await assertAccessible(page)
  await within('the stream is answered', streamed)
  await wallet.request(json.wallet_uri)
  await page.locator('vidimus-verify [data-step=fetched]').waitFor()
  await card.getByText('Weiter auf Ihrem Smartphone').waitFor()
  await card.getByRole('button', { name: 'Code noch einmal zeigen' }).click()
  await card.getByRole('img').waitFor()
  await assertAccessible(page)
  await page.close()
})

test('shows a reason that reveals nothing to strangers, and a button to retry', async () => {
  for (const [kind, step, title, retry] of [
    ['declined', 'declined', 'Nothing was shared', 'Try again'],
    ['revoked', 'failed', 'We could not confirm your ID', 'Try with another ID'],
  ] as const) {
    const { id, wallet_uri } = await create()
    const { page } = await show({ 'base-url': service.base, verification: id, 'wallet-uri': wallet_uri })
    await page.locator('vidimus-verify h2').waitFor()
    await wallet.present(wallet_uri, kind)
    await page.locator(`vidimus-verify [data-step=${step}]`).getByText(title).waitFor()
    await assertAccessible(page)
    for (const row of ['Accepted IDs', 'No wallet yet?']) await page.locator('vidimus-verify').getByText(row).waitFor()
    assert.doesNotMatch((await service.call('GET', `/verify/${id}/card?lang=en`)).text, /revoked/)
    await page.evaluate(`addEventListener('vidimus-retry', (event) => {
      event.preventDefault()
      window.retried = event.detail.id
    })`)
    await page.locator('vidimus-verify').getByRole('button', { name: retry }).press('Enter')
    assert.equal(await page.evaluate('window.retried'), id)
    // Without a handler of the page, the element reloads the page.
    const another = await show({ 'base-url': service.base, verification: id, 'wallet-uri': wallet_uri })
    const loaded = another.page.waitForEvent('load')
    await another.page.locator('vidimus-verify').getByRole('button', { name: 'Try again' }).click()
    await loaded
    for (const one of [page, another.page]) await one.close()
  }
})

test('shows the time left near the end; cancelling stops the request and notifies the page', async () => {
  const { id, wallet_uri } = await create()
  service.clock.advance(200_000)
  const { page } = await show({ 'base-url': service.base, verification: id, 'wallet-uri': wallet_uri })
  const card = page.locator('vidimus-verify [part=card]')
  await card.getByText(/^Time left: 1:\d\d$/).waitFor()
  const left = `new Promise((done) => addEventListener('vidimus-cancel', ({ detail }) => done(detail.id)))`
  const [reported] = await Promise.all([page.evaluate(left), card.getByRole('button', { name: 'Cancel' }).click()])
  assert.equal(reported, id)
  await page.locator('vidimus-verify [data-step=cancelled]').getByText('You left this request').waitFor()
  await assertAccessible(page)
  await wallet.present(wallet_uri)
  await card.getByRole('button', { name: 'Try again' }).waitFor()
  assert.deepEqual(await seen(page), ['pending'])
  await page.close()
})

test('serves the card to any page, but not if a browser holds the verification or it is unknown', async () => {
  const { id } = await create()
  const path = `/verify/${id}/card?lang=nl`
  const { status, json, headers } = await service.call('GET', path)
  assert.equal(status, 200)
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(json.heading, 'Bevestig aan Test tenant dat u 18 jaar of ouder bent')
  assert.deepEqual(json.receives.items, ['Of u 18 jaar of ouder bent (alleen\u00a0ja\u00a0of\u00a0nee)'])
  const page = await browser.newPage()
  const holding = page.waitForResponse((response) => response.url().endsWith('/hold'))
  await page.goto(`${service.base}/verify/${id}`)
  await holding
  assert.equal((await service.call('GET', path)).json.error.code, 'session_mismatch')
  assert.equal((await service.call('GET', '/verify/ver_x/card')).json.error.code, 'session_not_found')
  await page.close()
})

test('the script stays small', async () => {
  assert.ok(gzipSync(await buildElementScript()).length <= 9 * 1024)
})

test('stops polling when it is removed from the page', async () => {
  const { id, wallet_uri } = await create()
  const { page } = await show({ 'base-url': service.base, verification: id, 'wallet-uri': wallet_uri })
  await page.locator('vidimus-verify a').waitFor()
  await page.evaluate('document.querySelector("vidimus-verify").remove()')
  await wallet.present(wallet_uri)
  // After the element is inserted again, it starts over and reports the end once.
  await page.evaluate(`{
    const element = document.createElement('vidimus-verify')
    element.setAttribute('base-url', ${JSON.stringify(service.base)})
    element.setAttribute('verification', ${JSON.stringify(id)})
    element.setAttribute('wallet-uri', ${JSON.stringify(wallet_uri)})
    document.querySelector('main').append(element)
  }`)
  await until(page, 'window.seen.some(({ status }) => status === "completed")')
  assert.equal((await seen(page)).filter((status) => status === 'completed').length, 1)
  await page.close()
})

test('never renders a link that would run a script', async () => {
  const { id } = await create()
  const { page, complaints } = await show({
    'base-url': service.base,
    verification: id,
    'wallet-uri': 'javascript:alert(1)',
  })
  assert.equal(await page.locator('vidimus-verify a').count(), 0)
  assert.match(complaints.join(), /openid4vp/)
  await page.close()
})

test('the service sends the image of a QR code as SVG while the verification is pending, and refuses it afterwards', async () => {
  const { id, wallet_uri } = await create()
  const drawn = await service.call('GET', `/verify/${id}/qr.svg`)
  assert.equal(drawn.status, 200)
  assert.match(String(drawn.headers['content-type']), /^image\/svg\+xml/)
  assert.match(drawn.text, /^<svg/)
  assert.equal(drawn.headers['cache-control'], 'no-store')
  await wallet.present(wallet_uri)
  assert.equal((await service.call('GET', `/verify/${id}/qr.svg`)).json.error.code, 'session_already_responded')
  const other = await create()
  service.clock.advance(301_000)
  assert.equal((await service.call('GET', `/verify/${other.id}/qr.svg`)).json.error.code, 'session_expired')
  assert.equal((await service.call('GET', '/verify/ver_x/qr.svg')).json.error.code, 'session_not_found')
})
