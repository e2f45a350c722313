// Tests mails over SMTP to a real server: TLS, logins, refusals, greylisting, servers that hang, and hostile text.

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createSecureContext } from 'node:tls'
import { createMailer, type Mailer } from '../../src/features/mail/outbound/smtp.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { NEVER_STOPPED } from '../../src/platform/world.ts'
import { headerOf, rawServer, smtpServer } from '../harness/servers/smtp.ts'
import { makeAuthority } from '../outbound/certificates.ts'

const authority = await makeAuthority()
const ends = { after }
const certificate = await authority.issue({ ip: '127.0.0.1' })

const realAfter = (milliseconds: number, expire: () => void) => {
  const timer = setTimeout(expire, milliseconds)
  return () => clearTimeout(timer)
}

type Limits = NonNullable<Parameters<typeof createMailer>[1]['limits']>

function mailer(url: string, { tls, limits = {} }: { tls?: 'required' | 'off'; limits?: Limits } = {}): Mailer {
  const env = { VIDIMUS_SMTP_URL: url, VIDIMUS_MAIL_FROM: 'Vidimus <no-reply@example.com>' }
  const { mail } = readConfig({ ...env, ...(tls === undefined ? {} : { VIDIMUS_SMTP_TLS: tls }) })
  assert.ok(mail !== null)
  const context = createSecureContext({ ca: authority.pem })
  return createMailer(mail, { tls: context, after: realAfter, baseUrl: 'https://verify.example.com', limits })
}

const MAIL = {
  id: 'mai_1',
  to: 'erika@example.org',
  subject: 'Hello',
  text: 'Hello',
  html: '<p>Hello</p>',
  images: [],
  sentAtMs: 0,
}
const send = (to: Mailer, change: Partial<typeof MAIL> = {}) => to.send({ ...MAIL, ...change }, NEVER_STOPPED)

describe('TLS', () => {
  it('sends over TLS from the first byte, with a login', async () => {
    const server = await smtpServer(ends, { secure: true, ...certificate })
    assert.deepEqual(await send(mailer(`smtps://user:pass@127.0.0.1:${server.port}`)), { outcome: 'sent', code: null })
    const [mail] = server.accepted
    assert.deepEqual([mail?.isSecure, mail?.user, mail?.to], [true, 'user', ['erika@example.org']])
    assert.equal(mail?.from, 'no-reply@example.com')
    assert.equal(headerOf(mail?.raw ?? '', 'Auto-Submitted'), 'auto-generated')
    assert.equal(headerOf(mail?.raw ?? '', 'Message-ID'), '<mai_1@verify.example.com>')
  })

  it('upgrades with STARTTLS', async () => {
    const server = await smtpServer(ends, certificate)
    const result = await send(mailer(`smtp://user:pass@127.0.0.1:${server.port}`, { tls: 'required' }))
    assert.deepEqual([result.outcome, server.accepted[0]?.isSecure], ['sent', true])
  })

  it('sends nothing, and no password, to a server without STARTTLS', async () => {
    let logins = 0
    const server = await smtpServer(ends, {
      disabledCommands: ['STARTTLS'],
      onAuth: (_auth, _session, done) => {
        logins += 1
        done(null, { user: 'user' })
      },
    })
    const result = await send(mailer(`smtp://user:pass@127.0.0.1:${server.port}`, { tls: 'required' }))
    assert.deepEqual([result.outcome, server.accepted.length, logins], ['tls_failed', 0, 0])
  })

  it('refuses a certificate of an unknown authority, or for another name', async () => {
    const own = await authority.selfSigned('127.0.0.1')
    const other = await authority.issue({ names: ['mail.example.com'] })
    for (const wrong of [own, other]) {
      for (const secure of [true, false]) {
        const server = await smtpServer(ends, { secure, ...wrong })
        const url = `${secure ? 'smtps' : 'smtp'}://127.0.0.1:${server.port}`
        const result = await send(mailer(url, { tls: 'required' }))
        assert.deepEqual([result.outcome, server.accepted.length], ['tls_failed', 0], url)
      }
    }
  })

  it('sends without encryption only to loopback or by setting', () => {
    const tlsOf = (url: string, tls?: string) =>
      readConfig({ VIDIMUS_SMTP_URL: url, VIDIMUS_MAIL_FROM: 'a@example.com', VIDIMUS_SMTP_TLS: tls }).mail?.tls
    assert.deepEqual(
      ['localhost', '127.0.0.1', '[::1]'].map((host) => tlsOf(`smtp://${host}:25`)),
      [false, false, false],
    )
    assert.deepEqual(
      ['mail.example.com', '10.0.0.1', '127.0.0.1.example.com'].map((host) => tlsOf(`smtp://${host}`)),
      [true, true, true],
    )
    assert.deepEqual([tlsOf('smtp://mail.example.com', 'off'), tlsOf('smtps://mail.example.com', 'off')], [false, true])
  })
})

describe("the server's replies", () => {
  it('a 5xx reply about the mail is final, a 4xx reply is not', async () => {
    const server = await smtpServer(ends)
    const to = mailer(`smtp://127.0.0.1:${server.port}`)
    server.answerTo = () => 550
    assert.deepEqual(await send(to), { outcome: 'refused', code: 550 })
    server.answerTo = () => 451
    assert.deepEqual(await send(to), { outcome: 'deferred', code: 451 })
    server.answerTo = () => null
    assert.equal((await send(to)).outcome, 'sent')
    assert.equal(server.accepted.length, 1)
  })

  it('a wrong password does not end a mail', async () => {
    const server = await smtpServer(ends)
    const to = mailer(`smtp://user:wrong@127.0.0.1:${server.port}`)
    assert.equal((await send(to)).outcome, 'login_failed')
    assert.equal((await to.tryLogin()).outcome, 'login_failed')
    assert.equal(server.accepted.length, 0)
  })

  it('a server that closes every connection does not end a mail', async () => {
    const port = await rawServer(ends, (socket) => void socket.end('554 go away\r\n'))
    assert.equal((await send(mailer(`smtp://127.0.0.1:${port}`))).outcome, 'protocol_error')
  })

  it('a missing server and a server that hangs up are failed connections', async () => {
    const gone = await rawServer(ends, (socket) => void socket.destroy())
    assert.equal((await send(mailer(`smtp://127.0.0.1:${gone}`))).outcome, 'connect_failed')
    assert.equal((await send(mailer('smtp://127.0.0.1:1'))).outcome, 'connect_failed')
  })

  it('a server that says nothing, stops answering, or answers byte by byte, ends by a deadline', async () => {
    const silent = await rawServer(ends, () => undefined)
    const limits = { connectMs: 300, greetingMs: 300, commandMs: 300, totalMs: 30_000 }
    assert.equal((await send(mailer(`smtp://127.0.0.1:${silent}`, { limits }))).outcome, 'timeout')
    const stalled = await rawServer(ends, (socket) => void socket.write('220 hello\r\n'))
    assert.equal((await send(mailer(`smtp://127.0.0.1:${stalled}`, { limits }))).outcome, 'timeout')
    const dripping = await rawServer(ends, (socket) => {
      const timer = setInterval(() => socket.write('2'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    const wall = { connectMs: 30_000, greetingMs: 30_000, commandMs: 30_000, totalMs: 300 }
    assert.equal((await send(mailer(`smtp://127.0.0.1:${dripping}`, { limits: wall }))).outcome, 'timeout')
  })

  it('a stopped worker ends the conversation with the reason of the stop', async () => {
    const silent = await rawServer(ends, () => undefined)
    const stop = new AbortController()
    const sending = mailer(`smtp://127.0.0.1:${silent}`).send(MAIL, stop.signal)
    stop.abort(new Error('stopping'))
    await assert.rejects(sending, /stopping/)
  })
})

describe('hostile text', () => {
  it('no text becomes a header, a command or a second recipient', async () => {
    const server = await smtpServer(ends)
    const to = mailer(`smtp://127.0.0.1:${server.port}`)
    const subject = 'Hi\r\nBcc: victim@example.org\r\n\r\nbody'
    assert.equal((await send(to, { subject, text: 'a\r\n.\r\nRCPT TO:<victim@example.org>\r\n' })).outcome, 'sent')
    const [mail] = server.accepted
    assert.deepEqual(mail?.to, ['erika@example.org'])
    assert.equal(headerOf(mail?.raw ?? '', 'Bcc'), null)
    const second = await send(to, { to: 'erika@example.org>\r\nRCPT TO:<victim@example.org' })
    assert.deepEqual([second.outcome, server.accepted.length], ['refused', 1])
  })

  it('an international domain goes out in ASCII', async () => {
    const server = await smtpServer(ends)
    await send(mailer(`smtp://127.0.0.1:${server.port}`), { to: 'erika@bücher.example' })
    assert.equal(headerOf(server.accepted[0]?.raw ?? '', 'To'), 'erika@xn--bcher-kva.example')
  })
})

it('the configuration is complete or absent, and quotes no password', () => {
  const problems = (env: Record<string, string>) => {
    try {
      readConfig(env)
      return ''
    } catch (error) {
      return String(error)
    }
  }
  assert.equal(readConfig({}).mail, null)
  assert.match(problems({ VIDIMUS_SMTP_URL: 'smtps://mail.example.com' }), /VIDIMUS_MAIL_FROM: required/)
  assert.match(problems({ VIDIMUS_MAIL_FROM: 'a@example.com' }), /VIDIMUS_SMTP_URL: required/)
  for (const url of [
    'http://mail.example.com',
    'smtp://u:s3cret@',
    'smtp://u:s3cret@h@x',
    'smtp://u:s3cret%@h',
    'smtp://h:70000',
    'smtp://h/path',
  ]) {
    const found = problems({ VIDIMUS_SMTP_URL: url, VIDIMUS_MAIL_FROM: 'a@example.com' })
    assert.match(found, /VIDIMUS_SMTP_URL: 'smtps:/, url)
    assert.doesNotMatch(found, /s3cret/)
  }
  for (const from of ['nobody', 'a@b\r\nBcc: c@d', 'A <a@example.com', 'a@example.com, b@example.com'])
    assert.match(
      problems({ VIDIMUS_SMTP_URL: 'smtps://h', VIDIMUS_MAIL_FROM: from }),
      /VIDIMUS_MAIL_FROM: an address/,
      from,
    )
  const { mail } = readConfig({ VIDIMUS_SMTP_URL: 'smtps://u%40x:p%3Aw@h', VIDIMUS_MAIL_FROM: 'A B <a@example.com>' })
  assert.deepEqual(mail?.server, { host: 'h', port: 465, implicitTls: true, login: { user: 'u@x', password: 'p:w' } })
  assert.deepEqual(mail?.from, { name: 'A B', address: 'a@example.com' })
})
