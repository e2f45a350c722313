// Forwards a request to the service, and streams its body and its answer.

import { type IncomingMessage, request, type ServerResponse } from 'node:http'

export function forward(port: number, incoming: IncomingMessage, answer: ServerResponse): void {
  const { method, url, headers } = incoming
  const seen = incoming.socket.remoteAddress ?? 'unknown'
  const before = headers['x-forwarded-for']
  const forwarded = { ...headers, 'x-forwarded-for': before === undefined ? seen : `${before}, ${seen}` }
  const onward = request({ host: '127.0.0.1', port, method, path: url, headers: forwarded }, (found) => {
    answer.writeHead(found.statusCode ?? 502, found.rawHeaders)
    found.pipe(answer)
    found.once('error', () => answer.destroy())
  })
  onward.once('error', () => {
    if (answer.headersSent) answer.destroy()
    else
      answer.writeHead(503, { 'Retry-After': '1', 'Content-Type': 'text/plain' }).end('The service does not run yet.\n')
  })
  answer.once('close', () => onward.destroy())
  incoming.pipe(onward)
}
