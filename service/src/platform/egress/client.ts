// Sends every outbound request: checks the target, connects only to its checked addresses, and limits bytes and time.

import { constants } from 'node:crypto'
import { Resolver } from 'node:dns'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { validateHeaderName, validateHeaderValue } from '../http/node-http.ts'
import { openConnection, secureConnection } from './connect.ts'
import { exchange } from './exchange.ts'
import { failed, type Outcome } from './outcome.ts'
import type { EgressPolicy } from './policy.ts'
import type { After } from './resolve.ts'
import { locate, type TargetContext } from './target.ts'
import type { CheckedUrl } from './url.ts'

export interface Egress extends TargetContext {
  readonly tls: SecureContext
  /** PEM certificates that `tls` trusts in addition to the public ones. */
  readonly extraCa: readonly string[]
  /** When aborted, requests end and reject with its reason; undefined: requests cannot be cancelled. */
  readonly stopped?: AbortSignal
  /** Sends the requests outside of the event loop (request-thread.ts); undefined: on the event loop. */
  readonly send?: (options: RequestOptions, stopped: AbortSignal | undefined) => Promise<Outcome>
  /** Called at the end of every request. */
  readonly onEnd?: (ended: RequestEnded) => void
}

/** Does not have the target, because an address may identify its owner. */
export interface RequestEnded {
  readonly method: string
  readonly outcome: Outcome['outcome'] | 'called_off'
  /** When the request was sent, by performance.now(). */
  readonly sentAt: number
  readonly tookMs: number
}

interface EgressWorld {
  readonly policy: EgressPolicy
  /** `address` or `address:port`; undefined: the system's servers. */
  readonly dnsServers?: readonly string[] | undefined
  /** PEM certificates that are trusted in addition to the public ones. */
  readonly extraCa?: readonly string[]
  readonly after?: After
  readonly onEnd?: (ended: RequestEnded) => void
}

export interface RequestOptions {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** The exact bytes. Not allowed for GET. */
  readonly body?: Uint8Array
  readonly bodyBytesMax: number
  /** `refuse` (the default): a longer body is `response_too_large`. `truncate`: only the first bytes are read. */
  readonly overflow?: 'refuse' | 'truncate'
  readonly limits?: Partial<Limits>
}

/** A request that reports its progress, which only the sending thread knows. */
interface WatchedRequest extends RequestOptions {
  /** Called with the length of each part of the body as it arrives, even if the body breaks off. */
  readonly onBodyBytes?: (length: number) => void
  /** Called with the number of handshake bytes received so far; with 0 once the handshake succeeded. */
  readonly onHandshakeBytes?: (bytes: number) => void
}

export interface Limits {
  readonly dnsMilliseconds: number
  readonly connectMilliseconds: number
  readonly tlsMilliseconds: number
  /** Limits the whole request, so that it also ends responses that arrive byte by byte. */
  readonly totalMilliseconds: number
}

export const LIMITS: Limits = {
  dnsMilliseconds: 2000,
  connectMilliseconds: 5000,
  tlsMilliseconds: 5000,
  totalMilliseconds: 15_000,
}

/**
 * Only key exchanges on curves: with DHE the server chooses a prime of up to 10,000 bits, which costs a second of CPU.
 * With kRSA there is no forward secrecy.
 */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE+AESGCM',
  'ECDHE+CHACHA20',
  'ECDHE+AES',
  '!aNULL',
  '!PSK',
].join(':')
/** A star means that the key share is sent in the first message, as OpenSSL does by default. */
const GROUPS = '*X25519MLKEM768:*X25519:P-256:P-384:P-521'

/** Created once per environment, because loading trust anchors is slow. */
export function makeEgress(world: EgressWorld): Egress {
  const extraCa = world.extraCa ?? []
  checkServers(world.dnsServers)
  const tls = createSecureContext({
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
    ecdhCurve: GROUPS,
    // A server could demand handshake after handshake, and no event would report them.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    ...(extraCa.length > 0 ? { ca: [...getCACertificates('default'), ...extraCa] } : {}),
  })
  const onEnd = world.onEnd === undefined ? {} : { onEnd: world.onEnd }
  const { policy, dnsServers, after = afterReal } = world
  return { policy, dnsServers, after, tls, extraCa, ...onEnd }
}

/** The same egress for work that may be cancelled. */
export const egressUntil = (egress: Egress, stopped: AbortSignal): Egress => ({ ...egress, stopped })

/** A mistyped server must fail at the start, not at each delivery. */
function checkServers(servers: readonly string[] | undefined): void {
  if (servers === undefined) return
  if (servers.length === 0) throw new Error('the list of DNS servers is empty')
  new Resolver().setServers(servers)
}

/**
 * Resolves with an outcome for everything that the other side or the network can do. Rejects for a bug of the caller,
 * and when cancelled. Then callers must record nothing about the other side.
 */
export async function request(egress: Egress, options: RequestOptions): Promise<Outcome> {
  if (egress.send === undefined) return requestHere(egress, options)
  checkCaller(options)
  egress.stopped?.throwIfAborted()
  return egress.send(options, egress.stopped)
}

/** Like `request`, but always on the event loop of this thread. */
export async function requestHere(egress: Egress, options: WatchedRequest): Promise<Outcome> {
  if (egress.onEnd === undefined) return send(egress, options)
  const sentAt = performance.now()
  let outcome: RequestEnded['outcome'] = 'called_off'
  try {
    const answer = await send(egress, options)
    outcome = answer.outcome
    return answer
  } finally {
    egress.onEnd({ method: options.method, outcome, sentAt, tookMs: performance.now() - sentAt })
  }
}

async function send(egress: Egress, options: WatchedRequest): Promise<Outcome> {
  checkCaller(options)
  egress.stopped?.throwIfAborted()
  const limits = { ...LIMITS, ...options.limits }
  const lifeline = new AbortController()
  const wall = Promise.withResolvers<Outcome>()
  const cancelTimeout = egress.after(limits.totalMilliseconds, () => {
    lifeline.abort('ended')
    wall.resolve(failed('timeout', 'total'))
  })
  const stop = () => {
    lifeline.abort('ended')
    wall.reject(egress.stopped?.reason)
  }
  egress.stopped?.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([wall.promise, attempt(egress, options, { limits, lifeline: lifeline.signal })])
  } finally {
    cancelTimeout()
    egress.stopped?.removeEventListener('abort', stop)
    // With a reason, because the default reason is an exception with a stack that no code reads.
    lifeline.abort('ended')
  }
}

async function attempt(
  egress: Egress,
  options: WatchedRequest,
  { limits, lifeline }: { limits: Limits; lifeline: AbortSignal },
): Promise<Outcome> {
  const target = await locate(egress, options.url, limits.dnsMilliseconds)
  if (target.outcome !== 'located') return failed(target.outcome, target.reason)
  const { url, addresses } = target
  const { after } = egress
  const { connectMilliseconds, tlsMilliseconds } = limits
  const plain = await openConnection({ url, addresses, after, connectMilliseconds, lifeline })
  if (plain.outcome !== 'connected') return plain
  const { onHandshakeBytes } = options
  const connection =
    url.scheme === 'http'
      ? { ...plain, rawConnection: null }
      : await secureConnection(plain.socket, { url, context: egress.tls, after, tlsMilliseconds, onHandshakeBytes })
  if (connection.outcome !== 'connected') return connection
  return exchange(connection.socket, {
    method: options.method,
    path: url.path,
    headers: outgoingHeaders(options, url),
    body: options.body,
    bodyBytesMax: options.bodyBytesMax,
    overflow: options.overflow ?? 'refuse',
    onBodyBytes: options.onBodyBytes,
    rawConnection: connection.rawConnection,
  })
}

/** Headers that only the client sets. A caller that sets one has a bug. */
const OWN_HEADERS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

function checkCaller(options: RequestOptions): void {
  if (options.method === 'GET' && options.body !== undefined) throw new Error('bug: a GET request has no body')
  if (!Number.isSafeInteger(options.bodyBytesMax) || options.bodyBytesMax < 0)
    throw new Error('bug: bodyBytesMax is not a byte count')
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    if (OWN_HEADERS.has(name.toLowerCase())) throw new Error(`bug: only the client sets the header ${name}`)
  }
}

function outgoingHeaders(options: RequestOptions, url: CheckedUrl): Record<string, string> {
  return {
    'User-Agent': 'Vidimus',
    ...options.headers,
    Host: url.authority,
    Connection: 'close',
    // An uncompressed response cannot be a decompression bomb.
    'Accept-Encoding': 'identity',
    ...(options.method !== 'GET' ? { 'Content-Length': String(options.body?.length ?? 0) } : {}),
  }
}

const afterReal: After = (milliseconds, expire) => {
  const timer = setTimeout(expire, milliseconds)
  return () => clearTimeout(timer)
}
