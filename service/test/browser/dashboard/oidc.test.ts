// Tests the sign-in through the operator's OpenID provider in a real browser, which returns to the previous page.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { invite } from '../../../src/features/staff/usecases/manage-team.ts'
import { parseCidr } from '../../../src/platform/cidr.ts'
import { listeningService } from '../../harness/listening.ts'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, chooseInAccountMenu, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertCount, assertText } from '../../harness/pages/shown.ts'
import { CLIENT, startProvider } from '../../harness/servers/oidc-provider.ts'
import { OPERATOR } from '../../harness/service.ts'
import { person } from '../../harness/staff.ts'

await builtDashboard()
const provider = await startProvider(() => service.clock.now())
const loopback = parseCidr('127.0.0.1/32')
assert.ok(loopback !== null)
const service = await listeningService({
  egressAllow: [loopback],
  oidc: { issuer: provider.issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret, name: 'Sonnenhof ID' },
})
const { base } = service
const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof' })
const other = await service.tenant({ name: 'Kellerei Mond' })
const browser = await testBrowser()

const atProvider = (name: string) => {
  provider.account = { sub: `sub-${name}`, email: `${name}@example.com`, email_verified: true }
}

async function invited(email: string, tenantId = tenant): Promise<string> {
  const invitation = await invite(service.deps, { tenantId, email, role: 'admin', actor: OPERATOR, byOperator: false })
  assert.ok(invitation !== null)
  return invitation.url
}

/** Confirms the sign-in on the provider's own page. */
async function agree(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Provider' }).waitFor()
  await page.getByRole('button', { name: 'It is me' }).click()
}

const withProvider = (page: Page) => page.getByRole('button', { name: 'Sign in with Sonnenhof ID' }).click()

test('an invited person signs in, signs in again before a secret is shown, and comes back to the page', async () => {
  await invited('nora.neu@example.com')
  atProvider('nora.neu')
  provider.authenticatedAt = service.clock.now() - 3_600_000
  const { page, complaints } = await openPage(browser, { service })
  await page.goto(`${base}/dashboard/${tenant}/test/webhooks`)
  await page.getByRole('button', { name: 'Sign in with Sonnenhof ID' }).waitFor()
  await assertAccessible(page)
  await withProvider(page)
  await agree(page)
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
  await page.getByRole('button', { name: 'Show secret' }).click()
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
  await assertAccessible(page)
  await withProvider(page)
  await agree(page)
  await page.waitForURL(`${base}/dashboard/${tenant}/test/webhooks`)
  await page.getByRole('button', { name: 'Show secret' }).click()
  await assertText(page.locator('dialog[open] output'), /^whsec_/)
  await page.goto(`${base}/dashboard/${tenant}/test/account`)
  await page.getByText('You are signed in through Sonnenhof ID.').waitFor()
  await assertAccessible(page)
  await assertCount(page.getByText('You have no password or passkey yet'), 0)
  assert.deepEqual(
    complaints.filter((text) => !/status of (401|403)/.test(text)),
    [],
  )
  await page.context().close()
})

test('a person without an invitation sees that, in their language; if the provider fails, the page shows the request id', async () => {
  atProvider('eva.extern')
  const { page } = await openPage(browser, { service }, { locale: 'de-DE' })
  await page.goto(`${base}/dashboard/sign-in`)
  await page.getByRole('button', { name: 'Mit Sonnenhof ID anmelden' }).click()
  await agree(page)
  const alert = page.getByRole('alert')
  await assertText(alert, /Keine Einladung für dieses Konto[\s\S]*Bitten Sie einen Inhaber/)
  await assertAccessible(page)
  service.clock.advance(11 * 60_000)
  const failing = (_request: unknown, response: { writeHead(status: number): { end(): void } }) =>
    response.writeHead(500).end()
  provider.spoiling = { at: { '/realm/.well-known/openid-configuration': failing } }
  await page.goto(`${base}/dashboard/sign-in`)
  await page.getByRole('button', { name: 'Mit Sonnenhof ID anmelden' }).click()
  await assertText(alert, /Der Anbieter ist nicht verfügbar[\s\S]*req_[0-9A-Za-z]{20}/)
  provider.spoiling = {}
  await page.goto(`${base}/dashboard/sign-in?refused=Call+this+number&request=x`)
  await page.waitForSelector('h1')
  await assertCount(alert, 0)
  await page.context().close()
})

test('a person with a password connects the provider in their account, and keeps the password', async () => {
  await person(service, tenant, 'admin', 'paul.passwort@example.com')
  atProvider('paul.passwort')
  const { page } = await openPage(browser, { service })
  await signInAt(page, base, 'paul.passwort@example.com')
  await page.goto(`${base}/dashboard/${tenant}/test/account`)
  await page.getByRole('button', { name: 'Connect Sonnenhof ID' }).click()
  await agree(page)
  await page.getByText('You are signed in through Sonnenhof ID.').waitFor()
  await chooseInAccountMenu(page, 'Account menu', 'Sign out')
  await page.waitForURL(/\/sign-in$/)
  await signInAt(page, base, 'paul.passwort@example.com')
  await page.goto(`${base}/dashboard/${tenant}/test/account`)
  await page.getByText('You can also sign in with Sonnenhof ID.').waitFor()
  await page.context().close()
})

test('a new person accepts an invitation through the provider directly; an existing account confirms it first', async () => {
  const link = await invited('lina.link@example.com')
  atProvider('lina.link')
  const { page } = await openPage(browser, { service })
  await page.goto(link)
  await page.getByLabel('Choose a password').waitFor()
  await withProvider(page)
  await agree(page)
  await page.waitForURL(`${base}/dashboard/${tenant}/test`)
  await settled(page)
  const second = await invited('lina.link@example.com', other)
  await chooseInAccountMenu(page, 'Account menu', 'Sign out')
  await page.waitForURL(/\/sign-in$/)
  await page.goto(second)
  await page.getByText('There is already an account with ').waitFor()
  await withProvider(page)
  await agree(page)
  const accept = page.getByRole('button', { name: 'Accept invitation' })
  await accept.waitFor()
  assert.equal(
    await page.evaluate(() => JSON.stringify(sessionStorage)),
    '{}',
    'the link is not kept in the session storage',
  )
  await accept.click()
  await page.waitForURL(`${base}/dashboard/${other}/test`)
  await page.getByLabel('Company').selectOption({ label: 'Weinhandlung Sonnenhof' })
  await page.waitForURL(`${base}/dashboard/${tenant}/test`)
  await page.context().close()
})
