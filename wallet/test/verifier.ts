// Plays a minimal verifier: signs request objects with jose, answers the wallet's two calls, and keeps the posted form.

import { CompactSign, compactDecrypt, importJWK } from 'jose'
import { mintAuthority, mintSigner } from '../src/authorities.ts'
import type { JsonObject } from '../src/encoding/json.ts'
import { generateKey, publicJwk, sha256, toBase64url } from '../src/keys.ts'
import type { Identity } from '../src/pki.ts'
import { certificateBytes } from '../src/pki.ts'

export const now = 1_790_000_000
const period = { notBefore: now - 86_400, notAfter: now + 86_400 }

export const authority = mintAuthority({ commonName: 'Access authority' }, period)
export const access = mintSigner(authority, { commonName: 'Example verifier' }, { ...period, dns: 'verifier.example' })
export const encryptionKey = generateKey()
export const responseUri = 'https://verifier.example/response/1'
export const hashId = `x509_hash:${toBase64url(sha256(certificateBytes(access)))}`

export const QUERY = {
  credentials: [
    { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['family_name'] }] },
  ],
}

export function requestClaims(changes: { readonly [name: string]: unknown } = {}): {
  readonly [name: string]: unknown
} {
  return {
    aud: 'https://self-issued.me/v2',
    client_id: hashId,
    response_type: 'vp_token',
    response_mode: 'direct_post.jwt',
    response_uri: responseUri,
    nonce: 'Xq3_n-0S6WzA2Mj.Xq3_n-0S6WzA2Mj',
    state: 'state-0123456789',
    iat: now,
    exp: now + 300,
    dcql_query: QUERY,
    client_metadata: metadata(),
    ...changes,
  }
}

export function metadata(changes: { readonly [name: string]: unknown } = {}): JsonObject {
  return {
    jwks: { keys: [{ ...publicJwk(encryptionKey), use: 'enc', alg: 'ECDH-ES', kid: 'enc-1' }] },
    encrypted_response_enc_values_supported: ['A128GCM', 'A256GCM'],
    vp_formats_supported: {
      'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256'] },
      mso_mdoc: { issuerauth_alg_values: [-7, -9], deviceauth_alg_values: [-7, -9] },
    },
    ...changes,
  } as JsonObject
}

export interface Signing {
  readonly signer?: Identity
  readonly header?: { readonly [name: string]: unknown }
}

export async function signRequest(
  claims: { readonly [name: string]: unknown },
  signing: Signing = {},
): Promise<string> {
  const signer = signing.signer ?? access
  const header = { alg: 'ES256', typ: 'oauth-authz-req+jwt', x5c: [signer.certificate], ...signing.header }
  return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader(JSON.parse(JSON.stringify(header)) as { alg: string })
    .sign(await importJWK({ ...signer.key }, 'ES256'))
}

export function link(clientId: string = hashId, method: 'get' | 'post' = 'post'): string {
  const parameters = {
    client_id: clientId,
    request_uri: 'https://verifier.example/request/1',
    request_uri_method: method,
  }
  return `openid4vp://?${new URLSearchParams(parameters)}`
}

/** A fetch that acts as the verifier: returns the request, keeps what is posted to the response_uri. */
export function verifierFetch(
  claims: { readonly [name: string]: unknown },
  signing: Signing = {},
): {
  readonly fetch: typeof globalThis.fetch
  readonly forms: URLSearchParams[]
} {
  const forms: URLSearchParams[] = []
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const form = new URLSearchParams(typeof init?.body === 'string' ? init.body : '')
    if (String(input) === claims.response_uri) {
      forms.push(form)
      return Response.json({ redirect_uri: 'https://shop.example/done#response_code=1' })
    }
    const nonce = form.get('wallet_nonce')
    const echoed = nonce === null ? claims : { wallet_nonce: nonce, ...claims }
    return new Response(await signRequest(echoed, signing), {
      headers: { 'content-type': 'application/oauth-authz-req+jwt' },
    })
  }
  return { fetch, forms }
}

export async function decrypt(
  jwe: string,
): Promise<{ readonly vp_token: { readonly [id: string]: readonly string[] }; readonly state: string }> {
  const { plaintext, protectedHeader } = await compactDecrypt(jwe, await importJWK({ ...encryptionKey }, 'ECDH-ES'))
  if (protectedHeader.kid !== 'enc-1') throw new Error('the kid was not copied')
  return JSON.parse(new TextDecoder().decode(plaintext)) as Awaited<ReturnType<typeof decrypt>>
}
