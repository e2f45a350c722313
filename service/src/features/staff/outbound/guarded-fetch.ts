// The OpenID library's fetch: uses our egress guard, limits bytes and time, and does not follow redirects.

import { type Egress, type Limits, request } from '../../../platform/egress/client.ts'

/** The provider sent no response that can be checked. `reason` is for the operator. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable'
  readonly reason: string

  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

interface GuardedRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: { toString(): string } | null | undefined
}

export type GuardedFetch = (url: string, options: GuardedRequest) => Promise<Response>

const BYTES_MAX = 256 * 1024
const LIMITS: Partial<Limits> = { totalMilliseconds: 5_000 }

export function guardedFetch(egress: Egress, limits: Partial<Limits> = {}): GuardedFetch {
  return async (url, { method, headers, body }) => {
    const { 'user-agent': _, ...sent } = headers
    const answer = await request(egress, {
      method: method === 'POST' ? 'POST' : 'GET',
      url,
      headers: sent,
      ...(body ? { body: Buffer.from(body.toString(), 'utf8') } : {}),
      bodyBytesMax: BYTES_MAX,
      limits: { ...LIMITS, ...limits },
    })
    if (answer.outcome !== 'answered') throw new ProviderUnavailable(`${answer.outcome}:${answer.reason}`)
    const { status } = answer
    if (status >= 300 && status < 400) throw new ProviderUnavailable(`redirect:${status}`)
    if (status < 200 || status > 599 || status === 204 || status === 205) {
      throw new ProviderUnavailable(`status:${status}`)
    }
    const type = answer.headers['content-type']
    return new Response(new Uint8Array(answer.body), {
      status,
      headers: type === undefined ? {} : { 'content-type': type },
    })
  }
}
