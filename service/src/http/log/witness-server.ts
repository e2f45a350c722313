// The witness's one route (C2SP tlog-witness): POST /add-checkpoint. Bounded in bytes, time, connections, bodies on their way and
// what waits, for each address and in all.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { SUBMISSION_BYTES_MAX } from '../../domain/log/submission.ts'
import { createShares, type Sender, type Shares } from '../../domain/shares.ts'
import type { Cosigning } from '../../usecases/log/cosign-checkpoint.ts'
import { senderOf } from '../address.ts'
import { watchChunks } from '../bounds/body-chunks.ts'
import { WITNESS } from '../bounds/limits.ts'

const STATUS = {
  malformed: 400,
  unknown_log: 404,
  not_signed: 403,
  bad_proof: 422,
  conflict: 409,
  cosigned: 200,
} as const

interface Witness {
  readonly bodies: Shares
  readonly waiting: Shares
  readonly cosign: (body: string) => Promise<Cosigning>
}

export function createWitnessServer(cosign: Witness['cosign']): Server {
  const witness = { bodies: createShares(WITNESS.bodies), waiting: createShares(WITNESS.waiting), cosign }
  const server = createServer(
    {
      headersTimeout: WITNESS.request,
      requestTimeout: WITNESS.request,
      keepAliveTimeout: WITNESS.request,
      connectionsCheckingInterval: WITNESS.check,
    },
    (request, response) => {
      watchChunks(request, () => request.socket.destroy())
      if (request.method !== 'POST' || request.url !== '/add-checkpoint') {
        end(response, 404)
        return
      }
      // Unreadable state is nobody's permission to sign.
      answer(request, response, witness).catch(() => end(response, 500))
    },
  )
  const connections = createShares(WITNESS.connections)
  server.on('connection', (socket) => {
    const sender = senderOf(socket.remoteAddress ?? '')
    if (connections.take(sender, 1) !== 'taken') return void socket.destroy()
    socket.once('close', () => connections.give(sender, 1))
  })
  return server
}

async function answer(request: IncomingMessage, response: ServerResponse, witness: Witness): Promise<void> {
  const sender = senderOf(request.socket.remoteAddress ?? '')
  const read = await within(witness.bodies, sender, () => bodyOf(request))
  if (read === 'full') return end(response, 503)
  if (read.body === null) return end(response, 413)
  const { body } = read
  const made = await within(witness.waiting, sender, () => witness.cosign(body))
  if (made === 'full') end(response, 503)
  else if (made.outcome === 'cosigned') end(response, STATUS.cosigned, made.line)
  else if (made.outcome === 'conflict') end(response, STATUS.conflict, `${made.size}\n`, 'text/x.tlog.size')
  else end(response, STATUS[made.outcome])
}

async function within<T>(shares: Shares, sender: Sender, work: () => Promise<T>): Promise<T | 'full'> {
  if (shares.take(sender, 1) !== 'taken') return 'full'
  try {
    return await work()
  } finally {
    shares.give(sender, 1)
  }
}

/** null: it is too long. */
async function bodyOf(request: IncomingMessage): Promise<{ readonly body: string | null }> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    bytes += (part as Buffer).length
    if (bytes > SUBMISSION_BYTES_MAX) return { body: null }
    parts.push(part as Buffer)
  }
  return { body: Buffer.concat(parts).toString('utf8') }
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
