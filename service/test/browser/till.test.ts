// Tests the till in a real browser, from pairing to the answer; the test wallet reads the code on the screen.

import assert from 'node:assert/strict'
import test from 'node:test'
import { pairDevice, registerDevice } from '../harness/devices.ts'
import { listeningService } from '../harness/listening.ts'
import { assertAccessible } from '../harness/pages/accessible.ts'
import { testBrowser } from '../harness/pages/browser.ts'
import { assertText } from '../harness/pages/shown.ts'
import { askUntilAnswered, close, outcome, readCode, stopTime, TEMPLATES, tillsOf } from '../harness/pages/till.ts'
import { testWallet } from '../harness/wallet.ts'

const service = await listeningService()
const wallet = await testWallet(service)
const key = await service.key(await service.tenant())
const tills = tillsOf(service, await testBrowser(), key)

test('a till goes from the pairing code to yes, and back to the choices', async () => {
  const { json } = await registerDevice(service, key, { name: 'Bar 3', templates: TEMPLATES })
  const till = await tills.open({ clock: true })
  const { page } = till
  await assertAccessible(page)
  await page.fill('#code', 'VD-0000-0000')
  await page.click('button[type=submit]')
  await assertText(page.locator('.notice').first(), /not valid/)
  await assertAccessible(page)
  await page.fill('#code', json.pairing_code.toLowerCase().replaceAll('-', ' '))
  await page.press('#code', 'Enter')
  await page.waitForSelector('.choices')
  await assertText(page.locator('#device').first(), 'Test tenant · Bar 3')
  assert.deepEqual(await page.locator('.choices button').allInnerTexts(), ['18 or older?', 'Identity'])
  await assertAccessible(page)

  await page.tap('[data-template=age_over_18]')
  const walletUri = await readCode(page)
  assert.match(walletUri, /^openid4vp:\/\//)
  await assertText(page.locator('#time').first(), /^Time left: (5:00|4:\d\d)$/)
  await assertAccessible(page)
  await stopTime(page)
  await wallet.present(walletUri)
  await askUntilAnswered(page)
  const answer = await outcome(page)
  assert.equal(answer.kind, 'yes')
  assert.match(answer.text, /^Yes\s+18 or older\?\s+Next$/)
  await assertText(page.locator('#live').first(), 'Yes')
  await assertAccessible(page)
  await page.tap('text=Next')
  await page.waitForSelector('.choices')
  await close(till)
})

test('a refusal and a forgery are not proven, each with its reason, and neither looks like too young', async () => {
  const till = await tills.paired({ clock: true })
  await stopTime(till.page)
  for (const [scenario, pattern] of [
    ['declined', /^Not proven\s+18 or older\?\s+The person declined/],
    ['tampered', /is not genuine/],
    ['untrusted', /issuer of this document is not trusted/],
  ] as const) {
    await till.page.tap('[data-template=age_over_18]')
    await wallet.present(await readCode(till.page), scenario)
    await askUntilAnswered(till.page)
    const answer = await outcome(till.page)
    assert.equal(answer.kind, 'unproven', scenario)
    assert.match(answer.text, pattern)
    await assertAccessible(till.page)
    await till.page.tap('text=Next')
  }
  await close(till)
})

test('an identity check shows only what the template asks for, and stores nothing', async () => {
  const till = await tills.paired({ dark: true })
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

test('the till returns to the choices by itself', async () => {
  const till = await tills.paired({ clock: true })
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

test('after a reload the till shows the code, and the answer, again', async () => {
  const till = await tills.paired()
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

test('after one visit the till opens without a network, says so, and continues when the network is back', async () => {
  const till = await tills.paired()
  const { page, context } = till
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  await context.setOffline(true)
  await page.reload()
  await page.waitForSelector('.choices')
  await page.tap('[data-template=age_over_18]')
  await page.waitForSelector('.notice')
  await assertText(page.locator('.notice').first(), /Try again in a moment/)
  await page.locator('#connection').first().waitFor()
  await context.setOffline(false)
  // The choices are drawn again when the connection is back: a tap before that could be lost.
  await page.locator('#connection').waitFor({ state: 'hidden' })
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

test('files of an earlier build are deleted once there is a new one', async () => {
  const till = await tills.paired()
  const { page } = till
  const address = page.url()
  await page.evaluate(async () => (await navigator.serviceWorker.ready).unregister())
  // A worker ends only after its last page. While a page is open, its worker would be reused, and none installed.
  await page.goto(`${new URL(address).origin}/docs`)
  await page.waitForFunction(async () => (await navigator.serviceWorker.getRegistrations()).length === 0)
  await page.evaluate(async () => {
    for (const name of ['vidimus-till', 'vidimus-till-0123456789abcdef', 'of-somebody-else'])
      await (await caches.open(name)).put('/till/assets/earlier.js', new Response(''))
  })
  await page.goto(address)
  // A worker that is not activated yet may still be deleting files.
  await page.waitForFunction(async () => (await navigator.serviceWorker.ready).active?.state === 'activated')
  const kept = await page.evaluate(async () => {
    const names = (await caches.keys()).sort()
    const addresses = (await (await caches.open(names.at(-1) ?? '')).keys()).map(({ url }) => new URL(url).pathname)
    return { names, addresses }
  })
  assert.equal(kept.names.length, 2)
  assert.equal(kept.names[0], 'of-somebody-else')
  assert.match(kept.names[1] ?? '', /^vidimus-till-[0-9a-f]{16}$/)
  assert.ok(kept.addresses.includes('/till'))
  assert.ok(kept.addresses.every((path) => path === '/till' || path.startsWith('/till/')))
  assert.ok(!kept.addresses.includes('/till/assets/earlier.js'))
  await close(till)
})

test('a revoked till says so, deletes its tokens and can be paired again', async () => {
  const till = await tills.paired()
  await service.call('DELETE', `/v1/devices/${till.deviceId}`, { key })
  await till.page.tap('[data-template=age_over_18]')
  await till.page.waitForSelector('.notice')
  await assertText(till.page.locator('.notice').first(), /revoked/)
  assert.equal(await till.page.evaluate(() => localStorage.getItem('vidimus.till.pair')), null)
  const { json } = await registerDevice(service, key)
  await till.page.fill('#code', json.pairing_code)
  await till.page.click('button[type=submit]')
  await till.page.waitForSelector('.choices')
  await close(till)
})

test('a till that is revoked while it waits closes the code', async () => {
  const till = await tills.paired()
  await till.page.tap('[data-template=age_over_18]')
  const walletUri = await readCode(till.page)
  await service.call('DELETE', `/v1/devices/${till.deviceId}`, { key })
  await assert.rejects(wallet.present(walletUri), 'its pending verifications were cancelled')
  await till.page.waitForSelector('.notice')
  await assertText(till.page.locator('.notice').first(), /revoked/)
  await close(till)
})

test('an answer is not lost if the service is busy when it is read', async () => {
  const till = await tills.paired()
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
  const till = await tills.open({ hash: `#${json.pairing_code}` })
  assert.equal(await till.page.inputValue('#code'), json.pairing_code)
  assert.equal(new URL(till.page.url()).hash, '')
  await close(till)
})

test('the till speaks German, and keeps a chosen language', async () => {
  const till = await tills.open({ locale: 'de-DE', dark: true })
  assert.equal(await till.page.getAttribute('html', 'lang'), 'de')
  await assertText(till.page.locator('h1').first(), 'Diese Kasse koppeln')
  await assertAccessible(till.page)
  await till.page.selectOption('#language', 'en')
  await assertText(till.page.locator('h1').first(), 'Pair this till')
  await till.page.reload()
  await assertText(till.page.locator('h1').first(), 'Pair this till')
  await close(till)
})

test('every button is large enough for a thumb', async () => {
  const till = await tills.paired()
  const heights = await till.page
    .locator('button:visible, select:visible, summary:visible')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
  assert.ok(heights.length >= 4)
  for (const height of heights) assert.ok(height >= 48, `${height}px`)
  await close(till)
})

test("an API device and the till are separate devices: neither sees the other's verifications", async () => {
  const device = await pairDevice(service, key)
  const till = await tills.paired()
  await till.page.tap('[data-template=age_over_18]')
  await readCode(till.page)
  const list = await service.call('GET', '/v1/verifications', { key: device.accessToken })
  assert.deepEqual(list.json.data, [])
  await close(till)
})
