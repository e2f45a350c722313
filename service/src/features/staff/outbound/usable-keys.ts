// Removes the provider's RSA keys that exceed our limits, before the library uses them.

import { createPublicKey } from 'node:crypto'
import { isUsableRsa } from '@vidimus/engine/rsa-key'
import type { GuardedFetch } from './guarded-fetch.ts'

/** Providers have a handful of keys. A set with more keys than this is ignored. */
const KEYS_MAX = 50

type Jwk = Readonly<Record<string, unknown>>

export function withUsableKeys(askFor: GuardedFetch): GuardedFetch {
  return async (url, options) => {
    const answer = await askFor(url, options)
    return new Response(onlyUsable(await answer.text()), { status: answer.status, headers: answer.headers })
  }
}

function onlyUsable(text: string): string {
  const set = parsed(text)
  if (!isObject(set) || !Array.isArray(set.keys)) return text
  const keys = set.keys.length > KEYS_MAX ? [] : set.keys.filter((key) => isObject(key) && isUsable(key))
  return JSON.stringify({ ...set, keys })
}

function isUsable({ kty, n, e }: Jwk): boolean {
  if (kty !== 'RSA') return true
  try {
    return isUsableRsa(createPublicKey({ key: { kty, n: String(n), e: String(e) }, format: 'jwk' }))
  } catch {
    return false
  }
}

const isObject = (value: unknown): value is Jwk => typeof value === 'object' && value !== null

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
