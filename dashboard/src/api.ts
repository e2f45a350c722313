// Calls the service's routes: JSON, the header that only our own pages send, and errors with their request id.

import type { AnswerOf, BodyOf, DashboardRoute } from '../../wire/dashboard.ts'
import type { Environment } from '../../wire/parts.ts'

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly requestId: string | null

  constructor(status: number, answer: { code: string; message: string }, requestId: string | null) {
    super(answer.message)
    this.status = status
    this.code = answer.code
    this.requestId = requestId
  }
}

const ROOT = '/dashboard/api'

type PathOf<M extends string> = DashboardRoute extends infer R ? (R extends `${M} ${infer P}` ? P : never) : never
export type GetPath = PathOf<'GET'>
type PostPath = PathOf<'POST'>
type RouteOf<M extends string, P extends string> = Extract<DashboardRoute, `${M} ${P}`>
type Got<P extends GetPath> = AnswerOf<RouteOf<'GET', P>>
export type Posted<P extends PostPath> = AnswerOf<RouteOf<'POST', P>>
/** The members of the body by name. Their values come from forms, so the service checks them. */
export type PostBody<P extends PostPath> = { readonly [K in keyof BodyOf<RouteOf<'POST', P>>]: unknown }

/** Replaces `@`, `:id` and `:key` in a route's path. */
export interface Where {
  readonly tenant?: string
  readonly environment?: Environment
  readonly id?: string
  readonly key?: string
  readonly query?: URLSearchParams
}

/** `isPoll`: the page calls by itself, without an action of the person. */
export function get<P extends GetPath>(path: P, at: Where = {}, options: { isPoll?: boolean } = {}): Promise<Got<P>> {
  return send('GET', pathOf(path, at), { headers: options.isPoll === true ? { 'Vidimus-Poll': '1' } : {} })
}

export function post<P extends PostPath>(path: P, body: PostBody<P>, at: Where = {}): Promise<Posted<P>> {
  const headers = { 'Content-Type': 'application/json' }
  return send('POST', pathOf(path, at), { headers, body: JSON.stringify(body) })
}

export function pathOf(path: string, at: Where): string {
  const { tenant = '', environment = '', id = '', key = '', query } = at
  const filled = path
    .replace('@', () => `/tenants/${tenant}/${environment}`)
    .replace(':id', () => encodeURIComponent(id))
    .replace(':key', () => encodeURIComponent(key))
  return query === undefined || query.size === 0 ? filled : `${filled}?${query}`
}

async function send<T>(
  method: 'GET' | 'POST',
  path: string,
  { headers, ...rest }: { headers: Record<string, string>; body?: string },
): Promise<T> {
  const response = await fetch(`${ROOT}${path}`, {
    method,
    credentials: 'same-origin',
    // Mails that this request causes use the language of the page.
    headers: { 'Vidimus-Dashboard': '1', 'Accept-Language': document.documentElement.lang, ...headers },
    ...rest,
  }).catch(() => {
    throw new ApiError(0, { code: 'unreachable', message: '' }, null)
  })
  const requestId = response.headers.get('Request-Id')
  const text = await response.text()
  const answer = parsed(text)
  if (response.ok) return answer as T
  const error = (answer as { error?: { code: string; message: string } } | null)?.error
  throw new ApiError(response.status, error ?? { code: 'unreadable', message: '' }, requestId)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
