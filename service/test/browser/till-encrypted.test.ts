// Tests that the till of a merchant with a result key says yes or no, and shows nothing of the holder.

import assert from 'node:assert/strict'
import test from 'node:test'
import { addMerchantKey } from '../forgetting/merchant-keys.ts'
import { listeningService } from '../harness/listening.ts'
import { testBrowser } from '../harness/pages/browser.ts'
import { close, outcome, readCode, TEMPLATES, tillsOf } from '../harness/pages/till.ts'
import { testWallet } from '../harness/wallet.ts'

const service = await listeningService()
const wallet = await testWallet(service)
const tenantId = await service.tenant()
const key = await service.key(tenantId)
await addMerchantKey(service, { tenantId, environment: 'test' })
const tills = tillsOf(service, await testBrowser(), key)

test('the till says yes for an age and for an identity, without a name', async () => {
  const till = await tills.paired()
  for (const template of TEMPLATES) {
    await till.page.tap(`[data-template=${template}]`)
    await wallet.present(await readCode(till.page))
    const answer = await outcome(till.page)
    assert.equal(answer.kind, 'yes')
    assert.doesNotMatch(answer.text, /Specimen|jwe/)
    await till.page.tap('text=Next')
    await till.page.waitForSelector('.choices')
  }
  await close(till)
})
