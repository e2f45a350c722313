// Sends one call to the service and retries it if that is safe. It has the key and never shows it.

import { waitBeforeRetry } from './retry.ts'
import { VidimusError } from './vidimus-error.ts'

export interface TransportOptions {
  readonly baseUrl: string
  readonly apiKey: string | null
  readonly fetch: typeof globalThis.fetch
  readonly timeoutMs: number
  readonly retries: number
  readonly longestWaitMs: number
  readonly sleep: Sleep
}

/** Resolves after that many milliseconds; rejects with the signal's reason if it is aborted before. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  readonly idempotencyKey?: string
  /** The call is idempotent, so it may be retried. */
  readonly repeatable: boolean
  /** Sent without the key. */
  readonly anonymous?: boolean
  /** The answer is a text of this form, not JSON. */
  readonly text?: RegExp
  readonly signal?: AbortSignal | undefined
}

export type Send = <T>(call: Call) => Promise<T>

export function createTransport(options: TransportOptions): Send {
  return async <T>(call: Call) => {
    for (let attempt = 1; ; attempt += 1) {
      call.signal?.throwIfAborted()
      try {
        return (await attemptOnce(options, call)) as T
      } catch (error) {
        if (!(error instanceof VidimusError)) throw error
        const wait = waitBeforeRetry(error, { attempt, repeatable: call.repeatable }, { ...options, chance: chance() })
        if (wait === null) throw error
        await options.sleep(wait, call.signal)
      }
    }
  }
}

async function attemptOnce(options: TransportOptions, call: Call): Promise<unknown> {
  const timeout = AbortSignal.timeout(options.timeoutMs)
  const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal])
  try {
    const response = await options.fetch(addressOf(options.baseUrl, call), {
      method: call.method,
      headers: headersOf(options, call),
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      // Following a redirect would send the key to another server. ('error' is unknown to some edge runtimes.)
      redirect: 'manual',
      signal,
    })
    return await readAnswer(response, call)
  } catch (error) {
    if (error instanceof VidimusError) throw error
    call.signal?.throwIfAborted()
    if (timeout.aborted) {
      throw new VidimusError({ code: 'timeout', message: `No answer within ${options.timeoutMs} milliseconds.` })
    }
    throw new VidimusError({ code: 'connection_failed', message: `The service was not reached${reasonOf(error)}.` })
  }
}

function addressOf(baseUrl: string, { path, query = {} }: Call): string {
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined)
  if (parameters.length === 0) return `${baseUrl}${path}`
  return `${baseUrl}${path}?${new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]))}`
}

function headersOf({ apiKey }: TransportOptions, call: Call): Record<string, string> {
  return {
    accept: call.text === undefined ? 'application/json' : '*/*',
    ...(apiKey === null || call.anonymous === true ? {} : { authorization: `Bearer ${apiKey}` }),
    ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(call.idempotencyKey === undefined ? {} : { 'idempotency-key': call.idempotencyKey }),
  }
}

async function readAnswer(response: Response, call: Call): Promise<unknown> {
  const text = await response.text()
  if (response.ok && call.text?.test(text) === true) return text
  const body = parse(text)
  if (response.ok && call.text === undefined && body !== undefined) return body
  const requestId = response.headers.get('request-id')
  const retryAfterSeconds = secondsOf(response.headers.get('retry-after'))
  const { error } = (body ?? {}) as { error?: { code?: unknown; message?: unknown } }
  if (!response.ok && typeof error?.code === 'string' && typeof error.message === 'string') {
    const { code, message } = error
    throw new VidimusError({ code, message, status: response.status, requestId, retryAfterSeconds })
  }
  throw new VidimusError({
    code: 'unexpected_answer',
    message: `The answer (HTTP ${response.status}) is not one of the service's. Is baseUrl right?`,
    status: response.status,
    requestId,
    retryAfterSeconds,
  })
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function secondsOf(header: string | null): number | null {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : null
}

/** The system's error name (ECONNREFUSED). The error itself may contain the request. */
function reasonOf(error: unknown): string {
  const { cause, code = (cause as { code?: unknown } | undefined)?.code } = (error ?? {}) as {
    cause?: unknown
    code?: unknown
  }
  return typeof code === 'string' && /^[A-Z0-9_]{3,40}$/.test(code) ? ` (${code})` : ''
}

function chance(): number {
  return (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32
}
