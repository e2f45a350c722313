// Reads the settings of the operator's mail server, and the sender of mails.

import { Misread, type Read } from './variable-readers.ts'

export interface MailSettings {
  readonly server: MailServer
  /** Whether the message and the password go through TLS with a checked certificate. */
  readonly tls: boolean
  readonly from: Sender
}

export interface MailServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte (`smtps:`); otherwise STARTTLS. */
  readonly implicitTls: boolean
  readonly login: { readonly user: string; readonly password: string } | null
}

interface Sender {
  readonly name: string
  readonly address: string
}

/** The value may contain a password, so it is not repeated. */
export const mailServer: Read<MailServer> = (text) => {
  const [, scheme, login, host = '', port] =
    /^(smtps?):\/\/(?:([^@/\s]+)@)?(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::([1-9]\d{0,4}))?\/?$/.exec(text) ?? []
  const implicitTls = scheme === 'smtps'
  const chosen = port === undefined ? (implicitTls ? 465 : 587) : Number(port)
  const parsed = login === undefined ? null : readLogin(login)
  if (scheme === undefined || chosen > 65_535 || parsed === 'unreadable')
    throw new Misread(
      "'smtps://user:password@mail.example.com' (TLS, port 465) or 'smtp://…' (STARTTLS, port 587); percent-encode `@`, `:` and `/` in user and password",
    )
  return { host: host.replace(/^\[|\]$/g, ''), port: chosen, implicitTls, login: parsed }
}

function readLogin(text: string): MailServer['login'] | 'unreadable' {
  const [user = '', password, ...more] = text.split(':')
  if (user === '' || password === undefined || more.length > 0) return 'unreadable'
  try {
    return { user: decodeURIComponent(user), password: decodeURIComponent(password) }
  } catch {
    return 'unreadable'
  }
}

/** `Name <address>`, or only the address. */
export const mailSender: Read<Sender> = (text) => {
  const [, name = '', bracketed, bare] = /^(?:([^<>"\p{Cc}]{0,100})<([^<>]+)>|([^<>]+))$/u.exec(text.trim()) ?? []
  const address = bracketed ?? bare ?? ''
  if (!/^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,189}$/.test(address))
    throw new Misread("an address like 'no-reply@example.com', or 'Name <no-reply@example.com>'")
  return { name: name.trim(), address }
}

/** Loopback traffic does not leave the machine, so it needs no TLS. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
