// examples/shop against a running service.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { createShop } from '../../../examples/shop/shop.ts'
import { addOrigin } from '../../src/usecases/origins/manage-origins.ts'
import { OPERATOR } from '../harness/service.ts'
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
