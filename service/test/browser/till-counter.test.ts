// Tests the till on a counter: kiosk mode with its PIN, sound, the last ten answers, the guest's screen, and versions.

import assert from 'node:assert/strict'
import { request as ask, createServer } from 'node:http'
import test, { after } from 'node:test'
import type { Page } from 'playwright-core'
import { registerDevice } from '../harness/devices.ts'
import { listeningService } from '../harness/listening.ts'
import { assertAccessible } from '../harness/pages/accessible.ts'
import { testBrowser } from '../harness/pages/browser.ts'
import { assertCount, assertText } from '../harness/pages/shown.ts'
import { close, outcome, readCode, type TillOptions, tillsOf } from '../harness/pages/till.ts'
import { testWallet } from '../harness/wallet.ts'

const service = await listeningService()
const wallet = await testWallet(service)
const key = await service.key(await service.tenant())
const browser = await testBrowser()
const tills = tillsOf(service, browser, key)
const LOOKS: readonly TillOptions[] = [{}, { locale: 'de-DE', dark: true }, { width: 390, dark: true }, { width: 1440 }]

async function statusOf(deviceId: string): Promise<string> {
  const { json } = await service.call('GET', '/v1/devices', { key })
  return json.data.find(({ id }: { id: string }) => id === deviceId)?.status
}

async function enterPin(page: Page, digits: string): Promise<void> {
  for (const digit of digits) await page.click(`.pad button:text-is("${digit}")`)
  await page.click('#pin-done')
}

async function lock(page: Page, digits: string): Promise<void> {
  await page.click('#settings')
  await page.click('#lock')
  await page.waitForSelector('.pad')
  const choosing = await page.innerText('h1')
  await enterPin(page, digits)
  await page.waitForFunction((before) => document.querySelector('h1')?.innerText !== before, choosing)
  await enterPin(page, digits)
  await page.waitForSelector('#settings[data-locked=true]')
}

test('in kiosk mode settings and unpairing need the PIN, and the limit on wrong PINs survives reloads', async () => {
  const till = await tills.paired()
  const { page } = till
  await lock(page, '4711')
  const kept = await page.evaluate(() => localStorage.getItem('vidimus.till.pin') ?? '')
  assert.ok(kept !== '' && !kept.includes('4711'))
  await page.click('#settings')
  await page.waitForSelector('.pad')
  await assertCount(page.locator('#unpair'), 0)
  await assertAccessible(page)
  for (const [round, left] of [4, 3, 2, 1].entries()) {
    if (round === 2) {
      await page.reload()
      await page.click('#settings')
    }
    await enterPin(page, '0000')
    await page.waitForSelector(`.notice:has-text("${left} attempt")`)
  }
  await enterPin(page, '0000')
  await page.waitForSelector('.notice:has-text("Try again in 30 s")')
  await page.reload()
  await page.click('#settings')
  await enterPin(page, '4711')
  await page.waitForSelector('.notice:has-text("Too many wrong PINs")')
  // After the wait the back button still leads nowhere, and the right PIN opens the settings.
  await page.evaluate(() => {
    const pin = JSON.parse(localStorage.getItem('vidimus.till.pin') ?? '{}')
    localStorage.setItem('vidimus.till.pin', JSON.stringify({ ...pin, waitUntil: 0 }))
  })
  await page.evaluate(() => history.back())
  await page.waitForSelector('.pad')
  assert.equal(new URL(page.url()).pathname, '/till')
  for (const digit of '4711') await page.keyboard.press(digit)
  await page.click('#pin-done')
  await page.waitForSelector('#unpair')
  assert.equal(await page.evaluate(() => localStorage.getItem('vidimus.till.pin')), null)
  await page.click('#unpair')
  await page.click('#unpair')
  await page.waitForSelector('#code')
  assert.equal(await page.evaluate(() => localStorage.getItem('vidimus.till.pair')), null)
  await assertCount(page.locator('.notice'), 0)
  assert.equal(await statusOf(till.deviceId), 'revoked')
  await close(till)
})

test('a till that is unpaired offline deletes its tokens, and says that the device must still be revoked', async () => {
  const till = await tills.paired()
  const { page } = till
  await page.click('#settings')
  await page.waitForSelector('#unpair')
  await page.context().setOffline(true)
  await page.click('#unpair')
  await page.click('#unpair')
  await page.waitForSelector('#code')
  assert.equal(await page.evaluate(() => localStorage.getItem('vidimus.till.pair')), null)
  await assertText(page.locator('.notice').first(), /“Bar 3” may still be listed as paired/)
  await assertAccessible(page)
  assert.equal(await statusOf(till.deviceId), 'active')
  await close(till)
})

test('each change of the PIN is reported for the audit trail, and queued while there is no connection', async () => {
  const till = await tills.paired()
  const { page } = till
  await page.context().setOffline(true)
  const kept = () => page.evaluate(() => localStorage.getItem('vidimus.till.pin-notes'))
  await lock(page, '4711')
  await page.click('#settings')
  await enterPin(page, '4711')
  await page.waitForSelector('#unpair')
  assert.equal(await kept(), '["set","removed"]')
  await page.context().setOffline(false)
  await page.waitForFunction(() => localStorage.getItem('vidimus.till.pin-notes') === null)
  const trail = await service.deps.db.query<{ action: string }>(
    {
      name: 'test_pin_trail',
      text: `select convert_from(bytes, 'UTF8')::json ->> 'action' as action from audit_entries
             where object_id = $1 order by seq`,
    },
    [till.deviceId],
  )
  assert.deepEqual(
    trail.map(({ action }) => action),
    ['device.created', 'device.enrolled', 'device.pin_set', 'device.pin_removed'],
  )
  await close(till)
})

test('an unreadable PIN locks the till; pairing a revoked till again unlocks it', async () => {
  const till = await tills.paired()
  const { page } = till
  await page.evaluate(() => localStorage.setItem('vidimus.till.pin', 'damaged'))
  await page.reload()
  await page.click('#settings[data-locked=true]')
  await enterPin(page, '4711')
  await page.waitForSelector('.notice')
  await assertCount(page.locator('#unpair'), 0)
  await service.call('DELETE', `/v1/devices/${till.deviceId}`, { key })
  await page.reload()
  await page.waitForSelector('#code')
  const { json } = await registerDevice(service, key)
  await page.fill('#code', json.pairing_code)
  await page.click('button[type=submit]')
  await page.waitForSelector('#settings[data-locked=false]')
  await close(till)
})

/** Sounds and vibrations that the page asks the browser for. */
async function listen(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const heard: unknown[] = []
    Object.assign(globalThis, { heard })
    const { start } = OscillatorNode.prototype
    OscillatorNode.prototype.start = function (...when) {
      heard.push(Math.round(this.frequency.value))
      return start.apply(this, when)
    }
    navigator.vibrate = (pattern) => heard.push(pattern) > 0
  })
  await page.reload()
  await page.waitForSelector('.choices')
}
const heard = (page: Page) => page.evaluate(() => (globalThis as unknown as { heard: unknown[] }).heard)

test('each answer has its tone and vibration, the switch turns off both, and the list of the last ten contains no personal data', async () => {
  const till = await tills.paired()
  const { page } = till
  await listen(page)
  await page.tap('[data-template=identity]')
  await wallet.present(await readCode(page))
  assert.equal((await outcome(page)).kind, 'yes')
  assert.deepEqual(await heard(page), [659, 988, [120]])
  const names = await page.locator('dd').allInnerTexts()
  await page.tap('text=Next')
  await page.tap('[data-template=age_over_18]')
  await wallet.present(await readCode(page), 'declined')
  assert.equal((await outcome(page)).kind, 'unproven')
  assert.deepEqual((await heard(page)).slice(3), [440, 440, [90, 90, 90, 90, 90]])
  await page.tap('text=Next')
  await page.click('#settings')
  await page.uncheck('#sound')
  await page.click('#back')
  await page.tap('[data-template=age_over_18]')
  const last = await readCode(page)
  await wallet.present(last)
  await outcome(page)
  assert.equal((await heard(page)).length, 6)
  await page.tap('text=Next')
  await page.click('.recent summary')
  const outcomes = await page
    .locator('[data-recent]')
    .evaluateAll((all) => all.map((one) => one.getAttribute('data-recent')))
  assert.deepEqual(outcomes, ['yes', 'unproven', 'yes'])
  const id = /ver_[A-Za-z0-9]{32}/.exec(decodeURIComponent(last))?.[0] ?? ''
  await assertText(page.locator('.recent code').first(), id.slice(-6))
  const listed = await page.innerText('.recent')
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))
  for (const name of names) for (const text of [listed, stored]) assert.ok(!text.includes(name))
  await assertAccessible(page)
  await close(till)
})

test("a guest's screen that is paired by its code shows the QR code and never the outcome", async () => {
  const till = await tills.paired()
  const { page, context } = till
  const display = await context.newPage()
  await display.goto(`${service.base}/till#display`)
  const code = await display.innerText('.display-code')
  assert.match(code, /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
  await assertAccessible(display)
  await page.click('#settings')
  await page.fill('#display-code', 'no code')
  await page.click('.inline button')
  await page.waitForSelector('.notice')
  await page.fill('#display-code', code)
  await page.click('.inline button')
  await page.waitForSelector('#display-off')
  await display.waitForSelector('body[data-scene=welcome]')
  await assertAccessible(display)
  await page.click('#back')
  await page.tap('[data-template=identity]')
  const walletUri = await readCode(display)
  const [shop] = (await page.innerText('#device')).split(' · ')
  assert.equal(await display.innerText('.shop'), shop)
  assert.equal(await display.innerText('h1'), await page.innerText('h1'), 'the question')
  await assertCount(page.locator('.code'), 0)
  await assertAccessible(page)
  await assertAccessible(display)
  await display.locator('#test').waitFor()
  await page.click('text=Show the code here')
  assert.equal(await readCode(page), walletUri)
  // The guest's window is closed by mistake, opened again, and continues.
  await display.reload()
  assert.equal(await readCode(display), walletUri)
  await page.selectOption('#language', 'de')
  await display.waitForSelector('html[lang=de]')
  await wallet.present(walletUri)
  assert.equal((await outcome(page)).kind, 'yes')
  await display.waitForSelector('body[data-scene=done]')
  const seen = await display.evaluate(() => document.documentElement.innerHTML)
  for (const fact of await page.locator('dd').allInnerTexts()) assert.ok(!seen.includes(fact))
  await assertCount(display.locator('[data-outcome], button:visible, input'), 0)
  await assertAccessible(display)
  await display.waitForSelector('body[data-scene=welcome]')
  await page.tap('[data-template=age_over_18]')
  await display.getByText(`${shop} erfährt, ob Sie mindestens 18 sind, nicht Ihr Geburtsdatum.`).waitFor()
  await page.getByText('Der Code steht auf dem Kundenbildschirm.').waitFor()
  await assertAccessible(display)
  await close(till)
})

test("the guest's tablet shows the code, too, and is the same screen after a restart", async () => {
  const till = await tills.paired()
  const { page } = till
  const tablet = await tills.open({ hash: '#display', locale: 'fr-FR', width: 390, dark: true })
  const code = await tablet.page.innerText('.display-code')
  await assertAccessible(tablet.page)
  await page.click('#settings')
  await page.fill('#display-code', code.toLowerCase())
  await page.click('.inline button')
  await page.waitForSelector('#display-off')
  await tablet.page.waitForSelector('body[data-scene=welcome]')
  await page.click('#back')
  await page.tap('[data-template=identity]')
  const walletUri = await readCode(tablet.page)
  assert.equal(await tablet.page.innerText('.shop'), 'Test tenant')
  assert.equal(await tablet.page.innerText('h1'), 'Identité')
  await tablet.page.getByText('Scannez ce code avec l’appareil photo de votre téléphone').waitFor()
  await page.waitForSelector('.elsewhere')
  await assertAccessible(tablet.page)
  await tablet.page.reload()
  assert.equal(await readCode(tablet.page), walletUri)
  // The till is opened again: its screen is still the same.
  await page.reload()
  await page.waitForSelector('.elsewhere')
  await wallet.present(walletUri)
  assert.equal((await outcome(page)).kind, 'yes')
  await tablet.page.waitForSelector('body[data-scene=done]')
  const seen = await tablet.page.evaluate(() => document.documentElement.innerHTML)
  for (const fact of await page.locator('dd').allInnerTexts()) assert.ok(!seen.includes(fact))
  await page.tap('text=Next')
  await page.click('#settings')
  await page.click('#display-off')
  await page.waitForSelector('#display-code')
  await tablet.page.waitForSelector('.display-code')
  assert.equal(await tablet.page.innerText('.display-code'), code)
  assert.deepEqual(tablet.complaints, [])
  await tablet.context.close()
  await close(till)
})

test('a version that is new while the till is open is offered between guests, and used at the next start', async () => {
  let version = ''
  const front = createServer((incoming, outgoing) => {
    const { pathname } = new URL(incoming.url ?? '/', service.base)
    const passed = ask(new URL(incoming.url ?? '/', service.base), { method: incoming.method ?? 'GET' }, (answer) => {
      if (pathname !== '/till/worker.js') {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
        return
      }
      const { 'content-type': type = '' } = answer.headers
      outgoing.writeHead(200, { 'Content-Type': type, 'Service-Worker-Allowed': '/till', 'Cache-Control': 'no-store' })
      answer.on('end', () => outgoing.end(version))
      answer.pipe(outgoing, { end: false })
    })
    for (const [name, value] of Object.entries(incoming.headers))
      if (value !== undefined && name !== 'host' && name !== 'if-none-match') passed.setHeader(name, value)
    if (pathname === '/till/worker.js') passed.setHeader('accept-encoding', 'identity')
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  after(() => front.close())
  const address = front.address()
  const base = `http://localhost:${typeof address === 'object' ? address?.port : ''}`
  const context = await browser.newContext({ hasTouch: true })
  const page = await context.newPage()
  const { json } = await registerDevice(service, key)
  await page.goto(`${base}/till#${json.pairing_code}`)
  await page.click('button[type=submit]')
  await page.waitForSelector('.choices')
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  await page.reload()
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  const checkForUpdate = () => page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()))

  version = '//2'
  await page.tap('[data-template=age_over_18]')
  await readCode(page)
  await checkForUpdate()
  await page.waitForFunction(async () => (await navigator.serviceWorker.ready).waiting !== null)
  assert.ok(await page.locator('#update').isHidden(), 'the new version is not offered while a guest answers')
  await page.click('text=Cancel')
  await page.waitForSelector('#update:visible')
  await assertAccessible(page)
  // From here on `register` resolves only when there is a newer version.
  await page.addInitScript(() => {
    const { register } = ServiceWorkerContainer.prototype
    ServiceWorkerContainer.prototype.register = async function (...args) {
      const registration = await register.apply(this, args)
      if (registration.waiting === null)
        await new Promise((resolve) => registration.addEventListener('updatefound', resolve, { once: true }))
      return registration
    }
  })
  const loaded = page.waitForEvent('load')
  await page.click('#update')
  await loaded
  await page.waitForSelector('.choices')
  assert.ok(await page.locator('#update').isHidden())

  version = '//3'
  await checkForUpdate()
  await page.waitForSelector('#update:visible')
  await page.reload()
  // The newest version is used from the next start, which loads the page once or twice: a request in between must be repeated.
  const readKept = (loads: number): Promise<string[]> =>
    page
      .evaluate(async () => {
        const registration = await navigator.serviceWorker.ready
        for (let checks = 0; registration.waiting !== null || registration.active?.state !== 'activated'; checks += 1) {
          if (checks === 1_000) throw new Error('the newest worker did not take over')
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
        const caching = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()))
        return caching.flat().map(({ url }) => new URL(url).pathname)
      })
      .catch((error: Error) => {
        assert.match(error.message, /because of a navigation/)
        assert.ok(loads > 0, 'the till keeps loading it')
        return readKept(loads - 1)
      })
  const kept = await readKept(2)
  // No request of the API ever passed through the worker.
  assert.ok(kept.length > 5 && kept.every((path) => /^\/till(\/|$)/.test(path)))
  await context.close()
})

test('the screen stays on while the till is visible', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.addInitScript(() => {
    const locks: string[] = []
    Object.assign(globalThis, { locks })
    const { request } = WakeLock.prototype
    WakeLock.prototype.request = function (type) {
      locks.push(String(type))
      return request.call(this, type)
    }
  })
  await page.goto(`${service.base}/till`)
  await page.waitForSelector('#code')
  assert.deepEqual(await page.evaluate(() => (globalThis as unknown as { locks: string[] }).locks), ['screen'])
  await context.close()
})

test('settings and keypad in both themes, en and de, wide and on a phone', async () => {
  for (const look of LOOKS) {
    const till = await tills.paired(look)
    const { page } = till
    await page.click('#settings')
    await page.waitForSelector('#sound')
    await assertAccessible(page)
    await page.click('#lock')
    await page.waitForSelector('.pad')
    await assertAccessible(page)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    assert.ok(overflow <= 0, `${overflow} pixels wider than the window`)
    await close(till)
  }
})
