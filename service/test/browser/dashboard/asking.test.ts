// Asking from the dashboard, as a person does it: the panel, the page with link and code, the answer, taking it back.

import assert from 'node:assert/strict'
import test from 'node:test'
import { listeningService } from '../../harness/listening.ts'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertCount } from '../../harness/pages/shown.ts'
import { PASSWORD, person } from '../../harness/staff.ts'
import { testWallet } from '../../harness/wallet.ts'

await builtDashboard()
const service = await listeningService()
const { base } = service
const browser = await testBrowser()
const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
const admin = await person(service, tenant, 'admin')
const viewer = await person(service, tenant, 'viewer')

const WORDS = {
  en: {
    create: 'New verification',
    purpose: 'Purpose (optional)',
    reference: 'Reference (optional)',
    submit: 'Create the link',
    mail: 'Text for an e-mail',
    cancel: 'Take it back',
    cancelled: 'Cancelled before anybody answered',
    answered: 'The wallet answered',
    again: 'Sign in again',
    signIn: 'Sign in',
  },
  de: {
    create: 'Neue Prüfung',
    purpose: 'Zweck (optional)',
    reference: 'Ihre Referenz (optional)',
    submit: 'Link erzeugen',
    mail: 'Text für eine E-Mail',
    cancel: 'Zurücknehmen',
    cancelled: 'Abgebrochen, bevor jemand antwortete',
    answered: 'Die Wallet hat geantwortet',
    again: 'Erneut anmelden',
    signIn: 'Anmelden',
  },
} as const

for (const [language, look] of [
  ['en', { locale: 'en-GB', width: 1440 }],
  ['de', { locale: 'de-DE', dark: true, width: 390 }],
] as const) {
  test(`asked, answered, asked again in live and taken back (${language})`, async () => {
    const words = WORDS[language]
    const { page, complaints } = await openPage(browser, { service }, look)
    await signInAt(page, base, admin.email)
    complaints.splice(0)
    const dialog = page.locator('dialog[open]').last()
    const ask = async (environment: string) => {
      await page.goto(`${base}/dashboard/${tenant}/${environment}/verifications`)
      await settled(page)
      await page.getByRole('link', { name: words.create }).click()
      await dialog.getByLabel(words.purpose).fill('To sell you <wine>')
      await dialog.getByLabel(words.reference).fill('Order 1024')
      await assertAccessible(page)
      await dialog.getByRole('button', { name: words.submit }).dblclick()
    }
    const idOf = async () => {
      await page.waitForURL(/\/verifications\/ver_/)
      return page.url().split('/').at(-1) ?? ''
    }

    await ask('test')
    const id = await idOf()
    await page.getByText(`${base}/verify/${id}`, { exact: true }).waitFor()
    await page.getByText(words.mail).click()
    const mail = await page.locator('details p').innerText()
    for (const part of [`${base}/verify/${id}`, 'Weinhandlung Sonnenhof', 'To sell you <wine>']) {
      assert.ok(mail.includes(part), mail)
    }
    await assertAccessible(page)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    assert.ok(overflow <= 0, `${overflow} pixels too wide`)
    const { data } = (await admin.call('GET', '@/verifications?text=Order%201024')).json
    assert.equal(data.filter((row: { status: string }) => row.status === 'pending').length, 1)
    const { open } = (await admin.call('GET', `@/verifications/${id}`)).json
    await (await testWallet(service)).present(open.wallet_uri)
    await page.getByText(words.answered).waitFor()
    await assertCount(page.getByRole('button', { name: words.cancel }), 0)

    service.clock.advance(11 * 60_000)
    await page.context().clock.setFixedTime(service.clock.now())
    await ask('live')
    await page.getByRole('heading', { name: words.again }).waitFor()
    await dialog.locator('input[name=password]').fill(PASSWORD)
    await dialog.getByRole('button', { name: words.signIn, exact: true }).click()
    assert.notEqual(await idOf(), id)
    await page.getByRole('button', { name: words.cancel }).click()
    await dialog.getByRole('button', { name: words.cancel }).click()
    await page.getByText(words.cancelled).waitFor()
    assert.deepEqual(
      complaints.filter((text) => !text.includes('403')),
      [],
    )
    await page.context().close()
  })
}

test('who only looks on is offered neither the panel nor the link', async () => {
  const { page } = await openPage(browser, { service })
  await signInAt(page, base, viewer.email)
  const body = { template: 'age_over_18', idempotency_key: 'for-the-viewer-to-see' }
  const made = (await admin.call('POST', '@/verifications', { body })).json
  await page.goto(`${base}/dashboard/${tenant}/test/verifications?new=`)
  await settled(page)
  await assertCount(page.locator('dialog[open]'), 0)
  await assertCount(page.getByRole('link', { name: WORDS.en.create }), 0)
  await page.goto(`${base}/dashboard/${tenant}/test/verifications/${made.id}`)
  await settled(page)
  assert.ok(!(await page.innerText('#main')).includes('/verify/'))
  await page.context().close()
})
