// Tests `vidimus user invite`: a link that signs in once, and messages for mistakes in the call.

import assert from 'node:assert/strict'
import test from 'node:test'
import { commandLine } from '../harness/servers/command-line.ts'
import { testService } from '../harness/service.ts'
import { post, tokenOf } from '../harness/staff.ts'

const service = await testService()
const tenant = await service.tenant({ name: 'Corner shop' })

const { run: vidimus } = commandLine(service)

test('the link signs in once, with the role that was named', async () => {
  const invitation = ['--email', 'Ada.Beispiel@example.com', '--tenant', tenant, '--role', 'viewer']
  const { code, out } = await vidimus('user', 'invite', ...invitation, '--json')
  assert.equal(code, 0)
  const created = JSON.parse(out)
  assert.equal(created.email, 'ada.beispiel@example.com')
  assert.match(created.url, /^https:\/\/verify\.example\.com\/dashboard\/link#[A-Za-z0-9_-]{43}$/)
  assert.equal((await post(service, '/links/look', { token: tokenOf(created.url) })).json.role, 'viewer')
  assert.equal((await post(service, '/links/use', { token: tokenOf(created.url) })).status, 200)
  assert.equal((await post(service, '/links/use', { token: tokenOf(created.url) })).status, 400)
})

test('a newer link ends the older one', async () => {
  const url = async () =>
    JSON.parse((await vidimus('user', 'invite', '--email', 'b@example.com', '--tenant', tenant, '--json')).out).url
  const [first, second] = [await url(), await url()]
  assert.equal((await post(service, '/links/use', { token: tokenOf(first) })).status, 400)
  assert.equal((await post(service, '/links/use', { token: tokenOf(second) })).status, 200)
})

test('mistakes in the call are reported in one line', async () => {
  const invite = (email: string, tenantId: string, role: string) =>
    vidimus('user', 'invite', '--email', email, '--tenant', tenantId, '--role', role)
  assert.match((await invite('a@example.com', 'ten_none', 'admin')).err, /no tenant ten_none/)
  assert.match((await invite('a@example.com', tenant, 'boss')).err, /--role must be one of owner, admin, viewer/)
  assert.match((await invite('no address', tenant, 'admin')).err, /not an e-mail address/)
})
