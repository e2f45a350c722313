// A connection that sends requests one after another and never reads what comes back.

import { connect, type Socket } from 'node:net'

/** Resolves once everything was handed to the kernel, or the other side ended it. */
export async function pipeline(options: {
  readonly url: string
  readonly from: string
  readonly path: string
  readonly count: number
}): Promise<Socket> {
  const { hostname, port } = new URL(options.url)
  const socket = connect({ host: hostname, port: Number(port), localAddress: options.from })
  // Whatever ends the connection ends the attack; that is a result and no failure.
  socket.on('error', () => undefined)
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve).once('close', () => resolve())
  })
  socket.pause()
  const text = `GET ${options.path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(options.count)
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve())
    socket.write(text, () => resolve())
    setTimeout(resolve, 2_000).unref()
  })
  return socket
}
