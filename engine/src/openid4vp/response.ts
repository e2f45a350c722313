// Reads the envelope of a wallet's response (OpenID4VP §8): form, encryption, JSON, state.

import { decodeUtf8, equalText, Malformed } from '../bytes.ts'
import { parseForm } from '../form.ts'
import { isJsonObject, member, parseJson, parseJsonObject } from '../json.ts'
import { type Budget, LIMITS, newBudget, OVERSPENT, spendFormEscapes, spendReceived } from '../limits.ts'
import type { Json, JsonObject } from '../verdict.ts'
import { type DecryptionKey, decryptJwe } from './jwe.ts'

/** What our request object determines about the response. */
export interface ExpectedResponse {
  /** The key of `client_metadata.jwks`; null if we asked for an unencrypted response (direct_post). */
  readonly encryption: DecryptionKey | null
  /** null if the request object had no state. */
  readonly state: string | null
  /** States of requests that we sent under another client id. */
  readonly otherStates?: readonly string[]
}

export type WalletResponse =
  | ({ readonly kind: 'presentation'; readonly vpToken: JsonObject } & AnsweredRequest)
  /** Not authenticated: anyone with the address can send it. `description` is untrusted, shortened, and has no control characters. */
  | ({ readonly kind: 'wallet_error'; readonly code: string; readonly description?: string } & AnsweredRequest)
  | { readonly kind: 'malformed'; readonly detail: string }

interface AnsweredRequest {
  /** One of `otherStates`; absent: the response has `state`. */
  readonly otherState?: string
}

/**
 * Reads the body of a POST to the response_uri. Never throws, because the sender is not trusted. Pass the rest of the
 * budget to `verifyPresentation`. A response in another mode than requested is a downgrade, and is refused.
 */
export function readResponse(
  body: Uint8Array,
  expected: ExpectedResponse,
  budget: Budget = newBudget(),
): WalletResponse {
  return readResponseToOneOf(body, [expected], budget).response
}

/**
 * Like `readResponse`, for requests that share a response_uri. If a form names the state of an unencrypted request, the
 * response belongs to that request, otherwise to the first.
 */
export function readResponseToOneOf<First extends ExpectedResponse, Other extends ExpectedResponse>(
  body: Uint8Array,
  requests: readonly [First, ...Other[]],
  budget: Budget,
): { readonly response: WalletResponse; readonly request: First | Other } {
  let request: First | Other = requests[0]
  try {
    const form = readForm(body, budget)
    request = requests.find((one) => isNamedBy(form, one)) ?? request
    const response = readAnswerTo(request, readParameters(form, request.encryption, budget))
    return { response, request }
  } catch (error) {
    if (error instanceof Malformed) return { response: { kind: 'malformed', detail: error.message }, request }
    throw error
  }
}

function readForm(body: Uint8Array, budget: Budget): ReadonlyMap<string, string> {
  if (!spendReceived(budget, body.length)) throw new Malformed(OVERSPENT)
  const escapes = { left: LIMITS.formEscapes }
  const form = parseForm(body, escapes)
  if (!spendFormEscapes(budget, LIMITS.formEscapes - escapes.left)) throw new Malformed(OVERSPENT)
  return form
}

function readAnswerTo({ state, otherStates }: ExpectedResponse, parameters: Parameters): WalletResponse {
  const { state: named } = parameters
  const otherState = otherStates?.find((one) => typeof named === 'string' && equalText(named, one))
  if (otherState === undefined) return interpretParameters(parameters, state)
  const response = interpretParameters(parameters, otherState)
  return response.kind === 'malformed' ? response : { ...response, otherState }
}

function isNamedBy(form: ReadonlyMap<string, string>, { encryption, state }: ExpectedResponse): boolean {
  const named = form.get('state')
  return encryption === null && state !== null && named !== undefined && equalText(named, state)
}

/** The parameters of the response. Absent ones are undefined, and unknown ones are ignored (§8.2). */
export type Parameters = Readonly<Record<'vp_token' | 'state' | 'error' | 'error_description', Json | undefined>>

function readParameters(
  form: ReadonlyMap<string, string>,
  encryption: DecryptionKey | null,
  budget: Budget,
): Parameters {
  const response = form.get('response')
  const vpToken = form.get('vp_token')
  const clear = {
    vp_token: undefined,
    state: form.get('state'),
    error: form.get('error'),
    error_description: form.get('error_description'),
  }
  if (encryption === null) {
    if (response !== undefined)
      throw new Malformed('the response is encrypted, but an unencrypted response was requested')
    return vpToken === undefined ? clear : { ...clear, vp_token: parseJson(vpToken, budget) }
  }
  if (vpToken !== undefined) throw new Malformed('the vp_token is unencrypted, but an encrypted response was requested')
  // §8.3: a wallet that cannot encrypt may send an error unencrypted, but nothing else.
  if (response === undefined) return clear
  if (clear.error !== undefined) throw new Malformed('the response is both an error and an encrypted response')
  return decryptParameters(response, encryption, budget)
}

/** Reads the parameters inside of a compact JWE. Throws Malformed. */
export function decryptParameters(response: string, encryption: DecryptionKey, budget: Budget): Parameters {
  const text = decodeUtf8(decryptJwe(response, encryption, budget))
  if (text === null) throw new Malformed('the encrypted response is not UTF-8 text')
  const parameters = parseJsonObject(text, budget)
  return {
    vp_token: member(parameters, 'vp_token'),
    state: member(parameters, 'state'),
    error: member(parameters, 'error'),
    error_description: member(parameters, 'error_description'),
  }
}

/** Returns either an error or a presentation. Throws Malformed. */
export function interpretParameters(parameters: Parameters, expectedState: string | null): WalletResponse {
  const { vp_token: vpToken, state, error, error_description: description } = parameters
  if (expectedState !== null && (typeof state !== 'string' || !equalText(state, expectedState))) {
    throw new Malformed('the response does not carry the state of the request')
  }
  if (vpToken !== undefined && error !== undefined)
    throw new Malformed('the response is both a presentation and an error')
  if (error !== undefined) return walletError(error, description)
  if (!isJsonObject(vpToken)) throw new Malformed('the response has no vp_token object')
  return { kind: 'presentation', vpToken }
}

// The characters that RFC 6749 §4.1.2.1 allows. The maximum length is our choice.
const ERROR_CODE = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,64}$/
const DESCRIPTION_LENGTH_MAX = 200

function walletError(error: Json, description: Json | undefined): WalletResponse {
  if (typeof error !== 'string' || !ERROR_CODE.test(error))
    throw new Malformed('the response has a malformed error code')
  if (typeof description !== 'string' || description === '') return { kind: 'wallet_error', code: error }
  return { kind: 'wallet_error', code: error, description: printable(description) }
}

function printable(text: string): string {
  const shortened = text.slice(0, DESCRIPTION_LENGTH_MAX).toWellFormed()
  return shortened.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
}
