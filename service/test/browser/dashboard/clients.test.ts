// OpenID clients, as a person makes, changes and removes them, in both languages.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Locator } from 'playwright-core'
import { listeningService } from '../../harness/listening.ts'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertText } from '../../harness/pages/shown.ts'
import { person } from '../../harness/staff.ts'

await builtDashboard()
const service = await listeningService()
const { base } = service
const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
const browser = await testBrowser()

const WORDS = {
  en: {
    ...{ create: 'Create a client', name: 'Name', redirects: 'Redirect URIs', https: /http is for localhost/ },
    ...{
      stored: /I have stored it/,
      close: /Done|Close/,
      keep: 'Keep editing',
      change: 'Change',
      save: 'Save',
      remove: 'Remove',
      rotate: 'New secret',
      notice: /get all claims in the ID token: Kasse/,
    },
  },
  de: {
    ...{ create: 'Client anlegen', name: 'Name', redirects: 'Redirect-URIs', https: /http ist für localhost/ },
    ...{ change: 'Ändern', save: 'Speichern', keep: 'Weiter bearbeiten' },
    ...{ remove: 'Entfernen', rotate: 'Neues Geheimnis', notice: /alle Angaben im ID-Token: Kasse/ },
  },
} as const

/** In sight without scrolling, however long the form is. */
async function assertInWindow(one: Locator): Promise<void> {
  const [box, size] = [await one.boundingBox(), one.page().viewportSize()]
  assert.ok(box !== null && size !== null && box.y >= 0 && box.y + box.height <= size.height, JSON.stringify(box))
}

for (const language of ['en', 'de'] as const)
  test(`a client is made, changed, given another secret and removed (${language})`, async () => {
    const words = WORDS[language]
    const admin = await person(service, tenant, 'admin')
    const { page } = await openPage(browser, { service }, { locale: language === 'de' ? 'de-DE' : 'en-GB' })
    await signInAt(page, base, admin.email)
    await page.goto(`${base}/dashboard/${tenant}/test/clients`)
    await settled(page)
    await page.getByText(`${base}/oidc/${tenant}/test`).waitFor()
    const dialog = page.locator('dialog[open]')
    await page.getByRole('button', { name: words.create }).click()
    const submit = dialog.getByRole('button', { name: words.create })
    // Longer than a window once the templates are there, and not before.
    await dialog.getByRole('textbox', { name: words.name, exact: true }).waitFor()
    await assertInWindow(submit)
    await dialog.getByRole('textbox', { name: words.name, exact: true }).fill('Kundenkonten')
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: words.keep }).click()
    await dialog.getByRole('textbox', { name: words.redirects, exact: true }).fill('http://shop.example/callback')
    await dialog.getByRole('button', { name: words.create }).click()
    await dialog.getByText(words.https).last().waitFor()
    await assertInWindow(dialog.getByText(words.https).last())
    // Where it is to be mended, one can write at once.
    await dialog.locator('textarea[name=redirect_uris]:focus').waitFor()
    await assertAccessible(page)
    await dialog
      .getByRole('textbox', { name: words.redirects, exact: true })
      .fill('https://shop.example/callback\nhttp://localhost:3000/callback')
    await dialog.getByRole('button', { name: words.create }).click()
    const keep = async () => {
      const secret = await dialog.locator('output').innerText()
      assert.match(secret, /^vcs_\w{49}$/)
      await dialog.getByRole('checkbox').check()
      await dialog.getByRole('button').last().click()
      await dialog.waitFor({ state: 'detached' })
      return secret
    }
    const first = await keep()
    const row = page.locator('tr', { hasText: 'Kundenkonten' })
    await row.waitFor()
    await assertText(row, /oic_\w{24}/)
    await page.getByRole('button', { name: `${words.change}: Kundenkonten` }).click()
    await dialog.getByRole('textbox', { name: words.name, exact: true }).fill('Kasse')
    const everything = dialog.locator('input[name=claims_in_id_token]')
    assert.equal(await everything.isChecked(), false, 'off for new clients')
    assert.equal(await page.getByText(words.notice).count(), 0)
    await everything.check()
    await dialog.getByRole('button', { name: words.save }).click()
    await page.locator('tr', { hasText: 'Kasse' }).waitFor()
    await page.getByText(words.notice).waitFor()
    await page.getByRole('button', { name: `${words.rotate}: Kasse` }).click()
    await dialog.getByRole('button', { name: words.rotate }).click()
    await dialog.locator('output').waitFor()
    assert.notEqual(await keep(), first)
    await page.getByRole('button', { name: `${words.remove}: Kasse` }).click()
    await dialog.getByRole('button', { name: words.remove }).click()
    await page.locator('tr', { hasText: 'Kasse' }).waitFor({ state: 'detached' })
    await page.close()
  })
