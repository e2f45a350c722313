// What is kept of a receiver's response to an attempt. It may echo what was sent, so it is sealed, kept for days only,
// and not kept at all if the content must not be.

import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'

/** How much of a response body is kept. */
const ANSWER_KEPT_BYTES_MAX = 2048
export const ANSWER_KEPT_MS = 7 * 86_400_000
/** The longest header value that is kept. */
const HEADER_KEPT_MAX = 200

/** No cookie, no token: only the headers that explain a response. */
const KEPT_HEADERS = ['content-type', 'date', 'location', 'retry-after'] as const

export interface ReceiverAnswer {
  readonly headers: Readonly<Record<string, string>>
  /** null: not text. */
  readonly body: string | null
  /** The body was longer. */
  readonly truncated: boolean
}

/** null if the status says everything. */
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

/** The query string may carry a secret. */
function shown(name: (typeof KEPT_HEADERS)[number], value: string): string {
  const text = name === 'location' ? value.replace(/[?#].*$/s, '?…') : value
  return text.slice(0, HEADER_KEPT_MAX)
}

/** Drops a character that is cut at the end; other invalid UTF-8 or control characters mean it is not text. */
function textOf(bytes: Uint8Array): string | null {
  const text = new TextDecoder('utf-8').decode(bytes).replace(/\uFFFD{1,3}$/, '')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
  return /[\u0000-\u0008\u000b\u000c\u000e-\u001f\uFFFD]/.test(text) ? null : text
}

export const answerOfAttemptSealContext = (realm: Realm, attempt: string) =>
  `webhook_answers.sealed|${realmName(realm)}|${attempt}`
