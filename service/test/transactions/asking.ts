// Provides a shop that asks for a card, and the customers' confirmations, for tests of transactions.

import assert from 'node:assert/strict'
import { CONSENT_TYPE, TYPE, type WalletOptions } from '@vidimus/wallet'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'

export const CARD = {
  id: 'card',
  format: 'dc+sd-jwt',
  meta: { vct_values: [TYPE.paymentCard] },
  claims: [{ path: ['pan_last_four'] }],
}
export const PID = {
  id: 'pid',
  format: 'dc+sd-jwt',
  meta: { vct_values: [TYPE.pidSdJwt] },
  claims: [{ path: ['given_name'] }],
}
export const LICENCE = {
  id: 'licence',
  format: 'mso_mdoc',
  meta: { doctype_value: TYPE.mdl },
  claims: [{ path: ['org.iso.18013.5.1', 'given_name'] }],
}

export const PAYLOAD = {
  transaction_id: 'order-4711',
  payee: { name: 'Corner Shop', id: 'DE02120300000000202051' },
  currency: 'EUR',
  amount: 42.5,
}
export const PAYMENT = { type: 'urn:eudi:sca:payment:1', payload: PAYLOAD }
/** A template: the caller fills in the payment and the order. */
export const PAYMENT_TO_FILL_IN = {
  type: PAYMENT.type,
  members: { payload: { payee: PAYLOAD.payee, currency: 'EUR' } },
  fields: {
    amount: { path: ['payload', 'amount'], as: 'number' },
    order: { path: ['payload', 'transaction_id'], as: 'id' },
  },
}
export const CONSENT = { type: CONSENT_TYPE, text: 'Terms of 2026' }
export const APPROVAL = {
  type: 'https://cloudsignatureconsortium.org/2025/qes-approval',
  signatureQualifier: 'eu_eidas_qes',
  numSignatures: 1,
  hashAlgorithmOID: '2.16.840.1.101.3.4.2.1',
  documentDigests: [{ label: 'Contract', hash: 'sTOgwOm+474gFj0q0x1iSNspKqbcse4IeiqlDg/HWuI=' }],
}

/** The type's schema allows a text. */
export const CONSENT_SCHEMA = {
  type: 'object',
  properties: { text: { type: 'string', maxLength: 200 } },
  required: ['text'],
  additionalProperties: false,
}

export async function openShop(...input: Parameters<typeof testService>) {
  const service = await testService(...input)
  const tenant = await service.tenant()
  const key = await service.key(tenant)
  const realm = { tenantId: tenant, environment: 'test' } as const
  const wallet = await testWallet(service)
  const create = (body: object, headers: Record<string, string> = {}) =>
    service.call('POST', '/v1/verifications', { key, body, headers })
  const asking = async (transaction: readonly object[], credentials: readonly object[] = [CARD]) => {
    const created = await create({ query: { credentials }, transaction })
    assert.equal(created.status, 201, created.text)
    return created.json as { readonly id: string; readonly wallet_uri: string; readonly status: string }
  }
  const read = async (id: string) => (await service.call('GET', `/v1/verifications/${id}`, { key })).json
  const transactionOf = async (id: string) => {
    const answer = await service.call('GET', `/v1/verifications/${id}/transaction`, { key })
    assert.equal(answer.status, 200, answer.text)
    return answer.json
  }
  const answer = async (
    created: { readonly id: string; readonly wallet_uri: string },
    change: Partial<WalletOptions> = {},
  ) => {
    await wallet.present(created.wallet_uri, 'good', change)
    return read(created.id)
  }
  return { service, tenant, key, realm, wallet, create, asking, read, transactionOf, answer }
}
