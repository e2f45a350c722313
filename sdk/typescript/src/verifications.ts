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
   * A key of your own, such as the order number, prevents duplicates after a crash or a double click. Without one, each call
   * to `create` creates a new verification; the retries within a call do not.
   */
  readonly idempotencyKey?: string
}

export interface Verifications {
  create(request: NewVerification, options?: CreateOptions): Promise<Verification>
  get(id: string, options?: CallOptions): Promise<Verification>
  /** Reads only the status. It needs no key and never contains claims. */
  status(id: string, options?: CallOptions): Promise<VerificationStatus>
  /** Polls until it is completed, failed or expired, then reads it. With a webhook you need no polling. */
  waitForResult(id: string, options?: WaitOptions): Promise<Verification>
  /** Exchanges the `response_code` of a redirect, once. It is not retried, because a used code stays used. */
  redeem(id: string, responseCode: string, options?: CallOptions): Promise<Verification>
  /** Ends a pending verification: its status becomes `expired`. If it was answered: `session_already_responded`. */
  cancel(id: string, options?: CallOptions): Promise<Verification>
  /** The yes or no of a template, even if the result is encrypted to you; null: not completed, no template, or forgotten. */
  verdict(id: string, options?: CallOptions): Promise<VerificationVerdict>
  /** What the holder was asked to confirm, as sent, and whether exactly this was signed. */
  transaction(id: string, options?: CallOptions): Promise<VerificationTransaction>
  /** The channel of the answer and the outcome of each check, without claims. */
  diagnostics(id: string, options?: CallOptions): Promise<VerificationDiagnostics>
  /** Deletes the claims and credentials of a verification, and keeps its record. */
  forget(id: string, options?: CallOptions): Promise<Verification>
  /** The signed receipt of a verification that has ended, for `verifyReceipt`. Keep it with the result and its salt. */
  receipt(id: string, options?: CallOptions): Promise<string>
  /** The file that proves that the receipt is in the public log. In the first minute: `unavailable`, which is retried if you allow it. */
  receiptProof(id: string, options?: CallOptions): Promise<string>
  /** A one-page PDF certificate without personal data; `readCertificate` extracts its receipt. In the first minute: `unavailable`. */
  certificate(id: string, options?: CallOptions & CertificateQuery): Promise<Uint8Array<ArrayBuffer>>
  /**
   * The evidence bundle, encrypted to you, with receipt and proof, if your operator has turned it on. The service returns it once and
   * deletes it, so the call is not retried: store the bundle first.
   */
  collectEvidence(id: string, options?: CallOptions): Promise<EvidenceDelivery>
  /** One page, newest first. With a filter it can be shorter than `limit`, or empty, although older ones exist. */
  list(page?: VerificationListQuery, options?: CallOptions): Promise<Verification[]>
  /**
   * All verifications, newest first. Fetches the next page when it needs it. With `status`, returns those that have it when
   * their page is fetched.
   */
  all(
    from?: { readonly before?: string; readonly pageSize?: number } & Pick<
      VerificationListQuery,
      'status' | 'template'
    >,
    options?: CallOptions,
  ): AsyncGenerator<Verification, void, undefined>
  /**
   * Deletes the verification and everything derived from it. If the connection breaks, the retry may find it gone already:
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
  const list: Verifications['list'] = async (query = {}, { signal } = {}) => {
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
    async *all({ before, pageSize = PAGE_SIZE, status: state, template } = {}, options = {}) {
      const fits = (one: Verification) =>
        (state === undefined || one.status === state) && (template === undefined || one.template === template)
      for (let bound = before; ; ) {
        const page = await list({ limit: pageSize, ...(bound === undefined ? {} : { before: bound }) }, options)
        // Filters here, because a page that the service filters may be short before the end.
        yield* page.filter(fits)
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

/** Refuses an empty id, which would turn a read into a list. */
function pathOf(id: string): string {
  if (typeof id !== 'string' || id === '') throw new TypeError('the id of a verification is missing')
  return `${BASE}/${encodeURIComponent(id)}`
}
