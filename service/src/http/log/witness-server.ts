// The witness's one route (C2SP tlog-witness): POST /add-checkpoint. Bounded in bytes, time, connections and what waits.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { SUBMISSION_BYTES_MAX } from '../../domain/log/submission.ts'
import type { Cosigning } from '../../usecases/log/cosign-checkpoint.ts'

const CONNECTIONS_MAX = 64
const WAITING_MAX = 16
const REQUEST_MS = 10_000

const STATUS = {
  malformed: 400,
  unknown_log: 404,
  not_signed: 403,
  bad_proof: 422,
  conflict: 409,
  cosigned: 200,
} as const

export function createWitnessServer(cosign: (body: string) => Promise<Cosigning>): Server {
  let waiting = 0
  const server = createServer(
    { headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS, keepAliveTimeout: REQUEST_MS },
    (request, response) => {
      if (request.method !== 'POST' || request.url !== '/add-checkpoint') {
        end(response, 404)
        return
      }
      if (waiting >= WAITING_MAX) {
        end(response, 503)
        return
      }
      waiting += 1
      answer(request, response, cosign)
        // Unreadable state is nobody's permission to sign.
        .catch(() => end(response, 500))
        .finally(() => {
          waiting -= 1
        })
    },
  )
  server.maxConnections = CONNECTIONS_MAX
  return server
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  cosign: (body: string) => Promise<Cosigning>,
): Promise<void> {
  const body = await bodyOf(request)
  if (body === null) {
    end(response, 413)
    return
  }
  const made = await cosign(body)
  if (made.outcome === 'cosigned') end(response, STATUS.cosigned, made.line)
  else if (made.outcome === 'conflict') end(response, STATUS.conflict, `${made.size}\n`, 'text/x.tlog.size')
  else end(response, STATUS[made.outcome])
}

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    bytes += (part as Buffer).length
    if (bytes > SUBMISSION_BYTES_MAX) return null
    parts.push(part as Buffer)
  }
  return Buffer.concat(parts).toString('utf8')
}

function end(response: ServerResponse, status: number, text = '', type = 'text/plain; charset=utf-8'): void {
  // What was not read of a body is not waited for.
  const headers = {
    'content-type': type,
    'cache-control': 'no-store',
    ...(status >= 400 ? { connection: 'close' } : {}),
  }
  response.writeHead(status, headers)
  response.end(text)
}
