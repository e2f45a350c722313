// Calls key services over HTTP. Uses the operator's egress policy, which allows internal addresses.

import { readFile } from 'node:fs/promises'
import { type Egress, makeEgress, request } from '../../egress/client.ts'
import { OPERATOR_POLICY } from '../../egress/policy.ts'
import { DEADLINE_MS, KeyFailure } from '../key-provider.ts'
import { isSafeServiceUrl } from '../service-url.ts'

export interface ServiceCall {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** A text is sent unchanged, an object as JSON. */
  readonly body?: string | object
  /** For signatures, because a caller waits for them. Commands have more time. */
  readonly isQuick?: boolean
}

/** Failures never quote this text. */
export interface ServiceAnswer {
  readonly status: number
  readonly text: string
  /** Empty if the text is not a JSON object. */
  readonly json: Json
}

export type Json = Readonly<Record<string, unknown>>

/** Resolves with any answer, whatever its status; throws a KeyFailure if none arrives. */
export type CallService = (call: ServiceCall) => Promise<ServiceAnswer>

export interface KeyServiceWorld {
  /** Default: the servers of the system. */
  readonly dnsServers?: readonly string[] | undefined
  /** PEM certificates that are trusted in addition to the public ones. */
  readonly extraCa?: readonly string[] | undefined
  /** The time limit for a signature. */
  readonly deadlineMs?: number | undefined
}

/** How many calls to one provider run at the same time: 300 signatures a second if each takes 50 ms. */
export const CONCURRENCY = 16

const ANSWER_BYTES_MAX = 64 * 1024
/** The time limit for commands of the operator. */
const PATIENT_MS = 8_000

export function createCallService(world: KeyServiceWorld = {}): CallService {
  const { dnsServers, extraCa = [], deadlineMs = DEADLINE_MS } = world
  // The caller gives up after this time, so the call must not hold its slot for longer.
  const quick = { totalMilliseconds: deadlineMs }
  const patient = { totalMilliseconds: Math.max(PATIENT_MS, deadlineMs) }
  let egress: Egress | null = null
  return async ({ method, url, headers, body, isQuick = false }) => {
    if (!isSafeServiceUrl(url)) throw new KeyFailure('refused', 'secrets are sent by https only, or to this machine')
    egress ??= makeEgress({ policy: OPERATOR_POLICY, dnsServers, extraCa })
    const isText = typeof body === 'string'
    const answer = await request(egress, {
      method,
      url,
      headers: { Accept: 'application/json', ...(isText ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: Buffer.from(isText ? body : JSON.stringify(body), 'utf8') }),
      bodyBytesMax: ANSWER_BYTES_MAX,
      limits: isQuick ? quick : patient,
    })
    if (answer.outcome === 'answered') {
      const text = Buffer.from(answer.body).toString('utf8')
      return { status: answer.status, text, json: parseObject(text) }
    }
    const isLate = answer.outcome === 'timeout' || answer.outcome === 'connect_timeout'
    const why = `${answer.outcome} (${answer.reason})`
    throw new KeyFailure(isLate ? 'late' : 'away', `the key service does not answer: ${why}`)
  }
}

/** null if the value is not a JSON object. */
export const objectOf = (value: unknown): Json | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function parseObject(text: string): Json {
  try {
    return objectOf(JSON.parse(text)) ?? {}
  } catch {
    return {}
  }
}

/** The credentials are no longer valid. The call is retried once with new credentials. */
export class CredentialsRefused extends KeyFailure {}

export interface ServiceError {
  readonly service: string
  readonly status: number
  /** The service's error code. Messages leave it out if it is long or has special characters. */
  readonly code?: string
  readonly isThrottled?: boolean
  readonly isUnauthorised?: boolean
}

/** 5xx means away and 429 throttled. Any other status is a refusal. */
export function failureOf({ service, status, code = '', isThrottled, isUnauthorised }: ServiceError): KeyFailure {
  const message = `${service} answers ${status}${/^[\w.-]{1,80}$/.test(code) ? ` ${code}` : ''}`
  if (isThrottled === true || status === 429) return new KeyFailure('throttled', message)
  if (isUnauthorised === true) return new CredentialsRefused('refused', message)
  return new KeyFailure(status >= 500 ? 'away' : 'refused', message)
}

/** Refuses texts that are not the canonical encoding of their bytes. */
export function bytesOf(value: unknown, encoding: 'base64' | 'base64url'): Buffer {
  const text = textOf(value)
  const bytes = Buffer.from(text, encoding)
  const isExact = text !== '' && bytes.toString(encoding) === text
  if (!isExact) throw new KeyFailure('away', `the answer of the key service is not valid ${encoding}`)
  return bytes
}

/** Reads a secret from a file at each use, because another program may renew it. */
export async function readSecret(path: string, variable: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '')
  if (text.trim() === '') throw new KeyFailure('refused', `the file that ${variable} names cannot be read, or is empty`)
  return text.trim()
}
