// Calls the API for verifications (interface specification 4.1): create, wait, read, redeem, cancel, list, erase.

import type { Send, Sleep } from './transport.ts'
import { type WaitOptions, waitUntilEnded } from './wait.ts'
import type {
  CertificateQuery,
  CreateVerification,
  ErasureResult,
  EvidenceDelivery,
  Verification,
  VerificationDiagnostics,
  VerificationListQuery,
  VerificationStatus,
  VerificationTransaction,
  VerificationVerdict,
} from './wire.ts'

/** Exactly one of `template` and `query`. */
export type NewVerification =
  | (Omit<CreateVerification, 'query'> & { template: string; query?: never })
  | (Omit<CreateVerification, 'template'> & { query: NonNullable<CreateVerification['query']>; template?: never })

export interface CallOptions {
  readonly signal?: AbortSignal
}

export interface CreateOptions extends CallOptions {
  /**
   * Name your own, such as the order's number, to have a crash or a double click between your server and its caller
   * create nothing twice. Without one, each call to `create` is another verification, however often it is retried inside.
   */
  readonly idempotencyKey?: string
}

export interface Verifications {
  create(request: NewVerification, options?: CreateOptions): Promise<Verification>
  get(id: string, options?: CallOptions): Promise<Verification>
  /** The status only; needs no key and never contains claims. */
  status(id: string, options?: CallOptions): Promise<VerificationStatus>
  /** Polls until it is completed, failed or expired, then reads it. A webhook spares you the polling. */
  waitForResult(id: string, options?: WaitOptions): Promise<Verification>
  /** Exchanges the `response_code` of a redirect, once. Not retried: a code that was spent stays spent. */
  redeem(id: string, responseCode: string, options?: CallOptions): Promise<Verification>
  /** Ends a pending one now: it is `expired`, and a wallet that answers is too late. After an answer: `session_already_responded`. */
  cancel(id: string, options?: CallOptions): Promise<Verification>
  /** Yes or no of a template, also where only you can read the claims; null: not completed, no template, or forgotten. */
  verdict(id: string, options?: CallOptions): Promise<VerificationVerdict>
  /** What the holder was asked to agree to, as sent, and whether exactly this was signed. */
  transaction(id: string, options?: CallOptions): Promise<VerificationTransaction>
  /** How it went: the channel of the answer and the outcome of each check; no claims. */
  diagnostics(id: string, options?: CallOptions): Promise<VerificationDiagnostics>
  /** Has the service forgotten claims and credentials, and keeps that it was: from now on it reads without them. */
  forget(id: string, options?: CallOptions): Promise<Verification>
  /** The signed receipt of one that has ended, for `verifyReceipt`; also after its erasure. Keep it with the result and its salt. */
  receipt(id: string, options?: CallOptions): Promise<string>
  /** That the receipt is in the public log, as a file. In its first minute: `unavailable`, which is retried where you allow the wait. */
  receiptProof(id: string, options?: CallOptions): Promise<string>
  /** A certificate (PDF, one page) for people, without personal data; `readCertificate` takes the receipt out of it. In its first minute: `unavailable`. */
  certificate(id: string, options?: CallOptions & CertificateQuery): Promise<Uint8Array<ArrayBuffer>>
  /**
   * The evidence bundle, encrypted to you, with receipt and proof; where your operator has switched it on. It is handed out once and
   * not kept: write it down before you do anything else. Not retried.
   */
  collectEvidence(id: string, options?: CallOptions): Promise<EvidenceDelivery>
  /** One page, newest first. With `status` it can be shorter than `limit` while older ones exist. */
  list(page?: VerificationListQuery, options?: CallOptions): Promise<Verification[]>
  /**
   * All of them, newest first, fetched page by page as you go; with `status`, only those that are in that state when their
   * page is fetched.
   */
  all(
    from?: { readonly before?: string; readonly pageSize?: number; readonly status?: Verification['status'] },
    options?: CallOptions,
  ): AsyncGenerator<Verification, void, undefined>
  /**
   * Deletes it and everything derived from it, for good. After a broken connection the retry may find it gone already:
   * `session_not_found` then means that it is erased.
   */
  erase(id: string, options?: CallOptions): Promise<ErasureResult>
}

const PAGE_SIZE = 100

export function createVerifications(
  send: Send,
  world: { readonly sleep: Sleep; readonly now: () => number },
): Verifications {
  const get: Verifications['get'] = (id, { signal } = {}) =>
    send({ method: 'GET', path: pathOf(id), repeatable: true, signal })
  const status: Verifications['status'] = (id, { signal } = {}) =>
    send({ method: 'GET', path: `${pathOf(id)}/status`, repeatable: true, anonymous: true, signal })
  const list: Verifications['list'] = async ({ limit, before, status: state } = {}, { signal } = {}) => {
    const query = { limit, before, status: state }
    const { data } = await send<{ data: Verification[] }>({
      method: 'GET',
      path: BASE,
      query,
      repeatable: true,
      signal,
    })
    return data
  }
  return {
    create: (body, { idempotencyKey = crypto.randomUUID(), signal } = {}) =>
      send({ method: 'POST', path: BASE, body, idempotencyKey, repeatable: true, signal }),
    get,
    status,
    async waitForResult(id, options = {}) {
      const { signal } = options
      const stop = signal === undefined ? {} : { signal }
      await waitUntilEnded(() => status(id, stop), options, world)
      return get(id, stop)
    },
    redeem: (id, responseCode, { signal } = {}) =>
      send({
        method: 'POST',
        path: `${pathOf(id)}/redeem`,
        body: { response_code: responseCode },
        repeatable: false,
        signal,
      }),
    cancel: (id, { signal } = {}) => send({ method: 'POST', path: `${pathOf(id)}/cancel`, repeatable: true, signal }),
    verdict: (id, { signal } = {}) => send({ method: 'GET', path: `${pathOf(id)}/verdict`, repeatable: true, signal }),
    receipt: (id, { signal } = {}) =>
      send({ method: 'GET', path: `${pathOf(id)}/receipt`, repeatable: true, text: JWS, signal }),
    receiptProof: (id, { signal } = {}) =>
      send({ method: 'GET', path: `${pathOf(id)}/receipt.tlog-proof`, repeatable: true, text: PROOF, signal }),
    certificate: async (id, { language, signal } = {}) => {
      const path = `${pathOf(id)}/certificate`
      const text = await send<string>({ method: 'GET', path, query: { language }, repeatable: true, text: PDF, signal })
      return new TextEncoder().encode(text)
    },
    collectEvidence: (id, { signal } = {}) =>
      send({ method: 'POST', path: `${pathOf(id)}/evidence`, repeatable: false, signal }),
    transaction: (id, { signal } = {}) =>
      send({ method: 'GET', path: `${pathOf(id)}/transaction`, repeatable: true, signal }),
    diagnostics: (id, { signal } = {}) =>
      send({ method: 'GET', path: `${pathOf(id)}/diagnostics`, repeatable: true, signal }),
    forget: (id, { signal } = {}) => send({ method: 'POST', path: `${pathOf(id)}/forget`, repeatable: true, signal }),
    list,
    async *all({ before, pageSize = PAGE_SIZE, status: state } = {}, options = {}) {
      for (let bound = before; ; ) {
        const page = await list({ limit: pageSize, ...(bound === undefined ? {} : { before: bound }) }, options)
        // A filtered page may be short before the end, so the pages are whole and filtered here.
        yield* state === undefined ? page : page.filter((one) => one.status === state)
        const last = page.at(-1)
        if (last === undefined || page.length < pageSize) return
        bound = last.created_at
      }
    },
    erase: (id, { signal } = {}) => send({ method: 'DELETE', path: pathOf(id), repeatable: true, signal }),
  }
}

const BASE = '/v1/verifications'
const JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/
const PDF = /^%PDF-/
const PROOF = /^c2sp\.org\/tlog-proof@v1\n/

/** An empty id would turn a read into a list. */
function pathOf(id: string): string {
  if (typeof id !== 'string' || id === '') throw new TypeError('the id of a verification is missing')
  return `${BASE}/${encodeURIComponent(id)}`
}
