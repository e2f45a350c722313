// Takes screenshots of every dashboard page (`npm run screenshots`); SCREENSHOTS filters by name.

import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { runJob } from '../../harness/jobs.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { busyTenant, type Look, openPage, pagesOf, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { addTo, registerTenant, testRegistrar } from '../../harness/registrar.ts'
import { FROM_PAGE } from '../../harness/staff.ts'
import { testWallet } from '../../harness/wallet.ts'

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'dashboard', 'screenshots')
const LOOKS: Record<string, Look> = {
  'en-light': { width: 1440 },
  'de-dark': { locale: 'de-DE', dark: true, width: 1440 },
  'en-phone': { width: 390 },
  'de-phone-dark': { locale: 'de-DE', dark: true, width: 390 },
}

/** With a document of an issuer that the tenant does not trust. */
async function untrustedVerification(): Promise<string> {
  const { service, tenant } = busy
  const body = { template: 'identity', purpose: 'To open an account', metadata: { reference: 'Order 1031' } }
  const created = (await service.call('POST', '/v1/verifications', { key: await service.key(tenant), body })).json
  await (await testWallet(service)).present(created.wallet_uri, 'untrusted')
  return created.id
}

/** Two links as a person creates them: their addresses can be copied. */
async function createLinks(page: Page, name: string): Promise<void> {
  const dialog = page.locator('dialog[open]')
  for (const reference of ['Tasting 12 June', 'Window poster']) {
    await page.locator('#main a[href$="/links?new="]').click()
    await dialog.locator('input[name=kind]').nth(1).check()
    await dialog.locator('input[name=reference]').fill(reference)
    await dialog.locator('button[type=submit]').click()
    await dialog.getByRole('button', { name: /^SVG/ }).waitFor()
    if (reference === 'Window poster') await page.screenshot({ path: join(FOLDER, `${name}-link is ready.png`) })
    const saving = page.waitForEvent('download')
    await dialog.getByRole('button', { name: /^SVG/ }).click()
    await saving
    await dialog.getByRole('button', { name: /^(Done|Fertig)$/ }).click()
    await dialog.waitFor({ state: 'detached' })
  }
}

/** Clients, a registration and a requested certificate, for the states below. */
async function fillLists(page: Page): Promise<void> {
  const { service, tenant } = busy
  const realm = { tenantId: tenant, environment: 'test' } as const
  const registrar = await testRegistrar(service)
  await registerTenant(service, registrar, realm)
  await addTo(service, realm, registrar.certify())
  const send = async (path: string, data: object) => {
    const url = `${service.base}/dashboard/api/tenants/${tenant}/test${path}`
    const answer = await page.context().request.post(url, { data, headers: FROM_PAGE })
    assert.ok(answer.ok(), await answer.text())
  }
  for (const [name, host] of [
    ['Customer accounts', 'shop.example'],
    ['Keycloak', 'login.example'],
  ])
    await send('/clients', { ...CLIENT, name, redirect_uris: [`https://${host}/callback`] })
  await send('/trust/certificates/request', { purpose: 'openid4vp', common_name: 'Weinhandlung Sonnenhof' })
  await send('/origins', { origin: 'https://shop.example' })
}

const CLIENT = {
  ...{ templates: ['identity', 'age_over_18'], default_template: 'identity', auth_method: 'client_secret' },
  ...{ subject_mode: 'ephemeral', subject_claims: [], require_true: false, vp_data: false, verified_claims: false },
  ...{ claims_in_id_token: false, id_token_alg: 'RS256', remember_minutes: 0, cross_device: 'confirm' },
  ...{ jwks: null, request_uris: [], profile: 'openid' },
}

/** Pages again, with content. */
const states = () =>
  [
    ['untrusted', `/verifications/${untrusted}`],
    ['declined', `/verifications/${busy.failed}`],
    ['links with addresses', '/links'],
    ['overview of a month', '?span=month'],
    ['found', '/verifications?reason=wallet_declined&channel=qr'],
    ['nothing found', '/verifications?text=no-such-order&status=completed'],
    ['filled clients', '/clients'],
    ['filled registration', '/registration'],
    ['filled trust', '/trust'],
  ] as const

/** Once, by the first test that needs it. */
let filled: Promise<void> | null = null

const wanted = new RegExp(process.env.SCREENSHOTS ?? '')

const busy = await busyTenant()
await runJob(busy.service.deps, 'count-endings')
const untrusted = await untrustedVerification()
const browser = await testBrowser()
await mkdir(FOLDER, { recursive: true })

for (const [name, look] of Object.entries(LOOKS)) {
  test(name, async () => {
    const { page } = await openPage(browser, busy, look)
    await page.goto(`${busy.service.base}/dashboard/sign-in`)
    await page.waitForSelector('h1')
    if (wanted.test(`${name}-sign-in`)) await page.screenshot({ path: join(FOLDER, `${name}-sign-in.png`) })
    await signInAt(page, busy.service.base, busy.owner.email)
    for (const [title, path] of [...pagesOf(busy), ...states()]) {
      if (!wanted.test(`${name}-${title}`)) continue
      if (title.startsWith('filled')) {
        filled ??= fillLists(page)
        await filled
      }
      await page.goto(`${busy.service.base}/dashboard/${busy.tenant}/test${path}`)
      await settled(page)
      if (title === 'links with addresses') await createLinks(page, name)
      if (path === '/branding') await page.locator('iframe').waitFor()
      for (const frame of page.frames()) await frame.waitForLoadState('load')
      await page.screenshot({ path: join(FOLDER, `${name}-${title}.png`), fullPage: true })
    }
    await page.context().close()
  })
}
