// Downloads responses and keys of a national register, without verifying them.

import { type Egress, request } from '../../../platform/egress/client.ts'

const ANSWER_BYTES_MAX = 1_000_000
const KEYS_BYTES_MAX = 100_000
const TOTAL_MS_MAX = 10_000

export type Downloaded =
  | { readonly outcome: 'answered'; readonly text: string; readonly keysUri: string | null }
  /** The register has no party with that identifier. */
  | { readonly outcome: 'absent' }
  | { readonly outcome: 'failed'; readonly reason: string }

/** Does not follow redirects: the response must come from the named register. */
export async function downloadAnswer(egress: Egress, uri: string): Promise<Downloaded> {
  if (!isSecure(egress, uri)) return failed('not an https address')
  const outcome = await request(egress, {
    method: 'GET',
    url: uri,
    headers: { Accept: 'application/jwt' },
    bodyBytesMax: ANSWER_BYTES_MAX,
    limits: { totalMilliseconds: TOTAL_MS_MAX },
  })
  if (outcome.outcome !== 'answered') return failed(outcome.outcome)
  if (outcome.status === 404) return { outcome: 'absent' }
  if (outcome.status !== 200) return failed(`it answers ${outcome.status}`)
  const mediaType = (outcome.headers['content-type']?.split(';', 1)[0] ?? '').trim().toLowerCase()
  if (mediaType !== 'application/jwt') return failed('the answer is not signed')
  const text = Buffer.from(outcome.body).toString('latin1').trim()
  return { outcome: 'answered', text, keysUri: outcome.headers['x-jku-url'] ?? null }
}

/** Downloads keys from the register's own origin only: a response must not choose the source of the keys that verify it. */
export async function downloadKeys(
  egress: Egress,
  { registryUri, keysUri }: { readonly registryUri: string; readonly keysUri: string },
): Promise<Uint8Array | null> {
  if (!isSecure(egress, keysUri) || !isSameOrigin(registryUri, keysUri)) return null
  const outcome = await request(egress, {
    method: 'GET',
    url: keysUri,
    headers: { Accept: 'application/jwk-set+json, application/json' },
    bodyBytesMax: KEYS_BYTES_MAX,
    limits: { totalMilliseconds: TOTAL_MS_MAX },
  })
  return outcome.outcome === 'answered' && outcome.status === 200 ? outcome.body : null
}

export function isSameOrigin(one: string, other: string): boolean {
  const origin = URL.parse(one)?.origin
  return origin !== undefined && origin !== 'null' && origin === URL.parse(other)?.origin
}

const isSecure = (egress: Egress, uri: string) => egress.policy.environment === 'test' || /^https:/i.test(uri)
const failed = (reason: string) => ({ outcome: 'failed', reason }) as const
