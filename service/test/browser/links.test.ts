// Tests that a person opens a link, presses its button and answers until it is used up, with and without scripts.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { listeningService } from '../harness/listening.ts'
import { assertAccessible } from '../harness/pages/accessible.ts'
import { testBrowser } from '../harness/pages/browser.ts'
import { delayAnswers } from '../harness/pages/slow.ts'
import { testWallet } from '../harness/wallet.ts'
import { read } from '../wallet/verifications.ts'

const service = await listeningService()
const wallet = await testWallet(service)
const key = await service.key(await service.tenant({ name: 'Grünhof' }))
const browser = await testBrowser()

async function makeLink(body: object = {}): Promise<{ id: string; url: string }> {
  const request = { template: 'age_over_18', purpose: 'To sell you wine', ...body }
  const answer = await service.call('POST', '/v1/links', { key, body: request })
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}

const LOOKS: readonly [string, BrowserContextOptions][] = [
  ['wide, light, en', { locale: 'en-GB' }],
  ['phone, dark, de', { locale: 'de-DE', viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
]

for (const [name, look] of LOOKS)
  test(`a link is opened, pressed, answered, and used up: ${name}`, async () => {
    const { id, url } = await makeLink()
    const context = await browser.newContext(look)
    const page = await context.newPage()
    page.on('pageerror', (error) => assert.fail(error))
    await page.goto(url)
    await assertAccessible(page)
    assert.match(await page.innerText('main'), /Grünhof/)
    await page.click('button[type=submit]')
    await page.waitForURL(/\/verify\/ver_/)
    const created = /ver_\w+/.exec(page.url())?.[0] ?? ''
    await page.waitForSelector('[data-waiting]:visible')
    // Opening the link again before the answer leads to the same verification.
    await page.goto(url)
    assert.match(page.url(), new RegExp(created))
    await wallet.present((await read(service, key, created)).wallet_uri)
    await page.waitForSelector('[data-show=completed]:visible')
    const opened = await page.goto(url)
    assert.equal(opened?.status(), 410)
    assert.match(await page.innerText('h1'), /has been used|schon benutzt/)
    await assertAccessible(page)
    const { opened: uses, completed, state } = (await service.call('GET', `/v1/links/${id}`, { key })).json
    assert.deepEqual([uses, completed, state], [1, 1, 'used_up'])
    await context.close()
  })

test('a double click on the button uses a link with one use once, and leads to its page', async () => {
  const { id, url } = await makeLink()
  const context = await browser.newContext({ locale: 'en-GB' })
  const page = await context.newPage()
  await page.goto(url)
  await delayAnswers(page, 300)
  await page.dblclick('button[type=submit]', { delay: 40, noWaitAfter: true })
  await page.waitForURL(/\/verify\/ver_/)
  await page.waitForSelector('[data-waiting]:visible')
  assert.equal((await service.call('GET', `/v1/links/${id}`, { key })).json.opened, 1)
  await context.close()
})

test('a browser that lost the cookie of the page stays on it, and its second press works', async () => {
  const { id, url } = await makeLink()
  const context = await browser.newContext({ locale: 'en-GB' })
  const page = await context.newPage()
  await page.goto(url)
  await context.clearCookies()
  await page.click('button[type=submit]')
  await page.getByText('Press the button again').waitFor()
  await assertAccessible(page)
  assert.equal((await service.call('GET', `/v1/links/${id}`, { key })).json.opened, 0)
  await page.click('button[type=submit]')
  await page.waitForURL(/\/verify\/ver_/)
  assert.equal((await service.call('GET', `/v1/links/${id}`, { key })).json.opened, 1)
  await context.close()
})

test('the button works without scripts, and the pages of links that cannot be opened are accessible', async () => {
  const context = await browser.newContext({ locale: 'en-GB', javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto((await makeLink()).url)
  await page.click('button[type=submit]')
  await page.waitForURL(/\/verify\/ver_/)
  assert.match(await page.innerText('main'), /Grünhof/)
  await context.close()

  const scripted = await browser.newContext({ locale: 'en-GB' })
  const other = await scripted.newPage()
  const later = new Date(service.clock.now() + 3_600_000).toISOString()
  const revoked = await makeLink()
  await service.call('DELETE', `/v1/links/${revoked.id}`, { key })
  for (const url of [(await makeLink({ starts_at: later })).url, revoked.url, `${service.base}/l/unknown`]) {
    await other.goto(url)
    await assertAccessible(other)
  }
  await scripted.close()
})
