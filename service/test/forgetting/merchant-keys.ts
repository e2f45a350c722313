// A merchant with its own key: created with the SDK, registered and proven by the real use cases.

import assert from 'node:assert/strict'
import { generateResultKey, openChallenge, type ResultPrivateKey } from '../../../sdk/typescript/src/result.ts'
import { addResultKey, proveResultKey } from '../../src/core/result-keys/usecases/manage-result-keys.ts'
import type { Realm } from '../../src/core/tenants/domain/realm.ts'
import { OPERATOR, type TestService } from '../harness/service.ts'

export interface MerchantKey {
  readonly id: string
  readonly kid: string
  readonly privateKey: ResultPrivateKey
}

export async function addMerchantKey({ deps }: TestService, realm: Realm): Promise<MerchantKey> {
  const { publicKey, privateKey } = await generateResultKey()
  const added = await addResultKey(deps, { realm, jwk: JSON.stringify(publicKey), actor: OPERATOR })
  assert.ok(added.outcome === 'added')
  const { id, kid } = added.key
  const answer = await openChallenge(added.challenge, privateKey, id)
  assert.equal(await proveResultKey(deps, { realm, id, answer, actor: OPERATOR }), 'proven')
  return { id, kid, privateKey }
}
