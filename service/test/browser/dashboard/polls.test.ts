// Tests that a page marks its polls, so that an open page does not extend the session.

import assert from 'node:assert/strict'
import test from 'node:test'
import { listeningService } from '../../harness/listening.ts'
import { testBrowser } from '../../harness/pages/browser.ts'
import { builtDashboard, openPage, settled, signInAt } from '../../harness/pages/dashboard.ts'
import { person } from '../../harness/staff.ts'
import { waitUntil } from '../../harness/wait.ts'

const DEVICES = /\/dashboard\/api\/.*\/devices$/
await builtDashboard()
const service = await listeningService({})
const tenant = await service.tenant({ name: 'Kellerei Probe' })
const { email } = await person(service, tenant, 'owner')
const { page } = await openPage(await testBrowser(), { service })

test('the first request and the one after a change count as activity, polls do not', async () => {
  await signInAt(page, service.base, email)
  const requests: boolean[] = []
  page.on('request', (request) => {
    if (DEVICES.test(request.url())) requests.push(request.headers()['vidimus-poll'] === '1')
  })
  await page.goto(`${service.base}/dashboard/${tenant}/test/devices`)
  await settled(page)
  await waitUntil('the page polls a second time', () => requests.length >= 2)
  assert.deepEqual(requests.slice(0, 2), [false, true])
  await page.getByRole('button', { name: 'Add a device' }).click()
  const dialog = page.locator('dialog[open]').last()
  await dialog.getByLabel('Name').fill('Till 9')
  requests.length = 0
  await dialog.getByRole('button', { name: 'Add a device' }).click()
  await dialog.locator('svg[role=img]').waitFor()
  assert.ok(requests.filter((isPoll) => !isPoll).length >= 2, 'the change, and the read after it')
})
