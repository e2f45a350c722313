// Tests the template builder: with and without JSON, checked, previewed, tried with the test wallet, copied.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { listeningService } from '../../harness/listening.ts'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, type Look, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertCount, waitInFrame } from '../../harness/pages/shown.ts'
import { addTo, registerTenant, testRegistrar } from '../../harness/registrar.ts'
import { person } from '../../harness/staff.ts'
import { waitUntil } from '../../harness/wait.ts'

await builtDashboard()
const service = await listeningService()
const { base } = service
const browser = await testBrowser()

const WORDS = {
  en: {
    empty: 'You have no templates yet',
    first: 'Create a template',
    nothing: 'Choose what you want to know to see',
    age: 'Whether a person is old enough',
    years: 'Minimum age',
    given: 'Given name',
    born: 'Date of birth',
    email: 'E-mail address',
    driving: 'Driving licence categories',
    licence: /^Mobile driving licence/,
    lacks: /^Does not contain: Given name$/,
    noDocument: /^None of these documents contains/,
    tooMuch: /^A date of birth identifies people/,
    instead: 'Ask for the age instead',
    fine: /^No\. This asks only/,
    asks: 'Whether you are 65 or older',
    sentence: 'Given name; 65 or older (yes or no), or else date of birth',
    title: 'Title',
    key: 'Key',
    tryIt: 'Save and test',
    testWallet: 'Open test wallet',
    walletDone: 'Age check complete',
    older: '65 or older',
    preview: 'Preview of the hosted page',
    computer: 'Desktop',
    onlyInTest: 'Only in test',
    take: 'Copy to live',
    save: 'Save',
    edit: 'Edit',
  },
  de: {
    empty: 'Sie haben noch keine Vorlagen',
    first: 'Vorlage erstellen',
    nothing: 'Wählen Sie, was Sie wissen möchten, um hier',
    age: 'Ob eine Person alt genug ist',
    years: 'Mindestalter',
    given: 'Vorname',
    born: 'Geburtsdatum',
    email: 'E-Mail-Adresse',
    driving: 'Fahrerlaubnisklassen',
    licence: /^Digitaler Führerschein/,
    lacks: /^Enthält nicht: Vorname$/,
    noDocument: /^Keiner dieser Nachweise/,
    tooMuch: /^Ein Geburtsdatum macht Personen erkennbar/,
    instead: 'Stattdessen nach dem Alter fragen',
    fine: /^Nein\. Sie fragen nur/,
    asks: 'Ob Sie mindestens 65 sind',
    sentence: 'Vorname; Mindestens 65 (ja oder nein), sonst Geburtsdatum',
    title: 'Titel',
    key: 'Schlüssel',
    tryIt: 'Speichern und testen',
    testWallet: 'Test-Wallet öffnen',
    walletDone: 'Alter geprüft',
    older: 'Mindestens 65',
    preview: 'Vorschau der gehosteten Seite',
    computer: 'Computer',
    onlyInTest: 'Nur in Test',
    take: 'Nach Live kopieren',
    save: 'Speichern',
    edit: 'Bearbeiten',
  },
} as const

async function atTemplates(look: Look = {}) {
  const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
  const admin = await person(service, tenant, 'admin')
  const { page, complaints } = await openPage(browser, { service }, look)
  await signInAt(page, base, admin.email)
  await page.goto(`${base}/dashboard/${tenant}/test/templates`)
  await settled(page)
  complaints.splice(0)
  return { tenant, admin, page, complaints, dialog: page.locator('dialog[open]') }
}

async function assertWhole(page: Page): Promise<void> {
  await assertAccessible(page)
  const overflow = await page.evaluate(() => {
    const dialog = document.querySelector('dialog[open]')
    return dialog === null ? 0 : dialog.scrollWidth - dialog.clientWidth
  })
  assert.ok(overflow <= 0, `the dialog is ${overflow} pixels too wide`)
}

// Each theme with one language only, because it affects only colours.
for (const look of [
  { locale: 'en-GB', width: 1440 },
  { locale: 'de-DE', width: 390, dark: true },
] as const) {
  const language = look.locale === 'de-DE' ? 'de' : 'en'
  const words = WORDS[language]
  test(`a template without JSON, from nothing to the wallet’s answer (${language}, ${look.width})`, async () => {
    const { tenant, admin, page, complaints, dialog } = await atTemplates(look)
    const frame = page.frameLocator(`iframe[title="${words.preview}"]`)
    const box = (name: string) => dialog.getByLabel(name, { exact: true })
    await page.getByText(words.empty).waitFor()
    await page.getByRole('button', { name: words.first }).click()
    await dialog.getByText(words.nothing).waitFor()
    await assertWhole(page)

    await box(words.given).check()
    await dialog.getByText(words.lacks).waitFor()
    await box(words.driving).check()
    await box(words.email).check()
    await dialog.getByText(words.noDocument).waitFor()
    await box(words.driving).uncheck()
    await box(words.email).uncheck()
    await box(words.born).check()
    await dialog.getByText(words.tooMuch).waitFor()
    await waitInFrame(page, frame.locator('.asked li', { hasText: words.born }))
    await assertWhole(page)
    await dialog.getByRole('button', { name: words.instead }).click()
    await dialog.getByLabel(words.years).fill('65')
    await dialog.getByText(words.sentence, { exact: true }).waitFor()
    await box(words.given).uncheck()
    await waitInFrame(page, frame.locator('.asked li', { hasText: words.asks }))
    await waitInFrame(page, frame.locator('h1', { hasText: 'Weinhandlung Sonnenhof' }))
    await dialog.getByText(words.fine).waitFor()
    await dialog.getByLabel(words.licence).uncheck()
    await dialog.getByRole('button', { name: words.computer }).click()
    await waitInFrame(page, frame.locator('.ways[open]'))
    await dialog.getByLabel(words.title, { exact: true }).fill('Gäste über 65')
    assert.equal(await dialog.getByLabel(words.key, { exact: true }).inputValue(), 'gaeste_ueber_65')
    await assertWhole(page)
    await dialog.getByRole('button', { name: words.tryIt }).click()

    await page.waitForURL(/\/verifications\/ver_/)
    const { data } = (await admin.call('GET', '@/templates')).json
    const saved = data.find((one: { key: string }) => one.key === 'gaeste_ueber_65')
    assert.deepEqual(Object.keys(saved.outputs), ['age_over_65'])
    const ids = saved.query.credentials.map(({ id }: { id: string }) => id)
    assert.deepEqual(ids, ['age_proof', 'pid_sd', 'pid_mdoc'])
    const [wallet] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: words.testWallet }).click(),
    ])
    await wallet.click('button[value=consent]')
    await wallet.getByText(words.walletDone).waitFor()
    await page.getByText(words.older, { exact: true }).waitFor()
    assert.equal(page.url().includes(tenant), true)

    // In live the page finds the template of test and copies it.
    await page.goto(`${base}/dashboard/${tenant}/live/templates`)
    await page.getByText(words.onlyInTest).waitFor()
    await page.getByText(words.empty).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: `${words.take}: gaeste_ueber_65` }).click()
    assert.equal(await dialog.getByLabel(words.title, { exact: true }).inputValue(), 'Gäste über 65')
    await dialog.getByRole('button', { name: words.save, exact: true }).click()
    await page.getByRole('button', { name: `${words.edit}: gaeste_ueber_65` }).waitFor()
    await assertCount(page.getByText(words.onlyInTest), 0)
    assert.deepEqual(complaints, [])
    await page.context().close()
  })
}

test('a copy of a built-in template opens as choices; a template that choices cannot express opens as JSON, without loss', async () => {
  const { admin, page, dialog } = await atTemplates()
  await page.getByRole('button', { name: 'More actions: identity', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  assert.ok(await dialog.getByLabel('Family name').isChecked())
  assert.equal(await dialog.getByLabel('Title').inputValue(), 'Identity (copy)')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'More actions: identity')
  const all = (await admin.call('GET', '@/templates')).json.data
  const [builtIn, copy] = ['identity', 'identity_copy'].map((key) =>
    all.find((one: { key: string }) => one.key === key),
  )
  assert.deepEqual([copy.query, copy.outputs], [builtIn.query, builtIn.outputs])

  const query = { ...builtIn.query, credential_sets: [{ ...builtIn.query.credential_sets[0], purpose: 'To know you' }] }
  const special = { title: 'Special', query, outputs: builtIn.outputs }
  await admin.call('POST', '@/templates/special', { body: { document: special } })
  await page.reload()
  await page.getByRole('button', { name: 'Edit: special' }).click()
  const json = dialog.getByLabel('Query (JSON)')
  assert.deepEqual(JSON.parse(await json.inputValue()), { query, outputs: builtIn.outputs })
  await dialog.getByRole('button', { name: 'Form', exact: true }).click()
  await dialog.getByText(/has parts that the form cannot show/).waitFor()
  assert.ok(await dialog.getByRole('button', { name: 'Save', exact: true }).isDisabled())
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'JSON' }).click()
  assert.deepEqual(JSON.parse(await json.inputValue()).query, query)
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const again = (await admin.call('GET', '@/templates')).json.data
  assert.deepEqual(again.find((one: { key: string }) => one.key === 'special').query, query)
  await page.context().close()
})

for (const [language, line, missing, unasked, unsound] of [
  [
    'en',
    'Line',
    'a comma is missing before this.',
    'is not a valid query. Technical details: ',
    'outputs: must have 1 to 50 members.',
  ],
  [
    'de',
    'Zeile',
    'Davor fehlt ein Komma.',
    'ist keine gültige Abfrage. Technische Details: ',
    'outputs: muss 1 bis 50 Einträge haben.',
  ],
] as const)
  test(`errors in JSON and in the query name their line and lead there, also by keyboard (${language})`, async () => {
    const { page, dialog } = await atTemplates({
      locale: language === 'de' ? 'de-DE' : 'en-GB',
      dark: language === 'de',
    })
    await page.getByRole('button', { name: WORDS[language].first }).click()
    await dialog.getByLabel(WORDS[language].given, { exact: true }).check()
    await dialog.getByRole('button', { name: 'JSON' }).click()
    const json = dialog.locator('textarea')
    const good = await json.inputValue()
    assert.equal(JSON.parse(good).query.credentials.length, 3)
    const lines = good.split('\n')
    const at = lines.findIndex((text) => text.includes('"format"'))
    await json.fill(lines.with(at - 1, lines[at - 1]?.replace(',', '') ?? '').join('\n'))
    await dialog.getByText(missing).waitFor()
    const faulty = dialog.locator(`[data-line="${at + 1}"].text-bad`)
    await faulty.waitFor()
    await json.press('Control+End')
    await json.blur()
    await waitUntil('the line is in view', async () => {
      const [faultBox, frame] = [await faulty.boundingBox(), await json.boundingBox()]
      return faultBox !== null && frame !== null && faultBox.y >= frame.y && faultBox.y < frame.y + frame.height
    })
    assert.ok(
      await dialog.getByRole('button', { name: language === 'de' ? 'Speichern' : 'Save', exact: true }).isDisabled(),
    )
    await assertAccessible(page)
    await json.fill(good.replace('"dc+sd-jwt"', '"jwt_vc"'))
    const jump = dialog.getByRole('button', { name: `${line} ${at + 1}` })
    await jump.waitFor()
    await dialog.getByText(unasked).waitFor()
    await jump.focus()
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => {
      const area = document.activeElement
      if (!(area instanceof HTMLTextAreaElement)) return false
      return area.value.slice(area.selectionStart, area.selectionEnd).includes('"format": "jwt_vc"')
    })
    await json.fill(JSON.stringify({ ...JSON.parse(good), outputs: {} }))
    await dialog.getByText(unsound).waitFor()
    await json.fill('[]')
    await dialog.getByRole('button', { name: `${line} 1` }).waitFor()
    await json.fill(good)
    await waitInFrame(page, page.frameLocator('iframe').locator('.asked li', { hasText: WORDS[language].given }))
    await page.context().close()
  })

test('claims beyond the registration are named, with the use that would cover them', async () => {
  const { tenant, page, dialog } = await atTemplates({ locale: 'de-DE' })
  const registrar = await testRegistrar(service)
  const realm = { tenantId: tenant, environment: 'test' } as const
  await registerTenant(service, registrar, realm)
  await addTo(service, realm, registrar.certify())
  await page.reload()
  await page.getByRole('button', { name: WORDS.de.first }).click()
  await dialog.getByLabel('Nachname').check()
  await dialog.getByLabel('Personalausweis (PID) · mdoc').uncheck()
  await dialog.getByText(WORDS.de.fine).waitFor()
  await waitInFrame(page, page.frameLocator('iframe').getByText('Um Ihr Alter zu prüfen'))
  await dialog.getByLabel(WORDS.de.given, { exact: true }).check()
  await dialog.getByText('„Vorname“ aus Personalausweis (PID) ist für „age-check“ nicht registriert.').waitFor()
  await dialog.getByText('In Live funktioniert das nicht, und Wallets zeigen eine Warnung.').waitFor()
  await assertAccessible(page)
  await page.context().close()
})

test('unsaved input is kept until the person confirms: at Escape, at the back button, and when leaving the page', async () => {
  const { page, dialog } = await atTemplates()
  await page.getByRole('button', { name: WORDS.en.first }).focus()
  await page.keyboard.press('Enter')
  await dialog.getByLabel(WORDS.en.given, { exact: true }).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Escape')
  await dialog.getByText('You have unsaved changes.').waitFor()
  await dialog.getByRole('button', { name: 'Keep editing' }).press('Enter')
  await page.goBack()
  await dialog.getByText('You have unsaved changes.').waitFor()
  await dialog.getByRole('button', { name: 'Keep editing' }).press('Enter')
  // A frame that loads another document closes any dialog of its page, so the preview must have loaded.
  await waitInFrame(page, page.frameLocator('iframe').locator('.asked li', { hasText: WORDS.en.given }))
  const opened = page.waitForEvent('dialog')
  const leaving = page.close({ runBeforeUnload: true })
  const question = await opened
  assert.equal(question.type(), 'beforeunload')
  await question.dismiss()
  await leaving
  assert.ok(await dialog.getByLabel(WORDS.en.given, { exact: true }).isChecked())
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Discard' }).press('Enter')
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), WORDS.en.first)
  await page.context().close()
})

test('on a phone a button in the title closes the builder, and asks first if there is unsaved input', async () => {
  const { page, dialog } = await atTemplates({ width: 390 })
  const close = dialog.getByRole('button', { name: 'Cancel', exact: true })
  await page.getByRole('button', { name: WORDS.en.first }).click()
  const box = await close.boundingBox()
  assert.ok(box !== null && box.width >= 44 && box.height >= 44 && box.y < 100, JSON.stringify(box))
  await assertWhole(page)
  await close.click()
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: WORDS.en.first }).click()
  const givenName = dialog.getByLabel(WORDS.en.given, { exact: true })
  await givenName.check()
  await close.click()
  await dialog.getByText('You have unsaved changes.').waitFor()
  await assertWhole(page)
  await dialog.getByRole('button', { name: 'Keep editing' }).click()
  assert.ok(await givenName.isChecked())
  await close.click()
  await dialog.getByRole('button', { name: 'Discard' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.context().close()
})
