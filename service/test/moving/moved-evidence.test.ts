// Tests evidence that was not collected before a move: a merchant must keep it by law, and it is deleted after a day.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { changeEvidence } from '../../src/features/evidence/usecases/manage-evidence.ts'
import { switchTenant } from '../../src/features/operator/usecases/moving/move-tenant.ts'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import { addMerchantKey } from '../forgetting/merchant-keys.ts'
import { merchant } from '../forgetting/merchants.ts'
import { OPERATOR } from '../harness/service.ts'
import { ask, moveOf, twoInstallations } from './installations.ts'

it('can be collected at the new installation at once, although its receipt may enter the log only days later', async () => {
  const both = await twoInstallations()
  const { source, target } = both
  const { realm, key, ended } = await merchant(source, { content: 'keep' })
  const { tenantId } = realm
  await addMerchantKey(source, realm)
  const basis = 'AMLR (EU) 2024/1624 Art. 77: obliged entity, own registration'
  assert.deepEqual(await changeEvidence(source.deps, { tenantId, basis, actor: OPERATOR }), { outcome: 'changed' })
  const id = await ended()
  await growLog(source.deps)
  await switchTenant(moveOf(both, tenantId), { stopSeconds: 30 })
  const collected = await ask(target, `/v1/verifications/${id}/evidence`, { key, method: 'POST' })
  assert.equal(collected.status, 200, collected.text)
  assert.equal(JSON.parse(collected.text).receipt_proof, null)
  await growLog(target.deps)
  const proof = await ask(target, `/v1/verifications/${id}/receipt.tlog-proof`, { key })
  assert.equal(proof.status, 200, proof.text)
})
