// Defines the origins of pages and apps at which a tenant may use the Digital Credentials API.

import { parseWebAddress } from '@vidimus/engine/channels/web-address'
import { type ORIGIN_KINDS, ORIGIN_LENGTH_MAX, type ORIGIN_PROBLEMS } from '../../../../../wire/values/origins.ts'
import { randomBase62 } from '../../../platform/ids.ts'
import type { Environment, Instant, Random } from '../../../platform/world.ts'

type OriginKind = (typeof ORIGIN_KINDS)[number]

/** Wallets bind answers to the exact text, so nothing is normalised: another spelling than a browser's is refused. */
export interface Origin {
  readonly id: string
  readonly origin: string
  readonly kind: OriginKind
  /** The line that the host must publish. */
  readonly token: string
  /** null: not proven, or no longer proven. Requests from there are refused. */
  readonly provenAt: Instant | null
  readonly createdAt: Instant
}

export const ORIGINS_PER_REALM_MAX = 50

export type OriginProblem = (typeof ORIGIN_PROBLEMS)[number]

type ReadOrigin =
  | { readonly outcome: 'read'; readonly kind: OriginKind }
  | { readonly outcome: 'refused'; readonly problem: OriginProblem }

export function readOrigin(text: string, environment: Environment): ReadOrigin {
  if (text.length > ORIGIN_LENGTH_MAX) return refused('not_an_origin')
  if (!/^https?:/i.test(text)) return isAppOrigin(text) ? { outcome: 'read', kind: 'app' } : refused('not_an_origin')
  const url = parseWebAddress(text)
  // Byte for byte: no trailing slash, no path, no default port, the host in lower case and in punycode.
  if (url === null || url.origin !== text) return refused('not_an_origin')
  if (url.protocol === 'https:') return { outcome: 'read', kind: 'web' }
  if (!isLoopback(url.hostname)) return refused('not_https')
  return environment === 'test' ? { outcome: 'read', kind: 'local' } : refused('local_in_test_only')
}

/** Whether the host is this machine, as the engine's `isOrigin` decides it. */
const isLoopback = (hostname: string) =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)

/** An app's origin, such as `android:apk-key-hash:…`. A page's origin has `//`, so the two cannot be confused. */
const isAppOrigin = (text: string) => /^[a-z][a-z0-9+.-]*:[\x21-\x2e\x30-\x7e]+$/.test(text)

/** Suggests the origin of a pasted page address; null if the text has none. */
export function originWithin(text: string): string | null {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`)
  return url === null || !/^https?:$/.test(url.protocol) ? null : url.origin
}

export const PROOF_PATH = '/.well-known/vidimus-origin.txt'

export const newOriginToken = (random: Random) => `vidimus-origin=${randomBase62(random, 32)}`

/** Whether one line is exactly the token. Several tenants or environments may share a host. */
export function showsToken(body: Uint8Array, token: string): boolean {
  const lines = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1').split(/\r?\n/)
  return lines.includes(token)
}

function refused(problem: OriginProblem): ReadOrigin {
  return { outcome: 'refused', problem }
}
