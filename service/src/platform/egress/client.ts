// The one way to the outside: every outbound request of the service goes through `request`. It judges where the
// request would go, connects to exactly that, within bytes and time, and says in words how it ended.

import { Resolver } from 'node:dns'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { openConnection, secureConnection } from './connect.ts'
import { exchange } from './exchange.ts'
import { failed, type Outcome } from './outcome.ts'
import type { EgressPolicy } from './policy.ts'
import type { After } from './resolve.ts'
import { locate, type TargetContext } from './target.ts'
import type { CheckedUrl } from './url.ts'

export interface Egress extends TargetContext {
  readonly tls: SecureContext
  /** Once aborted, requests end and reject with its reason; undefined: nobody calls them off. */
  readonly stopped?: AbortSignal
  /** Told of every request; undefined: nobody wants to know. */
  readonly onEnd?: (ended: RequestEnded) => void
}

/** Not where to: an address may say whose it is. */
export interface RequestEnded {
  readonly method: string
  readonly outcome: Outcome['outcome'] | 'called_off'
  /** By performance.now(). */
  readonly sentAt: number
  readonly tookMs: number
}

export interface EgressWorld {
  readonly policy: EgressPolicy
  /** `address` or `address:port`; undefined: the servers of the system. */
  readonly dnsServers?: readonly string[]
  /** PEM certificates trusted beside the public ones. */
  readonly extraCa?: readonly string[]
  readonly after?: After
  readonly onEnd?: (ended: RequestEnded) => void
}

export interface RequestOptions {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** The exact bytes; for POST alone. */
  readonly body?: Uint8Array
  readonly bodyBytesMax: number
  /** `refuse` (the default): a longer body is `response_too_large`. `truncate`: the first bytes are enough. */
  readonly overflow?: 'refuse' | 'truncate'
  readonly limits?: Partial<Limits>
}

export interface Limits {
  readonly dnsMilliseconds: number
  readonly connectMilliseconds: number
  readonly tlsMilliseconds: number
  /** Wall clock over all: dripping answers end here. */
  readonly totalMilliseconds: number
}

const LIMITS: Limits = {
  dnsMilliseconds: 2000,
  connectMilliseconds: 5000,
  tlsMilliseconds: 5000,
  totalMilliseconds: 15_000,
}

/** One for each environment; made once, because trust anchors are slow to read. */
export function makeEgress(world: EgressWorld): Egress {
  const extraCa = world.extraCa ?? []
  checkServers(world.dnsServers)
  const tls = createSecureContext({
    minVersion: 'TLSv1.2',
    ...(extraCa.length > 0 ? { ca: [...getCACertificates('default'), ...extraCa] } : {}),
  })
  const onEnd = world.onEnd === undefined ? {} : { onEnd: world.onEnd }
  return { policy: world.policy, dnsServers: world.dnsServers, after: world.after ?? afterReal, tls, ...onEnd }
}

/** The same ways out, for work that may be called off. */
export const egressUntil = (egress: Egress, stopped: AbortSignal): Egress => ({ ...egress, stopped })

/** A mistyped server must stop the start, not each delivery. */
function checkServers(servers: readonly string[] | undefined): void {
  if (servers === undefined) return
  if (servers.length === 0) throw new Error('the list of DNS servers is empty')
  new Resolver().setServers(servers)
}

/**
 * Resolves with a word for everything the other side or the network can do. Rejects for a bug of the caller, and when it is called
 * off: then nothing was learned of the other side, and nothing must be noted of it.
 */
export async function request(egress: Egress, options: RequestOptions): Promise<Outcome> {
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

async function send(egress: Egress, options: RequestOptions): Promise<Outcome> {
  checkCaller(options)
  egress.stopped?.throwIfAborted()
  const limits = { ...LIMITS, ...options.limits }
  const lifeline = new AbortController()
  const wall = Promise.withResolvers<Outcome>()
  const callOff = egress.after(limits.totalMilliseconds, () => {
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
    callOff()
    egress.stopped?.removeEventListener('abort', stop)
    // With a reason of its own, because the default one is an exception with a stack, made for nobody.
    lifeline.abort('ended')
  }
}

async function attempt(
  egress: Egress,
  options: RequestOptions,
  { limits, lifeline }: { limits: Limits; lifeline: AbortSignal },
): Promise<Outcome> {
  const target = await locate(egress, options.url, limits.dnsMilliseconds)
  if (target.outcome !== 'located') return failed(target.outcome, target.reason)
  const { url, addresses } = target
  const { after } = egress
  const { connectMilliseconds, tlsMilliseconds } = limits
  const plain = await openConnection({ url, addresses, after, connectMilliseconds, lifeline })
  if (plain.outcome !== 'connected') return plain
  const connection =
    url.scheme === 'http'
      ? plain
      : await secureConnection(plain.socket, { url, context: egress.tls, after, tlsMilliseconds })
  if (connection.outcome !== 'connected') return connection
  return exchange(connection.socket, {
    method: options.method,
    path: url.path,
    headers: outgoingHeaders(options, url),
    body: options.body,
    bodyBytesMax: options.bodyBytesMax,
    overflow: options.overflow ?? 'refuse',
  })
}

/** What the client itself decides; a caller that names one of them has misunderstood. */
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
  if (options.method === 'GET' && options.body !== undefined) throw new Error('bug: a GET request carries no body')
  if (!Number.isSafeInteger(options.bodyBytesMax) || options.bodyBytesMax < 0) throw new Error('bug: no cap of bytes')
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    if (OWN_HEADERS.has(name.toLowerCase())) throw new Error(`bug: the header ${name} is the client's own`)
  }
}

function outgoingHeaders(options: RequestOptions, url: CheckedUrl): Record<string, string> {
  return {
    'User-Agent': 'Vidimus',
    ...options.headers,
    Host: url.authority,
    Connection: 'close',
    // What is not compressed cannot be a bomb.
    'Accept-Encoding': 'identity',
    ...(options.method === 'POST' ? { 'Content-Length': String(options.body?.length ?? 0) } : {}),
  }
}

const afterReal: After = (milliseconds, expire) => {
  const timer = setTimeout(expire, milliseconds)
  return () => clearTimeout(timer)
}
