// Serves bytes that are expensive to parse from its own thread. Posts its port.

import { createServer } from 'node:net'
import { parentPort } from 'node:worker_threads'
import { OUTSIDE } from './world.ts'

/** As many chunks of the shortest form as one read of a socket returns. */
const CHUNKS = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(10_900)}`

const server = createServer((socket) => {
  socket.on('error', () => socket.destroy())
  socket.once('data', () => socket.end(CHUNKS))
})
server.listen(0, OUTSIDE, () => {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  parentPort?.postMessage(address.port)
})
