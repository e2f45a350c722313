// The one place that changes Node's HTTP parser. The attack that needs it: Node parses the 64 KiB it read from a connection to
// their end, thousands of pipelined requests or tiny chunks, although we have closed the connection meanwhile, and nothing else
// stops it (service/test/http/tiny-chunks.test.ts).

import type { Socket } from 'node:net'

interface Parser {
  onIncoming?: () => number
  /** What it calls for each thing it finds, under numbers that its class names. */
  [callback: number]: ((part: Uint8Array) => void) | null | undefined
  readonly constructor: { readonly kOnBody?: number }
}

/** What the parser is told at the end of a head that belongs to another protocol: it stops there. */
const NOT_HTTP = 2

const parserOf = (socket: Socket) => (socket as { parser?: Parser | null }).parser

/** The next head is the last it looks at. */
export function stopParsing(socket: Socket): void {
  const parser = parserOf(socket)
  if (parser?.onIncoming) parser.onIncoming = () => NOT_HTTP
}

/** For a connection that ends now: of what was read of a body nothing more is handed over. Handing over is what costs. */
export function dropBody(socket: Socket): void {
  const parser = parserOf(socket)
  const index = parser?.constructor.kOnBody
  if (!parser || index === undefined) return
  const handOver = parser[index]
  if (!handOver) return
  parser[index] = null
  // The parser is another connection's after this one has closed, which comes later than this.
  setImmediate(() => {
    parser[index] = handOver
  })
}
