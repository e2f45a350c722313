// Verifies a JWS whose certificates lead to an authority that the wallet knows: registration certificates and their status lists.

import { X509Certificate } from 'node:crypto'
import { compactVerify, decodeProtectedHeader, importX509 } from 'jose'
import { isObject } from '../encoding/json.ts'
import { RequestRefused } from '../refusal.ts'
import { checkCertificates } from '../request.ts'

interface TokenTerms {
  readonly typ: string
  readonly trusted: readonly Uint8Array[]
  readonly now: number
}

export type TokenReading =
  | { readonly outcome: 'read'; readonly claims: { readonly [name: string]: unknown } }
  | { readonly outcome: 'untrusted' | 'malformed'; readonly detail: string }

export async function readSignedToken(compact: string, terms: TokenTerms): Promise<TokenReading> {
  const header = headerOf(compact)
  if (header === null) return malformed('not a compact JWS')
  const chain = chainOf(header.x5c, terms)
  if (chain === null) return { outcome: 'untrusted', detail: 'its certificates lead to no known issuer' }
  const { alg } = header
  if (header.typ !== terms.typ) return malformed(`typ is ${String(header.typ)}`)
  if (alg !== 'ES256' && alg !== 'ES384' && alg !== 'ES512') return malformed(`alg is ${String(alg)}`)
  try {
    const { payload } = await compactVerify(compact, await importX509(chain.toString(), alg), { algorithms: [alg] })
    const claims: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload))
    return isObject(claims) ? { outcome: 'read', claims } : malformed('its payload is not an object')
  } catch {
    return malformed('its signature is not valid')
  }
}

/** An empty list of trusted authorities trusts none. */
function chainOf(x5c: unknown, { trusted, now }: TokenTerms): X509Certificate | null {
  if (!Array.isArray(x5c) || x5c.length === 0 || trusted.length === 0) return null
  try {
    const chain = x5c.map((text) => new X509Certificate(Buffer.from(String(text), 'base64')))
    return checkCertificates(chain, { trusted, now })
  } catch (error) {
    if (error instanceof RequestRefused || (error as NodeJS.ErrnoException).code?.startsWith('ERR_')) return null
    throw error
  }
}

function headerOf(compact: string): { readonly [name: string]: unknown } | null {
  try {
    return { ...decodeProtectedHeader(compact) }
  } catch {
    return null
  }
}

const malformed = (detail: string) => ({ outcome: 'malformed', detail }) as const
