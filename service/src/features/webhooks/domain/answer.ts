// The part of a receiver's response that is stored with an attempt.

import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'

/** How much of a response body is kept. */
const ANSWER_KEPT_BYTES_MAX = 2048
export const ANSWER_KEPT_MS = 7 * 86_400_000
/** The longest header value that is stored. */
const HEADER_KEPT_MAX = 200

/** Headers that explain a response. Cookies and tokens are not stored. */
const KEPT_HEADERS = ['content-type', 'date', 'location', 'retry-after'] as const

/** Sealed and stored for days only, because it may echo claims that were sent. */
export interface ReceiverAnswer {
  readonly headers: Readonly<Record<string, string>>
  /** null: the body is not text. */
  readonly body: string | null
  /** Whether the body was longer than the stored part. */
  readonly truncated: boolean
}

/** Returns null if nothing but the status is worth storing. */
export function keptAnswer(received: {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
  readonly truncated: boolean
}): ReceiverAnswer | null {
  const headers = Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => {
      const value = received.headers[name]
      return value === undefined ? [] : [[name, shown(name, value)]]
    }),
  )
  if (received.body.length === 0 && Object.keys(headers).every((name) => name === 'date')) return null
  const kept = received.body.subarray(0, ANSWER_KEPT_BYTES_MAX)
  return { headers, body: textOf(kept), truncated: received.truncated || kept.length < received.body.length }
}

/** Hides the query string of a location, which may contain a secret. */
function shown(name: (typeof KEPT_HEADERS)[number], value: string): string {
  const text = name === 'location' ? value.replace(/[?#].*$/s, '?…') : value
  return text.slice(0, HEADER_KEPT_MAX)
}

/** Returns null if the bytes are not text. Drops an incomplete character at the end. */
function textOf(bytes: Uint8Array): string | null {
  const text = new TextDecoder('utf-8').decode(bytes).replace(/\uFFFD{1,3}$/, '')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for them
  return /[\u0000-\u0008\u000b\u000c\u000e-\u001f\uFFFD]/.test(text) ? null : text
}

export const answerOfAttemptSealContext = (realm: Realm, attempt: string) =>
  `webhook_answers.sealed|${realmName(realm)}|${attempt}`
