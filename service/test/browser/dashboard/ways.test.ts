// Tests focus after dialogs, the Escape key, narrow lists, used links, wrong addresses and translations.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { listBuiltInTemplates } from '../../../src/core/templates/domain/question.ts'
import { invite } from '../../../src/features/staff/usecases/manage-team.ts'
import { certificateFor } from '../../../src/features/trust/usecases/certificate-in-use.ts'
import { PROBLEMS } from '../../../src/platform/http/problems.ts'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { busyTenant, type Look, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertCount, assertText } from '../../harness/pages/shown.ts'
import { readCodeIn } from '../../harness/pages/till.ts'
import { OPERATOR } from '../../harness/service.ts'
import { PASSWORD } from '../../harness/staff.ts'

const busy = await busyTenant()
const { service, tenant } = busy
const { base } = service
const browser = await testBrowser()

async function opened(path: string, look: Look = {}): Promise<Page> {
  const { page } = await openPage(browser, busy, look)
  await signInAt(page, base, busy.owner.email)
  await goto(page, path)
  return page
}

async function goto(page: Page, path: string): Promise<void> {
  await page.goto(`${base}/dashboard/${tenant}/test${path}`)
  await settled(page)
}

const dialogOf = (page: Page) => page.locator('dialog[open]').last()
/** Returns the text of the focused element. */
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '')

test('after a dialog the focus returns to where it was, however the dialog was closed', async () => {
  const page = await opened('/keys')
  const opener = page.getByRole('button', { name: 'Create a key' })
  await opener.focus()
  await page.keyboard.press('Enter')
  await dialogOf(page).waitFor()
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'detached' })
  assert.equal(await focused(page), 'Create a key')
  await opener.click()
  await dialogOf(page).getByRole('button', { name: 'Cancel' }).click()
  await dialogOf(page).waitFor({ state: 'detached' })
  assert.equal(await focused(page), 'Create a key')
  await page.context().close()
})

test('if the element that opened a dialog was removed, the page gets the focus', async () => {
  const page = await opened('/templates')
  await page.getByRole('button', { name: 'More actions: tasting_guest' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await dialogOf(page).getByRole('button', { name: 'Remove' }).click()
  await dialogOf(page).waitFor({ state: 'detached' })
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'main')
  await page.context().close()
})

test('Escape asks before it discards a half-written template, however often it is pressed', async () => {
  const page = await opened('/templates')
  const dialog = dialogOf(page)
  await page.getByRole('button', { name: 'New template' }).click()
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'New template' }).click()
  await dialog.getByLabel('Title').fill('Guest of the cellar')
  for (let times = 0; times < 3; times += 1) await page.keyboard.press('Escape')
  await dialog.getByText('You have unsaved changes.').waitFor()
  assert.equal(await focused(page), 'Keep editing')
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Keep editing' }).click()
  assert.equal(await dialog.getByLabel('Title').inputValue(), 'Guest of the cellar')
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Discard' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.context().close()
})

test('on a phone a verification is opened by a tap on its row, and by its link without scrolling sideways', async () => {
  const page = await opened('/verifications?status=completed', { width: 390 })
  const row = page.getByRole('listitem').filter({ has: page.locator(`a[href*="${busy.completed}"]`) })
  const link = row.getByRole('link')
  const box = await link.boundingBox()
  assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box))
  await row.click({ position: { x: 8, y: 8 } })
  await page.waitForURL(new RegExp(`/verifications/${busy.completed}$`))
  await page.goBack()
  await link.press('Enter')
  await page.waitForURL(new RegExp(`/verifications/${busy.completed}$`))
  await page.context().close()
})

test('a used link leads to the sign-in, or to the start page if the person is signed in', async () => {
  const email = 'nina.neu@example.com'
  const invitation = await invite(service.deps, {
    tenantId: tenant,
    email,
    role: 'admin',
    actor: OPERATOR,
    byOperator: true,
  })
  assert.ok(invitation !== null)
  const { page } = await openPage(browser, busy)
  await page.goto(invitation.url)
  await page.fill('input[name=password]', PASSWORD)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForSelector('#main h1')
  await page.goto('about:blank')
  await page.goto(invitation.url)
  await page.getByRole('link', { name: 'Go to overview' }).click()
  await page.waitForURL(`${base}/dashboard/${tenant}/test`)
  const { page: elsewhere } = await openPage(browser, busy)
  await elsewhere.goto(invitation.url)
  await elsewhere.getByText('This link no longer works.').waitFor()
  await assertAccessible(elsewhere)
  await elsewhere.getByRole('link', { name: 'Go to sign-in' }).click()
  await elsewhere.waitForURL(`${base}/dashboard/sign-in`)
  await page.context().close()
  await elsewhere.context().close()
})

test('an unknown address is reported, with and without a company in it', async () => {
  const page = await opened('')
  for (const path of [`/${tenant}/test/verificatoins`, '/nowhere', '/no/such/page/at/all', `/${tenant}/production`]) {
    await page.goto(`${base}/dashboard${path}`)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    assert.equal(new URL(page.url()).pathname, `/dashboard${path}`)
    await assertAccessible(page)
  }
  await page.getByRole('link', { name: 'Go to overview' }).click()
  await page.waitForURL(`${base}/dashboard/${tenant}/test`)
  await page.context().close()
})

test('on German pages, built-in templates and failure reasons are in German', async () => {
  const page = await opened('/templates', { locale: 'de-DE' })
  await page.getByRole('heading', { name: 'Führerschein' }).waitFor()
  const texts = await page.locator('main :is(h3, p)').allInnerTexts()
  assert.ok(
    texts.includes(
      'Ob eine Person mindestens 18 Jahre alt ist. Kann eine Wallet nur ein Geburtsdatum liefern, bewahren wir es nicht auf.',
    ),
  )
  for (const template of listBuiltInTemplates()) {
    assert.ok(!texts.includes(template.title), template.title)
    assert.ok(!texts.includes(template.description), template.description)
  }
  await goto(page, '/verifications?status=failed')
  await page.locator('tbody').getByText('Die Person hat abgelehnt').first().waitFor()
  await goto(page, `/verifications/${busy.failed}`)
  await page.getByRole('heading', { name: 'Die Person hat abgelehnt oder hat keinen passenden Nachweis.' }).waitFor()
  assert.ok(!(await page.innerText('main')).includes('The person declined'))
  await goto(page, '/devices')
  await page.getByRole('button', { name: 'Gerät hinzufügen' }).click()
  await dialogOf(page).getByLabel('Mindestens 18').waitFor()
  await page.context().close()
})

for (const [locale, signs, reads] of [
  ['en-GB', 'Requests (OpenID4VP)', 'Reader authentication (ISO 18013-5)'],
  ['de-DE', 'Anfragen an Wallets (OpenID4VP)', 'Leser-Authentisierung (ISO 18013-5)'],
] as const) {
  test(`the trust page shows what each certificate signs and when it expires: ${locale}`, async () => {
    const realm = { tenantId: tenant, environment: 'test' } as const
    const ends = []
    for (const purpose of ['openid4vp', 'iso-reader'] as const)
      ends.push(new Date((await certificateFor(service.deps, realm, purpose)).validUntilMs).getFullYear())
    const page = await opened('/trust', { locale })
    for (const [index, words] of [signs, reads].entries()) {
      const row = page.getByRole('row').filter({ hasText: words })
      await assertCount(row, 1)
      await assertText(row, new RegExp(String(ends[index])))
    }
    await page.context().close()
  })
}

test('every refusal has a German text', async () => {
  const { de } = await import('../../../../dashboard/src/words/de.ts')
  assert.deepEqual(
    Object.keys(PROBLEMS).filter((code) => de.errors.codes[code] === undefined),
    [],
  )
})

for (const [locale, width] of [
  ['en-GB', 1440],
  ['de-DE', 390],
] as const) {
  test(`the account menu shows its words completely and within the window: ${locale} ${width}`, async () => {
    const page = await opened('', { locale, width })
    if (width < 1024) await page.getByRole('button', { name: 'Menü' }).click()
    await page.getByRole('button', { name: /Account menu|Kontomenü/ }).click()
    const items = page.locator('[role^=menuitem]')
    const cut = await items.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length)
    assert.deepEqual([await items.count(), cut], [7, 0])
    await assertAccessible(page)
    const box = await page.getByRole('menu').boundingBox()
    assert.ok(box !== null && box.x >= 0 && box.x + box.width <= width, JSON.stringify(box))
    await page.context().close()
  })
}

test('remaining time has units, so that it does not look like a time of day', async () => {
  const page = await opened('/usage')
  await assertText(page.locator('main'), /resets in \d+ (h|min|s)\b/)
  await goto(page, '/devices')
  await page.getByRole('button', { name: 'Add a device' }).click()
  await dialogOf(page).getByLabel('Name').fill('Garten')
  // The page ticks the templates when they have loaded.
  await dialogOf(page).getByLabel('18 or older').waitFor()
  await dialogOf(page).getByRole('button', { name: 'Add a device' }).click()
  await dialogOf(page)
    .getByText(/Valid for another \d+ min( \d+ s)?/)
    .waitFor()
  await assertAccessible(page)
  const code = await dialogOf(page).locator('output').innerText()
  const link = decodeQR(await readCodeIn(page, 'dialog[open] svg[role=img]'))
  assert.equal(link, `${base}/till#${code}`)
  const till = await (await browser.newContext()).newPage()
  await till.goto(link)
  await till.waitForFunction((typed) => document.querySelector<HTMLInputElement>('#code')?.value === typed, code)
  assert.equal(till.url(), `${base}/till`)
  await till.context().close()
  await page.context().close()
})
