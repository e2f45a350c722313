// One HTTP/1.1 request and its response over an open, verified connection. Follows no redirect and keeps no connection.

import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { codeOf, type Failed, failed, type Outcome, SELECTED_HEADERS, type SelectedHeader } from './outcome.ts'
import type { Wire } from './wire.ts'

interface ExchangeOptions {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  readonly bodyBytesMax: number
  /** What a longer body means: an error, or a truncated read. */
  readonly overflow: 'refuse' | 'truncate'
  readonly onBodyBytes: ((length: number) => void) | undefined
  /** The connection below TLS; null: without TLS. */
  readonly wire: Wire | null
}

const HEADER_BYTES_MAX = 16 * 1024
/** Early hints are allowed; an endless series of them is not. */
const INFORMATIONAL_MAX = 4
/**
 * Every part of a body costs the event loop microseconds, however short it is, and the other side chooses how it cuts
 * them: this many of any length, and one more for every so many bytes. Honest ones have a kilobyte and more.
 */
const PARTS_MAX = 500
const BYTES_OF_PART = 512
/**
 * What is no body (headers, sizes of chunks and their leading zeros) costs as much to read, and counts as no byte of it:
 * this much, and as much again as the body has. A part may come in as many pieces: its size, its bytes and their end.
 */
const FRAMING_BYTES_MAX = 256 * 1024
const PIECES_OF_PART = 4
export function exchange(socket: Socket, options: ExchangeOptions): Promise<Outcome> {
  return new Promise((resolve) => {
    const outgoing = httpRequest({
      // With a connection of its own and no agent there is no pool, no proxy and no lookup.
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
    // New keys and tickets of TLS 1.3 cost microseconds each and raise no event.
    options.wire?.setGate((received) => {
      const mayPass = received <= FRAMING_BYTES_MAX + 2 * bytes
      if (!mayPass) resolve(failed('protocol_error', 'records'))
      return mayPass
    })
    // After the parser's own listener: no byte passes it by.
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

/** The iteration throws if the body breaks off. `body` counts what was read of it. */
async function readBody(incoming: IncomingMessage, options: ExchangeOptions, body: { size: number }): Promise<Outcome> {
  const chunks: Uint8Array[] = []
  let truncated = false
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    options.onBodyBytes?.(chunk.length)
    const room = options.bodyBytesMax - body.size
    chunks.push(chunk.subarray(0, room))
    body.size += chunk.length
    const isTooLong = chunk.length > room
    if (isTooLong || chunks.length > partsMax(body.size)) {
      if (options.overflow === 'refuse')
        return isTooLong ? failed('response_too_large', 'body') : failed('protocol_error', 'short_parts')
      truncated = true
      break
    }
  }
  const status = incoming.statusCode ?? 0
  if (status < 200 || status > 599) return failed('protocol_error', 'status')
  return { outcome: 'answered', status, headers: select(incoming.headers), body: Buffer.concat(chunks), truncated }
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
