// Whether what looks for faults of accessibility finds them: in a page, in an open dialog, in the other theme, a second time.

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

test('a page without faults is fine, and one with a fault is refused however often one looks', async () => {
  const fine = await shown('<p>fine</p>')
  await assertAccessible(fine)
  await fine.evaluate(() => document.querySelector('p')?.replaceWith(document.createElement('img')))
  await assert.rejects(assertAccessible(fine), /image-alt/)
  const pale = await shown(PALE)
  await assert.rejects(assertAccessible(pale), /color-contrast/)
  await assert.rejects(assertAccessible(pale), /color-contrast/)
  for (const page of [fine, pale]) await page.close()
})

test('what a dialog holds is looked at while it is open, and another page after a page', async () => {
  const page = await shown(`<dialog aria-label="A dialog">${PALE}<button>Close</button></dialog>`)
  await assertAccessible(page)
  await page.evaluate(() => document.querySelector('dialog')?.showModal())
  await assert.rejects(assertAccessible(page), /color-contrast/)
  await page.goto('data:text/html,<title>Another</title>')
  await assert.rejects(assertAccessible(page), /html-has-lang/)
  await page.close()
})

test('of a long table the first twelve rows are judged', async () => {
  const row = (text: string) => `<tr><td>${text}</td></tr>`
  const table = (before: number) => `<table><tbody>${row('fine').repeat(before)}${row(PALE)}</tbody></table>`
  const [twelfth, thirteenth] = [await shown(table(11)), await shown(table(12))]
  await assert.rejects(assertAccessible(twelfth), /color-contrast/)
  await assertAccessible(thirteenth)
  for (const page of [twelfth, thirteenth]) await page.close()
})

test('colours are looked at in the other theme too', async () => {
  const page = await shown(
    '<style>@media (prefers-color-scheme: dark) { p { background: #000; color: #333 } }</style><p>fine</p>',
  )
  await assertAccessible(page)
  await assert.rejects(assertAccessibleInBothThemes(page), /in the dark theme/)
  await page.close()
})
