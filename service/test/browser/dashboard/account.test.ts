// Tests a person's own account: password, passkeys, sessions, invitations, several companies.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import type { Role } from '../../../src/features/staff/domain/person.ts'
import { invite } from '../../../src/features/staff/usecases/manage-team.ts'
import { listeningService } from '../../harness/listening.ts'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { virtualAuthenticator } from '../../harness/pages/authenticator.ts'
import { testBrowser, wholeBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, chooseInAccountMenu, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertCount, assertText } from '../../harness/pages/shown.ts'
import { OPERATOR } from '../../harness/service.ts'
import { PASSWORD, person } from '../../harness/staff.ts'

const ANOTHER = 'seven slow snails at noon'
await builtDashboard()
const service = await listeningService()
const { base } = service
const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
const other = await service.tenant({ name: 'Kellerei Mond' })
const browser = await testBrowser()

async function link(email: string, options: { tenantId?: string; role?: Role; byOperator?: boolean } = {}) {
  const { tenantId = tenant, role = 'admin', byOperator = false } = options
  const invitation = await invite(service.deps, { tenantId, email, role, actor: OPERATOR, byOperator })
  assert.ok(invitation !== null)
  return invitation.url
}

/** Returns a separate browser with a signed-in person. */
async function signedInPage(email: string, where = browser): Promise<Page> {
  const { page } = await openPage(where, { service })
  await signInAt(page, base, email)
  return page
}

const account = async (page: Page) => {
  await page.goto(`${base}/dashboard/${tenant}/test/account`)
  await settled(page)
}

async function signOut(page: Page): Promise<void> {
  await chooseInAccountMenu(page, 'Account menu', 'Sign out')
  await page.waitForURL(`${base}/dashboard/sign-in`)
}

async function enterPassword(page: Page, email: string, password: string): Promise<void> {
  await page.goto(`${base}/dashboard/sign-in`)
  await page.fill('input[name=email]', email)
  await page.fill('input[name=password]', password)
  await page.click('button[type=submit]')
}

test('a new password must be hard to guess and requires a fresh sign-in; it ends the sessions of other browsers', async () => {
  const { email } = await person(service, tenant, 'admin', 'paula.probe@example.com')
  const page = await signedInPage(email)
  const elsewhere = await signedInPage(email)
  await account(page)
  const field = page.getByLabel('New password')
  const change = page.getByRole('button', { name: 'Change password' })
  await field.fill('aaaaaaaaaaaa')
  await page.getByLabel('Show what I type').click()
  assert.equal(await field.getAttribute('type'), 'text')
  await page.getByLabel('Show what I type').click()
  assert.equal(await field.getAttribute('type'), 'password')
  await change.click()
  await assertText(page.getByRole('alert'), /must not be a common one/)
  service.clock.advance(11 * 60_000)
  await page.context().clock.setFixedTime(service.clock.now())
  await field.fill(ANOTHER)
  await change.click()
  const dialog = page.locator('dialog[open]')
  await dialog.locator('input[name=password]').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('Your password has been changed. You are signed out everywhere else.').waitFor()
  assert.equal(await field.inputValue(), '')
  await elsewhere.reload()
  await elsewhere.waitForURL(`${base}/dashboard/sign-in`)
  await enterPassword(elsewhere, email, PASSWORD)
  await assertText(elsewhere.getByRole('alert'), /E-mail or password is wrong/)
  await enterPassword(elsewhere, email, ANOTHER)
  await elsewhere.waitForSelector('#main h1')
  await Promise.all([page.context().close(), elsewhere.context().close()])
})

test('if a person declines to sign in again, nothing changes', async () => {
  const { email } = await person(service, tenant, 'admin', 'dora.doch@example.com')
  const page = await signedInPage(email)
  await account(page)
  service.clock.advance(11 * 60_000)
  await page.context().clock.setFixedTime(service.clock.now())
  await page.getByLabel('New password').fill(ANOTHER)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
  await page.keyboard.press('Escape')
  await assertText(page.getByRole('alert'), /Sign in again to do this/)
  await signOut(page)
  await signInAt(page, base, email)
  await page.context().close()
})

test('one button ends all other sessions', async () => {
  const { email } = await person(service, tenant, 'viewer', 'selma.sitzung@example.com')
  const page = await signedInPage(email)
  const elsewhere = await signedInPage(email)
  await account(page)
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  // This page stays signed in. The sessions that end are `elsewhere` and the one that created the account.
  await page.getByText('2 sessions ended').waitFor()
  // Opens the page by its address, because the other page may have removed its links already.
  await elsewhere.goto(`${base}/dashboard/${tenant}/test/verifications`)
  await elsewhere.waitForURL(`${base}/dashboard/sign-in`)
  await page.reload()
  await settled(page)
  await page.getByRole('heading', { name: 'Your account' }).waitFor()
  await Promise.all([page.context().close(), elsewhere.context().close()])
})

test('a session that ends during work can be renewed in place, without losing input', async () => {
  const cellar = await service.tenant({ name: 'Kellerei Pause' })
  const { email } = await person(service, cellar, 'admin', 'ilse.innehalt@example.com')
  const page = await signedInPage(email)
  const elsewhere = await signedInPage(email)
  const reading = await page.context().newPage()
  await reading.goto(`${base}/dashboard/${cellar}/test/keys`)
  await reading.getByRole('button', { name: 'Create a key' }).first().waitFor()
  // This page sends no requests by itself, so it notices the end of the session at the next action.
  await page.goto(`${base}/dashboard/${cellar}/test/keys`)
  // The button moves when the page learns that there is no key yet.
  await settled(page)
  await page.getByRole('button', { name: 'Create a key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create a key' })
  await dialog.getByLabel('Name').fill('Till in the cellar')
  await elsewhere.goto(`${base}/dashboard/${cellar}/test/account`)
  await elsewhere.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await elsewhere.getByText(/sessions? ended/).waitFor()
  // Without unsaved input, the page shows no more data.
  await reading.getByRole('link', { name: 'Verifications', exact: true }).click()
  await reading.waitForURL(`${base}/dashboard/sign-in`)
  await assertCount(reading.locator('#main h1', { hasText: 'Verifications' }), 0)
  await dialog.getByRole('button', { name: 'Create a key' }).click()
  const signInDialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await signInDialog.getByText(email).waitFor()
  await assertCount(dialog, 0)
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await signInDialog.getByLabel('Password').fill('not the right one')
  await signInDialog.getByRole('button', { name: 'Sign in', exact: true }).click()
  await assertText(signInDialog.getByRole('alert'), /E-mail or password is wrong/)
  await signInDialog.getByLabel('Password').fill(PASSWORD)
  await signInDialog.getByRole('button', { name: 'Sign in', exact: true }).click()
  await signInDialog.waitFor({ state: 'detached' })
  assert.equal(await dialog.getByLabel('Name').inputValue(), 'Till in the cellar')
  await dialog.getByRole('button', { name: 'Create a key' }).click()
  await page.getByRole('heading', { name: 'Your new key' }).waitFor()
  await Promise.all([page, elsewhere].map((one) => one.context().close()))
})

test('unsaved input is not shown to another person who signs in in another tab', async () => {
  // The tests before used up nearly all sign-ins of this address.
  service.clock.advance(120_000)
  const cellar = await service.tenant({ name: 'Kellerei Wechsel' })
  const { email } = await person(service, cellar, 'admin', 'wanda.wechsel@example.com')
  const { email: other } = await person(service, cellar, 'viewer', 'otto.otter@example.com')
  const page = await signedInPage(email)
  await page.goto(`${base}/dashboard/${cellar}/test/keys`)
  // The button moves when the page learns that there is no key yet.
  await settled(page)
  await page.getByRole('button', { name: 'Create a key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create a key' })
  await dialog.getByLabel('Name').fill('Till in the cellar')
  await page.context().clearCookies()
  await dialog.getByRole('button', { name: 'Create a key' }).click()
  const signInDialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await signInDialog.waitFor()
  const tab = await page.context().newPage()
  await signInAt(tab, base, other)
  await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
  await signInDialog.waitFor({ state: 'detached' })
  await page.getByText(other).first().waitFor()
  await assertCount(page.locator('input[name=name]'), 0)
  await page.context().close()
})

test('a removed passkey no longer signs in', async () => {
  const { email } = await person(service, tenant, 'viewer', 'karl.karte@example.com')
  const page = await signedInPage(email, await wholeBrowser())
  await virtualAuthenticator(page)
  await account(page)
  await page.getByLabel('Name of the passkey').fill('Old phone')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('button', { name: 'Remove: Old phone' }).click()
  await page.getByText('Old phone').waitFor({ state: 'detached' })
  await signOut(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('The passkey did not work.').waitFor()
  await page.context().close()
})

test("after signing out, the browser's back button leads to the sign-in page", async () => {
  const { email } = await person(service, tenant, 'admin', 'zora.zurueck@example.com')
  const page = await signedInPage(email)
  await page.goto(`${base}/dashboard/${tenant}/test/team`)
  await page.getByRole('heading', { name: 'Team' }).waitFor()
  await signOut(page)
  await page.goBack()
  await page.waitForURL(`${base}/dashboard/sign-in`)
  await assertCount(page.getByText(email), 0)
  await page.context().close()
})

test('a member of two companies can switch between them on the page, which shows only the chosen company', async () => {
  const { email } = await person(service, tenant, 'admin', 'wanda.wechsel@example.com')
  await person(service, other, 'viewer', email)
  await service.key(tenant)
  const page = await signedInPage(email)
  await page.goto(`${base}/dashboard/${tenant}/test/keys`)
  await page.locator('tbody tr').waitFor()
  await page.getByLabel('Company').selectOption({ label: 'Kellerei Mond' })
  await page.waitForURL(`${base}/dashboard/${other}/test/keys`)
  await page.getByText('No keys yet').waitFor()
  await assertCount(page.getByRole('button', { name: 'Create a key' }), 0)
  assert.match(await page.title(), /Kellerei Mond/)
  await page.getByLabel('Company').selectOption({ label: 'Weinhandlung Sonnenhof' })
  await page.waitForURL(`${base}/dashboard/${tenant}/test/keys`)
  await page.locator('tbody tr').waitFor()
  await page.getByRole('button', { name: 'Live', exact: true }).click()
  await page.waitForURL(`${base}/dashboard/${tenant}/live/keys`)
  await page.getByText('No keys yet').waitFor()
  await assertCount(page.getByText('Test mode'), 0)
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.locator('tbody tr').waitFor()
  await page.context().close()
})

test('only the invited person, signed in, can accept an invitation to an existing account', async () => {
  const { email } = await person(service, tenant, 'admin', 'anna.annahme@example.com')
  const stranger = await person(service, tenant, 'viewer', 'frank.fremd@example.com')
  const url = await link(email, { tenantId: other, role: 'viewer' })
  const page = await signedInPage(stranger.email)
  await page.goto(url)
  await page.getByText('There is already an account with ').waitFor()
  await assertAccessible(page)
  await page.fill('input[name=password]', PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Accept invitation' }).click()
  await page.waitForURL(`${base}/dashboard/${other}/test`)
  await page.getByRole('button', { name: new RegExp(`${email}.*Viewer`) }).waitFor()
  await page.goto(url)
  await page.getByText('This link no longer works.').waitFor()
  await page.context().close()
})

test("the operator's link signs in without a password; the page says that none is set until the person sets one", async () => {
  const email = 'otto.operator@example.com'
  const { page } = await openPage(browser, { service })
  await page.goto(await link(email, { byOperator: true }))
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('status').getByRole('link', { name: 'Your account' }).click()
  await page.getByText('You have no password or passkey yet').waitFor()
  await assertAccessible(page)
  await page.getByLabel('New password').fill(ANOTHER)
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByRole('button', { name: 'Change password' }).waitFor()
  await assertCount(page.getByText('You have no password or passkey yet'), 0)
  await signOut(page)
  await enterPassword(page, email, ANOTHER)
  await page.waitForSelector('#main h1')
  await page.context().close()
})
