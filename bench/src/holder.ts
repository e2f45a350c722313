// Plays the wallets of a benchmark in a separate thread, so that their work is not measured as the service's.

import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import {
  formBody,
  type HeldCredential,
  presentCredential,
  type VerifierRequest,
  verifyRequestObject,
} from '@vidimus/wallet'

export interface Holder {
  readonly credential: HeldCredential
  readonly now: number
}

export interface FetchedRequest {
  readonly object: string
  readonly walletUri: string
}

/** Returns the form body of each answer, in the order of the requests. */
export function answerAll(holder: Holder, requests: readonly FetchedRequest[]): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { holder, requests } })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

export function presentation(
  { credential, now }: Holder,
  request: Pick<VerifierRequest, 'clientId' | 'nonce' | 'responseUri' | 'encryption'>,
): string {
  const paths = [['given_name'], ['family_name'], ['birthdate']]
  const encryptionKey = request.encryption?.key ?? null
  return presentCredential(credential, paths, { ...request, encryptionKey, now, deviceAuth: 'signature' })
}

async function answer(holder: Holder, { object, walletUri }: FetchedRequest): Promise<string> {
  const clientId = new URL(walletUri).searchParams.get('client_id') ?? ''
  const request = await verifyRequestObject(object, { clientId, walletNonce: null, now: holder.now, trusted: [] })
  return formBody(request, { vpToken: { pid: [presentation(holder, request)] } })
}

if (!isMainThread) {
  const { holder, requests } = workerData as { holder: Holder; requests: readonly FetchedRequest[] }
  Promise.all(requests.map((one) => answer(holder, one))).then((forms) => parentPort?.postMessage(forms))
}
