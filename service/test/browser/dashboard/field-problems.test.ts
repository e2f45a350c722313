// Tests that a wrong field shows its error below itself in the reader's language, not in a bubble of the browser.

import assert from 'node:assert/strict'
import test from 'node:test'
import { listeningService } from '../../harness/listening.ts'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertCount } from '../../harness/pages/shown.ts'
import { person } from '../../harness/staff.ts'

await builtDashboard()
const service = await listeningService()
const { base } = service
const browser = await testBrowser()

const WORDS = {
  en: {
    locale: 'en-GB',
    add: 'Add an endpoint',
    name: 'Name',
    missing: 'Fill in this field.',
    notUrl: 'Enter a full address that begins with https://.',
  },
  de: {
    locale: 'de-DE',
    add: 'Endpunkt hinzufügen',
    name: 'Name',
    missing: 'Füllen Sie dieses Feld aus.',
    notUrl: 'Geben Sie eine vollständige Adresse ein, die mit https:// beginnt.',
  },
} as const

for (const [language, words] of Object.entries(WORDS)) {
  test(`a form reports errors at their fields and focuses the first one (${language})`, async () => {
    const tenant = await service.tenant()
    const { email } = await person(service, tenant, 'owner')
    const { page } = await openPage(browser, { service }, { locale: words.locale })
    await signInAt(page, base, email)
    await page.goto(`${base}/dashboard/${tenant}/test/webhooks`)
    await settled(page)
    await page.getByRole('button', { name: words.add }).first().click()
    const dialog = page.locator('dialog[open]')
    const submit = () => dialog.locator('button[type=submit]').click()
    await submit()
    await dialog.getByText(words.missing).first().waitFor()
    const [name, url] = [dialog.locator('input[name=name]'), dialog.locator('input[name=url]')]
    assert.equal(await name.getAttribute('aria-invalid'), 'true')
    const focused = await page.evaluate(() => document.activeElement?.getAttribute('name'))
    assert.equal(focused, 'name', 'the first that is wrong')
    await assertAccessible(page)
    await name.fill('Shop')
    assert.equal(await name.getAttribute('aria-invalid'), null)
    await url.fill('shop')
    await dialog.getByText(words.notUrl).waitFor()
    await submit()
    const described = (await url.getAttribute('aria-describedby'))?.split(' ')[0] ?? ''
    assert.equal(await page.locator(`[id="${described}"]`).innerText(), words.notUrl)
    await url.fill('https://shop.example/hook')
    await assertCount(dialog.locator('[aria-invalid]'), 0)
    await page.context().close()
  })
}
