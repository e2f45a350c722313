// Tests mail for operators: doctor, `vidimus mail test`, and the form of every mail.

import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { LANGUAGES } from '../../../labels/catalogue.ts'
import { isMailable, type Mail, plainLine } from '../../src/features/mail/domain/mail.ts'
import { writeLetter } from '../../src/features/mail/domain/write-letter.ts'
import { instantOf } from '../../src/platform/world.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { headerOf, smtpServer } from '../harness/servers/smtp.ts'
import { testService } from '../harness/service.ts'

const server = await smtpServer({ after })
const from = { VIDIMUS_MAIL_FROM: 'no-reply@example.com' }
const on = commandLine(await testService({}, { VIDIMUS_SMTP_URL: `smtp://127.0.0.1:${server.port}`, ...from }))

it('mail test sends a mail at once, or says why it could not', async () => {
  assert.equal((await on.run('mail', 'test', 'ops@example.org')).code, 0)
  const [mail] = server.accepted
  assert.deepEqual(mail?.to, ['ops@example.org'])
  assert.equal(headerOf(mail?.raw ?? '', 'Subject'), 'Test e-mail from Vidimus')
  server.answerTo = () => 550
  const refused = await on.run('mail', 'test', 'ops@example.org')
  server.answerTo = () => null
  assert.equal(refused.code, 1)
  assert.match(refused.err, /refused \(550\) → .*VIDIMUS_MAIL_FROM/)
  const twice = await on.run('mail', 'test', 'a@example.org,b@example.org')
  assert.deepEqual([twice.code, server.accepted.length], [1, 1])
})

it('doctor says that mail is off, that the server answers, or what to correct', async () => {
  /** Returns the finding, and the line with its remedy. */
  const finding = async (cli: ReturnType<typeof commandLine>) =>
    /^.* mail: .*\n.*/m.exec((await cli.run('doctor')).out)?.[0].replace(/\s+/g, ' ') ?? ''
  assert.match(await finding(on), /ok .*mail: 127\.0\.0\.1:\d+ answers without encryption/)
  const off = commandLine(await testService())
  assert.match(await finding(off), /WARN .*mail: off: .*VIDIMUS_SMTP_URL/)
  assert.match((await off.run('mail', 'test', 'ops@example.org')).err, /mail is off: set VIDIMUS_SMTP_URL/)
  const wrong = { VIDIMUS_SMTP_URL: `smtp://user:wrong@127.0.0.1:${server.port}`, ...from }
  assert.match(
    await finding(commandLine(await testService({}, wrong))),
    /mail: .*login failed .*check user and password/,
  )
})

const AT = instantOf(Date.UTC(2027, 5, 15, 12))
const url = 'https://verify.example.com/dashboard/link#token'
const values: { [M in Mail as M['kind']]: M['values'] } = {
  invitation: { tenantName: 'Demo', role: 'admin', url, until: AT },
  verification_link: {
    merchant: 'Demo',
    tenantName: 'Demo Ltd',
    purpose: 'To sell you wine',
    isTest: true,
    url,
    until: AT,
  },
  alert: {
    tenantName: 'Demo',
    facts: { topic: 'quota', percent: 80, used: 8_000, quota: 10_000 },
    url,
    unsubscribe: url,
  },
  new_sign_in: { method: 'passkey', at: AT, url },
  lost_access: {
    links: [
      { tenantNames: ['Demo'], url },
      { tenantNames: ['A', 'B'], url },
    ],
    until: AT,
  },
}

it('every mail is complete in every language, and its links lead only to the service', () => {
  for (const language of LANGUAGES) {
    for (const kind of Object.keys(values)) {
      const mail = { kind, to: 'a@example.org', language, values: values[kind as Mail['kind']] } as Mail
      const { subject, text, html } = writeLetter(mail, 'https://verify.example.com', null)
      assert.doesNotMatch(subject + text + html, /undefined|\[object|NaN/, `${kind} ${language}`)
      assert.doesNotMatch(subject, /\n/)
      for (const [link] of (text + html).matchAll(/https?:\/\/[^\s"<]+/g))
        assert.ok(link.startsWith('https://verify.example.com/'), link)
      assert.ok(html.includes('color-scheme') && html.includes(`lang="${language}"`))
    }
  }
})

it('a mail names its sender above the card, and the legal name below it; English has days first and no space before %', () => {
  const written = (kind: Mail['kind']) =>
    writeLetter(
      { kind, to: 'a@example.org', language: 'en', values: values[kind] } as Mail,
      'https://verify.example.com',
      null,
    )
  for (const kind of ['alert', 'new_sign_in', 'lost_access'] as const)
    assert.match(written(kind).html, /<p class="sender"><span aria-hidden="true"[^>]*>V<\/span>Vidimus<\/p>/)
  const link = written('verification_link')
  assert.match(link.html, /<p class="sender">Demo<\/p>/)
  assert.match(link.html, /<p class="foot">Demo Ltd<br>Sent by Vidimus/)
  assert.match(link.text, /-- \nDemo Ltd\nSent by Vidimus/)
  assert.match(link.text, /until 15 June 2027 at 12:00 UTC/)
  assert.equal(written('alert').subject, 'Demo: 80% of the daily quota used')
  assert.match(written('alert').text, /View usage:\nhttps/)
})

it('a company name is one short line without links and controls', () => {
  assert.equal(plainLine('A\r\nBcc: x@y.z\u202e\u0000'), 'A Bcc x y. z')
  assert.equal(plainLine('https://evil.example/a'), 'https evil. example a')
  assert.equal(plainLine('evil．example evil。example evil․example／a'), 'evil. example evil. example evil. example a')
  assert.equal([...plainLine('x'.repeat(500))].length, 60)
})

it('an address is one mailbox', () => {
  for (const good of ['a@example.org', 'a.b+c@bücher.example', "o'neil@x.example", 'jörg@example.org'])
    assert.ok(isMailable(good), good)
  for (const bad of [
    'a,b@c.d',
    'a@b.c,d@e.f',
    'a@b\r\nRCPT TO:<c@d>',
    'a b@c.d',
    '<a@b.c>',
    '"a"@b.c',
    'a(b)@c.d',
    'a:b@c.d',
    'a@[1.2.3.4]',
    'a@b.c\u202e',
    'a@b.c.',
    'a@b..c',
    'a@127.0.0.1',
    'a@0x7f.1',
    'a\u0000@b.c',
    'a',
  ])
    assert.ok(!isMailable(bad), bad)
})
