// Sends the answer, encrypted or unencrypted as requested, by form post to the response_uri (OpenID4VP 8.2, 8.3).

import { CompactEncrypt, importJWK } from 'jose'
import type { Json, JsonObject } from './encoding/json.ts'
import { isObject } from './encoding/json.ts'
import { publicJwk } from './keys.ts'
import type { ResponseEncryption } from './metadata.ts'
import type { VerifierRequest } from './request.ts'

export interface Answer {
  /** HTTP status of the verifier. */
  readonly status: number
  readonly redirectUri: string | null
  /** The verifier's JSON; null if it sent none. */
  readonly body: Json
}

export type Response = { readonly vpToken: JsonObject } | { readonly error: string; readonly description?: string }

export async function sendResponse(
  request: Envelope & Pick<VerifierRequest, 'responseUri'>,
  response: Response,
  fetch: typeof globalThis.fetch,
): Promise<Answer> {
  return post(request.responseUri, await formBody(request, response), fetch)
}

type Envelope = Pick<VerifierRequest, 'encryption' | 'state'>

export async function formBody(request: Envelope, response: Response): Promise<string> {
  const state = request.state === null ? {} : { state: request.state }
  if ('error' in response) {
    const description = response.description === undefined ? {} : { error_description: response.description }
    return new URLSearchParams({ error: response.error, ...description, ...state }).toString()
  }
  if (request.encryption === null) {
    return new URLSearchParams({ vp_token: JSON.stringify(response.vpToken), ...state }).toString()
  }
  const jwe = await encryptResponse({ vp_token: response.vpToken, ...state }, request.encryption)
  return new URLSearchParams({ response: jwe }).toString()
}

export async function encryptResponse(payload: JsonObject, encryption: ResponseEncryption): Promise<string> {
  const key = await importJWK({ ...publicJwk(encryption.key) }, 'ECDH-ES')
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: encryption.enc, kid: encryption.kid })
    .encrypt(key)
}

export async function post(uri: string, body: string, fetch: typeof globalThis.fetch): Promise<Answer> {
  const answer = await fetch(uri, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body,
    redirect: 'manual',
  })
  const parsed = readJson(await answer.text())
  const redirectUri = isObject(parsed) && typeof parsed.redirect_uri === 'string' ? parsed.redirect_uri : null
  return { status: answer.status, redirectUri, body: parsed }
}

function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}
