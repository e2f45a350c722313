// Sends mails to the operator's server over verified TLS, with deadlines. Outcomes contain no address.

import type { SecureContext } from 'node:tls'
import { domainToASCII } from 'node:url'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { MailSettings } from '../../../platform/config/mail-settings.ts'
import type { After } from '../../../platform/egress/resolve.ts'
import type { RenderedLetter } from '../domain/letter.ts'

export interface OutgoingMail extends RenderedLetter {
  readonly id: string
  readonly to: string
  readonly sentAtMs: number
}

/** `refused`: the server will never accept the mail. All other failures may be temporary. */
export type SmtpOutcome =
  | 'sent'
  | 'refused'
  | 'deferred'
  | 'login_failed'
  | 'tls_failed'
  | 'connect_failed'
  | 'timeout'
  | 'protocol_error'

export interface SmtpResult {
  readonly outcome: SmtpOutcome
  /** The server's reply code (RFC 5321 §4.2). Its text is dropped, because it may quote an address. */
  readonly code: number | null
}

export interface Mailer {
  /** Host and port, for the operator. */
  readonly server: string
  readonly tls: boolean
  /** Rejects with the reason of `stopped`. */
  send(mail: OutgoingMail, stopped: AbortSignal): Promise<SmtpResult>
  /** Connects and logs in without sending anything. */
  tryLogin(): Promise<SmtpResult>
}

interface MailerWorld {
  readonly tls: SecureContext
  readonly after: After
  /** The public address of the service. Its host is our name for the server and part of message ids. */
  readonly baseUrl: string
  readonly limits?: Partial<Limits>
}

interface Limits {
  readonly connectMs: number
  readonly greetingMs: number
  /** How long the server may be silent after a command. */
  readonly commandMs: number
  /** The limit for the whole exchange, against servers that answer slowly on purpose. */
  readonly totalMs: number
}

const LIMITS: Limits = { connectMs: 10_000, greetingMs: 10_000, commandMs: 20_000, totalMs: 60_000 }
const REPLY_BYTES_MAX = 16_384

export function createMailer({ server, tls, from }: MailSettings, world: MailerWorld): Mailer {
  const limits = { ...LIMITS, ...world.limits }
  const name = new URL(world.baseUrl).hostname
  const open = () =>
    new SMTPConnection({
      host: server.host,
      port: server.port,
      name,
      secure: server.implicitTls,
      requireTLS: tls && !server.implicitTls,
      ignoreTLS: !tls,
      // `rejectUnauthorized` is explicit, because the default depends on NODE_TLS_REJECT_UNAUTHORIZED.
      tls: { secureContext: world.tls, rejectUnauthorized: true },
      connectionTimeout: limits.connectMs,
      greetingTimeout: limits.greetingMs,
      dnsTimeout: limits.connectMs,
      socketTimeout: limits.commandMs,
      maxResponseSize: REPLY_BYTES_MAX,
    })
  const converse = (work: (connection: SMTPConnection) => Promise<void>, stopped?: AbortSignal) =>
    withDeadline(open(), { world, totalMs: limits.totalMs, stopped }, async (connection) => {
      await step((done) => connection.connect(done))
      const { login } = server
      if (login !== null) await step((done) => connection.login({ user: login.user, pass: login.password }, done))
      await work(connection)
    })
  return {
    server: `${server.host}:${server.port}`,
    tls,
    tryLogin: () => converse(async () => undefined),
    async send(mail, stopped) {
      const to = asciiDomain(mail.to)
      const message = await new MailComposer({
        from: { name: from.name, address: from.address },
        to: { name: '', address: to },
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        attachments: mail.images.map(({ cid, bytes }) => ({
          cid,
          content: bytes,
          contentType: 'image/png',
          contentDisposition: 'inline' as const,
          filename: `${cid.split('@')[0]}.png`,
        })),
        // The same for every attempt, so that a receiver can recognize a mail that was sent twice.
        messageId: `<${mail.id}@${name}>`,
        date: new Date(mail.sentAtMs),
        // RFC 3834 §5: no automatic replies.
        headers: { 'Auto-Submitted': 'auto-generated', ...unsubscribeHeaders(mail.unsubscribeUrl) },
        disableFileAccess: true,
        disableUrlAccess: true,
      })
        .compile()
        .build()
      const envelope = { from: from.address, to: [to] }
      return converse((connection) => step((done) => connection.send(envelope, message, done)), stopped)
    },
  }
}

/** RFC 8058 §3.1. */
const unsubscribeHeaders = (url: string | undefined) =>
  url === undefined ? {} : { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }

interface Deadline {
  readonly world: Pick<MailerWorld, 'after'>
  readonly totalMs: number
  readonly stopped: AbortSignal | undefined
}

async function withDeadline(
  connection: SMTPConnection,
  { world, totalMs, stopped }: Deadline,
  work: (connection: SMTPConnection) => Promise<void>,
): Promise<SmtpResult> {
  const ended = Promise.withResolvers<SmtpResult>()
  const cancelTimeout = world.after(totalMs, () => ended.resolve({ outcome: 'timeout', code: null }))
  const stop = () => ended.reject(stopped?.reason)
  stopped?.addEventListener('abort', stop, { once: true })
  // The connection emits this for its socket, also between two commands.
  connection.on('error', (error) => ended.resolve(resultOf(error)))
  connection.once('end', () => ended.resolve({ outcome: 'connect_failed', code: null }))
  try {
    stopped?.throwIfAborted()
    const sent = work(connection).then((): SmtpResult => ({ outcome: 'sent', code: null }), resultOf)
    const result = await Promise.race([sent, ended.promise])
    if (result.outcome === 'sent') connection.quit()
    return result
  } finally {
    cancelTimeout()
    stopped?.removeEventListener('abort', stop)
    connection.close()
  }
}

const step = (call: (done: (error?: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => call((error) => (error ? reject(error) : resolve())))

interface SmtpError {
  readonly code?: unknown
  readonly originalCode?: unknown
  readonly responseCode?: unknown
}

const OUTCOMES: Readonly<Record<string, SmtpOutcome>> = {
  EAUTH: 'login_failed',
  ETLS: 'tls_failed',
  ETIMEDOUT: 'timeout',
  ECONNECTION: 'connect_failed',
  ESOCKET: 'connect_failed',
  EDNS: 'connect_failed',
}

function resultOf(error: unknown): SmtpResult {
  const { code, originalCode, responseCode } = error as SmtpError
  const reply = typeof responseCode === 'number' ? responseCode : null
  return { outcome: outcomeOf(String(code), String(originalCode ?? ''), reply), code: reply }
}

function outcomeOf(code: string, originalCode: string, reply: number | null): SmtpOutcome {
  // The mail stays queued until the operator corrects the password.
  if (code === 'EAUTH') return 'login_failed'
  if (/CERT|TLS|SSL|SIGNATURE/.test(originalCode)) return 'tls_failed'
  // Only a reply about this mail is final, because a server that refuses every connection may recover.
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE'
  if (isAboutMail && reply === null) return 'refused'
  if (isAboutMail && reply !== null) return reply >= 500 ? 'refused' : 'deferred'
  if (reply !== null && reply >= 400 && reply < 500) return 'deferred'
  return OUTCOMES[code] ?? 'protocol_error'
}

/** RFC 5891: the domain in ASCII, which every server understands. */
function asciiDomain(address: string): string {
  const at = address.lastIndexOf('@')
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1)) || address.slice(at + 1)}`
}
