// A browser profile that is used again has no past: no cookie, nothing stored, no way back, no listener, and the look that is asked for.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { after } from 'node:test'
import type { Page } from 'playwright-core'
import { testBrowser } from '../harness/pages/browser.ts'
import { leavePage, takePage } from '../harness/pages/profiles.ts'

const browser = await testBrowser()
const server = createServer((_, response) => {
  response.setHeader('content-type', 'text/html').end('<!doctype html><html lang=en><title>A page</title>')
})
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
after(() => server.close())

/** Another locale than those of other files, so that their profiles stay out of this. */
const LOOK = { locale: 'fr-FR', colorScheme: 'light', width: 800 } as const

const stored = (page: Page) =>
  page.evaluate(() => [document.cookie, localStorage.length, sessionStorage.length, history.length])

test('a page that was left comes again without what was left in it', async () => {
  const first = await takePage(browser, LOOK)
  const heard: string[] = []
  first.on('console', (message) => heard.push(message.text()))
  await first.context().addCookies([{ name: 'who', value: 'me', url: address }])
  await first.goto(address)
  await first.evaluate(() => {
    localStorage.setItem('a', '1')
    sessionStorage.setItem('b', '2')
    history.pushState(null, '', '/elsewhere')
    console.log('heard')
  })
  assert.deepEqual(await stored(first), ['who=me', 1, 1, 3])
  await first.context().newPage()
  await leavePage(first)

  const again = await takePage(browser, { ...LOOK, colorScheme: 'dark', width: 390 })
  assert.equal(again, first)
  assert.equal(again.context().pages().length, 1)
  await again.goto(address)
  await again.evaluate(() => console.log('not heard'))
  assert.deepEqual(await stored(again), ['', 0, 0, 2])
  assert.deepEqual(heard, ['heard'])
  const look = await again.evaluate(() => [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches])
  assert.deepEqual(look, [390, true])
  await again.context().close()
})

test('a page of another language, or while the first is in use, is a page of its own', async () => {
  const first = await takePage(browser, LOOK)
  const second = await takePage(browser, LOOK)
  assert.notEqual(second.context(), first.context())
  await first.goto(address)
  await leavePage(first)
  const other = await takePage(browser, { ...LOOK, locale: 'fr-CA' })
  assert.notEqual(other, first)
  for (const page of [first, second, other]) await page.context().close()
})
