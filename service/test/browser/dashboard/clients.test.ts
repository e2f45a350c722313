// Tests how OpenID clients are created, changed and removed in the dashboard, in both languages.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Locator } from 'playwright-core'
import { changeClient } from '../../../src/features/oidc/usecases/manage-clients.ts'
import { listeningService } from '../../harness/listening.ts'
import { testClient } from '../../harness/openid-client.ts'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertText } from '../../harness/pages/shown.ts'
import { OPERATOR } from '../../harness/service.ts'
import { person } from '../../harness/staff.ts'

await builtDashboard()
const service = await listeningService()
const { base } = service
const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
const browser = await testBrowser()

const WORDS = {
  en: {
    ...{
      create: 'Create a client',
      name: 'Name',
      redirects: 'Redirect URIs',
      https: /http:\/\/ is allowed in test only/,
    },
    ...{
      stored: /I have stored it safely/,
      close: /Done|Close/,
      keep: 'Keep editing',
      change: 'Edit',
      more: 'More actions',
      save: 'Save',
      remove: 'Remove',
      rotate: 'New secret',
      advanced: 'Advanced settings',
      keycloak: 'Address of the Keycloak realm',
      notice: /get all claims in the ID token: Kasse/,
      unconfirmed: /^Without a code, anyone who gets a person to scan a QR code/,
    },
  },
  de: {
    ...{
      create: 'Client erstellen',
      name: 'Name',
      redirects: 'Redirect-URIs',
      https: /http:\/\/ ist nur im Testmodus/,
    },
    ...{ advanced: 'Erweiterte Einstellungen', keycloak: 'Adresse des Keycloak-Realms' },
    ...{ change: 'Bearbeiten', more: 'Weitere Aktionen', save: 'Speichern', keep: 'Weiter bearbeiten' },
    ...{ remove: 'Entfernen', rotate: 'Neues Client-Secret', notice: /alle Angaben im ID-Token: Kasse/ },
    unconfirmed: /^Ohne Code kann sich ein Angreifer/,
  },
} as const

const REDIRECT = 'https://login.example/realms/shop/broker/vidimus/endpoint'

/** Visible without scrolling, however long the form is. */
async function assertInWindow(one: Locator): Promise<void> {
  const [box, size] = [await one.boundingBox(), one.page().viewportSize()]
  assert.ok(box !== null && size !== null && box.y >= 0 && box.y + box.height <= size.height, JSON.stringify(box))
}

for (const language of ['en', 'de'] as const)
  test(`a client is created, changed, given another secret and removed (${language})`, async () => {
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
    // The form becomes longer than a window when the templates have loaded.
    await dialog.getByRole('textbox', { name: words.name, exact: true }).waitFor()
    await assertInWindow(submit)
    await dialog.getByRole('textbox', { name: words.name, exact: true }).fill('Kundenkonten')
    // People are recognised by default.
    const subject = dialog.locator('[name=subject_mode]')
    const template = dialog.locator('[name=default_template]')
    assert.deepEqual([await subject.inputValue(), await template.inputValue()], ['derived', 'identity'])
    await dialog.locator('[name=recognise][value=ephemeral]').check()
    assert.deepEqual([await subject.inputValue(), await template.inputValue()], ['ephemeral', 'age_over_18'])
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: words.keep }).click()
    await dialog.getByRole('textbox', { name: words.redirects, exact: true }).fill('http://shop.example/callback')
    await dialog.getByRole('button', { name: words.create }).click()
    await dialog.getByText(words.https).last().waitFor()
    await assertInWindow(dialog.getByText(words.https).last())
    // The field with the error has the focus.
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
    await dialog.getByText(`${base}/oidc/${tenant}/test/.well-known/openid-configuration`).waitFor()
    await assertAccessible(page)
    const first = await keep()
    const row = page.locator('tr', { hasText: 'Kundenkonten' })
    await row.waitFor()
    await assertText(row, /oic_\w{5}…\w{4}/)
    await page.getByRole('button', { name: `${words.change}: Kundenkonten` }).click()
    await dialog.getByRole('textbox', { name: words.name, exact: true }).fill('Kasse')
    const everything = dialog.locator('input[name=claims_in_id_token]')
    assert.equal(await everything.isChecked(), false, 'off for new clients')
    assert.equal(await page.getByText(words.notice).count(), 0)
    await dialog.getByText(words.advanced).click()
    await everything.check()
    const crossDevice = dialog.locator('select[name=cross_device]')
    assert.equal(await crossDevice.inputValue(), 'confirm')
    assert.equal(await dialog.getByText(words.unconfirmed).count(), 0)
    await crossDevice.selectOption('unconfirmed')
    await dialog.getByText(words.unconfirmed).waitFor()
    await crossDevice.selectOption('off')
    await dialog.getByText(words.unconfirmed).waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: words.save }).click()
    await page.locator('tr', { hasText: 'Kasse' }).waitFor()
    await page.getByText(words.notice).waitFor()
    await page.getByRole('button', { name: `${words.more}: Kasse` }).click()
    await page.getByRole('menuitem', { name: words.rotate }).click()
    await dialog.getByRole('button', { name: words.rotate }).click()
    await dialog.locator('output').waitFor()
    assert.notEqual(await keep(), first)
    await page.getByRole('button', { name: `${words.more}: Kasse` }).click()
    await page.getByRole('menuitem', { name: words.remove }).click()
    await dialog.getByRole('button', { name: words.remove }).click()
    await page.locator('tr', { hasText: 'Kasse' }).waitFor({ state: 'detached' })

    // A preset fills in what its product needs, and says what to enter there.
    await page.getByRole('button', { name: words.create }).click()
    await dialog.getByLabel('Keycloak', { exact: true }).check()
    await dialog.getByLabel(words.keycloak).fill('https://login.example/realms/shop/')
    const redirects = dialog.getByRole('textbox', { name: words.redirects, exact: true })
    assert.equal(await redirects.inputValue(), REDIRECT)
    await assertAccessible(page)
    await dialog.getByRole('button', { name: words.create }).click()
    await dialog.getByText('openid vidimus:identity').waitFor()
    await keep()
    const { data } = (await admin.call('GET', '@/clients')).json
    const created = data.find(({ name }: { name: string }) => name === 'Keycloak')
    assert.deepEqual(
      [created.redirect_uris, created.templates, created.subject_mode, created.subject_claims],
      [[REDIRECT], ['identity'], 'derived', ['given_name', 'family_name', 'birth_date']],
    )
    await admin.call('POST', `@/clients/${created.id}/remove`)
    await page.close()
  })

for (const [locale, notice, save] of [
  ['en-GB', /do not separate the identifiers of different credential types: Forum/, 'Save'],
  ['de-DE', /trennen die Kennungen verschiedener Nachweisarten nicht: Forum/, 'Speichern'],
] as const)
  test(`a client from before is named until its identifiers are separated (${locale})`, async () => {
    const shop = await service.tenant()
    const admin = await person(service, shop, 'admin')
    const derived = { subjectMode: 'derived', subjectClaims: ['family_name', 'birth_date'] } as const
    const redirectUris = ['https://shop.example/callback']
    const { client } = await testClient(service, shop, { ...derived, redirectUris, name: 'Forum' })
    const realm = { tenantId: shop, environment: 'test' } as const
    const change = (before: typeof client) => ({ ...before, subjectPerType: false })
    await changeClient(service.deps, { realm, actor: OPERATOR, id: client.id, change })
    const { page } = await openPage(browser, { service }, { locale })
    await signInAt(page, base, admin.email)
    await page.goto(`${base}/dashboard/${shop}/test/clients`)
    await page.getByText(notice).waitFor()
    const edit = page.getByRole('button', { name: /: Forum$/ }).first()
    const dialog = page.locator('dialog[open]')
    const separates = dialog.locator('input[name=subject_per_type]')
    // Another change keeps what it finds.
    await edit.click()
    await separates.waitFor({ state: 'attached' })
    await assertAccessible(page)
    await dialog.getByRole('button', { name: save }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText(notice).waitFor()
    await edit.click()
    await separates.check()
    await dialog.getByRole('button', { name: save }).click()
    await page.getByText(notice).waitFor({ state: 'detached' })
    await edit.click()
    await dialog.locator('select[name=subject_mode]').waitFor()
    assert.equal(await separates.count(), 0)
    await dialog.getByRole('button', { name: save }).click()
    await dialog.waitFor({ state: 'detached' })
    const { data } = (await admin.call('GET', '@/clients')).json
    assert.equal(data[0].subject_per_type, true)
  })
