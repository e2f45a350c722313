// Tests how websites are added, proven and removed in the dashboard, in both languages.

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
const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
const browser = await testBrowser()

const WORDS = {
  en: {
    add: 'Add a website',
    written: /without a path or trailing slash/,
    look: 'Check now',
    away: /could not reach the website/,
  },
  de: {
    add: 'Website hinzufügen',
    written: /ohne Schrägstrich am Ende/,
    look: 'Jetzt prüfen',
    away: /war nicht erreichbar/,
  },
} as const
const REST = {
  en: { close: 'Close', unproven: /Not confirmed/, local: /Your computer/, remove: 'Remove' },
  de: { close: 'Schließen', unproven: /Nicht bestätigt/, local: /Ihr Computer/, remove: 'Entfernen' },
} as const

for (const language of ['en', 'de'] as const) {
  test(`a website is added with the line that its host must show, checked, and removed (${language})`, async () => {
    const words = { ...WORDS[language], ...REST[language] }
    const admin = await person(service, tenant, 'admin')
    const { page } = await openPage(browser, { service }, { locale: language === 'de' ? 'de-DE' : 'en-GB' })
    await signInAt(page, base, admin.email)
    await page.goto(`${base}/dashboard/${tenant}/test/trust`)
    await settled(page)
    const dialog = page.locator('dialog[open]')
    const add = async (origin: string) => {
      await page.getByRole('button', { name: words.add }).click()
      await dialog.getByRole('textbox').fill(origin)
      await dialog.getByRole('button', { name: words.add }).click()
    }
    await add('https://shop.merchant.com/')
    await dialog.getByText(words.written).last().waitFor()
    await assertAccessible(page)
    await dialog.getByRole('textbox').fill('https://shop.merchant.com')
    await dialog.getByRole('button', { name: words.add }).click()
    await dialog.getByText('https://shop.merchant.com/.well-known/vidimus-origin.txt').waitFor()
    await dialog.getByText(/^vidimus-origin=\w{32}$/).waitFor()
    await dialog.getByRole('button', { name: words.look }).click()
    await dialog.getByText(words.away).waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: words.close }).click()
    await add('http://localhost:5173')
    const rows = page.locator('tr', { hasText: 'merchant.com' }).or(page.locator('tr', { hasText: 'localhost' }))
    await rows.nth(1).waitFor()
    assert.match((await rows.allInnerTexts()).join('\n'), words.unproven)
    assert.match((await rows.allInnerTexts()).join('\n'), words.local)
    for (const origin of ['https://shop.merchant.com', 'http://localhost:5173']) {
      await page.getByRole('button', { name: `${words.remove}: ${origin}` }).click()
      await dialog.getByRole('button', { name: words.remove }).click()
      await page.locator('tr', { hasText: origin }).waitFor({ state: 'detached' })
    }
    await page.close()
  })
}

test('a viewer sees the list and no button', async () => {
  const admin = await person(service, tenant, 'admin')
  await admin.call('POST', '@/origins', { body: { origin: 'http://localhost:5173' } })
  const viewer = await person(service, tenant, 'viewer')
  const { page } = await openPage(browser, { service })
  await signInAt(page, base, viewer.email)
  await page.goto(`${base}/dashboard/${tenant}/test/trust`)
  await page.locator('tr', { hasText: 'localhost:5173' }).waitFor()
  await assertCount(page.getByRole('button', { name: WORDS.en.add }), 0)
})
