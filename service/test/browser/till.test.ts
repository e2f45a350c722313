// The till in a real browser, from pairing to the answer, with the test wallet reading the code off the screen.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { assertAccessible } from '../harness/accessible.ts'
import { testBrowser } from '../harness/browser.ts'
import { pairDevice, registerDevice } from '../harness/devices.ts'
import { listeningService } from '../harness/listening.ts'
import { testWallet } from '../harness/wallet.ts'

const service = await listeningService()
const wallet = await testWallet(service)
const key = await service.key(await service.tenant())
const browser = await testBrowser()
const TEMPLATES = ['age_over_18', 'identity']

interface Till {
  readonly page: Page
  readonly context: BrowserContext
  readonly deviceId: string
  readonly complaints: readonly string[]
}

async function openTill(options: { locale?: string; dark?: boolean; hash?: string; clock?: boolean } = {}) {
  const context = await browser.newContext({
    locale: options.locale ?? 'en-GB',
    colorScheme: options.dark === true ? 'dark' : 'light',
    viewport: { width: 820, height: 1180 },
    hasTouch: true,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) complaints.push(message.text())
  })
  if (options.clock === true) await page.clock.install()
  await page.goto(`${service.base}/till${options.hash ?? ''}`)
  await page.waitForSelector('h1')
  return { page, context, complaints }
}

async function pairedTill(
  options: Parameters<typeof openTill>[0] & { templates?: readonly string[] } = {},
): Promise<Till> {
  const { json } = await registerDevice(service, key, { name: 'Bar 3', templates: options.templates ?? TEMPLATES })
  const opened = await openTill(options)
  await opened.page.fill('#code', json.pairing_code)
  await opened.page.click('button[type=submit]')
  await opened.page.waitForSelector('.choices')
  return { ...opened, deviceId: json.device.id }
}

async function close({ context, complaints }: Pick<Till, 'context' | 'complaints'>): Promise<void> {
  await context.close()
  assert.deepEqual(complaints, [])
}

/** What a phone's camera would read. */
async function readCode(page: Page): Promise<string> {
  await page.waitForSelector('.code svg')
  const { side, dark } = await page.evaluate(async () => {
    const svg = document.querySelector('.code svg')?.cloneNode(true) as SVGSVGElement
    const size = svg.viewBox.baseVal.width * 4
    svg.setAttribute('width', String(size))
    svg.setAttribute('height', String(size))
    const image = new Image()
    image.src = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(svg)], { type: 'image/svg+xml' }))
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = size
    canvas.height = size
    const context = canvas.getContext('2d')
    if (context === null) throw new Error('no canvas')
    context.fillStyle = '#fff'
    context.fillRect(0, 0, size, size)
    context.drawImage(image, 0, 0)
    const { data } = context.getImageData(0, 0, size, size)
    let text = ''
    for (let at = 0; at < data.length; at += 4) text += (data[at] ?? 255) < 128 ? '1' : '0'
    return { side: size, dark: text }
  })
  const data = new Uint8ClampedArray(side * side * 4).fill(255)
  for (const { index } of dark.matchAll(/1/g)) data.fill(0, index * 4, index * 4 + 3)
  return decodeQR({ width: side, height: side, data })
}

/** Read in one go: an answer does not stay for long. */
const outcome = async (page: Page): Promise<{ kind: string; text: string }> => {
  const shown = await page.waitForFunction(() => {
    const kind = document.querySelector('[data-outcome]')?.getAttribute('data-outcome')
    return kind ? { kind, text: document.querySelector('main')?.innerText ?? '' } : null
  })
  const read = await shown.jsonValue()
  assert.ok(read !== null)
  return read
}

/** From here on the page's time moves only where the test says so: no answer goes while it is being looked at. */
async function stopTime(page: Page): Promise<void> {
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 30_000)
}

/** Lets the till ask again until it has the answer; a step is spent in vain at most once after that. */
async function askUntilAnswered(page: Page): Promise<void> {
  for (let step = 0; step < 30; step += 1) {
    await page.clock.runFor(1_500)
    const answered = page.waitForSelector('[data-outcome]', { timeout: 1_000 })
    if (await answered.then(Boolean, () => false)) return
  }
  assert.fail('the till does not show the answer')
}

test('from the pairing code to yes, and back', async () => {
  const { json } = await registerDevice(service, key, { name: 'Bar 3', templates: TEMPLATES })
  const till = await openTill({ clock: true })
  const { page } = till
  await assertAccessible(page)
  await page.fill('#code', 'VD-0000-0000')
  await page.click('button[type=submit]')
  assert.match(await page.innerText('.notice'), /not valid/)
  await assertAccessible(page)
  await page.fill('#code', json.pairing_code.toLowerCase().replaceAll('-', ' '))
  await page.press('#code', 'Enter')
  await page.waitForSelector('.choices')
  assert.equal(await page.innerText('#device'), 'Bar 3')
  assert.deepEqual(await page.locator('.choices button').allInnerTexts(), ['18 or older?', 'Identity'])
  await assertAccessible(page)

  await page.tap('[data-template=age_over_18]')
  const walletUri = await readCode(page)
  assert.match(walletUri, /^openid4vp:\/\//)
  assert.match(await page.innerText('#time'), /^[45]:\d\d left$/)
  await assertAccessible(page)
  await stopTime(page)
  await wallet.present(walletUri)
  await askUntilAnswered(page)
  const answer = await outcome(page)
  assert.equal(answer.kind, 'yes')
  assert.match(answer.text, /^Yes\s+18 or older\?\s+Next$/)
  assert.equal(await page.innerText('#live'), 'Yes')
  await assertAccessible(page)
  await page.tap('text=Next')
  await page.waitForSelector('.choices')
  await close(till)
})

test('a refusal and a forgery are both no, with the reason', async () => {
  const till = await pairedTill()
  for (const [scenario, pattern] of [
    ['declined', /^No\s+18 or older\?\s+The holder declined/],
    ['tampered', /could not be accepted/],
    ['untrusted', /could not be accepted/],
  ] as const) {
    await till.page.tap('[data-template=age_over_18]')
    await wallet.present(await readCode(till.page), scenario)
    const answer = await outcome(till.page)
    assert.equal(answer.kind, 'no', scenario)
    assert.match(answer.text, pattern)
    await till.page.tap('text=Next')
  }
  await close(till)
})

test('an identity check shows what the template asks for and nothing else, and keeps nothing', async () => {
  const till = await pairedTill({ dark: true })
  await till.page.tap('[data-template=identity]')
  await wallet.present(await readCode(till.page))
  assert.equal((await outcome(till.page)).kind, 'yes')
  assert.deepEqual(await till.page.locator('dt').allInnerTexts(), ['Given name', 'Family name', 'Date of birth'])
  const names = await till.page.locator('dd').allInnerTexts()
  await assertAccessible(till.page)
  const kept = await till.page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))
  for (const name of names) assert.ok(!kept.includes(name))
  await close(till)
})

test('it goes back by itself', async () => {
  const till = await pairedTill({ clock: true })
  await till.page.tap('[data-template=age_over_18]')
  const walletUri = await readCode(till.page)
  await stopTime(till.page)
  await wallet.present(walletUri)
  await askUntilAnswered(till.page)
  await till.page.clock.runFor(8_000)
  assert.equal((await outcome(till.page)).kind, 'yes')
  await till.page.clock.runFor(3_000)
  await till.page.waitForSelector('.choices')
  assert.equal(await till.page.evaluate(() => localStorage.getItem('vidimus.till.current')), null)
  await close(till)
})

test('a reload finds the code again, and the answer', async () => {
  const till = await pairedTill()
  await till.page.tap('[data-template=age_over_18]')
  const before = await readCode(till.page)
  await till.page.reload()
  assert.equal(await readCode(till.page), before)
  await wallet.present(before)
  assert.equal((await outcome(till.page)).kind, 'yes')
  await till.page.reload()
  assert.equal((await outcome(till.page)).kind, 'yes')
  await close(till)
})

test('without a network it opens, says so, and goes on when the network is back', async () => {
  const till = await pairedTill()
  const { page, context } = till
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  await page.reload()
  await page.waitForSelector('.choices')
  await context.setOffline(true)
  await page.reload()
  await page.waitForSelector('.choices')
  await page.tap('[data-template=age_over_18]')
  await page.waitForSelector('.notice')
  assert.match(await page.innerText('.notice'), /No connection/)
  assert.ok(await page.isVisible('#connection'))
  await context.setOffline(false)
  await page.tap('[data-template=age_over_18]')
  const walletUri = await readCode(page)
  await context.setOffline(true)
  await wallet.present(walletUri)
  await page.waitForSelector('#connection:visible')
  await context.setOffline(false)
  assert.equal((await outcome(page)).kind, 'yes')
  assert.ok(await page.isHidden('#connection'))
  await close(till)
})

test('a revoked till says so, forgets its tokens and can be paired again', async () => {
  const till = await pairedTill()
  await service.call('DELETE', `/v1/devices/${till.deviceId}`, { key })
  await till.page.tap('[data-template=age_over_18]')
  await till.page.waitForSelector('.notice')
  assert.match(await till.page.innerText('.notice'), /revoked/)
  assert.equal(await till.page.evaluate(() => localStorage.getItem('vidimus.till.pair')), null)
  const { json } = await registerDevice(service, key)
  await till.page.fill('#code', json.pairing_code)
  await till.page.click('button[type=submit]')
  await till.page.waitForSelector('.choices')
  await close(till)
})

test('a till that is revoked while it waits leaves the code', async () => {
  const till = await pairedTill()
  await till.page.tap('[data-template=age_over_18]')
  const walletUri = await readCode(till.page)
  await service.call('DELETE', `/v1/devices/${till.deviceId}`, { key })
  await wallet.present(walletUri)
  await till.page.waitForSelector('.notice')
  assert.match(await till.page.innerText('.notice'), /revoked/)
  await close(till)
})

test('an answer is not lost because the service was busy when it was read', async () => {
  const till = await pairedTill()
  await till.page.tap('[data-template=age_over_18]')
  const walletUri = await readCode(till.page)
  let busy = 2
  await till.page.route(/\/v1\/verifications\/ver_\w+$/, (route) => {
    busy -= 1
    const body = JSON.stringify({ error: { code: 'unavailable', message: 'busy' } })
    return busy < 0 ? route.fallback() : route.fulfill({ status: 503, contentType: 'application/json', body })
  })
  await wallet.present(walletUri)
  assert.equal((await outcome(till.page)).kind, 'yes')
  await close(till)
})

test('a link with the code fills it in, and the code leaves the address', async () => {
  const { json } = await registerDevice(service, key)
  const till = await openTill({ hash: `#${json.pairing_code}` })
  assert.equal(await till.page.inputValue('#code'), json.pairing_code)
  assert.equal(new URL(till.page.url()).hash, '')
  await close(till)
})

test('it speaks German, and what was chosen stays chosen', async () => {
  const till = await openTill({ locale: 'de-DE', dark: true })
  assert.equal(await till.page.getAttribute('html', 'lang'), 'de')
  assert.equal(await till.page.innerText('h1'), 'Diese Kasse koppeln')
  await assertAccessible(till.page)
  await till.page.click('#language')
  assert.equal(await till.page.innerText('h1'), 'Pair this till')
  await till.page.reload()
  assert.equal(await till.page.innerText('h1'), 'Pair this till')
  await close(till)
})

test('every target is large enough for a thumb', async () => {
  const till = await pairedTill()
  const heights = await till.page
    .locator('button')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
  for (const height of heights) assert.ok(height >= 48, `${height}px`)
  await close(till)
})

test('an API device and the till are the same kind of thing: tokens of one never show in the other', async () => {
  const device = await pairDevice(service, key)
  const till = await pairedTill()
  await till.page.tap('[data-template=age_over_18]')
  await readCode(till.page)
  const list = await service.call('GET', '/v1/verifications', { key: device.accessToken })
  assert.deepEqual(list.json.data, [])
  await close(till)
})
