// Tests the accessibility check: in a page, in an open dialog, in the other theme, and when it runs twice.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, assertAccessibleInBothThemes } from '../harness/pages/accessible.ts'
import { testBrowser } from '../harness/pages/browser.ts'

const browser = await testBrowser()
const PALE = '<p style="color:#ddd;background:#fff">pale</p>'

async function shown(body: string): Promise<Page> {
  const page = await browser.newPage()
  const html = `<!doctype html><html lang=en><title>A page</title><main><h1>A page</h1>${body}</main>`
  await page.goto(`data:text/html,${encodeURIComponent(html)}`)
  return page
}

test('a page without faults passes; a page with a fault fails each time it is checked', async () => {
  const fine = await shown('<p>fine</p>')
  await assertAccessible(fine)
  await fine.evaluate(() => document.querySelector('p')?.replaceWith(document.createElement('img')))
  await assert.rejects(assertAccessible(fine), /image-alt/)
  const pale = await shown(PALE)
  await assert.rejects(assertAccessible(pale), /color-contrast/)
  await assert.rejects(assertAccessible(pale), /color-contrast/)
  for (const page of [fine, pale]) await page.close()
})

test('an open dialog is checked, too, and so is each page after the first', async () => {
  const page = await shown(`<dialog aria-label="A dialog">${PALE}<button>Close</button></dialog>`)
  await assertAccessible(page)
  await page.evaluate(() => document.querySelector('dialog')?.showModal())
  await assert.rejects(assertAccessible(page), /color-contrast/)
  await page.goto('data:text/html,<title>Another</title>')
  await assert.rejects(assertAccessible(page), /html-has-lang/)
  await page.close()
})

test('only the first twelve rows of a long table are checked', async () => {
  const row = (text: string) => `<tr><td>${text}</td></tr>`
  const table = (before: number) => `<table><tbody>${row('fine').repeat(before)}${row(PALE)}</tbody></table>`
  const [twelfth, thirteenth] = [await shown(table(11)), await shown(table(12))]
  await assert.rejects(assertAccessible(twelfth), /color-contrast/)
  await assertAccessible(thirteenth)
  for (const page of [twelfth, thirteenth]) await page.close()
})

test('colours are also checked in the other theme', async () => {
  const page = await shown(
    '<style>@media (prefers-color-scheme: dark) { p { background: #000; color: #333 } }</style><p>fine</p>',
  )
  await assertAccessible(page)
  await assert.rejects(assertAccessibleInBothThemes(page), /in the dark theme/)
  await page.close()
})
