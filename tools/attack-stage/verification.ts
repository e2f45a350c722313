// Runs a verification that asks for one claim, up to the wallet's answer.

import { type VerifierRequest, verifyRequestObject } from '@vidimus/wallet'

interface BegunVerification {
  readonly id: string
  readonly request: VerifierRequest
}

/** The service created no verification, or no request for it. */
export class RefusedCreation extends Error {
  override name = 'RefusedCreation'
  constructor(status: number) {
    super(`no verification could be created: ${status}`)
  }
}

/** Begins a verification of an SD-JWT. */
export function beginVerification(url: string, key: string, vct: string): Promise<BegunVerification> {
  return begin(url, key, { format: 'dc+sd-jwt', meta: { vct_values: [vct] }, claims: [{ path: ['given_name'] }] })
}

export function beginMdocVerification(url: string, key: string, docType: string): Promise<BegunVerification> {
  const claims = [{ path: ['org.iso.18013.5.1', 'given_name'] }]
  return begin(url, key, { format: 'mso_mdoc', meta: { doctype_value: docType }, claims })
}

/** Throws if the service does not answer, which ends the attack. */
export const ANSWER_MS_MAX = 20_000

async function begin(url: string, key: string, credential: object): Promise<BegunVerification> {
  const answer = await fetch(`${url}/v1/verifications`, {
    method: 'POST',
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: { credentials: [{ id: 'it', multiple: true, ...credential }] }, purpose: 'attack' }),
  })
  if (answer.status !== 201) throw new RefusedCreation(answer.status)
  const { id, wallet_uri } = (await answer.json()) as { id: string; wallet_uri: string }
  const fetched = await fetch(`${url}/wallet/request/${id}`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) })
  if (fetched.status !== 200) throw new RefusedCreation(fetched.status)
  const object = await fetched.text()
  const clientId = new URL(wallet_uri).searchParams.get('client_id') ?? ''
  const now = Math.floor(Date.now() / 1000)
  return { id, request: await verifyRequestObject(object, { clientId, walletNonce: null, now, trusted: [] }) }
}
