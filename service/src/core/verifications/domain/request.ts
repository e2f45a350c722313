// Checks what a merchant sends to create a verification, as far as the request itself shows it.

import type { CreateVerification } from '../../../../../wire/verifications.ts'
import { Refusal } from '../../../platform/errors.ts'

/** Spec 4.1: exactly one of `template` and `query`. The parsers of `query` and `transaction` check their content. */
export interface VerificationRequest extends Omit<CreateVerification, 'query' | 'transaction'> {
  readonly query?: unknown
  readonly transaction?: readonly unknown[]
}

export type Question = { readonly template: string } | { readonly query: unknown }

export function questionOf(request: VerificationRequest): Question {
  const { template, query } = request
  if (template !== undefined && query === undefined) return { template }
  if (query !== undefined && template === undefined) return { query }
  throw new Refusal('invalid_request', { message: 'body: exactly one of template and query is required.' })
}

/** Browsers execute these schemes, read from them, or open something other than a page or an app. */
const SCHEMES_REFUSED = new Set([
  'javascript:',
  'data:',
  'file:',
  'vbscript:',
  'blob:',
  'about:',
  'filesystem:',
  'view-source:',
  'ftp:',
  'ftps:',
  'sftp:',
  'ws:',
  'wss:',
  'mailto:',
  'tel:',
  'sms:',
])

/** Matches `localhost:3000/back`, in which parsers take `localhost` for the scheme. */
const HOST_AND_PORT = /^(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+):\d{1,5}(?:[/?#]|$)/i

/** The holder's browser is sent there: a web address, or the address of a merchant's own app. */
export function checkRedirectUrl(text: string): void {
  // Checked before parsing: parsing a host beyond ASCII takes quadratic time.
  const url = /^[\x21-\x7e]+$/.test(text) ? URL.parse(text) : null
  const wrong = (why: string) => new Refusal('invalid_request', { message: `body.redirect_url: ${why}.` })
  if (url === null) throw wrong('must be an absolute URI, such as https://shop.example/back')
  if (HOST_AND_PORT.test(text)) throw wrong('begins with a host; write http:// or https:// before it')
  if (SCHEMES_REFUSED.has(url.protocol))
    throw wrong(`${url.protocol} is not allowed; use https:, or the scheme of your app`)
  if (url.username !== '' || url.password !== '') throw wrong('must not contain a user or password')
  if (/^https?:$/.test(url.protocol) && !namesItsHost(text, url))
    throw wrong('must have its host after //, as browsers show it')
}

/** Parsers repair malformed URLs differently (`http:a`, `http:///a`, `http://0x7f.1`), and the wallet gets the text. */
function namesItsHost(text: string, url: URL): boolean {
  const host = /^https?:\/\/(\[[^\]]+\]|[^/?#:]+)(?::\d+)?(?:[/?#]|$)/i.exec(text)?.[1]
  return host !== undefined && host.toLowerCase() === url.hostname
}

/** PostgreSQL stores no U+0000, and no merchant needs it. */
export function checkMetadata(metadata: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(metadata)) {
    if (name.includes('\0') || value.includes('\0')) {
      throw new Refusal('invalid_request', { message: 'body.metadata: must not contain U+0000.' })
    }
  }
}
