// examples/shop against a running service.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { after } from 'node:test'
import { createShop } from '../../../examples/shop/shop.ts'
import { addOrigin } from '../../src/features/trust/usecases/origins/manage-origins.ts'
import { OPERATOR } from '../harness/service.ts'
import { once } from '../harness/wait.ts'
import { startMerchant, testShop } from './shop-tests.ts'

const merchant = await startMerchant()
const { service, realm, apiKey, webhookSecret } = merchant
const server = createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
const address = `http://localhost:${(server.address() as AddressInfo).port}`
assert.equal((await addOrigin(service.deps, { realm, origin: address, actor: OPERATOR })).outcome, 'added')
server.on(
  'request',
  await createShop({ address, vidimusUrl: service.base, apiKey, webhookSecret, isPublic: false, origin: address }),
)
after(() => {
  server.close()
  server.closeAllConnections()
})

testShop(address, merchant)

test('who tries it without a wallet is led to the test wallet, which opens the question', async () => {
  const bought = await fetch(`${address}/checkout`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: address },
  })
  const cookie = (bought.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const html = await (await fetch(`${address}/checkout`, { headers: { cookie } })).text()
  const [, link = ''] = /<p class="test"><a href="([^"]+)"/.exec(html) ?? []
  const opened = await fetch(link.replaceAll('&amp;', '&'))
  assert.equal(opened.status, 200)
  assert.match(await opened.text(), /You are asked for a proof/)
})
