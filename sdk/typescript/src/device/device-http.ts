// One exchange with the service: an answer, a refusal, or no answer.

import { RefusedError, UnreachableError } from './device-errors.ts'

export interface Exchange {
  readonly method: string
  readonly path: string
  readonly token?: string
  readonly body?: unknown
  readonly idempotencyKey?: string
}

export interface Answer {
  readonly body: unknown
  readonly headers: Headers
}

export interface HttpOptions {
  readonly baseUrl: string
  readonly fetch: typeof globalThis.fetch
  readonly timeoutMs: number
  /** Sees the headers of every answer, refusals included. */
  readonly onHeaders?: (headers: Headers, exchange: Exchange) => Promise<void>
}

/** Node's codes for connections that failed, so nothing was sent. Browsers give no code and may have sent. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

export async function exchange(options: HttpOptions, request: Exchange): Promise<Answer> {
  const response = await send(options, request)
  await options.onHeaders?.(response.headers, request)
  const body = await readJson(response)
  if (response.ok) return { body, headers: response.headers }
  const { error } = body as { error?: { code?: unknown; message?: unknown } }
  throw new RefusedError({
    status: response.status,
    code: typeof error?.code === 'string' ? error.code : 'unknown',
    message: typeof error?.message === 'string' ? error.message : `HTTP ${response.status}`,
    retryAfterSeconds: secondsOf(response.headers.get('retry-after')),
  })
}

/** Whether any server answers there. */
export async function isReachable(options: HttpOptions): Promise<boolean> {
  try {
    const response = await send(options, { method: 'GET', path: '/healthz' })
    await response.arrayBuffer()
    return true
  } catch (error) {
    if (error instanceof UnreachableError || error instanceof TypeError) return false
    throw error
  }
}

async function send(options: HttpOptions, request: Exchange): Promise<Response> {
  try {
    return await options.fetch(`${options.baseUrl}${request.path}`, {
      method: request.method,
      headers: {
        ...(request.token === undefined ? {} : { authorization: `Bearer ${request.token}` }),
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(request.idempotencyKey === undefined ? {} : { 'idempotency-key': request.idempotencyKey }),
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      redirect: 'error',
      cache: 'no-store',
      credentials: 'omit',
      signal: AbortSignal.timeout(options.timeoutMs),
    })
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string }
    throw new UnreachableError(code === undefined || !NOT_SENT.has(code), { cause: error })
  }
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch (error) {
    throw new UnreachableError(true, { cause: error })
  }
}

function secondsOf(header: string | null): number | null {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : null
}
