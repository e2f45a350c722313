// How the pages speak to the service: JSON, the header that only our own pages send, and errors with their request id.

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

/** `isPoll`: the page asks by itself, and nobody need be there. */
export function get<T>(path: string, options: { isPoll?: boolean } = {}): Promise<T> {
  return send<T>('GET', path, { headers: options.isPoll === true ? { 'Vidimus-Poll': '1' } : {} })
}

export function post<T = unknown>(path: string, body: object = {}): Promise<T> {
  return send<T>('POST', path, { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
}

async function send<T>(
  method: 'GET' | 'POST',
  path: string,
  { headers, ...rest }: { headers: Record<string, string>; body?: string },
): Promise<T> {
  const response = await fetch(`${ROOT}${path}`, {
    method,
    credentials: 'same-origin',
    headers: { 'Vidimus-Dashboard': '1', ...headers },
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
