// A verification that asks for one claim of an SD-JWT, up to where a wallet would answer it.

import { type VerifierRequest, verifyRequestObject } from '@vidimus/wallet'

export interface BegunVerification {
  readonly id: string
  readonly request: VerifierRequest
}

export async function beginVerification(url: string, key: string, vct: string): Promise<BegunVerification> {
  const claims = [{ path: ['given_name'] }]
  const query = {
    credentials: [{ id: 'it', format: 'dc+sd-jwt', multiple: true, meta: { vct_values: [vct] }, claims }],
  }
  const answer = await fetch(`${url}/v1/verifications`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, purpose: 'attack' }),
  })
  if (answer.status !== 201) throw new Error(`no verification could be made: ${answer.status}`)
  const { id, wallet_uri } = (await answer.json()) as { id: string; wallet_uri: string }
  const object = await (await fetch(`${url}/wallet/request/${id}`)).text()
  const clientId = new URL(wallet_uri).searchParams.get('client_id') ?? ''
  const now = Math.floor(Date.now() / 1000)
  return { id, request: await verifyRequestObject(object, { clientId, walletNonce: null, now, trusted: [] }) }
}
