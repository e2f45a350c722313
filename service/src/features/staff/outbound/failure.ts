// Why a round trip to the OpenID provider failed: an outcome for the person, a reason for the operator's log.

import * as oauth from 'oauth4webapi'
import { ProviderUnavailable } from './guarded-fetch.ts'

export interface Failure {
  /**
   * `declined`: the person or the provider refused. `unavailable`: there is no response to check. `not_proven`: the
   * response is invalid.
   */
  readonly outcome: 'declined' | 'unavailable' | 'not_proven'
  /** Fixed words of ours or of the library, never a value from a response. */
  readonly reason: string
}

export class NotProven extends Error {
  override readonly name = 'NotProven'
}

const UNAVAILABLE: ReadonlySet<string | undefined> = new Set([
  oauth.RESPONSE_IS_NOT_CONFORM,
  oauth.RESPONSE_IS_NOT_JSON,
  oauth.PARSE_ERROR,
  oauth.MISSING_SERVER_METADATA,
  oauth.INVALID_SERVER_METADATA,
  oauth.HTTP_REQUEST_FORBIDDEN,
  oauth.REQUEST_PROTOCOL_FORBIDDEN,
])

export function failureOf(error: unknown): Failure {
  if (error instanceof ProviderUnavailable) return { outcome: 'unavailable', reason: error.reason }
  if (error instanceof NotProven) return { outcome: 'not_proven', reason: error.message }
  if (error instanceof oauth.AuthorizationResponseError) {
    const ill = error.error === 'server_error' || error.error === 'temporarily_unavailable'
    return { outcome: ill ? 'unavailable' : 'declined', reason: `authorization:${wordOf(error.error)}` }
  }
  if (error instanceof oauth.ResponseBodyError) {
    // RFC 6749 §5.2: `invalid_grant` concerns this round trip only. All other errors concern the configuration.
    const spent = error.error === 'invalid_grant'
    return { outcome: spent ? 'not_proven' : 'unavailable', reason: `token:${wordOf(error.error)}` }
  }
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
    return { outcome: UNAVAILABLE.has(error.code) ? 'unavailable' : 'not_proven', reason: error.message }
  }
  if (isAboutInput(error)) return { outcome: 'not_proven', reason: `unreadable:${error.name}` }
  throw error
}

/** Returns the provider's error code if it has the form of a registered one. */
const wordOf = (text: string): string => (/^[a-z_]{1,40}$/.test(text) ? text : 'unknown')

/** Whether the platform could not read a key, an encoding or an address. */
function isAboutInput(error: unknown): error is Error {
  if (error instanceof DOMException) return true
  const code = error instanceof TypeError && 'code' in error ? error.code : null
  return code === 'ERR_INVALID_ARG_VALUE' || code === 'ERR_INVALID_URL'
}
