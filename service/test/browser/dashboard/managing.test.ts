// Tests an owner's work in both languages and themes: keys, audit trail, trust, invitations and settings.

import assert from 'node:assert/strict'
import test from 'node:test'
import { createIssuer } from '@vidimus/wallet'
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
const issuer = createIssuer({
  base: 'https://issuer.example',
  now: Math.floor(service.clock.now() / 1000),
  name: 'Another issuer',
})
const der = Buffer.from(issuer.sdJwt.authority.certificate, 'base64')

const WORDS = {
  en: {
    ...{ roll: 'Roll', close: 'Close', kind: 'Category', keys: 'API keys', rolled: 'Key rolled' },
    ...{ from: 'From', nothing: 'No entries match your filters', all: 'Clear filters', onlyBy: /^Only by/ },
    ...{ trust: 'Add an issuer', file: 'Or choose a file', stop: /^Stop trusting/, stopWord: 'Stop trusting' },
    ...{ request: 'Request a certificate', csr: /BEGIN CERTIFICATE REQUEST/, waiting: 'Waiting for certificate' },
    ...{
      invite: 'Invite a team member',
      createLink: 'Create invitation link',
      email: 'E-mail',
      withdraw: 'Withdraw',
      retention: 'Keep verifications for',
    },
    ...{ notSaved: 'Unsaved changes', undo: 'Undo', keep: 'Keep editing', discard: 'Discard', list: 'Import a list' },
    ...{
      holder: 'What it means for your customers',
      team: 'Team',
      url: 'List URL',
      wrong: /could not be fetched/,
      again: 'View',
      remake: 'Create again',
      country: 'Country (optional)',
      noPage: 'Page not found',
    },
    ...{ signer: 'Signer certificate (PEM)' },
  },
  de: {
    ...{ roll: 'Erneuern', close: 'Schließen', kind: 'Kategorie', keys: 'API-Schlüssel' },
    ...{ rolled: 'Schlüssel erneuert', from: 'Von', all: 'Filter zurücksetzen', onlyBy: /^Nur von/ },
    ...{ nothing: 'Keine Einträge passen zu Ihren Filtern', trust: 'Aussteller hinzufügen' },
    ...{ file: 'Oder eine Datei wählen', stop: /^Nicht mehr vertrauen/, stopWord: 'Nicht mehr vertrauen' },
    ...{ request: 'Zertifikat anfordern', csr: /BEGIN CERTIFICATE REQUEST/, waiting: 'Wartet auf Zertifikat' },
    ...{
      invite: 'Teammitglied einladen',
      createLink: 'Einladungslink erstellen',
      email: 'E-Mail',
      withdraw: 'Zurückziehen',
    },
    ...{ retention: 'Prüfungen aufbewahren für', notSaved: 'Ungespeicherte Änderungen', undo: 'Rückgängig' },
    ...{
      keep: 'Weiter bearbeiten',
      discard: 'Verwerfen',
      list: 'Liste importieren',
      holder: 'Was das für Ihre Kunden bedeutet',
    },
    ...{ team: 'Team', url: 'Adresse der Liste', wrong: /ließ sich nicht abrufen/ },
    ...{
      again: 'Anzeigen',
      remake: 'Erneut erstellen',
      country: 'Land (optional)',
      noPage: 'Seite nicht gefunden',
    },
    ...{ signer: 'Zertifikat des Unterzeichners (PEM)' },
  },
} as const

const LOOKS = [
  { language: 'en', locale: 'en-GB', width: 1440, dark: true },
  { language: 'de', locale: 'de-DE', width: 390, dark: false },
] as const

for (const { language, ...look } of LOOKS)
  test(`an owner manages keys, trail, trust, team and settings (${language}, ${look.width})`, async () => {
    const words = WORDS[language]
    const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
    const owner = await person(service, tenant, 'owner')
    const key = await service.key(tenant)
    await service.call('GET', '/v1/verifications', { key })
    await service.deps.keys.writeUses()
    const { page, complaints } = await openPage(browser, { service }, look)
    await signInAt(page, base, owner.email)
    complaints.splice(0)
    const dialog = page.locator('dialog[open]')
    const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
    const closed = () => dialog.waitFor({ state: 'detached' })
    const goto = async (path: string) => {
      await page.goto(`${base}/dashboard/${tenant}/test${path}`)
      await settled(page)
    }

    await goto('/keys')
    await page.getByRole('img', { name: /14/ }).waitFor()
    await page.getByRole('button', { name: `${words.roll}: test` }).click()
    await assertAccessible(page)
    await press(words.roll)
    const rolled = await dialog.locator('output').innerText()
    assert.equal((await service.call('GET', '/v1/verifications', { key: rolled })).status, 200)
    await dialog.getByRole('checkbox').check()
    await press(words.close)
    await closed()
    await assertCount(page.locator('tbody tr'), 2)

    await goto('/audit')
    if (look.width === 1440) {
      const heights = await page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.clientHeight))
      assert.ok(heights.length > 3 && Math.max(...heights) <= 60, `${heights} pixels`)
      // Details that exceed two lines can be opened. A narrow window always has such a row.
      await page.setViewportSize({ width: 1100, height: 900 })
      const cut = page.getByRole('row', { name: /Key created/ }).last()
      const height = () => cut.evaluate((row) => row.clientHeight)
      await cut.getByRole('button', { name: 'All details', expanded: false }).waitFor()
      const before = await height()
      await cut.getByRole('button', { name: 'All details' }).click()
      await cut.getByRole('button', { name: 'All details', expanded: true }).waitFor()
      assert.ok((await height()) > before)
      await assertAccessible(page)
      await page.setViewportSize({ width: look.width, height: 900 })
    }
    await page.getByLabel(words.kind).selectOption({ label: words.keys })
    // The whole trail has the entry, too, but only the filtered trail has this link back.
    await page.getByRole('link', { name: words.all }).waitFor()
    await page.getByText(words.rolled).waitFor()
    // On a phone each entry is a line; a tap shows the rest.
    if (look.width === 390) {
      await assertCount(page.getByRole('link', { name: words.onlyBy }), 0)
      await page.getByText(words.rolled).click()
    }
    await page.getByRole('link', { name: words.onlyBy }).first().click()
    await page.waitForURL(/actor=usr_/)
    await page.locator('a', { hasText: owner.email }).first().waitFor({ state: 'attached' })
    await assertAccessible(page)
    await page.getByLabel(words.from, { exact: true }).fill('2099-01-01')
    await page.getByText(words.nothing).waitFor()
    await page.getByRole('link', { name: words.all }).click()
    await page
      .locator(look.width === 390 ? 'details' : 'tbody tr')
      .nth(3)
      .waitFor()

    await goto('/trust')
    await page.getByRole('button', { name: words.trust, exact: true }).click()
    const file = { name: 'authority.der', mimeType: 'application/octet-stream', buffer: der }
    await dialog.getByLabel(words.file).setInputFiles(file)
    await dialog.locator('input[value="dc+sd-jwt:urn:eudi:pid:1"]').check()
    await assertAccessible(page)
    await press(words.trust)
    await closed()
    await page.getByRole('button', { name: words.stop }).click()
    await press(words.stopWord)
    await closed()
    await assertCount(page.getByRole('button', { name: words.stop }), 0)
    await page.getByRole('button', { name: words.list }).click()
    await dialog.getByLabel(words.url).fill('https://10.0.0.1/list')
    await dialog.getByLabel(words.file).setInputFiles(file)
    await dialog.locator('textarea', { hasText: 'BEGIN CERTIFICATE' }).waitFor()
    await dialog.locator('input[value="dc+sd-jwt:urn:eudi:pid:1"]').check()
    await press(words.list)
    await dialog.getByText(words.wrong).waitFor()
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await press(words.discard)
    await page.getByRole('button', { name: words.request }).click()
    await press(words.request)
    const shown = await dialog.getByText(words.csr).innerText()
    await assertAccessible(page)
    await press(words.close)
    await page.getByText(words.waiting).waitFor()
    // The dialog opens again with the same request, and can make another request for the same key.
    await page.getByRole('button', { name: words.again, exact: true }).click()
    assert.equal(await dialog.getByText(words.csr).innerText(), shown)
    await assertAccessible(page)
    await press(words.remake)
    await dialog.getByLabel(words.country, { exact: true }).fill('UT')
    await assertAccessible(page)
    await press(words.remake)
    await dialog.getByText(words.csr).waitFor()
    assert.notEqual(await dialog.getByText(words.csr).innerText(), shown)
    await press(words.close)
    await assertCount(page.getByText(words.waiting), 1)
    await page.getByRole('button', { name: words.withdraw, exact: true }).click()
    await assertAccessible(page)
    await press(words.withdraw)
    await closed()
    await assertCount(page.getByText(words.waiting), 0)

    await goto('/team')
    await page.getByRole('button', { name: words.invite }).click()
    await dialog.getByLabel(words.email).fill('nora.neu@example.com')
    await page.keyboard.press('Escape')
    await press(words.keep)
    await press(words.createLink)
    await dialog.getByRole('checkbox').check()
    await press(words.close)
    await page.getByRole('button', { name: `${words.withdraw}: nora.neu@example.com` }).click()
    await assertAccessible(page)
    await press(words.withdraw)
    await closed()
    await assertCount(page.getByText('nora.neu@example.com'), 0)

    await goto('/settings')
    await page.getByText(words.holder).first().click()
    await assertAccessible(page)
    await page.getByLabel(words.retention).fill('14')
    await page.getByText(words.notSaved).waitFor()
    if (look.width < 1024) await page.getByRole('button', { name: /^Men/ }).click()
    await page.getByRole('link', { name: words.team, exact: true }).click()
    await dialog.waitFor()
    await assertAccessible(page)
    await press(words.keep)
    assert.equal(await page.getByLabel(words.retention).inputValue(), '14')
    await page.getByRole('button', { name: words.undo }).click()
    assert.equal(await page.getByLabel(words.retention).inputValue(), '30')
    await page.getByRole('link', { name: words.team, exact: true }).click()
    await page.waitForURL(/\/team$/)
    assert.deepEqual(complaints, [])
    // A page that does not exist still shows the company.
    await page.goto(`${base}/dashboard/nowhere/at/all`)
    await page.getByText(words.noPage).waitFor()
    await page.getByText('Vidimus', { exact: true }).waitFor()
    await page.context().close()
  })
