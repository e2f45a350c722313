// Tests that no caller learns how much of a shared budget others have spent.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, it } from 'node:test'
import { testClient } from '../harness/openid-client.ts'
import { smtpServer } from '../harness/servers/smtp.ts'
import { testService } from '../harness/service.ts'
import { post } from '../harness/staff.ts'
import { once } from '../harness/wait.ts'
import { CALLBACK, pathOf } from './callers.ts'

it('headers do not reveal how much others spent of the budget for fetches of request objects', async () => {
  const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
  const server = createServer((_, response) => response.writeHead(200).end('x')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/object`
  const begin = async (shop: Awaited<ReturnType<typeof testClient>>, from: string) => {
    const query = new URLSearchParams({ client_id: shop.client.id, request_uri: address, redirect_uri: CALLBACK })
    const url = `${pathOf(shop, '/authorize')}?${query}`
    const { headers } = await service.app.inject({ method: 'GET', url, remoteAddress: from })
    return [headers['ratelimit-limit'], headers['ratelimit-remaining']]
  }
  const newShop = async () =>
    testClient(service, await service.tenant(), { redirectUris: [CALLBACK], requestUris: [address] })
  const [mine, theirs] = [await newShop(), await newShop()]
  const before = await begin(mine, '198.51.100.1')
  service.clock.advance(3_600_000)
  for (let at = 0; at < 17; at += 1) await begin(theirs, `203.0.113.${at + 1}`)
  assert.deepEqual(await begin(mine, '198.51.100.1'), before)
})

it('headers do not reveal how much others spent of the budget for links for lost access', async () => {
  const server = await smtpServer({ after })
  const mail = { VIDIMUS_SMTP_URL: `smtp://127.0.0.1:${server.port}`, VIDIMUS_MAIL_FROM: 'no-reply@example.com' }
  const service = await testService({}, mail)
  const from = (address: string, email: string) => post(service, '/sign-in/lost-access', { email }, { from: address })
  const remaining = async (email: string) => (await from('198.51.100.1', email)).headers['ratelimit-remaining']
  const before = await remaining('one@example.org')
  for (let at = 0; at < 9; at += 1) await from(`203.0.113.${at + 1}`, `other-${at}@example.org`)
  assert.equal(await remaining('two@example.org'), before)
})
