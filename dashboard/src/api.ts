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
  /** A text to find. Sent in a header: it may name a person, and addresses get into logs and histories. */
  readonly find?: string
}

/** `isPoll`: the page calls by itself, without an action of the person. */
export function get<P extends GetPath>(path: P, at: Where = {}, options: { isPoll?: boolean } = {}): Promise<Got<P>> {
  return send('GET', pathOf(path, at), {
    headers: { ...(options.isPoll === true && { 'Vidimus-Poll': '1' }), ...searchHeader(at) },
  })
}

const searchHeader = ({ find = '' }: Where): Record<string, string> =>
  find === '' ? {} : { 'Vidimus-Search': encodeURIComponent(find) }

/** Loads a file that the browser cannot load by an address alone. */
export async function getFile(path: string, at: Where): Promise<{ readonly name: string; readonly content: Blob }> {
  const response = await sent('GET', pathOf(path, at), { headers: searchHeader(at) })
  if (!response.ok) throw await errorOf(response)
  const [, name = 'file'] = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '') ?? []
  return { name, content: await response.blob() }
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

interface Sending {
  readonly headers: Record<string, string>
  readonly body?: string
}

async function send<T>(method: 'GET' | 'POST', path: string, sending: Sending): Promise<T> {
  const response = await sent(method, path, sending)
  if (!response.ok) throw await errorOf(response)
  return parsed(await response.text()) as T
}

function sent(method: 'GET' | 'POST', path: string, { headers, ...rest }: Sending): Promise<Response> {
  return fetch(`${ROOT}${path}`, {
    method,
    credentials: 'same-origin',
    // Mails that this request causes use the language of the page.
    headers: { 'Vidimus-Dashboard': '1', 'Accept-Language': document.documentElement.lang, ...headers },
    ...rest,
  }).catch(() => {
    throw new ApiError(0, { code: 'unreachable', message: '' }, null)
  })
}

async function errorOf(response: Response): Promise<ApiError> {
  const answer = parsed(await response.text()) as { error?: { code: string; message: string } } | null
  const error = answer?.error ?? { code: 'unreadable', message: '' }
  return new ApiError(response.status, error, response.headers.get('Request-Id'))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
