// Verifies that a webhook is genuine, recent and unchanged (interface specification part 6), with Web Crypto only.

import type { Verification } from './verification.ts'

// event types, written by "node tools/generate-event-types.ts"
/** The types that this version of the SDK knows; `verifyWebhook` returns others as `unknown`. */
export const WEBHOOK_EVENT_TYPES = ['verification.completed', 'verification.failed'] as const
// end of event types

export type WebhookEvent = VerificationEvent | UnknownEvent

export interface VerificationEvent {
  type: (typeof WEBHOOK_EVENT_TYPES)[number]
  /** As `GET /v1/verifications/{id}` returned it when the webhook was sent. */
  verification: Verification
  /** ISO 8601, UTC. */
  sent_at: string
}

/** An event that this SDK does not know. Answer it with a 2xx and ignore it. */
export interface UnknownEvent {
  type: 'unknown'
  /** The type that the service gave it. */
  name: string
  /** The whole body, as parsed. */
  payload: Record<string, unknown>
}

/** As `headers.get(..)` or Node's `request.headers[..]` gives it. */
export type SignatureHeader = string | readonly string[] | null | undefined

export interface VerifyWebhookOptions {
  /** The largest difference between `t` and now. Default 300; 0 means the same second. */
  toleranceSeconds?: number
  /** Default: the clock of this machine. */
  now?: Date
}

export type WebhookErrorCode =
  | 'invalid_secret'
  | 'invalid_body'
  | 'missing_header'
  | 'malformed_header'
  | 'outside_tolerance'
  | 'no_signature_matches'
  | 'malformed_payload'

/** Answer the request with 400; `code` is stable, `message` is for your log. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly code: WebhookErrorCode

  constructor(code: WebhookErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Resolves with the event if one of the secrets signed exactly these bytes within the tolerance; rejects with a
 * `WebhookVerificationError` otherwise.
 *
 * Pass the raw body: `JSON.stringify(JSON.parse(body))` is another text and fails. Pass all your valid secrets: during a
 * rotation the service signs with both. A replayed request passes within the tolerance: act once on each `type` and
 * `verification.id`. `X-Service-Delivery` is not signed.
 *
 * ```ts
 * const body = new Uint8Array(await request.arrayBuffer())
 * const event = await verifyWebhook(body, request.headers.get('X-Service-Signature'), [process.env.WEBHOOK_SECRET])
 * if (event.type === 'verification.completed') admit(event.verification.id)
 * else if (event.type === 'unknown') log(`not handled: ${event.name}`)
 * ```
 */
export async function verifyWebhook(
  rawBody: Uint8Array | string,
  header: SignatureHeader,
  secrets: string | readonly (string | undefined)[],
  options: VerifyWebhookOptions = {},
): Promise<WebhookEvent> {
  const keys = checkSecrets(typeof secrets === 'string' ? [secrets] : secrets)
  const body = bytesOf(rawBody)
  const { timestamp, signatures } = parseHeader(header)
  checkTime(timestamp, options)
  const expected = await Promise.all(keys.map((secret) => signatureOf(secret, timestamp, body)))
  // Specification 6.4: compares every signature in constant time, and does not stop at a match.
  let matches = 0
  for (const candidate of signatures) for (const wanted of expected) matches |= equal(candidate, wanted)
  if (matches !== 1) {
    throw new WebhookVerificationError(
      'no_signature_matches',
      'No signature matches. Either the secret is another one (of the other environment, or rotated more than 24 hours ' +
        'ago), or the body is not the raw body: pass the bytes as received, before any JSON parser has parsed and ' +
        'rewritten them.',
    )
  }
  return parsePayload(body)
}

/** Signs like the service, for your tests. Pass several secrets newest first, as during a rotation. */
export async function signWebhook(
  rawBody: Uint8Array | string,
  secrets: string | readonly string[],
  options: { now?: Date } = {},
): Promise<string> {
  const keys = checkSecrets(typeof secrets === 'string' ? [secrets] : secrets)
  const body = bytesOf(rawBody)
  const timestamp = String(secondsOf(options.now ?? new Date()))
  const signatures = await Promise.all(keys.map((secret) => signatureOf(secret, timestamp, body)))
  return [`t=${timestamp}`, ...signatures.map((signature) => `v1=${signature}`)].join(',')
}

/** An unset variable must not become an empty key: anyone could sign with it. */
function checkSecrets(secrets: readonly (string | undefined)[]): string[] {
  const valid = secrets.filter((secret) => typeof secret === 'string' && /^whsec_[\x21-\x7e]+$/.test(secret))
  if (secrets.length > 0 && valid.length === secrets.length) return valid as string[]
  throw new WebhookVerificationError(
    'invalid_secret',
    secrets.length === 0
      ? 'No secret was given.'
      : 'A webhook secret begins with "whsec_" and contains no white space. Is the variable set, and without a line end?',
  )
}

function bytesOf(rawBody: Uint8Array | string): Uint8Array<ArrayBuffer> {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody)
  // Not `instanceof`: the bytes may come from another realm, such as a test runner's.
  if (ArrayBuffer.isView(rawBody))
    return new Uint8Array(new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength))
  throw new WebhookVerificationError(
    'invalid_body',
    'The body must be the raw bytes or the raw text of the request, not an object that was parsed from it.',
  )
}

/** Elements other than `t` and `v1` are ignored: later versions may add some. */
function parseHeader(received: SignatureHeader): { timestamp: string; signatures: string[] } {
  const [header, another] = Array.isArray(received) ? received : [received]
  if (header === null || header === undefined || header === '')
    throw new WebhookVerificationError('missing_header', 'The header X-Service-Signature is missing.')
  if (typeof header !== 'string' || another !== undefined) throw malformed('it is not one line of text')
  const elements = header.split(',').map((element) => element.trim())
  const timestamps = valuesOf(elements, 't=')
  const signatures = valuesOf(elements, 'v1=')
  const [timestamp, second] = timestamps
  if (timestamp === undefined) throw malformed('it has no t')
  if (second !== undefined) throw malformed('it has more than one t')
  if (!/^(?:0|[1-9][0-9]{0,14})$/.test(timestamp)) throw malformed('t is not a number of seconds')
  if (signatures.length === 0) throw malformed('it has no v1')
  return { timestamp, signatures }
}

function valuesOf(elements: readonly string[], prefix: string): string[] {
  return elements.filter((element) => element.startsWith(prefix)).map((element) => element.slice(prefix.length))
}

function malformed(why: string): WebhookVerificationError {
  return new WebhookVerificationError(
    'malformed_header',
    `The header X-Service-Signature is malformed: ${why}. It looks like "t=1700000000,v1=<64 hexadecimal digits>".`,
  )
}

/** Checks both directions: with a time far in the future, a signature would stay valid for long. */
function checkTime(timestamp: string, { toleranceSeconds = 300, now = new Date() }: VerifyWebhookOptions): void {
  if (!Number.isFinite(toleranceSeconds) || toleranceSeconds < 0)
    throw new RangeError('toleranceSeconds must be a number of seconds, 0 or more')
  const signed = Number(timestamp)
  const current = secondsOf(now)
  const apart = Math.abs(current - signed)
  if (apart <= toleranceSeconds) return
  throw new WebhookVerificationError(
    'outside_tolerance',
    `The signature was made at t=${signed} (${readable(signed)}), and it is now ${current} (${readable(current)}): ` +
      `${apart} seconds ${signed < current ? 'ago' : 'ahead'}, and ${toleranceSeconds} are tolerated. ` +
      'Is the clock of this machine right? If so, this may be a replayed request.',
  )
}

function readable(seconds: number): string {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? 'no date' : date.toISOString()
}

function secondsOf(date: Date): number {
  const milliseconds = date.getTime()
  if (Number.isNaN(milliseconds)) throw new RangeError('now must be a valid date')
  return Math.floor(milliseconds / 1000)
}

/** Lower-case hex HMAC-SHA256 over `<t>.` and the body; the key is the UTF-8 of the whole secret, prefix included. */
async function signatureOf(secret: string, timestamp: string, body: Uint8Array): Promise<string> {
  const prefix = new TextEncoder().encode(`${timestamp}.`)
  const signed = new Uint8Array(prefix.length + body.length)
  signed.set(prefix)
  signed.set(body, prefix.length)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['sign'])
  const mac = new Uint8Array(await crypto.subtle.sign(algorithm, key, signed))
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** 1 or 0, in a time that depends only on the length, which is not secret. */
function equal(candidate: string, wanted: string): 0 | 1 {
  if (candidate.length !== wanted.length) return 0
  let difference = 0
  for (let i = 0; i < wanted.length; i += 1) difference |= candidate.charCodeAt(i) ^ wanted.charCodeAt(i)
  return difference === 0 ? 1 : 0
}

function parsePayload(body: Uint8Array): WebhookEvent {
  const payload = parseJson(body)
  if (!isObject(payload) || typeof payload.type !== 'string' || payload.type === '') throw noEvent()
  const { type, verification, sent_at } = payload
  if (!WEBHOOK_EVENT_TYPES.some((known) => known === type)) return { type: 'unknown', name: type, payload }
  const whole = isObject(verification) && typeof verification.id === 'string' && typeof verification.status === 'string'
  if (whole && typeof sent_at === 'string') return payload as unknown as VerificationEvent
  throw noEvent()
}

function noEvent(): WebhookVerificationError {
  return new WebhookVerificationError('malformed_payload', 'The signature is right, but the body is not an event.')
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
