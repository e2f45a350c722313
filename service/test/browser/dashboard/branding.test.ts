// Tests branding in the dashboard, in both languages: entered, and previewed on the real page before it is saved.

import assert from 'node:assert/strict'
import test from 'node:test'
import { listeningService } from '../../harness/listening.ts'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { LOGO } from '../../harness/pages/brands.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertCount, waitInFrame } from '../../harness/pages/shown.ts'
import { person } from '../../harness/staff.ts'
import { create } from '../../wallet/verifications.ts'

await builtDashboard()
const service = await listeningService()
const { base } = service
const browser = await testBrowser()

const WORDS = {
  en: {
    name: 'Display name',
    logo: 'Logo',
    hex: 'Colour (hex)',
    help: 'Help page',
    save: 'Save',
    saved: 'Saved',
  },
  de: {
    name: 'Anzeigename',
    logo: 'Logo',
    hex: 'Farbe (Hex)',
    help: 'Hilfeseite',
    save: 'Speichern',
    saved: 'Gespeichert',
  },
} as const
const REST = {
  en: {
    forbidden: /not allowed: <script>/,
    remove: 'Remove file',
    phone: 'Phone',
    font: 'Font',
    corners: 'Corners',
    corrected: /hard to see on this background/,
    edit: 'Edit',
    preview: 'Preview',
    dark: 'Dark',
  },
  de: {
    forbidden: /nicht erlaubt ist: <script>/,
    remove: 'Datei entfernen',
    phone: 'Smartphone',
    font: 'Schrift',
    corners: 'Ecken',
    corrected: /auf diesem Hintergrund schlecht zu sehen/,
    edit: 'Bearbeiten',
    preview: 'Vorschau',
    dark: 'Dunkel',
  },
} as const

const file = (text: string) => ({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(text) })

for (const language of ['en', 'de'] as const)
  for (const width of [1440, 390])
    test(`the preview shows each change, and the hosted page shows what was saved (${language}, ${width})`, async () => {
      const words = { ...WORDS[language], ...REST[language] }
      const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
      const admin = await person(service, tenant, 'admin')
      const look = { locale: language === 'de' ? 'de-DE' : 'en-GB', width, dark: language === 'de' } as const
      const { page } = await openPage(browser, { service }, look)
      await signInAt(page, base, admin.email)
      await page.goto(`${base}/dashboard/${tenant}/test/branding`)
      await settled(page)
      const preview = page.frameLocator('iframe')
      const form = page.locator('#main')
      await waitInFrame(page, preview.locator('.question h1', { hasText: 'Weinhandlung Sonnenhof' }))
      // A phone shows either the form or the preview.
      const show = async (view: 'edit' | 'preview') => {
        if (width === 390) await form.getByRole('button', { name: words[view], exact: true }).click()
      }
      await show('edit')
      await page.getByLabel(words.name).fill('Sonnenhof')
      await show('preview')
      await waitInFrame(page, preview.locator('.question h1', { hasText: /(?<!Weinhandlung )Sonnenhof/ }))
      await show('edit')
      await page.getByLabel(words.logo, { exact: true }).setInputFiles(file(LOGO.replace('</svg>', '<script/></svg>')))
      await page.getByText(words.forbidden).filter({ visible: true }).waitFor()
      await page.getByLabel(words.logo, { exact: true }).setInputFiles(file(LOGO))
      await page.getByLabel(words.hex).fill('#1f4fd8')
      await page.getByLabel(words.hex).blur()
      await form.getByText(/ 6[.,]6 : 1/).waitFor()
      await show('preview')
      await waitInFrame(page, preview.locator('img.logo'))
      await preview.locator('link[href^="/assets/brand/1f4fd8-"]').waitFor({ state: 'attached' })
      await form.getByRole('button', { name: words.dark, exact: true }).click()
      await page.getByText(words.corrected).waitFor()
      await waitInFrame(page, preview.locator('html[data-theme=dark]'))
      await show('edit')
      await form.getByLabel(words.font, { exact: true }).selectOption('nunito')
      await form.getByLabel(words.corners, { exact: true }).selectOption('none')
      await preview.locator('link[href$="-none-nunito/page.css"]').waitFor({ state: 'attached' })
      await page.getByLabel(words.help).fill('https://shop.example/help')
      await show('preview')
      if (width > 390) await form.getByRole('button', { name: words.phone, exact: true }).click()
      await waitInFrame(page, preview.locator('.ways:not([open])'))
      await show('edit')
      await assertAccessible(page)
      await page.getByRole('button', { name: words.save }).click()
      await page.getByText(words.saved, { exact: true }).waitFor()
      const created = await create(service, await service.key(tenant))
      const hosted = (await service.call('GET', `/verify/${created.id}`)).text
      assert.match(hosted, /with Sonnenhof/)
      assert.match(hosted, /<img class="logo"/)
      assert.match(hosted, /https:\/\/shop\.example\/help/)
      assert.match(hosted, /\/assets\/brand\/1f4fd8-x-none-nunito\/page\.css/)
      await page.getByRole('button', { name: words.remove }).click()
      await show('preview')
      await waitInFrame(page, preview.locator('.letter'))
      await page.context().close()
    })

test('a viewer sees the branding and cannot change it', async () => {
  const tenant = await service.tenant()
  const viewer = await person(service, tenant, 'viewer')
  const { page } = await openPage(browser, { service }, {})
  await signInAt(page, base, viewer.email)
  await page.goto(`${base}/dashboard/${tenant}/live/branding`)
  await settled(page)
  await waitInFrame(page, page.frameLocator('iframe').locator('.question h1'))
  assert.ok(await page.getByLabel(WORDS.en.name).isDisabled())
  await assertCount(page.getByRole('button', { name: WORDS.en.save }), 0)
  await page.context().close()
})
