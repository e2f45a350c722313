// Tests invitations, lost passwords and alerts with a real browser and a real SMTP server.

import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { sealUnsubscribeToken } from '../../../src/features/alerts/store/alert-mails.ts'
import { runJob } from '../../harness/jobs.ts'
import { listeningService } from '../../harness/listening.ts'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { partOf, smtpServer } from '../../harness/servers/smtp.ts'
import { PASSWORD, person } from '../../harness/staff.ts'
import { waitUntil } from '../../harness/wait.ts'

const NEW = 'another horse that counts to ten'
await builtDashboard()
const server = await smtpServer({ after })
const service = await listeningService(
  {},
  { VIDIMUS_SMTP_URL: `smtp://127.0.0.1:${server.port}`, VIDIMUS_MAIL_FROM: 'no-reply@example.com' },
)
const { base } = service
const tenant = await service.tenant({ name: 'Sonnenhof' })
const owner = await person(service, tenant, 'owner', 'mia.muster@example.com')
const browser = await testBrowser()

/** Sends queued mails until the one to this address has arrived, and returns its link. */
async function mailedLink(to: string): Promise<string> {
  const sent = () => server.accepted.filter((mail) => mail.to[0] === to).at(-1)
  await waitUntil(`a mail to ${to}`, async () => {
    await runJob(service.deps, 'send-mails')
    return sent() !== undefined
  })
  return /https?:\/\/\S+\/dashboard\/\S+#\S{43}/.exec(partOf(sent()?.raw ?? '', 'text/plain'))?.[0] ?? ''
}

test('an invitation arrives by mail, in the language of the page, and opens the account', async () => {
  const { page } = await openPage(browser, { service }, { locale: 'de-DE' })
  await signInAt(page, base, owner.email)
  await page.goto(`${base}/dashboard/${tenant}/test/team`)
  await settled(page)
  await page.getByRole('button', { name: 'Teammitglied einladen' }).click()
  const dialog = page.locator('dialog[open]').last()
  await dialog.getByText('Wir senden die Einladung per E\u2011Mail').waitFor()
  await dialog.getByLabel('E-Mail').fill('nora.neu@example.com')
  await dialog.getByRole('button', { name: 'Teammitglied einladen' }).click()
  await page.getByText('Wir senden diesen Link per E\u2011Mail an nora.neu@example.com').waitFor()
  const link = await mailedLink('nora.neu@example.com')
  assert.match(partOf(server.accepted.at(-1)?.raw ?? '', 'text/plain'), /hat Sie in sein Team bei Vidimus eingeladen/)
  const { page: theirs } = await openPage(browser, { service })
  await theirs.goto(link)
  await theirs.getByText('nora.neu@example.com').waitFor()
  await theirs.context().close()
  await page.context().close()
})

test('a lost password is replaced by a link that works only in this browser', async () => {
  const { page } = await openPage(browser, { service })
  await page.goto(`${base}/dashboard/sign-in`)
  await page.getByRole('link', { name: 'Forgot password?' }).click()
  await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
  await assertAccessible(page)
  await page.getByLabel('E-mail').fill(owner.email)
  await page.getByRole('button', { name: 'Send link' }).click()
  await page.getByText('we have sent a link').waitFor()
  await assertAccessible(page)
  const link = await mailedLink(owner.email)
  const { page: elsewhere } = await openPage(browser, { service })
  for (const [where, shown] of [
    [elsewhere, 'This link no longer works'],
    [page, 'Sonnenhof'],
  ] as const) {
    await where.goto(link)
    await where.getByLabel('Password').waitFor()
    await assertAccessible(where)
    await where.getByLabel('Password').fill(NEW)
    await where.getByRole('button', { name: 'Choose a new password' }).click()
    await where.getByText(shown).first().waitFor()
  }
  await elsewhere.context().close()
  await page.context().close()
  const { page: again } = await openPage(browser, { service })
  await again.goto(`${base}/dashboard/sign-in`)
  await again.getByLabel('E-mail').fill(owner.email)
  await again.getByLabel('Password').fill(PASSWORD)
  await again.getByRole('button', { name: 'Sign in', exact: true }).click()
  await again.getByText('E-mail or password is wrong.').waitFor()
  await again.context().close()
})

test('each alert has a switch, and the link in a mail turns it off without signing in', async () => {
  const company = await service.tenant({ name: 'Kellerei Mond' })
  const ada = await person(service, company, 'viewer')
  const { page } = await openPage(browser, { service })
  await signInAt(page, base, ada.email)
  const account = `${base}/dashboard/${company}/test/account`
  await page.goto(account)
  await settled(page)
  const quota = page.getByRole('switch', { name: 'Daily quota' })
  assert.equal(await quota.isChecked(), false)
  await quota.click()
  await page.getByRole('switch', { name: 'Daily quota', checked: true }).waitFor()
  await assertAccessible(page)
  await page.reload()
  await page.getByRole('switch', { name: 'Daily quota', checked: true }).waitFor()
  assert.equal(await page.getByRole('switch', { name: 'Failing webhooks' }).isChecked(), false)

  const token = sealUnsubscribeToken(service.deps.db, { personId: ada.id, tenantId: company, topic: 'quota' })
  const context = await browser.newContext({ locale: 'en-GB' })
  const outside = await context.newPage()
  await outside.goto(`${base}/mail/unsubscribe/${token}`)
  await assertAccessible(outside)
  await outside.getByRole('button', { name: 'Turn off' }).click()
  await outside.getByRole('heading', { name: 'Turned off' }).waitFor()
  await assertAccessible(outside)
  await context.close()
  await page.reload()
  await page.getByRole('switch', { name: 'Daily quota', checked: false }).waitFor()
})
