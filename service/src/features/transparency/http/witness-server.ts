// Serves a witness's routes (C2SP tlog-witness), with limits per address and in total.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { senderOf } from '../../../platform/http/address.ts'
import { HEADERS_MAX, WITNESS } from '../../../platform/http/bounds/limits.ts'
import { createServer } from '../../../platform/http/node-http.ts'
import { watchChunks } from '../../../platform/http/sockets/body-chunks.ts'
import { dropBody } from '../../../platform/http/sockets/node-parser.ts'
import { createShares, type Sender, type Shares } from '../../../platform/shares.ts'
import { SUBMISSION_BYTES_MAX } from '../domain/log/submission.ts'
import type { WitnessWork } from '../usecases/cosign-checkpoint.ts'

const STATUS = {
  malformed: 400,
  unknown_log: 404,
  not_signed: 403,
  bad_proof: 422,
  conflict: 409,
  not_covered: 409,
  not_accepted: 403,
  cosigned: 200,
} as const

interface Witness {
  readonly bodies: Shares
  readonly waiting: Shares
  readonly work: WitnessWork
}

export function createWitnessServer(work: WitnessWork): Server {
  const witness = { bodies: createShares(WITNESS.bodies), waiting: createShares(WITNESS.waiting), work }
  const server = createServer(
    {
      headersTimeout: WITNESS.request,
      requestTimeout: WITNESS.request,
      keepAliveTimeout: WITNESS.request,
      connectionsCheckingInterval: WITNESS.check,
    },
    (request, response) => {
      if (request.rawHeaders.length > 2 * HEADERS_MAX) return closeSocket(request.socket)
      watchChunks(request, { isGranted: () => false, end: () => closeSocket(request.socket) })
      const answer = answerOf(request)
      if (answer === null) {
        end(response, 404)
        return
      }
      // If the witness's state is unreadable, the caller gets 500 and no signature.
      answer(request, response, witness).catch(() => end(response, 500))
    },
  )
  server.maxHeadersCount = HEADERS_MAX + 1
  const connections = createShares(WITNESS.connections)
  server.on('connection', (socket) => {
    const sender = senderOf(socket.remoteAddress ?? '')
    if (connections.take(sender, 1) !== 'taken') return void socket.destroy()
    socket.once('close', () => connections.give(sender, 1))
  })
  return server
}

function closeSocket(socket: Socket): void {
  dropBody(socket)
  socket.destroy()
}

type Answer = (request: IncomingMessage, response: ServerResponse, witness: Witness) => Promise<void>

function answerOf({ method, url }: IncomingMessage): Answer | null {
  if (method === 'POST' && url === '/add-checkpoint') return withBody(({ cosign }, body) => cosign(body))
  if (method === 'POST' && url === '/add-epoch') return withBody(({ cosignEpoch }, body) => cosignEpoch(body))
  const [, hash] = (method === 'GET' && /^\/checkpoint\/([0-9a-f]{64})$/.exec(url ?? '')) || []
  return hash === undefined ? null : (request, response, witness) => showNewest(request, response, { witness, hash })
}

async function showNewest(
  request: IncomingMessage,
  response: ServerResponse,
  { witness, hash }: { readonly witness: Witness; readonly hash: string },
): Promise<void> {
  const sender = senderOf(request.socket.remoteAddress ?? '')
  const read = await within(witness.waiting, sender, async () => ({ note: await witness.work.newest(hash) }))
  if (read === 'full') end(response, 503)
  else if (read.note === null) end(response, 404)
  else end(response, 200, read.note)
}

type CosignResult = Awaited<ReturnType<WitnessWork['cosign'] | WitnessWork['cosignEpoch']>>

const withBody =
  (cosign: (work: WitnessWork, body: string) => Promise<CosignResult>): Answer =>
  async (request, response, witness) =>
    answer(request, response, { witness, cosign: cosign })

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  {
    witness,
    cosign,
  }: { readonly witness: Witness; readonly cosign: (work: WitnessWork, body: string) => Promise<CosignResult> },
): Promise<void> {
  const sender = senderOf(request.socket.remoteAddress ?? '')
  const read = await within(witness.bodies, sender, () => bodyOf(request))
  if (read === 'full') return end(response, 503)
  if (read.body === null) return end(response, 413)
  const { body } = read
  const result = await within(witness.waiting, sender, () => cosign(witness.work, body))
  if (result === 'full') end(response, 503)
  else if (result.outcome === 'cosigned') end(response, STATUS.cosigned, result.line)
  else if (result.outcome === 'conflict') end(response, STATUS.conflict, `${result.size}\n`, 'text/x.tlog.size')
  else end(response, STATUS[result.outcome])
}

async function within<T>(shares: Shares, sender: Sender, work: () => Promise<T>): Promise<T | 'full'> {
  if (shares.take(sender, 1) !== 'taken') return 'full'
  try {
    return await work()
  } finally {
    shares.give(sender, 1)
  }
}

/** Reads the body; null: it is too long. */
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
  // Answers without waiting for the rest of the body.
  const headers = {
    'content-type': type,
    'cache-control': 'no-store',
    ...(status >= 400 ? { connection: 'close' } : {}),
  }
  response.writeHead(status, headers)
  response.end(text)
}
