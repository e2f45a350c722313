// A real SMTP server on loopback: the mails it accepted, and its configurable answers.

import { type AddressInfo, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

interface AcceptedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly isSecure: boolean
  readonly user: string | undefined
  readonly raw: string
}

export interface TestSmtpServer {
  readonly port: number
  readonly accepted: AcceptedMail[]
  /** The reply code for a recipient; null accepts it. */
  answerTo: (address: string) => number | null
  /** Called with each message before it is acknowledged. */
  onMessage: () => Promise<void>
}

interface Ends {
  after(work: () => Promise<void>): void
}

/** Accepts `user` with `pass`, and anyone without a login. */
export async function smtpServer(ends: Ends, options: SMTPServerOptions = {}): Promise<TestSmtpServer> {
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      username === 'user' && password === 'pass' ? done(null, { user: username }) : done(new Error('wrong password')),
    onRcptTo: ({ address }, _session, done) => {
      const code = test.answerTo(address)
      done(code === null ? null : Object.assign(new Error('no'), { responseCode: code }))
    },
    onData: (stream, session, done) => {
      const take = async () => {
        const raw = await text(stream)
        const { mailFrom, rcptTo } = session.envelope
        const to = rcptTo.map(({ address }) => address)
        const from = mailFrom === false ? '' : mailFrom.address
        test.accepted.push({ from, to, isSecure: session.secure, user: session.user, raw })
        await test.onMessage()
      }
      take().then(() => done(), done)
    },
    ...options,
  })
  // A client that hangs up, or refuses our certificate, is part of these tests.
  server.on('error', () => undefined)
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', () => resolve())
  await listening
  ends.after(() => new Promise((closed) => server.close(() => closed())))
  const port = (server.server.address() as AddressInfo).port
  const test: TestSmtpServer = { port, accepted: [], answerTo: () => null, onMessage: async () => undefined }
  return test
}

/** Accepts connections and handles them as the test says. */
export async function rawServer(ends: Ends, talk: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    talk(socket)
  })
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', () => resolve())
  await listening
  ends.after(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((closed) => server.close(closed))
  })
  return (server.address() as AddressInfo).port
}

/** A header's value as it was sent, unfolded; null if there is none. */
export function headerOf(raw: string, name: string): string | null {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ')
  const line = head.split('\r\n').find((one) => one.toLowerCase().startsWith(`${name.toLowerCase()}: `))
  return line === undefined ? null : line.slice(name.length + 2)
}

/** Returns the decoded part of this type, also one within another. */
export const partOf = (raw: string, type: 'text/plain' | 'text/html'): string => bytesOf(raw, type).toString('utf8')

/** Returns the first part of this type whose headers include all of `named`. */
export function bytesOf(raw: string, type: string, named = ''): Buffer {
  const boundaries = [...raw.matchAll(/boundary="([^"]+)"/g)].map(([, boundary = '']) => boundary)
  const parts = boundaries.reduce((all, boundary) => all.flatMap((one) => one.split(`--${boundary}`)), [raw])
  const found = parts.find((one) => {
    const head = one.slice(0, one.indexOf('\r\n\r\n'))
    return head.includes(`Content-Type: ${type}`) && head.includes(named)
  })
  const part = found ?? ''
  const body = part.slice(part.indexOf('\r\n\r\n') + 4)
  if (/Content-Transfer-Encoding: base64/i.test(part)) return Buffer.from(body, 'base64')
  const decoded = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return /quoted-printable/i.test(part) ? Buffer.from(decoded, 'latin1') : Buffer.from(body, 'utf8')
}
