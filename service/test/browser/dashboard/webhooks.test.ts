// Tests webhooks in the dashboard: an endpoint is saved, tested, fails with a reason, is fixed; its secret is rotated.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { verifyWebhook } from '../../../../sdk/typescript/src/webhook.ts'
import { invite } from '../../../src/features/staff/usecases/manage-team.ts'
import { parseCidr } from '../../../src/platform/cidr.ts'
import { listeningService } from '../../harness/listening.ts'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertCount } from '../../harness/pages/shown.ts'
import { OPERATOR } from '../../harness/service.ts'
import { PASSWORD, person } from '../../harness/staff.ts'
import { declined, deliverDue, startReceiver } from '../../harness/webhooks.ts'

await builtDashboard()
const loopback = parseCidr('127.0.0.1/32')
assert.ok(loopback !== null)
const service = await listeningService({ egressAllow: [loopback] })
const { base } = service
const receiver = await startReceiver()
const browser = await testBrowser()

const WORDS = {
  en: {
    ...{ empty: 'No endpoints yet', add: 'Add an endpoint', name: 'Name', url: 'Address', save: 'Save' },
    ...{ refused: /The webhook address must be a public/, test: 'Send test event', send: 'Send now' },
    ...{
      again: 'Send again',
      notOk: 'Your endpoint did not accept the event.',
      ok: 'Your endpoint accepted the event.',
    },
    ...{ close: 'Close', failed: 'Your server had an error (500). Check its log.', gone: /no longer exists \(410\)/ },
    ...{
      state: 'Status',
      failedState: 'Failed',
      details: /^Details/,
      resend: 'Resend failed deliveries',
      discard: 'Discard',
    },
    ...{ due: 'Resending 1 delivery.', rotate: 'Rotate', show: 'Show secret', check: /^Test the new secret/ },
    ...{ unknown: /Your server did not accept the new secret/, known: 'Your server accepts the new secret.' },
    ...{ finish: 'Stop using the old secret', rotation: 'Rotate the secret', secret: 'Signing secret' },
    ...{ remove: 'Remove', sent: 'Request', back: 'Response', unsaved: /You have unsaved changes/ },
  },
  de: {
    ...{ empty: 'Noch keine Endpunkte', add: 'Endpunkt hinzufügen', name: 'Name', url: 'Adresse' },
    ...{ save: 'Speichern', refused: /Webhook-Adresse|webhook address/, test: 'Testereignis senden' },
    ...{ send: 'Jetzt senden', again: 'Erneut senden', notOk: 'Ihr Endpunkt hat das Ereignis nicht angenommen.' },
    ...{ ok: 'Ihr Endpunkt hat das Ereignis angenommen.', close: 'Schließen', discard: 'Verwerfen' },
    ...{
      failed: 'Ihr Server hat einen Fehler gemeldet (500). Sehen Sie in seinem Protokoll nach.',
      gone: /nicht mehr \(410\)/,
    },
    ...{
      state: 'Status',
      failedState: 'Fehlgeschlagen',
      details: /^Details/,
      resend: 'Fehlgeschlagene erneut senden',
    },
    ...{
      due: '1 Zustellung wird erneut gesendet.',
      rotate: 'Wechseln',
      show: 'Secret anzeigen',
      check: /^Neues Secret testen/,
    },
    ...{
      unknown: /Ihr Server hat das neue Secret nicht akzeptiert/,
      known: 'Ihr Server akzeptiert das neue Secret.',
    },
    ...{ finish: 'Altes Secret beenden', rotation: 'Signing-Secret wechseln', secret: 'Signing-Secret' },
    ...{ remove: 'Entfernen', sent: 'Anfrage', back: 'Antwort', unsaved: /ungespeicherte Änderungen/ },
  },
} as const

const LOOKS = [
  { language: 'en', locale: 'en-GB', width: 1440, dark: false },
  { language: 'de', locale: 'de-DE', width: 390, dark: true },
] as const

for (const { language, ...look } of LOOKS)
  test(`an endpoint is saved, tested, fails, and gets another secret (${language}, ${look.width})`, async () => {
    const words = WORDS[language]
    const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
    const key = await service.key(tenant)
    const admin = await person(service, tenant, 'admin')
    const { page, complaints } = await openPage(browser, { service }, look)
    await signInAt(page, base, admin.email)
    complaints.splice(0)
    const dialog = page.locator('dialog[open]')
    const press = (name: string | RegExp) => dialog.getByRole('button', { name, exact: true }).click()
    const closed = () => dialog.waitFor({ state: 'detached' })
    await page.goto(`${base}/dashboard/${tenant}/test/webhooks`)
    await settled(page)

    await page.getByText(words.empty).waitFor()
    await page.locator('summary').getByText('verification.failed', { exact: true }).click()
    await page.locator('details[open] pre', { hasText: 'wallet_declined' }).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: words.add }).click()
    await dialog.getByLabel(words.name, { exact: true }).fill('Shop')
    await dialog.getByLabel(words.url, { exact: true }).fill('http://10.0.0.1/hook')
    await page.keyboard.press('Escape')
    await dialog.getByText(words.unsaved).waitFor()
    await page.keyboard.press('Escape')
    await press(words.save)
    await dialog.getByText(words.refused).first().waitFor()
    assert.match(complaints.splice(0).join(), /422/)
    await assertAccessible(page)
    await dialog.getByLabel(words.url, { exact: true }).fill(receiver.url)
    await press(words.save)
    await closed()
    await page.getByText(receiver.url).waitFor()

    receiver.answer = () => ({ status: 500, headers: { 'content-type': 'text/plain' }, body: 'table orders is locked' })
    await page.getByRole('button', { name: `${words.test}: Shop` }).click()
    await press(words.send)
    await dialog.getByText(words.notOk).waitFor()
    await dialog.getByText(words.failed).waitFor()
    await dialog.getByText('table orders is locked').waitFor()
    await dialog.getByText('X-Service-Test:', { exact: true }).waitFor()
    await assertAccessible(page)
    receiver.answer = () => ({ status: 200 })
    await press(words.again)
    await dialog.getByText(words.ok).waitFor()
    await press(words.close)
    await closed()
    const opener = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
    assert.equal(opener, `${words.test}: Shop`, 'the focus comes back')

    receiver.answer = () => ({ status: 410, headers: { 'content-type': 'text/plain' }, body: 'moved away' })
    await declined(service, { key, url: receiver.url })
    await deliverDue(service)
    receiver.answer = () => ({ status: 200 })
    await page.reload()
    await settled(page)
    await page.getByLabel(words.state, { exact: true }).selectOption('failed')
    await page.getByText(words.gone).waitFor()
    await assertAccessible(page)
    const gone = page.locator('tr').filter({ hasText: words.gone })
    await gone.getByRole('link', { name: words.details }).click()
    await page.getByText('moved away').waitFor()
    await page.getByText(words.sent, { exact: true }).first().waitFor()
    await page.getByText('wallet_declined').waitFor()
    await assertAccessible(page)
    await assertFits(page)
    await page.goBack()
    await rotate(page, words)

    await page.getByRole('button', { name: `${words.remove}: Shop` }).click()
    await assertAccessible(page)
    await press(words.remove)
    await page.getByText(words.empty).waitFor()
    // A delivery that was just tried is not tried again.
    service.clock.advance(11 * 60_000)
    await page.getByRole('button', { name: words.resend }).click()
    await press(words.resend)
    await page.getByText(words.due).waitFor()
    assert.equal(await deliverDue(service), 1)
    assert.deepEqual(complaints, [])
    await page.context().close()
  })

/** The receiver checks signatures like a merchant's server: first with the old secret, then with both. */
async function rotate(page: Page, words: (typeof WORDS)['en' | 'de']): Promise<void> {
  const dialog = page.locator('dialog[open]')
  const storeSecret = async () => {
    const secret = await dialog.locator('output').innerText()
    await dialog.getByRole('checkbox').check()
    await dialog.getByRole('button').last().click()
    await dialog.waitFor({ state: 'detached' })
    return secret
  }
  await page.getByRole('button', { name: words.show }).click()
  const known = [await storeSecret()]
  const holds = async () => {
    const got = receiver.received.at(-1)
    const options = { now: new Date(service.clock.now()) }
    const verified = verifyWebhook(got?.body ?? '', String(got?.headers['x-service-signature']), known, options)
    return verified.then(
      () => true,
      () => false,
    )
  }
  await page.getByRole('button', { name: words.rotate, exact: true }).click()
  await dialog.getByRole('button', { name: words.rotate, exact: true }).click()
  await dialog.locator('output').waitFor()
  const fresh = await storeSecret()
  await page.getByRole('heading', { name: words.rotation }).waitFor()
  receiver.answer = () => ({ status: 401 })
  await page.getByRole('button', { name: words.check }).click()
  await page.getByText(words.unknown).waitFor()
  assert.equal(await holds(), false, 'the check is signed with the new secret alone')
  await assertAccessible(page)
  known.push(fresh)
  assert.equal(await holds(), true)
  receiver.answer = () => ({ status: 200 })
  await page.getByRole('button', { name: words.check }).click()
  await page.getByText(words.known).waitFor()
  await page.getByRole('button', { name: words.finish }).click()
  await dialog.getByRole('button', { name: words.finish }).click()
  await page.getByRole('heading', { name: words.secret }).waitFor()
}

async function assertFits(page: Page): Promise<void> {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  assert.ok(overflow <= 0, `${overflow} pixels wider than the window`)
}

test('a merchant with only a browser gets from the invitation to a template, a link, a reason, a webhook, an order found, and live', async () => {
  const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
  const owner = { tenantId: tenant, email: 'first@example.com', role: 'owner', byOperator: true } as const
  const invited = await invite(service.deps, { ...owner, actor: OPERATOR })
  assert.ok(invited !== null)
  const { page, complaints } = await openPage(browser, { service }, { width: 1440 })
  const dialog = page.locator('dialog[open]')
  const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
  const closed = () => dialog.waitFor({ state: 'detached' })
  const go = (name: string) => page.locator('#menu').getByRole('link', { name, exact: true }).click()
  await page.goto(invited.url)
  await page.getByLabel('Choose a password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Get started' }).waitFor()

  await go('Templates')
  await page.getByRole('button', { name: 'New template' }).first().click()
  await dialog.getByLabel('Given name', { exact: true }).check()
  await dialog.getByLabel('Title', { exact: true }).fill('Wine club')
  await press('Save')
  await closed()
  await page.getByRole('link', { name: 'Start verification: wine_club' }).click()
  await dialog.locator('option[value=wine_club]:checked').waitFor({ state: 'attached' })
  await dialog.getByLabel('Reference (optional)').fill('Order 1024')
  await press('Start verification')
  await page.waitForURL(/\/verifications\/ver_/)
  await page.getByText(new RegExp(`^${base}/verify/ver_`)).waitFor()
  const [wallet] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'Open test wallet' }).click(),
  ])
  await wallet.getByLabel('Test case').selectOption('The document expired yesterday')
  await wallet.click('button[value=consent]')
  await page.getByText('The document has expired or is not valid yet.').first().waitFor()
  await page.getByText('Ask the person to renew the document').waitFor()

  await go('Webhooks')
  await page.getByRole('button', { name: 'Add an endpoint' }).first().click()
  await dialog.getByLabel('Name', { exact: true }).fill('Shop')
  await dialog.getByLabel('Address', { exact: true }).fill(receiver.url)
  await press('Save')
  await closed()
  await page.getByRole('button', { name: 'Send test event: Shop' }).click()
  await press('Send now')
  await dialog.getByText('Your endpoint accepted the event.').waitFor()
  await press('Close')
  await closed()
  // Staff find the test event here later.
  await page.getByRole('row', { name: /Delivered.*verification\.failed Test event/ }).click()
  await page.getByText('None. This is a test event.').waitFor()
  await page.getByText('X-Service-Test').waitFor()
  await assertCount(page.getByRole('button', { name: 'Send again' }), 0)

  await page.keyboard.press('Control+k')
  await dialog.getByRole('combobox').fill('Order 1024')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/verifications$/)
  await page.getByRole('row', { name: /Failed.*Wine club.*Order 1024/ }).waitFor()

  await go('Going live')
  await page.getByText('0 of 7 steps done').waitFor()
  await page.getByRole('button', { name: 'Set up: Create a live API key' }).click()
  await dialog.getByLabel('Name', { exact: true }).fill('Shop')
  await press('Create a key')
  await dialog.getByLabel('I have stored it safely').check()
  await press('Close')
  await closed()
  await page.getByRole('link', { name: 'Set up: Receive events' }).click()
  await page.getByRole('button', { name: 'Show secret' }).click()
  await dialog.getByLabel('I have stored it safely').check()
  await press('Close')
  await closed()
  await go('Going live')
  await page.getByText('0 of 7 steps done').waitFor()
  // The remaining steps are requested from the operator here.
  await assertCount(page.getByRole('button', { name: /^(Ask your operator|Add the document)/ }), 1)
  await assertAccessible(page)
  assert.deepEqual(complaints, [])
  await page.context().close()
})

test('a viewer sees deliveries and reasons, and neither bodies nor buttons', async () => {
  const tenant = await service.tenant()
  const key = await service.key(tenant)
  const viewer = await person(service, tenant, 'viewer')
  receiver.answer = () => ({ status: 302, headers: { location: 'https://shop.example/login' } })
  await declined(service, { key, url: receiver.url })
  await deliverDue(service)
  receiver.answer = () => ({ status: 200 })
  const { page } = await openPage(browser, { service }, {})
  await signInAt(page, base, viewer.email)
  await page.goto(`${base}/dashboard/${tenant}/test/webhooks`)
  await settled(page)
  await page.getByText(/Your server redirects \(302\)/).waitFor()
  await page.getByRole('link', { name: /^Details/ }).click()
  await page.getByText('Your role cannot view bodies').first().waitFor()
  await assertCount(page.getByText('wallet_declined'), 0)
  await assertCount(page.locator('main button'), 0)
  await page.context().close()
})
