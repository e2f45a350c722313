// Plays the wallets of the flows through the browser, in a separate thread like holder.ts.

import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import {
  answerDcApi,
  chooseCredentials,
  formBody,
  generateKey,
  type HeldCredential,
  type IssuerState,
  issueAll,
  presentCredential,
  verifyRequestObject,
} from '@vidimus/wallet'

export interface Answering {
  readonly issuer: IssuerState
  readonly now: number
  readonly format: HeldCredential['format']
  readonly by: 'redirect' | 'openid4vp-v1-signed' | 'org-iso-mdoc'
  readonly origin: string
  /** A request object with the link that led to it, or an offer. */
  readonly asked: readonly { readonly text: string; readonly walletUri: string }[]
}

/** Returns the body of each answer, in the order of the requests. */
export function answerAll(answering: Answering): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: answering })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

async function answer(answering: Answering, { text, walletUri }: Answering['asked'][number]): Promise<string> {
  const { issuer, now, format, by, origin } = answering
  const holderKey = generateKey()
  if (by !== 'redirect') {
    const options = { issuer, now, origin, holderKey, protocols: [by], formats: [format] }
    const { protocol, data } = await answerDcApi(JSON.parse(text), options)
    return JSON.stringify({ protocol, data })
  }
  const clientId = new URL(walletUri).searchParams.get('client_id') ?? ''
  const request = await verifyRequestObject(text, { clientId, walletNonce: null, now, trusted: [] })
  const encryptionKey = request.encryption?.key ?? null
  const binding = { ...request, encryptionKey, now, deviceAuth: 'signature' } as const
  const credentials = issueAll(issuer, { holderKey, now }).filter((credential) => credential.format === format)
  const chosen = chooseCredentials(request.query, credentials).map(({ queryId, credential, paths }) => [
    queryId,
    [presentCredential(credential, paths, binding)],
  ])
  return formBody(request, { vpToken: Object.fromEntries(chosen) })
}

if (!isMainThread) {
  const answering = workerData as Answering
  Promise.all(answering.asked.map((one) => answer(answering, one))).then((bodies) => parentPort?.postMessage(bodies))
}
