// What cannot even be parsed as HTTP gets the envelope too, written straight to the socket.

import type { Socket } from 'node:net'
import type { Deps } from '../deps.ts'
import { envelope } from './problems.ts'
import { HSTS, isHttps } from './transport-security.ts'

export function answerClientError(deps: Pick<Deps, 'config'>, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'The request headers are too large.']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'The request took too long.']
        : ['400 Bad Request', 'This is not a valid HTTP request.']
  const body = JSON.stringify(envelope('invalid_request', message))
  if (socket.writable) {
    socket.write(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n` +
        `${isHttps(deps) ? `${HSTS.name}: ${HSTS.value}\r\n` : ''}` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    )
  }
  socket.destroy()
}
