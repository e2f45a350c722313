// Opens the built dashboard in a real browser, for a tenant with content on every page.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { COUNTED_CHANNELS } from '../../../src/core/channels/record.ts'
import { saveTemplate } from '../../../src/core/templates/usecases/manage-templates.ts'
import { countsOf, type Ended } from '../../../src/features/figures/domain/counts.ts'
import { addCounts } from '../../../src/features/figures/store/counts.ts'
import { invite } from '../../../src/features/staff/usecases/manage-team.ts'
import { saveEndpoint } from '../../../src/features/webhooks/usecases/manage-endpoints.ts'
import { readDeliveries } from '../../../src/features/webhooks/usecases/read-deliveries.ts'
import { parseCidr } from '../../../src/platform/cidr.ts'
import { instantOf } from '../../../src/platform/world.ts'
import { pairDevice, registerDevice } from '../devices.ts'
import { listeningService } from '../listening.ts'
import { OPERATOR, type TestService } from '../service.ts'
import { FROM_PAGE, PASSWORD, person } from '../staff.ts'
import { testWallet } from '../wallet.ts'
import { declined, deliverDue, startReceiver } from '../webhooks.ts'

const DASHBOARD = join(import.meta.dirname, '..', '..', '..', '..', 'dashboard')

/** Builds the dashboard if set-up has not built it. */
export async function builtDashboard(): Promise<void> {
  if (existsSync(join(DASHBOARD, 'dist', 'index.html'))) return
  const vite = join(DASHBOARD, '..', 'node_modules', 'vite', 'bin', 'vite.js')
  await promisify(execFile)(process.execPath, [vite, 'build', '--logLevel', 'warn'], { cwd: DASHBOARD })
}

export interface BusyTenant {
  readonly service: TestService & { readonly base: string }
  readonly tenant: string
  readonly owner: { readonly email: string; readonly id: string }
  readonly viewer: { readonly email: string }
  readonly completed: string
  readonly failed: string
  /** A delivery that the receiver did not accept. */
  readonly delivery: string
  /** Completed, with a claim that is one long word. */
  readonly portrait: string
}

export async function busyTenant(): Promise<BusyTenant> {
  await builtDashboard()
  const loopback = parseCidr('127.0.0.1/32')
  assert.ok(loopback !== null)
  const service = await listeningService({ egressAllow: [loopback] })
  const tenant = await service.tenant({ name: 'Weinhandlung Sonnenhof', plan: 'starter' })
  const owner = await person(service, tenant, 'owner', 'mia.muster@example.com')
  const viewer = await person(service, tenant, 'viewer', 'theo.test@example.com')
  const key = await service.key(tenant)
  const wallet = await testWallet(service)
  const receiver = await startReceiver()
  await usageOfAMonth(service, tenant)
  const make = async (body: object) => (await service.call('POST', '/v1/verifications', { key, body })).json
  const good = await make({ template: 'identity', purpose: 'To open an account', webhook_url: receiver.url })
  await wallet.present(good.wallet_uri)
  const portrait = await make({ template: 'portrait', metadata: { order: 'x'.repeat(300) } })
  await wallet.present(portrait.wallet_uri)
  await make({ template: 'age_over_18', purpose: 'To sell you wine' })
  await deliverDue(service)
  const failed = await declined(service, { key, url: receiver.url })
  receiver.answer = () => ({
    status: 503,
    headers: { 'content-type': 'application/json' },
    body: '{"error":"database is being upgraded"}',
  })
  await deliverDue(service)
  receiver.answer = () => ({ status: 200 })
  const realm = { tenantId: tenant, environment: 'test' } as const
  const [delivery] = await readDeliveries(service.deps, { realm, limit: 1, before: null, verificationId: failed })
  assert.ok(delivery !== undefined)
  const draft = { name: 'Shop backend', url: receiver.url, isDefault: true }
  await saveEndpoint(service.deps, { realm, id: null, draft, actor: OPERATOR })
  const invited = { tenantId: tenant, email: 'nora.neu@example.com', role: 'admin', byOperator: true } as const
  await invite(service.deps, { ...invited, actor: OPERATOR })
  await figuresOfDays(service, tenant)
  const { id: deviceId } = await pairDevice(service, key, { name: 'Bar 3' })
  await figuresOfAMonth(service, tenant, deviceId)
  await registerDevice(service, key, { name: 'Eingang' })
  await saveTemplate(service.deps, {
    realm: { tenantId: tenant, environment: 'test' },
    key: 'tasting_guest',
    document: { title: 'Tasting guest', description: 'Age check for the cellar', query: TASTING },
    actor: OPERATOR,
  })
  for (const link of LINKS) assert.equal((await service.call('POST', '/v1/links', { key, body: link })).status, 201)
  return { service, tenant, owner, viewer, completed: good.id, failed, delivery: delivery.id, portrait: portrait.id }
}

const LINKS = [
  { template: 'age_over_18', purpose: 'To let you in', uses: null, metadata: { reference: 'Poster 3' } },
  { template: 'identity', purpose: 'To open your account' },
]

const TASTING = {
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: [{ path: ['given_name'] }, { path: ['birthdate'] }],
    },
  ],
}

async function usageOfAMonth(service: TestService, tenant: string): Promise<void> {
  for (let ago = 1; ago < 30; ago += 1) {
    const day = new Date(service.clock.now() - ago * 86_400_000).toISOString().slice(0, 10)
    await service.deps.db.query(
      { name: 'test_usage', text: 'insert into usage_days (tenant_id, day, created) values ($1, $2, $3)' },
      [tenant, day, 40 + ((ago * 37) % 160)],
    )
  }
}

/** Writes figures like those of many shops: busy by day, quiet at night. */
async function figuresOfAMonth(service: TestService, tenantId: string, deviceId: string): Promise<void> {
  const [key] = await service.deps.db.query<{ id: string }>(
    { name: 'test_key', text: 'select id from api_keys where tenant_id = $1' },
    [tenantId],
  )
  assert.ok(key !== undefined)
  const askers = [
    { actorType: 'api_key', actorId: key.id },
    { actorType: 'api_key', actorId: key.id },
    { actorType: 'device', actorId: deviceId },
    { actorType: 'user', actorId: 'somebody' },
  ]
  const realm = { tenantId, environment: 'test' } as const
  const nowMs = service.clock.now()
  const templates = ['age_over_18', 'age_over_18', 'identity', 'tasting_guest']
  const reasons = ['wallet_declined', 'wallet_declined', 'issuer_untrusted', 'credential_expired']
  const ended: Ended[] = []
  for (let hoursAgo = 2; hoursAgo < 60 * 24; hoursAgo += 1) {
    const madeMs = nowMs - hoursAgo * 3_600_000
    const busy = Math.max(0, Math.sin(((new Date(madeMs).getUTCHours() - 7) / 14) * Math.PI))
    const many = Math.round(busy * (6 + ((hoursAgo * 7) % 5)))
    for (let n = 0; n < many; n += 1) {
      const dice = (hoursAgo * 31 + n * 17) % 20
      const outcome = dice < 15 ? 'completed' : dice < 18 ? 'failed' : 'expired'
      const errorCode = outcome === 'failed' ? (reasons[(hoursAgo + n) % reasons.length] ?? null) : null
      const waitMs = 6_000 + ((hoursAgo * 13 + n * 29) % 60) * 900
      const channel = COUNTED_CHANNELS[(hoursAgo + n) % 7] ?? 'qr'
      ended.push({
        outcome,
        template: templates[n % templates.length] ?? null,
        createdAt: instantOf(madeMs),
        ...(askers[(hoursAgo + n) % askers.length] ?? { actorType: 'user', actorId: 'somebody' }),
        answer: outcome === 'expired' ? null : { channel, errorCode, at: instantOf(madeMs + waitMs) },
      })
    }
  }
  await addCounts(service.deps.db, realm, countsOf(ended))
}

/** Writes webhooks by the hour and uses of keys by the day, as after days of work. */
async function figuresOfDays(service: TestService, tenant: string): Promise<void> {
  await service.deps.db.query(
    {
      name: 'test_webhook_hours',
      text: `insert into webhook_hours (tenant_id, environment, hour, attempts, delivered, took_ms, slowest_ms)
             select $1, 'test', date_trunc('hour', $2::timestamptz, 'UTC') - ago * interval '1 hour', 20 + ago * 7 % 23,
               20 + ago * 7 % 23 - case when ago % 9 = 4 then 3 else 0 end, (20 + ago * 7 % 23) * (90 + ago * 13 % 80), 400 + ago
             from generate_series(1, 23) ago`,
    },
    [tenant, new Date(service.clock.now()).toISOString()],
  )
  await service.deps.db.query(
    {
      name: 'test_key_days',
      text: `insert into api_key_days (tenant_id, environment, key_id, day, uses)
             select tenant_id, environment, id, ($2::timestamptz at time zone 'UTC')::date - ago, 300 + ago * 211 % 700
             from api_keys, generate_series(1, 13) ago where tenant_id = $1`,
    },
    [tenant, new Date(service.clock.now()).toISOString()],
  )
}

export interface Look {
  readonly locale?: 'en-GB' | 'de-DE'
  readonly dark?: boolean
  readonly width?: number
}

/** Returns a page with its own browser profile, and all its error messages. */
export async function openPage(
  browser: Browser,
  busy: Pick<BusyTenant, 'service'>,
  look: Look = {},
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({
    locale: look.locale ?? 'en-GB',
    colorScheme: look.dark === true ? 'dark' : 'light',
    viewport: { width: look.width ?? 1280, height: 900 },
    reducedMotion: 'reduce',
  })
  // The service's clock is fixed in another year; the browser's follows it.
  await context.clock.setFixedTime(busy.service.clock.now())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    // The driver adds its own script to every frame; a preview, which allows none, does not run it.
    const isDrivers = message.text().startsWith("Blocked script execution in 'about:srcdoc'")
    if (message.type() === 'error' && !isDrivers) complaints.push(message.text())
  })
  return { page, complaints }
}

/** Signs in by the request of the form; the form itself has its own tests (account, actions, ways). */
export async function signInAt(page: Page, base: string, email: string): Promise<void> {
  const answer = await page.context().request.post(`${base}/dashboard/api/sign-in/password`, {
    data: { email, password: PASSWORD },
    headers: FROM_PAGE,
  })
  assert.equal(answer.status(), 200, await answer.text())
  await page.goto(`${base}/dashboard`)
  await page.waitForSelector('#main h1', { state: 'attached' })
}

/** Returns every page of the dashboard behind the sign-in, below /dashboard/<tenant>/<environment>. */
export const pagesOf = (busy: BusyTenant): readonly (readonly [name: string, path: string])[] => [
  ['start', ''],
  ['verifications', '/verifications'],
  ['verification', `/verifications/${busy.completed}`],
  ['portrait', `/verifications/${busy.portrait}`],
  ['links', '/links'],
  ['templates', '/templates'],
  ['devices', '/devices'],
  ['keys', '/keys'],
  ['clients', '/clients'],
  ['webhooks', '/webhooks'],
  ['webhook delivery', `/webhooks/${busy.delivery}`],
  ['usage', '/usage'],
  ['audit', '/audit'],
  ['trust', '/trust'],
  ['registration', '/registration'],
  ['going live', '/going-live'],
  ['branding', '/branding'],
  ['settings', '/settings'],
  ['team', '/team'],
  ['account', '/account'],
]

/** Chooses an item by its name in the account menu. */
export async function chooseInAccountMenu(page: Page, menu: string, item: string): Promise<void> {
  await page.getByRole('button', { name: menu }).click()
  await page.getByRole('menu').getByText(item, { exact: true }).click()
}

/**
 * Polls at this interval. By default Playwright checks in every animation frame, which the browser then has to draw.
 */
const POLLING_MS = 30

/** Waits until nothing is loading any more. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () => document.querySelector('h1') !== null && document.querySelector('.animate-pulse') === null,
    undefined,
    { polling: POLLING_MS },
  )
}

/** Goes to another page like a link, without loading the application again; not to a page of the same kind. */
export async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    document.querySelector('#main h1')?.setAttribute('data-left', '')
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
  await page.waitForSelector('#main h1:not([data-left])', { state: 'attached' })
  await settled(page)
}
