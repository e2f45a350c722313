// Connections with malformed HTTP: from a chosen address of this machine, reading only on demand.

import { connect, type Socket } from 'node:net'
import { afterEach } from 'node:test'
import type { App } from '../../../src/platform/http/app.ts'
import { once, within } from '../wait.ts'

export interface RawClient {
  readonly port: number
  /** Opens a connection, and returns both its ends. Call it one at a time. */
  open(from?: string): Promise<{ readonly socket: Socket; readonly theirs: Socket }>
  /** Sends the text and returns the answer up to the end of the first head. */
  ask(text: string, from?: string): Promise<string>
}

export async function rawClient(app: App): Promise<RawClient> {
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  const sockets: Socket[] = []
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
  })
  const begin = async (from = '127.0.0.1') => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from })
    sockets.push(socket)
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }
  return {
    port,
    async open(from) {
      const accepted = once(app.server, 'connection') as Promise<[Socket]>
      const socket = await begin(from)
      const [theirs] = await accepted
      return { socket, theirs }
    },
    ask: async (text, from) => head(await begin(from), text),
  }
}

/** Waits until the connection is closed, whether or not an error came first. */
export const closing = (socket: Socket) =>
  within('the connection is closed', new Promise<void>((resolve) => socket.once('close', () => resolve())))

/** Empty if the connection ended without an answer. */
export async function head(socket: Socket, text: string): Promise<string> {
  let received = ''
  const arrived = new Promise<void>((resolve) => {
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      received += chunk
      if (received.includes('\r\n\r\n')) resolve()
    })
    socket.once('close', () => resolve())
  })
  socket.write(text)
  await within('it is answered or closed', arrived)
  return received
}
