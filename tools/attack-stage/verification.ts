// A verification that asks for one claim, up to where a wallet would answer it.

import { type VerifierRequest, verifyRequestObject } from '@vidimus/wallet'

export interface BegunVerification {
  readonly id: string
  readonly request: VerifierRequest
}

/** Of an SD-JWT. */
export function beginVerification(url: string, key: string, vct: string): Promise<BegunVerification> {
  return begin(url, key, { format: 'dc+sd-jwt', meta: { vct_values: [vct] }, claims: [{ path: ['given_name'] }] })
}

export function beginMdocVerification(url: string, key: string, docType: string): Promise<BegunVerification> {
  const claims = [{ path: ['org.iso.18013.5.1', 'given_name'] }]
  return begin(url, key, { format: 'mso_mdoc', meta: { doctype_value: docType }, claims })
}

async function begin(url: string, key: string, credential: object): Promise<BegunVerification> {
  const answer = await fetch(`${url}/v1/verifications`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: { credentials: [{ id: 'it', multiple: true, ...credential }] }, purpose: 'attack' }),
  })
  if (answer.status !== 201) throw new Error(`no verification could be made: ${answer.status}`)
  const { id, wallet_uri } = (await answer.json()) as { id: string; wallet_uri: string }
  const object = await (await fetch(`${url}/wallet/request/${id}`)).text()
  const clientId = new URL(wallet_uri).searchParams.get('client_id') ?? ''
  const now = Math.floor(Date.now() / 1000)
  return { id, request: await verifyRequestObject(object, { clientId, walletNonce: null, now, trusted: [] }) }
}
