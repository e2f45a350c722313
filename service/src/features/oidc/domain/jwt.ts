// Creates and reads compact JWS (RFC 7515): ID tokens, signed responses and client assertions.

import { type KeyObject, verify } from 'node:crypto'
import { MalformedJson, parseJsonObject } from '@vidimus/engine/json'
import type { SIGNING_ALGS } from '../../../../../wire/values/oidc.ts'
import type { SigningKey as Key } from '../../../platform/keys/signing-key.ts'

export type SigningAlg = (typeof SIGNING_ALGS)[number]

export interface SigningKey {
  readonly kid: string
  readonly alg: SigningAlg
  readonly key: Key
}

export async function signJwt(payload: object, by: SigningKey, type = 'JWT'): Promise<string> {
  const input = `${encoded({ alg: by.alg, kid: by.kid, typ: type })}.${encoded(payload)}`
  const signature = await by.key.sign(Buffer.from(input))
  return `${input}.${Buffer.from(signature).toString('base64url')}`
}

interface ReadJwt {
  readonly header: Readonly<Record<string, unknown>>
  readonly payload: Readonly<Record<string, unknown>>
  /** Whether this key signed it, with this algorithm. */
  isSignedBy(key: { readonly alg: SigningAlg; readonly key: KeyObject }): boolean
}

/**
 * null if the text is not a JWT. Trust its content only if `isSignedBy` returns true, which it never does for an
 * unsigned JWT.
 */
export function readJwt(text: string): ReadJwt | null {
  const parts = /^([\w-]+)\.([\w-]+)\.([\w-]*)$/.exec(text)
  if (parts === null) return null
  const [, head = '', body = '', signature = ''] = parts
  const [header, payload] = [decoded(head), decoded(body)]
  if (header === null || payload === null) return null
  return {
    header,
    payload,
    isSignedBy: ({ alg, key }) =>
      header.alg === alg &&
      // We support no extensions, so none may be marked critical.
      header.crit === undefined &&
      verify(
        'sha256',
        Buffer.from(`${head}.${body}`),
        { key, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      ),
  }
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value), 'utf8').toString('base64url')

/** With the parser for what strangers send, because nothing is signed yet. */
function decoded(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return parseJsonObject(Buffer.from(text, 'base64url').toString('utf8'))
  } catch (error) {
    if (error instanceof MalformedJson) return null
    throw error
  }
}
