// Tests that the page of a verification says "not revoked" only if the status was checked.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { JsonObject } from '@vidimus/engine'
import { formBody, generateKey, issue, presentCredential, STATUS_INDEX, TYPE } from '@vidimus/wallet'
import { proofsOf } from '../../../../dashboard/src/pages/verifications/detail/proofs.ts'
import { signJws } from '../../../../wallet/src/sdjwt.ts'
import type { VerificationDetail } from '../../../../wire/verifications-staff.ts'
import { TERMS } from '../../../src/features/dashboard/http/terms.ts'
import { testService } from '../../harness/service.ts'
import { person } from '../../harness/staff.ts'
import { testWallet } from '../../harness/wallet.ts'
import { bindingOf, create, respond } from '../../wallet/verifications.ts'

const service = await testService()
const wallet = await testWallet(service)
const tenant = await service.tenant()
const key = await service.key(tenant)
const admin = await person(service, tenant, 'admin')
const { issuer, now } = wallet.options

type HeldSdJwt = Extract<ReturnType<typeof issue>, { issuerJwt: string }>
const json = (text: string): JsonObject => JSON.parse(Buffer.from(text, 'base64url').toString())
const card = () => issue(issuer, 'payment_card', { holderKey: generateKey(), now }) as HeldSdJwt

/** Names its status by a mechanism that no release supports, so that it fails before any list is asked. */
function oddCard(): HeldSdJwt {
  const good = card()
  const [header = '', payload = ''] = good.issuerJwt.split('.')
  const claims = { ...json(payload), status: { other_mechanism: { uri: 'https://x.example' } } }
  return { ...good, issuerJwt: signJws(json(header) as never, claims, issuer.sdJwt.signer.key) }
}

async function statesFor(statusIndex: number, second: HeldSdJwt) {
  const query = {
    credentials: [
      { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: [TYPE.pidSdJwt] }, claims: [{ path: ['given_name'] }] },
      {
        id: 'card',
        format: 'dc+sd-jwt',
        meta: { vct_values: [TYPE.paymentCard] },
        claims: [{ path: ['pan_last_four'] }],
      },
    ],
  }
  const created = await create(service, key, { query })
  const request = await wallet.request(created.wallet_uri)
  const binding = bindingOf(wallet, request)
  const pid = issue(issuer, 'pid_sd_jwt', { holderKey: generateKey(), now, statusIndex })
  const vpToken = {
    pid: [presentCredential(pid, [['given_name']], binding)],
    card: [presentCredential(second, [['pan_last_four']], binding)],
  }
  const taken = await respond(service, created.id, await formBody(request, { vpToken }))
  assert.equal(taken.status, 200, taken.text)
  const answer = await admin.call('GET', `@/verifications/${created.id}`)
  assert.equal(answer.status, 200, answer.text)
  const detail: VerificationDetail = answer.json
  const states = detail.credentials.map((one) => {
    const proofs = proofsOf(one, TERMS.formats)
    return proofs.find(({ name }) => name === 'status')?.state
  })
  return [detail.error?.code ?? null, ...states]
}

test('a credential shows "not revoked" only if its own status was checked, even if another credential failed', async () => {
  const { valid, revoked } = STATUS_INDEX
  assert.deepEqual(await statesFor(revoked, oddCard()), ['status_unavailable', 'unchecked', 'failed'])
  assert.deepEqual(await statesFor(valid, oddCard()), ['status_unavailable', 'unchecked', 'failed'])
  assert.deepEqual(await statesFor(revoked, card()), ['credential_revoked', 'failed', 'proven'])
  assert.deepEqual(await statesFor(valid, card()), [null, 'proven', 'proven'])
})
