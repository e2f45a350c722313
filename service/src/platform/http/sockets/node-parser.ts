// Stops Node's HTTP parser on a closing connection. No other file changes the parser.

import type { Socket } from 'node:net'

interface Parser {
  onIncoming?: () => number
  /** The parser's callbacks by number. Its class has constants for the numbers. */
  [callback: number]: ((part: Uint8Array) => void) | null | undefined
  readonly constructor: { readonly kOnBody?: number }
}

/** Returned from `onIncoming`. Says that the rest of the connection is another protocol, so that the parser stops. */
const NOT_HTTP = 2

const parserOf = (socket: Socket) => (socket as { parser?: Parser | null }).parser

/**
 * Stops after the next head. Otherwise Node parses all 64 KiB that it has read, thousands of pipelined requests or tiny
 * chunks, even after the connection was closed (service/test/http/tiny-chunks.test.ts).
 */
export function stopParsing(socket: Socket): void {
  const parser = parserOf(socket)
  if (parser?.onIncoming) parser.onIncoming = () => NOT_HTTP
}

/** Discards the rest of the body of a closing connection, because handling it is the expensive part. */
export function dropBody(socket: Socket): void {
  const parser = parserOf(socket)
  const index = parser?.constructor.kOnBody
  if (!parser || index === undefined) return
  const onBody = parser[index]
  if (!onBody) return
  parser[index] = null
  // Runs before Node can reuse the parser for another connection.
  setImmediate(() => {
    parser[index] = onBody
  })
}
