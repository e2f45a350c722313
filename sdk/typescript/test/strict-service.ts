// Simulates the service for a device: a spent refresh token revokes the device. The network can lose requests and answers.

export type Mishap =
  | 'none'
  | 'request_lost'
  | 'answer_lost'
  | 'not_connected'
  | 'limited'
  | 'overloaded'
  | 'stopped by a proxy'

interface Pair {
  readonly access: string
  readonly refresh: string
  readonly accessUntil: number
  readonly refreshUntil: number
  spent: boolean
}

export interface StrictService {
  readonly fetch: typeof globalThis.fetch
  readonly seen: string[]
  revoked: boolean
  offline: boolean
  /** The failures of the next refreshes, in order. */
  readonly refreshMishaps: Mishap[]
  readonly createMishaps: Mishap[]
  readonly idempotencyKeys: (string | null)[]
}

export function strictService(now: () => number): StrictService {
  const pairs: Pair[] = []
  let minted = 0
  const issue = (): Response => {
    minted += 1
    const pair = {
      access: `vd_${minted}`,
      refresh: `vdr_${minted}`,
      accessUntil: now() + 900_000,
      refreshUntil: now() + 30 * 86_400_000,
      spent: false,
    }
    pairs.push(pair)
    return Response.json({
      access_token: pair.access,
      refresh_token: pair.refresh,
      token_type: 'Bearer',
      expires_in: 900,
      refresh_expires_in: 30 * 86_400,
      device: { id: 'd', name: 'Till', status: 'active', allowed_templates: ['age_over_18'], created_at: 'x' },
    })
  }
  const refuse = (status: number, code: string) => Response.json({ error: { code, message: code } }, { status })

  const service: StrictService = {
    seen: [],
    revoked: false,
    offline: false,
    refreshMishaps: [],
    createMishaps: [],
    idempotencyKeys: [],
    async fetch(input, init) {
      const { pathname } = new URL(String(input))
      if (service.offline) throw new TypeError('fetch failed')
      service.seen.push(pathname)
      if (pathname === '/healthz') return Response.json({ status: 'ok' })
      if (pathname === '/v1/devices/enroll') return issue()
      if (pathname === '/v1/devices/token') {
        return withMishap(service.refreshMishaps.shift() ?? 'none', () => rotate(String(init?.body)))
      }
      const token = new Headers(init?.headers).get('authorization')?.slice('Bearer '.length)
      const pair = pairs.find(({ access }) => access === token)
      if (service.revoked || pair === undefined) return refuse(401, 'invalid_api_key')
      if (pair.accessUntil <= now()) return refuse(401, 'api_key_expired')
      const answer = () => {
        service.idempotencyKeys.push(new Headers(init?.headers).get('idempotency-key'))
        const response = Response.json({ id: 'ver_1', status: 'pending', data: [] })
        response.headers.set('device-refresh-token', pair.spent ? 'spent' : 'unspent')
        return response
      }
      return withMishap(init?.method === 'POST' ? (service.createMishaps.shift() ?? 'none') : 'none', answer)
    },
  }

  function rotate(body: string): Response {
    const pair = pairs.find(({ refresh }) => refresh === JSON.parse(body).refresh_token)
    if (pair?.spent === true) service.revoked = true
    if (service.revoked || pair === undefined || pair.refreshUntil <= now()) return refuse(400, 'invalid_refresh_token')
    pair.spent = true
    return issue()
  }

  function withMishap(mishap: Mishap, work: () => Response): Response {
    if (mishap === 'limited') return refuse(429, 'rate_limit_exceeded')
    if (mishap === 'overloaded') return refuse(503, 'unavailable')
    if (mishap === 'stopped by a proxy') return new Response('<h1>Sign in to the network</h1>', { status: 401 })
    if (mishap === 'not_connected') throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
    if (mishap === 'request_lost') throw new TypeError('fetch failed')
    const answer = work()
    if (mishap === 'answer_lost') throw new TypeError('fetch failed', { cause: { code: 'UND_ERR_SOCKET' } })
    return answer
  }
  return service
}
