// Tests how outgoing requests verify TLS certificates.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import type { TLSSocket, TlsOptions } from 'node:tls'
import { makeEgress, request } from '../../src/platform/egress/client.ts'
import type { Outcome } from '../../src/platform/egress/outcome.ts'
import { endOf, within } from '../harness/wait.ts'
import { type Authority, makeAuthority, type ServerCertificate } from './certificates.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'
import { answering, makeTimer, OK, OUTSIDE, startReceiver, testPolicy } from './world.ts'

const HOST = 'hooks.merchant.com'

describe('EGR-24: TLS is verified by name', () => {
  let dns: DnsServer
  let authority: Authority
  let good: ServerCertificate
  before(async () => {
    dns = await startDnsServer(() => ({ A: [OUTSIDE] }))
    authority = await makeAuthority()
    good = await authority.issue({ names: [HOST] })
  })
  after(() => dns.close())

  /** The outcome, and how many requests the receiver could read. */
  async function deliverTo(tls: TlsOptions, extraCa = [authority.pem]): Promise<{ outcome: Outcome; read: number }> {
    let read = 0
    const receiver = await startReceiver(
      (socket) => {
        socket.once('data', () => {
          read += 1
        })
        answering(OK)(socket)
      },
      { tls },
    )
    const egress = makeEgress({ policy: testPolicy(), dnsServers: [dns.address], extraCa, after: makeTimer().after })
    const url = `https://${HOST}:${receiver.port}/`
    const outcome = await request(egress, { method: 'POST', url, body: Buffer.from('{}'), bodyBytesMax: 100 })
    await receiver.idle()
    await receiver.close()
    return { outcome, read }
  }

  test('a certificate for the name from a trusted authority is accepted', async () => {
    const { outcome } = await deliverTo({ ...good })
    assert.equal(outcome.outcome, 'answered')
  })

  test('an answer in very many one-byte records is aborted: each record costs as much as a long one', async () => {
    const receiver = await startReceiver(
      (socket) => {
        // One after another, because queued writes are sent in one record.
        let left = 3_000
        const more = (error?: Error | null) => {
          left -= 1
          if (error != null || left === 0) socket.destroy()
          else socket.write('0', more)
        }
        socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', more))
      },
      { tls: good },
    )
    const extraCa = [authority.pem]
    const egress = makeEgress({ policy: testPolicy(), dnsServers: [dns.address], extraCa, after: makeTimer().after })
    const pending = request(egress, { method: 'GET', url: `https://${HOST}:${receiver.port}/`, bodyBytesMax: 100 })
    assert.deepEqual(await pending, { outcome: 'protocol_error', reason: 'short_pieces' })
    await receiver.close()
  })

  test('a server that asks for another handshake does not get it', async () => {
    let handshakes = 0
    const receiver = await startReceiver(
      (socket) => {
        socket.once('data', () =>
          (socket as TLSSocket).renegotiate({ rejectUnauthorized: false }, (error) => {
            if (error === null) handshakes += 1
            socket.end(OK)
          }),
        )
      },
      { tls: { ...good, maxVersion: 'TLSv1.2' } },
    )
    const extraCa = [authority.pem]
    const egress = makeEgress({ policy: testPolicy(), dnsServers: [dns.address], extraCa, after: makeTimer().after })
    const pending = request(egress, { method: 'GET', url: `https://${HOST}:${receiver.port}/`, bodyBytesMax: 100 })
    const { outcome } = await within('the request ends', pending)
    // Either TLS or HTTP ends the request first, so the error may be of either.
    assert.notEqual(outcome, 'answered')
    assert.equal(handshakes, 0)
    await receiver.close()
  })

  test('endless tickets are aborted, although they are not data', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'tickets-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    await writeFile(join(folder, 'server.pem'), `${good.cert}\n${good.key}\n`)
    // Megabytes of tickets, and then an honest answer.
    const options = ['-accept', `${OUTSIDE}:0`, '-cert', join(folder, 'server.pem'), '-num_tickets', '50000', '-www']
    const server = spawn('openssl', ['s_server', ...options], { stdio: ['ignore', 'pipe', 'ignore'] })
    const ended = endOf(server)
    t.after(async () => {
      server.kill()
      await within('openssl has ended', ended)
    })
    const lines = createInterface({ input: server.stdout })
    const accepts = new Promise<string>((resolve) => {
      lines.on('line', (line) => {
        const [, port] = /^ACCEPT .*:(\d+)$/.exec(line) ?? []
        if (port !== undefined) resolve(port)
      })
    })
    const port = await within('openssl listens', accepts)
    const extraCa = [authority.pem]
    const egress = makeEgress({ policy: testPolicy(), dnsServers: [dns.address], extraCa, after: makeTimer().after })
    const pending = request(egress, { method: 'GET', url: `https://${HOST}:${port}/`, bodyBytesMax: 100_000 })
    assert.deepEqual(await within('the request ends', pending), { outcome: 'protocol_error', reason: 'records' })
  })

  test('an endless handshake is aborted', async () => {
    // Requests for a new handshake, which TLS 1.2 tells clients to ignore during one.
    const record = Buffer.concat([Buffer.from([22, 3, 3, 0x40, 0]), Buffer.alloc(0x40_00)])
    const receiver = await startReceiver((socket) => {
      const more = (error?: Error | null) => {
        if (error == null) socket.write(record, more)
      }
      socket.once('data', () => more())
    })
    const egress = makeEgress({ policy: testPolicy(), dnsServers: [dns.address], after: makeTimer().after })
    const pending = request(egress, { method: 'GET', url: `https://${HOST}:${receiver.port}/`, bodyBytesMax: 100 })
    const outcome = await within('the request ends', pending)
    assert.deepEqual(outcome, { outcome: 'tls_error', reason: 'handshake_too_long' })
    await receiver.close()
  })

  test('TLS 1.2 is accepted', async () => {
    const { outcome } = await deliverTo({ ...good, maxVersion: 'TLSv1.2' })
    assert.equal(outcome.outcome, 'answered')
  })

  const refusals: readonly (readonly [name: string, reason: string, tls: () => Promise<TlsOptions>])[] = [
    ['expired', 'CERT_HAS_EXPIRED', () => authority.issue({ names: [HOST], expired: true })],
    ['for another name', 'ERR_TLS_CERT_ALTNAME_INVALID', () => authority.issue({ names: ['merchant.com'] })],
    ['for localhost', 'ERR_TLS_CERT_ALTNAME_INVALID', () => authority.issue({ names: ['localhost'] })],
    ['for the address alone', 'ERR_TLS_CERT_ALTNAME_INVALID', () => authority.issue({ ip: OUTSIDE })],
    [
      'of a foreign authority that bears the trusted name',
      'CERT_SIGNATURE_FAILURE',
      async () => (await makeAuthority()).issue({ names: [HOST] }),
    ],
  ]
  for (const [name, reason, tls] of refusals) {
    test(`a certificate ${name} is refused before a byte of the request is sent`, async () => {
      assert.deepEqual(await deliverTo(await tls()), { outcome: { outcome: 'tls_error', reason }, read: 0 })
    })
  }

  test('an authority that the caller did not pass is not trusted', async () => {
    const { outcome, read } = await deliverTo({ ...good }, [])
    assert.deepEqual(outcome, { outcome: 'tls_error', reason: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })
    assert.equal(read, 0)
  })

  test('a self-signed certificate is refused', async () => {
    const own = await authority.selfSigned(HOST)
    const { outcome, read } = await deliverTo({ ...own })
    assert.deepEqual(outcome, { outcome: 'tls_error', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    assert.equal(read, 0)
  })

  for (const version of ['TLSv1', 'TLSv1.1'] as const) {
    test(`${version} is refused`, async () => {
      const old = { ...good, minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' }
      const { outcome, read } = await deliverTo(old)
      assert.equal(outcome.outcome, 'tls_error')
      assert.match('reason' in outcome ? outcome.reason : '', /PROTOCOL/)
      assert.equal(read, 0)
    })
  }

  test('a receiver that requires a client certificate is a tls_error', async () => {
    const { outcome } = await deliverTo({ ...good, requestCert: true, rejectUnauthorized: true })
    assert.equal(outcome.outcome, 'tls_error')
  })

  test('the name is sent as server name', async () => {
    let received = ''
    await deliverTo({
      ...good,
      SNICallback: (name, done) => {
        received = name
        done(null)
      },
    })
    assert.equal(received, HOST)
  })
})

test('plain text on a TLS port is a tls_error', async () => {
  const dns = await startDnsServer(() => ({ A: [OUTSIDE] }))
  const receiver = await startReceiver(answering(OK))
  const egress = makeEgress({ policy: testPolicy(), dnsServers: [dns.address], after: makeTimer().after })
  const url = `https://${HOST}:${receiver.port}/`
  assert.equal((await request(egress, { method: 'GET', url, bodyBytesMax: 1 })).outcome, 'tls_error')
  await Promise.all([receiver.close(), dns.close()])
})
