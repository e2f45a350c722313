// What a receiver answered to an attempt, as far as it is kept: it may repeat what it was sent, so it is sealed, kept for days
// alone, and not at all where content is not to be kept.

import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'

/** As much of an answer's body as is kept. */
export const ANSWER_KEPT_BYTES_MAX = 2048
export const ANSWER_KEPT_MS = 7 * 86_400_000
/** The longest value of a header that is kept. */
const HEADER_KEPT_MAX = 200

/** No cookie, no token: the only headers that tell why an answer was what it was. */
const KEPT_HEADERS = ['content-type', 'date', 'location', 'retry-after'] as const

export interface ReceiverAnswer {
  readonly headers: Readonly<Record<string, string>>
  /** null: it is no text. */
  readonly body: string | null
  /** The body went on. */
  readonly truncated: boolean
}

/** null where the status says all there is. */
export function keptAnswer(heard: {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
  readonly truncated: boolean
}): ReceiverAnswer | null {
  const headers = Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => {
      const value = heard.headers[name]
      return value === undefined ? [] : [[name, shown(name, value)]]
    }),
  )
  if (heard.body.length === 0 && Object.keys(headers).every((name) => name === 'date')) return null
  const kept = heard.body.subarray(0, ANSWER_KEPT_BYTES_MAX)
  return { headers, body: textOf(kept), truncated: heard.truncated || kept.length < heard.body.length }
}

/** What stands behind a question mark may be a secret. */
function shown(name: (typeof KEPT_HEADERS)[number], value: string): string {
  const text = name === 'location' ? value.replace(/[?#].*$/s, '?…') : value
  return text.slice(0, HEADER_KEPT_MAX)
}

/** A character that is cut in two at the end is left out; what else is no UTF-8, or holds control characters, is no text. */
function textOf(bytes: Uint8Array): string | null {
  const text = new TextDecoder('utf-8').decode(bytes).replace(/\uFFFD{1,3}$/, '')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
  return /[\u0000-\u0008\u000b\u000c\u000e-\u001f\uFFFD]/.test(text) ? null : text
}

export const answerOfAttemptSealContext = (realm: Realm, attempt: string) =>
  `webhook_answers.sealed|${realmName(realm)}|${attempt}`
