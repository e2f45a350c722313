// Tests that nothing that a merchant can read says when another one verified, although both use the same fetched lists.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { openEvidence, verifyReceipt } from '@vidimus/sdk'
import { createIssuer, generateKey, issue, issuerAnchors, statusListJwt } from '@vidimus/wallet'
import { changeSettings } from '../../src/core/tenants/usecases/manage-settings.ts'
import { changeEvidence } from '../../src/features/evidence/usecases/manage-evidence.ts'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import { addAnchor } from '../../src/features/trust/usecases/manage-anchors.ts'
import { addMerchantKey } from '../forgetting/merchant-keys.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { once } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, decode, respond, validBody } from '../wallet/verifications.ts'

const BASIS = 'AMLR (EU) 2024/1624 Art. 77: obliged entity, own registration'
/** Longer than the list is fresh, and usable after that. */
const FORGOTTEN_MS = 7_531_000

const service = await testService({}, { VIDIMUS_EGRESS_ALLOW: '127.0.0.0/8' })
const { clock, deps } = service
const now = () => Math.floor(clock.now() / 1000)
let downloads = 0
const host = createServer((_request, response) => {
  downloads += 1
  response.setHeader('content-type', 'application/statuslist+jwt').end(list)
}).listen(0, '127.0.0.1')
await once(host, 'listening')
after(() => host.close())
const issuer = createIssuer({
  base: `http://127.0.0.1:${(host.address() as AddressInfo).port}`,
  now: now(),
  name: 'Issuer',
})
// Like most hosts, this one signs a list once and serves it for a while.
const list = statusListJwt(issuer, now())
const wallet = await testWallet(service)

async function merchant(name: string) {
  const tenantId = await service.tenant({ name })
  const owner = { tenantId, environment: 'test' } as const
  await changeSettings(deps, { tenantId, change: { content: 'keep' }, actor: OPERATOR })
  for (const anchor of issuerAnchors(issuer)) await addAnchor(deps, { ...anchor, owner, actor: OPERATOR })
  const { privateKey } = await addMerchantKey(service, owner)
  await changeEvidence(deps, { tenantId, basis: BASIS, actor: OPERATOR })
  const key = await service.key(tenantId, {
    scopes: ['verifications:create', 'verifications:read', 'verifications:delete'],
  })
  const get = async (path: string) => {
    const answer = await service.call('GET', `/v1/verifications/${path}`, { key })
    assert.equal(answer.status, 200, answer.text)
    return answer.text
  }
  return {
    tenantId,
    async verify(): Promise<string> {
      const { id, wallet_uri: uri } = await create(service, key)
      const credentials = [issue(issuer, 'pid_sd_jwt', { holderKey: generateKey(), now: now(), statusIndex: 0 })]
      const answer = await respond(service, id, await validBody(wallet, await wallet.request(uri), { credentials }))
      assert.equal(answer.status, 200, answer.text)
      return id
    },
    /** What this merchant's key reads of a verification. */
    async evidenceOf(id: string) {
      await growLog(deps)
      const delivery = await service.call('POST', `/v1/verifications/${id}/evidence`, { key })
      assert.equal(delivery.status, 200, delivery.text)
      const { text: keys } = await service.call('GET', '/log/receipt-keys')
      const receipt = await verifyReceipt(delivery.json.receipt, JSON.parse(keys), { id })
      const bundle = await openEvidence(delivery.json, privateKey)
      const texts = [get(id), get(`${id}/diagnostics`), get(`${id}/certificate`)]
      return { receipt, bundle, texts: [...(await Promise.all(texts)), JSON.stringify({ receipt, bundle })] }
    },
  }
}

test("receipt and bundle do not depend on whether another merchant verified before, and no text has that merchant's second", async () => {
  const clinic = await merchant('Clinic')
  const shop = await merchant('Shop')
  const alone = await shop.evidenceOf(await shop.verify())
  assert.equal(downloads, 1)
  clock.advance(FORGOTTEN_MS)

  await clinic.verify()
  assert.equal(downloads, 2, "fetched for the clinic's holder")
  const other = new Date(clock.now()).toISOString()
  const second = String(now())
  clock.advance(123_000)
  const id = await shop.verify()
  assert.equal(downloads, 2, 'the cached list')
  const after = await shop.evidenceOf(id)

  const [status] = after.receipt.credentials.map((one) => one.status)
  assert.equal(status?.outcome, 'valid')
  assert.deepEqual(after.receipt.credentials, alone.receipt.credentials)
  assert.deepEqual(after.bundle.trust, alone.bundle.trust)
  assert.deepEqual(after.bundle.lists, alone.bundle.lists)
  assert.equal((after.bundle.lists as object[]).length, 1)

  const staff = await person(service, shop.tenantId, 'owner')
  const pages = ['@/audit', '@/audit/export', `@/verifications/${id}`, `@/verifications/${id}/receipt`, '@/trust']
  for (const path of pages) {
    const { status, text } = await staff.call('GET', path)
    assert.equal(status, 200, `${path} ${text}`)
    after.texts.push(text)
  }
  const { receipt } = (await staff.call('GET', `@/verifications/${id}/receipt`)).json
  after.texts.push(JSON.stringify(decode(receipt)))
  // As Unix time, and as every date is written.
  for (const text of after.texts)
    for (const part of [second, other.slice(11, 19), other.slice(11, 19).replaceAll(':', '')])
      assert.ok(!text.includes(part), `${part} in ${text.slice(0, 200)}`)
})
