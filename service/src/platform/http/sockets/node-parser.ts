// The only place that changes Node's HTTP parser. The attack: Node parses the 64 KiB that it read from a connection to
// the end, thousands of pipelined requests or tiny chunks, even after we closed the connection, and nothing else stops
// it (service/test/http/tiny-chunks.test.ts).

import type { Socket } from 'node:net'

interface Parser {
  onIncoming?: () => number
  /** The parser's callbacks, under numbers that its class names. */
  [callback: number]: ((part: Uint8Array) => void) | null | undefined
  readonly constructor: { readonly kOnBody?: number }
}

/** Return value for the end of a head that belongs to another protocol: the parser stops there. */
const NOT_HTTP = 2

const parserOf = (socket: Socket) => (socket as { parser?: Parser | null }).parser

/** The parser stops after the next head. */
export function stopParsing(socket: Socket): void {
  const parser = parserOf(socket)
  if (parser?.onIncoming) parser.onIncoming = () => NOT_HTTP
}

/** For a connection that is being closed: passes on no more of its body, because that is the expensive part. */
export function dropBody(socket: Socket): void {
  const parser = parserOf(socket)
  const index = parser?.constructor.kOnBody
  if (!parser || index === undefined) return
  const handOver = parser[index]
  if (!handOver) return
  parser[index] = null
  // Node reuses the parser for another connection after this one has closed, which happens later than this.
  setImmediate(() => {
    parser[index] = handOver
  })
}
