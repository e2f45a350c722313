// Sends one HTTP/1.1 request over an open, verified connection. Follows no redirect and keeps no connection.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { request as httpRequest } from '../http/node-http.ts'
import { codeOf, type Failed, failed, type Outcome, SELECTED_HEADERS, type SelectedHeader } from './outcome.ts'
import type { RawConnection } from './raw-connection.ts'

interface ExchangeOptions {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  readonly bodyBytesMax: number
  /** What a longer body means: an error, or a truncated read. */
  readonly overflow: 'refuse' | 'truncate'
  readonly onBodyBytes: ((length: number) => void) | undefined
  /** The connection below TLS; null: without TLS. */
  readonly rawConnection: RawConnection | null
}

const HEADER_BYTES_MAX = 16 * 1024
/** Early hints are allowed, but not an endless series. */
const INFORMATIONAL_MAX = 4
/**
 * Each part of a body costs the event loop microseconds, and the other side chooses the lengths. A body may have this
 * many parts, and one more for every 512 bytes. Honest parts have a kilobyte or more.
 */
const PARTS_MAX = 500
const BYTES_OF_PART = 512
/**
 * Bytes outside of the body (headers, chunk sizes with leading zeros) cost as much to read. A response may have this
 * many, plus the length of its body.
 */
const FRAMING_BYTES_MAX = 256 * 1024
/** A part may arrive in several reads: its size, its bytes and its end. */
const PIECES_OF_PART = 4

export function exchange(socket: Socket, options: ExchangeOptions): Promise<Outcome> {
  return new Promise((resolve) => {
    const outgoing = httpRequest({
      // With its own connection and no agent there is no pool, no proxy and no lookup.
      createConnection: () => socket,
      method: options.method,
      path: options.path,
      headers: { ...options.headers },
      maxHeaderSize: HEADER_BYTES_MAX,
      insecureHTTPParser: false,
    })
    let informational = 0
    outgoing.on('information', () => {
      informational += 1
      if (informational > INFORMATIONAL_MAX) resolve(failed('protocol_error', 'informational_answers'))
    })
    outgoing.on('upgrade', () => resolve(failed('protocol_error', 'upgrade')))
    outgoing.on('error', (error) => resolve(explain(error)))
    const body = { size: 0 }
    let bytes = 0
    let pieces = 0
    // With TLS 1.3, each key update and ticket costs microseconds, and no event reports them.
    options.rawConnection?.setGate((received) => {
      const mayPass = received <= FRAMING_BYTES_MAX + 2 * bytes
      if (!mayPass) resolve(failed('protocol_error', 'records'))
      return mayPass
    })
    // Counts every byte that the parser reads.
    outgoing.on('socket', (connection) => {
      connection.on('data', ({ length }: Uint8Array) => {
        bytes += length
        pieces += 1
        if (bytes > FRAMING_BYTES_MAX + 2 * body.size) resolve(failed('protocol_error', 'framing'))
        if (pieces > PIECES_OF_PART * partsMax(body.size)) resolve(failed('protocol_error', 'short_pieces'))
      })
    })
    outgoing.on('response', (incoming) => {
      readBody(incoming, options, body).then(resolve, (error: unknown) => resolve(explain(error)))
    })
    outgoing.end(options.body)
  })
}

const partsMax = (size: number) => PARTS_MAX + size / BYTES_OF_PART

/** The iteration throws if the body breaks off. `body` counts the bytes that were read. */
async function readBody(incoming: IncomingMessage, options: ExchangeOptions, body: { size: number }): Promise<Outcome> {
  const { bodyBytesMax } = options
  let bytes = Buffer.allocUnsafeSlow(Math.min(bodyBytesMax, declaredLength(incoming) ?? FIRST_BUFFER_BYTES))
  let parts = 0
  let truncated = false
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    options.onBodyBytes?.(chunk.length)
    const { size } = body
    parts += 1
    body.size += chunk.length
    const isTooLong = body.size > bodyBytesMax
    if (isTooLong || parts > partsMax(body.size)) {
      if (options.overflow === 'refuse')
        return isTooLong ? failed('response_too_large', 'body') : failed('protocol_error', 'short_parts')
      truncated = true
    }
    const kept = chunk.subarray(0, bodyBytesMax - size)
    bytes = growBuffer(bytes, { size, needed: size + kept.length, bodyBytesMax })
    bytes.set(kept, size)
    if (truncated) break
  }
  const status = incoming.statusCode ?? 0
  if (status < 200 || status > 599) return failed('protocol_error', 'status')
  const size = Math.min(body.size, bodyBytesMax)
  const whole = size === bytes.length ? bytes : Buffer.from(bytes.subarray(0, size))
  return { outcome: 'answered', status, headers: select(incoming.headers), body: whole, truncated }
}

const FIRST_BUFFER_BYTES = 16 * 1024

/** null: the header is absent, because the body comes in chunks, or is not a number. */
function declaredLength({ headers }: IncomingMessage): number | null {
  const text = headers['content-length'] ?? ''
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : null
}

/** Grows the buffer that the body is copied to. The parts of a body are views that keep larger buffers in memory. */
function growBuffer(
  bytes: Buffer<ArrayBuffer>,
  { size, needed, bodyBytesMax }: { readonly size: number; readonly needed: number; readonly bodyBytesMax: number },
): Buffer<ArrayBuffer> {
  if (needed <= bytes.length) return bytes
  const larger = Buffer.allocUnsafeSlow(Math.min(bodyBytesMax, Math.max(2 * bytes.length, needed)))
  larger.set(bytes.subarray(0, size))
  return larger
}

function select(headers: IncomingHttpHeaders): Partial<Record<SelectedHeader, string>> {
  const selected: Partial<Record<SelectedHeader, string>> = {}
  for (const name of SELECTED_HEADERS) {
    const value = headers[name]
    if (typeof value === 'string') selected[name] = value
  }
  return selected
}

function explain(error: unknown): Failed {
  const code = codeOf(error)
  if (code === 'HPE_HEADER_OVERFLOW') return failed('response_too_large', 'headers')
  // TLS 1.3 servers may report an error (such as a missing client certificate) after the handshake.
  if (code.startsWith('ERR_SSL_')) return failed('tls_error', code)
  return failed('protocol_error', code)
}
