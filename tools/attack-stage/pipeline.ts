// Opens connections that send requests one after another and never read the answers.

import { connect, type Socket } from 'node:net'

export const pipelined = (paths: readonly string[]) =>
  Buffer.from(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''))

/** Resolves when the kernel has taken all bytes, when the other side has closed the connection, or after two seconds. */
export async function sendUnread(options: {
  readonly url: string
  readonly from: string
  readonly bytes: Buffer
}): Promise<Socket> {
  const { hostname, port } = new URL(options.url)
  const socket = connect({ host: hostname, port: Number(port), localAddress: options.from })
  // If the connection closes, the attack ends. That is a result, not a failure.
  socket.on('error', () => undefined)
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve).once('close', () => resolve())
  })
  socket.pause()
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve())
    socket.write(options.bytes, () => resolve())
    setTimeout(resolve, 2_000).unref()
  })
  return socket
}
