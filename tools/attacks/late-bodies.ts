// Sends GET requests whose bodies follow only after the service has answered.

import { connect } from 'node:net'
import type { AttackOptions, AttackReport } from '../attack-stage/attack.ts'
import { quietRow, watchBystander } from '../attack-stage/bystander.ts'
import { callFrom } from '../attack-stage/call.ts'
import { memoryRows } from '../attack-stage/unread.ts'

export const about = '1,600 chunked GETs from eight addresses whose bodies come after the answer'

const ADDRESSES = 8
const REQUESTS_EACH = 200
const AT_ONCE = 10
const BODY = 128 * 1024
const GIVE_UP_MS = 5_000

export async function run(options: AttackOptions): Promise<AttackReport> {
  const { url, bystanderKey: key, seconds, memory } = options
  const quiet = await watchBystander({ url, key, seconds: seconds / 2 })
  const before = memory()
  let sent = 0
  for (let round = 0; round < REQUESTS_EACH / AT_ONCE; round += 1) {
    const senders = Array.from({ length: ADDRESSES * AT_ONCE }, (_, at) =>
      sendLate(url, `127.0.4.${(at % ADDRESSES) + 1}`),
    )
    sent += (await Promise.all(senders)).filter(Boolean).length
  }
  const noticed = await watchBystander({ url, key, seconds })
  const after = await callFrom({ url, path: '/v1/usage', key, from: '127.0.0.9' })
  return {
    ...quietRow(quiet),
    ...noticed,
    'late bodies sent': sent,
    'then a request is answered': after.status,
    ...memoryRows(before, memory()),
  }
}

/** True if the answer came and the body was sent after it. */
function sendLate(url: string, from: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), localAddress: from })
  let isSent = false
  return new Promise((resolve) => {
    const finish = () => {
      socket.destroy()
      resolve(isSent)
    }
    socket.setTimeout(GIVE_UP_MS, finish)
    // If the connection closes, its part of the attack ends. That is a result, not a failure.
    socket.on('error', () => undefined).once('close', finish)
    socket.once('data', () => {
      socket.resume()
      socket.write(`${BODY.toString(16)}\r\n`)
      socket.write(Buffer.alloc(BODY, 0x41))
      socket.write('\r\n', () => {
        isSent = true
        finish()
      })
    })
    socket.write('GET /nope HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n')
  })
}
