// The headers of all responses.

type Header = { readonly schema: object; readonly description: string }

const REQUEST_ID = {
  'Request-Id': {
    schema: { type: 'string', pattern: '^req_[0-9A-Za-z]{20}$' },
    description: 'Identifies this request in logs',
  },
} as const

const RETRY_AFTER: Header = { schema: { type: 'integer', minimum: 0 }, description: 'Seconds to wait before a retry' }
const RATE: Readonly<Record<string, Header>> = {
  'RateLimit-Limit': { schema: { type: 'integer', minimum: 0 }, description: 'Requests in a full budget' },
  'RateLimit-Remaining': { schema: { type: 'integer', minimum: 0 }, description: 'Requests left in the budget' },
  'RateLimit-Reset': { schema: { type: 'integer', minimum: 0 }, description: 'Seconds until the budget is full again' },
}
const AUTHENTICATE: Header = { schema: { type: 'string', enum: ['Bearer'] }, description: 'How to authenticate' }

/**
 * Returns the headers for a status. `withKey`: the route needs an API key, and every response reports the key's budget.
 */
export function headersOf(status: string, withKey: boolean): Readonly<Record<string, Header>> {
  const retry = status === '429' || status === '503' || status === '409'
  return {
    ...REQUEST_ID,
    ...(withKey || status === '429' ? RATE : {}),
    ...(retry ? { 'Retry-After': RETRY_AFTER } : {}),
    ...(status === '401' && withKey ? { 'WWW-Authenticate': AUTHENTICATE } : {}),
  }
}
