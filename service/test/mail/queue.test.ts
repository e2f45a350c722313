// Tests mails from the queue in the store to a real SMTP server: invitations, retries, limits, erasure.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { insertMail, leaseDueMailsOfAllTenants } from '../../src/features/mail/store/mails.ts'
import { sendMails } from '../../src/features/mail/usecases/send-mails.ts'
import { createSealer } from '../../src/platform/seal/seal.ts'
import { instantOf } from '../../src/platform/world.ts'
import { runJob } from '../harness/jobs.ts'
import { TEST_MASTER_KEY } from '../harness/servers/master-key.ts'
import { headerOf, partOf, smtpServer } from '../harness/servers/smtp.ts'
import { testService } from '../harness/service.ts'
import { PASSWORD, person, post, tokenOf } from '../harness/staff.ts'

const HOUR = 3_600_000
const server = await smtpServer({ after })
const MAIL = {
  VIDIMUS_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
  VIDIMUS_MAIL_FROM: 'Vidimus <no-reply@example.com>',
}
const service = await testService({}, MAIL)
const { deps, clock } = service

const rows = () =>
  deps.db.query<{ outcome: string | null; attempts: number; sealed: Buffer | null; waits: boolean }>(
    {
      name: 'test_mails',
      text: 'select outcome, attempts, sealed, next_at is not null as waits from mails order by created_at, id',
    },
    [],
  )
const newest = async () => (await rows()).at(-1)
const send = () => runJob(deps, 'send-mails')

async function owner(name = 'Demo') {
  const tenant = await service.tenant({ name })
  return person(service, tenant, 'owner')
}

function invite(who: Awaited<ReturnType<typeof owner>>, email: string, headers: Record<string, string> = {}) {
  // Advances the clock, so that the newest mail is the one that was just queued.
  clock.advance(1)
  return who.call('POST', '@/team/invite', { body: { email, role: 'admin' }, headers })
}

describe('an invitation', () => {
  it('is sent in the language of the page, as text and HTML, with a link that works', async () => {
    const erika = await owner('Demo <b>& Söhne</b> evil.example/x')
    const answer = await invite(erika, 'new@example.org', { 'accept-language': 'de' })
    assert.deepEqual([answer.status, answer.json.mail], [201, 'queued'])
    await send()
    const mail = server.accepted.at(-1)
    assert.deepEqual(mail?.to, ['new@example.org'])
    const raw = mail?.raw ?? ''
    const [text, html] = [partOf(raw, 'text/plain'), partOf(raw, 'text/html')]
    assert.ok(text.includes(answer.json.url) && html.includes(`href="${answer.json.url}"`), raw)
    assert.ok(html.includes(`>${answer.json.url}<`), 'the address is readable below the button')
    assert.match(text, /hat Sie in sein Team bei Vidimus eingeladen\. Ihre Rolle: Admin\./)
    assert.match(html, /<html lang="de">[\s\S]*prefers-color-scheme: dark/)
    // The tenant's own text: no markup, and nothing that a mail program turns into a link.
    assert.doesNotMatch(html, /<b>/)
    assert.doesNotMatch(text + html, /evil\.example/)
    const look = await post(service, '/links/look', { token: tokenOf(answer.json.url) })
    assert.equal(look.json.email, 'new@example.org')
  })

  it('is erased from the queue once it is sent, and its row is deleted a day later', async () => {
    await invite(await owner(), 'gone@example.org')
    const before = await newest()
    assert.ok(before?.sealed !== null && before?.waits)
    await send()
    assert.deepEqual(await newest(), { outcome: 'sent', attempts: 1, sealed: null, waits: false })
    clock.advance(25 * HOUR + 1)
    await send()
    assert.deepEqual(await rows(), [])
  })

  it('is not sent once it is withdrawn or replaced', async () => {
    const erika = await owner()
    await invite(erika, 'twice@example.org')
    const again = await erika.call('POST', '@/team/invitations/again', { body: { email: 'twice@example.org' } })
    assert.equal(again.json.mail, 'queued')
    await invite(erika, 'undone@example.org')
    await erika.call('POST', '@/team/invitations/withdraw', { body: { email: 'undone@example.org' } })
    const before = server.accepted.length
    await send()
    const sent = server.accepted.slice(before)
    assert.deepEqual(
      sent.map(({ to }) => to),
      [['twice@example.org']],
    )
    assert.ok(partOf(sent[0]?.raw ?? '', 'text/plain').includes(again.json.url))
  })

  it('is not sent once it is accepted, or ended with the person or the role that created it', async () => {
    const erika = await owner()
    const tenantId = (await erika.call('GET', '/me')).json.tenants[0].id
    const second = await person(service, tenantId, 'owner')
    const third = await person(service, tenantId, 'owner')
    await invite(second, 'by-second@example.org')
    await invite(third, 'by-third@example.org')
    const accepted = await invite(erika, 'accepted@example.org')
    const used = await post(service, '/links/use', { token: tokenOf(accepted.json.url), password: PASSWORD })
    assert.equal(used.status, 200, used.text)
    assert.equal((await erika.call('POST', `@/team/${second.id}/remove`)).status, 200)
    assert.equal((await erika.call('POST', `@/team/${third.id}/role`, { body: { role: 'viewer' } })).status, 200)
    const before = server.accepted.length
    await send()
    assert.deepEqual(server.accepted.slice(before), [])
    assert.ok((await rows()).every(({ sealed }) => sealed === null))
  })

  it('is a link to copy if mail is off, if the address is unsuitable, and beyond the limits', async () => {
    const off = await testService()
    const tenant = await off.tenant()
    const erika = await person(off, tenant, 'owner')
    const answer = await invite(erika, 'new@example.org')
    assert.deepEqual([answer.status, answer.json.mail], [201, 'off'])
    assert.equal((await erika.call('GET', '/me')).json.service.mail, false)
    const unsuitable = await invite(await owner(), 'a,b@example.org')
    assert.deepEqual([unsuitable.status, unsuitable.json.mail], [201, 'unsuitable'])
  })
})

describe('a mail that the server does not accept', () => {
  it('is given up at a 5xx reply, and no log line names the address', async () => {
    server.answerTo = () => 550
    await invite(await owner(), 'refused@example.org')
    await send()
    assert.deepEqual(await newest(), { outcome: 'refused', attempts: 1, sealed: null, waits: false })
    assert.ok(service.logged.some((line) => line.includes('"a mail was given up"') && line.includes('"refused"')))
    assert.ok(!service.logged.some((line) => line.includes('refused@example.org')))
    server.answerTo = () => null
  })

  it('is retried after a 4xx reply, not before its pause', async () => {
    server.answerTo = () => 451
    await invite(await owner(), 'grey@example.org')
    const before = server.accepted.length
    await send()
    assert.deepEqual([(await newest())?.outcome, (await newest())?.waits], ['deferred', true])
    server.answerTo = () => null
    await send()
    assert.equal(server.accepted.length, before)
    clock.advance(61_000)
    await send()
    assert.deepEqual(server.accepted.at(-1)?.to, ['grey@example.org'])
    assert.deepEqual([(await newest())?.outcome, (await newest())?.attempts], ['sent', 2])
  })

  it('is given up when its retries or its time are over, and erased', async () => {
    server.answerTo = () => 451
    await invite(await owner(), 'never@example.org')
    for (let hour = 0; hour < 24; hour += 1) {
      await send()
      clock.advance(HOUR)
    }
    const row = await newest()
    assert.deepEqual([row?.sealed, row?.waits], [null, false])
    assert.ok((row?.attempts ?? 0) <= 9)
    server.answerTo = () => null
  })
})

describe('a worker that dies', () => {
  it('before it sends: another sends the mail when the lease expires', async () => {
    await invite(await owner(), 'leased@example.org')
    const nowMs = clock.now()
    const look = { now: instantOf(nowMs), leaseUntil: instantOf(nowMs + 120_000), rowsMax: 8 }
    assert.equal((await leaseDueMailsOfAllTenants(deps.db, look)).length, 1)
    const before = server.accepted.length
    await send()
    assert.equal(server.accepted.length, before)
    clock.advance(120_001)
    await send()
    assert.deepEqual(server.accepted.at(-1)?.to, ['leased@example.org'])
  })

  it('between sending and recording: the mail is sent again, with the same message id', async () => {
    await invite(await owner(), 'again@example.org')
    const stop = new AbortController()
    // The server has the message, and the worker gets no answer.
    server.onMessage = async () => stop.abort(new Error('killed'))
    await assert.rejects(
      sendMails(deps, async () => null, stop.signal),
      /killed/,
    )
    server.onMessage = async () => undefined
    clock.advance(120_001)
    await send()
    const [first, second] = server.accepted.slice(-2)
    assert.deepEqual([first?.to, second?.to], [['again@example.org'], ['again@example.org']])
    const id = headerOf(first?.raw ?? '', 'Message-ID')
    assert.ok(id !== null)
    assert.equal(headerOf(second?.raw ?? '', 'Message-ID'), id)
    assert.equal((await newest())?.outcome, 'sent')
  })
})

describe('limits', () => {
  it('an address gets five invitations a day, from all tenants together', async () => {
    const outcomes: string[] = []
    for (let count = 0; count < 6; count += 1)
      outcomes.push((await invite(await owner(), 'often@example.org')).json.mail)
    assert.deepEqual(outcomes, ['queued', 'queued', 'queued', 'queued', 'queued', 'limited'])
    clock.advance(24 * HOUR)
    assert.equal((await invite(await owner(), 'often@example.org')).json.mail, 'queued')
  })

  it('spellings of one mailbox count together, and each has its own invitation', async () => {
    // Mails that other tests queued.
    await send()
    const erika = await owner()
    const spellings = [
      'vic.tim@example.org',
      'victim+1@example.org',
      'victim+2@ｅxample.org',
      'v.i.c.t.i.m@𝐞xample.org',
    ]
    for (const email of spellings) assert.equal((await invite(erika, email)).json.mail, 'queued', email)
    assert.equal((await invite(await owner(), 'victim+3@EXAMPLE.org')).json.mail, 'queued')
    assert.equal((await invite(await owner(), 'victim@example.org')).json.mail, 'limited')
    await erika.call('POST', '@/team/invitations/withdraw', { body: { email: 'victim+1@example.org' } })
    const before = server.accepted.length
    await send()
    const sent = server.accepted.slice(before).flatMap(({ to }) => to)
    assert.deepEqual(sent.sort(), [
      'v.i.c.t.i.m@example.org',
      'vic.tim@example.org',
      'victim+2@example.org',
      'victim+3@example.org',
    ])
  })

  it('half of each limit is reserved for mailboxes without a mail', async () => {
    clock.advance(48 * HOUR)
    const erika = await owner()
    for (let count = 0; count < 50; count += 1)
      assert.equal((await invite(erika, `again-${count % 12}@example.org`)).json.mail, 'queued', String(count))
    // The fifth mail to this mailbox.
    assert.equal((await invite(erika, 'again-2@example.org')).json.mail, 'limited')
    assert.equal((await invite(erika, 'first@example.org')).json.mail, 'queued')
  })

  it('a tenant sends a hundred mails a day', async () => {
    const erika = await owner()
    for (let count = 0; count < 100; count += 1) {
      const answer = await invite(erika, `guest-${count}@example.org`)
      assert.equal(answer.json.mail, 'queued')
    }
    assert.equal((await invite(erika, 'guest-100@example.org')).json.mail, 'limited')
    assert.equal((await invite(await owner(), 'guest-100@example.org')).json.mail, 'queued')
  })

  it('concurrent mails cannot exceed a limit, neither of an address nor in total', async () => {
    clock.advance(48 * HOUR)
    await send()
    const now = instantOf(clock.now())
    const values = { tenantName: 'Demo', role: 'admin', url: 'https://verify.example.com/dashboard/link#x', until: now }
    /** The sealer of a replica with the next master key, which still reads the last one. */
    const rotated = createSealer(randomBytes(32), deps.random, [TEST_MASTER_KEY])
    rotated.keep(new Map())
    const queue = (id: string, to: string, bounds: { perMailbox: number; perTenant: number; total: number }) =>
      deps.db.transaction((tx) =>
        insertMail(id.startsWith('mai_c') ? { query: tx.query.bind(tx), sealer: rotated } : tx, {
          id,
          tenantIds: [],
          mail: { kind: 'invitation', to, language: 'en', values },
          now,
          expiresAt: instantOf(clock.now() + HOUR),
          since: instantOf(clock.now() - HOUR),
          ...bounds,
        }),
      )
    const most = { perMailbox: 3, perTenant: 9, total: 6 }
    const same = await Promise.all(Array.from({ length: 8 }, (_, at) => queue(`mai_a${at}`, 'one@example.org', most)))
    assert.equal(same.filter(Boolean).length, 3)
    assert.equal(await queue('mai_c0', 'one@example.org', { ...most, total: 99 }), false)
    const others = await Promise.all(
      Array.from({ length: 8 }, (_, at) => queue(`mai_b${at}`, `p${at}@example.org`, most)),
    )
    assert.equal(others.filter(Boolean).length, 3)
  })
})
