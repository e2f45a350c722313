// Sends the error envelope on the socket if a request is not valid HTTP or no route can answer it.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Deps } from '../../deps.ts'
import { envelope, helpLink } from './send-problem.ts'
import { hstsOf, isHttps } from './transport-security.ts'

export function answerClientError(deps: Pick<Deps, 'config'>, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'The request headers are too large.']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'The request took too long.']
        : ['400 Bad Request', 'This is not a valid HTTP request.']
  const body = JSON.stringify(envelope('invalid_request', message))
  const hsts = hstsOf(deps)
  if (socket.writable) {
    socket.write(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n` +
        `Link: ${helpLink(deps, 'invalid_request')}\r\n` +
        `${isHttps(deps) ? `${hsts.name}: ${hsts.value}\r\n` : ''}` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    )
  }
  socket.destroy()
}

/** Sends the last response on this connection. */
export function refuseMalformed(
  deps: Pick<Deps, 'config'>,
  response: ServerResponse,
  [status, message]: readonly [number, string],
): void {
  const body = JSON.stringify(envelope('invalid_request', message))
  const hsts = hstsOf(deps)
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    Link: helpLink(deps, 'invalid_request'),
    ...(isHttps(deps) ? { [hsts.name]: hsts.value } : {}),
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  })
  response.end(body)
}
