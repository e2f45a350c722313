// Tests lists longer than a page, failures and their remedies, and links between pages, in a real browser.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Request } from 'playwright-core'
import { enroll } from '../../harness/devices.ts'
import { assertAccessible } from '../../harness/pages/accessible.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { busyTenant, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { assertCount, assertText } from '../../harness/pages/shown.ts'
import { person } from '../../harness/staff.ts'
import { declined, deliverAllDue, deliverDue, startReceiver } from '../../harness/webhooks.ts'

const DAY = 86_400_000
const busy = await busyTenant()
const { service, tenant } = busy
const { base } = service
const key = await service.key(tenant)
const broken = await startReceiver()
await failForDays()
const receiver = await startReceiver()
for (let count = 0; count < 50; count += 1) await declined(service, { key, url: receiver.url })
await deliverDue(service)
const browser = await testBrowser()
const { page, complaints } = await openPage(browser, busy)
await signInAt(page, base, busy.owner.email)
const dialog = page.locator('dialog[open]').last()

/** Sends failing deliveries until the service disables the destination. */
async function failForDays(): Promise<void> {
  broken.answer = () => ({ status: 500 })
  for (let day = 0; day < 6; day += 1) {
    for (let count = 0; count < 2; count += 1) await declined(service, { key, url: broken.url })
    await deliverAllDue(service)
    service.clock.advance(DAY)
  }
  await declined(service, { key, url: broken.url })
  await deliverAllDue(service)
}

const goto = async (path: string) => {
  await page.goto(`${base}/dashboard/${tenant}/test${path}`)
  await settled(page)
}
const rows = page.locator('tbody tr')
const firstRow = () => rows.first().innerText()
const firstRowIs = (relation: 'the same as' | 'another than', known: string) =>
  page.waitForFunction(
    ([wanted, text]) => {
      const now = document.querySelector<HTMLElement>('tbody tr')?.innerText
      return now !== undefined && (now === text) === (wanted === 'the same as')
    },
    [relation, known],
  )
const rowCount = (count: number) =>
  page.waitForFunction((expected) => document.querySelectorAll('tbody tr').length === expected, count)

for (const [path, title] of [
  ['/verifications', 'Verifications'],
  ['/webhooks', 'Webhooks'],
  ['/audit', 'Audit trail'],
] as const) {
  test(`${title}: the list shows fifty rows at a time, and leads to older rows and back to the newest`, async () => {
    await goto(path)
    await rowCount(50)
    // A template is shown by its key until its title has loaded.
    await assertCount(rows.first().getByText('age_over_18'), 0)
    const newest = await firstRow()
    await page.getByRole('link', { name: 'Older' }).click()
    await page.waitForURL(/before=/)
    await firstRowIs('another than', newest)
    await page.getByRole('link', { name: 'Newest' }).click()
    await page.waitForURL((url) => !url.search.includes('before'))
    await firstRowIs('the same as', newest)
    await rowCount(50)
  })
}

test('a row opens its verification, and a link leads back to the list', async () => {
  await goto('/verifications?status=completed')
  await page.locator(`tbody a[href*="${busy.completed}"]`).click()
  await page.waitForURL(new RegExp(`/verifications/${busy.completed}$`))
  await page.getByText('Held by this wallet').first().waitFor()
  await page.getByRole('link', { name: 'All verifications' }).click()
  await page.waitForURL(/\/verifications$/)
})

test('a destination that failed for days is enabled again, starting at the overview; its paused deliveries are sent', async () => {
  await goto('')
  await page.getByRole('link', { name: 'Delivery to 1 webhook address is failing' }).click()
  await page.getByText('Turned off. Events are queued.').waitFor()
  await assertAccessible(page)
  const sent = broken.received.length
  broken.answer = () => ({ status: 200 })
  await page.getByRole('button', { name: 'Turn on again' }).click()
  await page.getByText('Turned off. Events are queued.').waitFor({ state: 'detached' })
  await deliverDue(service)
  assert.ok(broken.received.length > sent)
  await goto('/audit')
  await page.getByText('Webhook address turned on').waitFor()
})

test('a resent attempt that is not accepted says so', async () => {
  await goto('/webhooks')
  await rows
    .first()
    .getByRole('link', { name: /^Details/ })
    .click()
  await page.getByText(receiver.url).first().waitFor()
  receiver.answer = () => ({ status: 503 })
  await page.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('Resent: Your server had an error (503).').waitFor()
  receiver.answer = () => ({ status: 200 })
  await page.getByRole('link', { name: /^ver_/ }).click()
  await page.waitForURL(/\/verifications\/ver_/)
})

test('a leaked secret can be ended at once', async () => {
  await goto('/webhooks')
  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  await dialog.getByLabel('Stop using all old secrets now (if one has leaked)').check()
  await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
  await dialog.getByLabel('I have stored it safely').check()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByText(/In use since/).waitFor()
  await assertCount(page.getByText('Rotate the secret'), 0)
})

/** The start page of a company without verifications. */
async function startPage() {
  const fresh = await service.tenant({ name: 'Kellerei Neubeginn' })
  const { email } = await person(service, fresh, 'owner')
  const opened = await openPage(browser, busy)
  await signInAt(opened.page, base, email)
  await opened.page.goto(`${base}/dashboard/${fresh}/test`)
  await settled(opened.page)
  return opened.page
}

test("the start page opens the holder's page, and starts another run", async () => {
  const page = await startPage()
  await page.getByRole('button', { name: 'Run a test verification' }).click()
  const [holder] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'Open the customer page' }).click(),
  ])
  await holder.waitForURL(/\/verify\/ver_/)
  await holder.waitForSelector('h1')
  await holder.close()
  const before = await page.getByRole('link', { name: 'Open the customer page' }).getAttribute('href')
  await page.getByRole('button', { name: 'Run another test' }).click()
  await page.waitForFunction(
    (href) => document.querySelector('a[href^="/verify/"]')?.getAttribute('href') !== href,
    before,
  )
  await page.context().close()
})

test('first steps lead to their pages', async () => {
  for (const [step, path] of [
    ['Create an API key', '/keys'],
    ['Receive a webhook', '/webhooks'],
    ['Pair a device', '/devices'],
  ] as const) {
    // The page shows the first steps before the first verification.
    await page.goto(`${base}/dashboard/${tenant}/live`)
    await page.locator('#main').getByRole('link', { name: step }).click()
    await page.waitForURL(`${base}/dashboard/${tenant}/live${path}`)
  }
})

test('a device that pairs is confirmed next to its code', async () => {
  await goto('/devices')
  await page.getByRole('button', { name: 'Add a device' }).click()
  await dialog.getByLabel('Name').fill('Kasse 9')
  // The page ticks the templates when they have loaded.
  await dialog.getByLabel('18 or older').waitFor()
  await dialog.getByRole('button', { name: 'Add a device' }).click()
  const code = await dialog.locator('output').innerText()
  const paired = await enroll(service, code)
  assert.equal(paired.status, 200, paired.text)
  await dialog.getByText('The device is paired.').waitFor()
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
})

test('a cancelled dialog creates nothing', async () => {
  const requests: string[] = []
  const note = (request: Request) => {
    if (request.method() === 'POST' && !request.url().endsWith('/preview')) requests.push(request.url())
  }
  page.on('request', note)
  for (const [path, open, field] of [
    ['/keys', 'Create a key', 'Name'],
    ['/devices', 'Add a device', 'Name'],
    ['/templates', 'New template', 'Title'],
    ['/team', 'Invite a team member', 'E-mail'],
  ] as const) {
    await goto(path)
    await page.getByRole('button', { name: open }).click()
    await dialog.getByLabel(field).fill('never.made@example.com')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.waitForFunction(() => document.querySelector('dialog[open]') === null)
  }
  page.off('request', note)
  assert.deepEqual(requests, [])
})

test('the last owner cannot give up the role, and sees why', async () => {
  await goto('/team')
  // Only other members are offered another role or removal.
  await page.getByText('Only owner. Make another member owner first.').waitFor()
  assert.ok((await page.getByRole('button', { name: /^Remove: / }).count()) > 0)
  assert.equal(await page.getByRole('button', { name: `Remove: ${busy.owner.email}` }).count(), 0)
  assert.ok((await page.getByLabel(/^Role: /).count()) > 0)
  assert.equal(await page.getByLabel(`Role: ${busy.owner.email}`).count(), 0)
})

test('the figures of thirty days are also shown as a table', async () => {
  await goto('/usage')
  await page.getByText('Show as table').click()
  await rowCount(30)
})

test('an unavailable service is reported, and the button tries again', async () => {
  await page.route('**/api/**/verifications', (route) => route.abort())
  await page.goto(`${base}/dashboard/${tenant}/test/verifications`)
  await assertText(page.getByRole('alert'), /cannot reach the service/)
  await page.unroute('**/api/**/verifications')
  await page.getByRole('button', { name: 'Try again' }).click()
  await rowCount(50)
})

const MENU = [
  'Verifications',
  'Templates',
  'Devices',
  'API keys',
  'Webhooks',
  'Usage',
  'Audit trail',
  'Issuers and certificates',
  'Settings',
  'Team',
  'Overview',
]

test('the menu leads to every page, also on a phone; a foreign company has no page', async () => {
  const menu = page.getByRole('navigation', { name: 'Menu' })
  const follow = async (name: string) => {
    await menu.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  }
  await goto('')
  for (const name of MENU) await follow(name)
  await page.setViewportSize({ width: 390, height: 900 })
  for (const name of ['Team', 'Overview']) {
    await menu.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Menu' }).click()
    await follow(name)
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  const foreign = await service.tenant({ name: 'Kellerei Mond' })
  await page.goto(`${base}/dashboard/${foreign}/test/keys`)
  await page.getByText('Page not found').waitFor()
  await page.getByRole('link', { name: 'Go to overview' }).click()
  await page.waitForURL(`${base}/dashboard/${tenant}/test`)
})

test('no page reported an error', () => {
  assert.deepEqual(
    complaints.filter((text) => !/status of 409|ERR_FAILED/.test(text)),
    [],
  )
})
