// Tests that environment variables change neither proxies nor TLS of outgoing requests.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { BARE_ENVIRONMENT } from '../harness/servers/bare-environment.ts'
import { makeAuthority } from './certificates.ts'
import { startDnsServer } from './dns-server.ts'
import { answering, INSIDE, OK, OUTSIDE, startReceiver } from './world.ts'

const HOST = 'hooks.merchant.com'
const CHILD = new URL('./request-child.ts', import.meta.url).pathname

/** Returns the outcome on the event loop, which must be the same in the request thread. */
async function requestIn(env: Record<string, string>, order: object): Promise<{ outcome: string; reason?: string }> {
  const run = await promisify(execFile)(process.execPath, [CHILD, JSON.stringify(order)], {
    env: { ...BARE_ENVIRONMENT, ...env },
  })
  const [onLoop, inThread] = JSON.parse(run.stdout)
  assert.deepEqual([inThread.outcome, inThread.reason], [onLoop.outcome, onLoop.reason])
  return onLoop
}

test('EGR-23: proxies of the environment variables are not used', async () => {
  const dns = await startDnsServer(() => ({ A: [OUTSIDE] }))
  const receiver = await startReceiver(answering(OK))
  const proxy = await startReceiver(answering(OK), { host: INSIDE })
  const address = `http://${INSIDE}:${proxy.port}`
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']
  const proxies = names.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, address])
  const outcome = await requestIn(
    { ...Object.fromEntries(proxies), NO_PROXY: '', NODE_USE_ENV_PROXY: '1' },
    {
      url: `http://${HOST}:${receiver.port}/`,
      dnsServers: [dns.address],
      unguarded: `http://${OUTSIDE}:${receiver.port}/`,
    },
  )
  assert.equal(outcome.outcome, 'answered')
  assert.equal(proxy.connections(), 1, 'the unguarded request alone')
  assert.equal(receiver.connections(), 2, 'the guarded requests alone')
  await Promise.all([dns.close(), receiver.close(), proxy.close()])
})

test('EGR-24: no environment variable turns verification off', async () => {
  const dns = await startDnsServer(() => ({ A: [OUTSIDE] }))
  const authority = await makeAuthority()
  const receiver = await startReceiver(answering(OK), { tls: await authority.issue({ names: [HOST] }) })
  const outcome = await requestIn(
    { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_OPTIONS: '--insecure-http-parser --tls-min-v1.0', NODE_NO_WARNINGS: '1' },
    { url: `https://${HOST}:${receiver.port}/`, dnsServers: [dns.address] },
  )
  assert.deepEqual(outcome, { outcome: 'tls_error', reason: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })
  await Promise.all([dns.close(), receiver.close()])
})

test('certificates that the operator trusts are trusted together with those of the caller', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'authority-'))
  const dns = await startDnsServer(() => ({ A: [OUTSIDE] }))
  const [operators, callers] = await Promise.all([makeAuthority(), makeAuthority('Another test root')])
  await writeFile(join(folder, 'ca.pem'), operators.pem)
  for (const authority of [operators, callers]) {
    const receiver = await startReceiver(answering(OK), { tls: await authority.issue({ names: [HOST] }) })
    const outcome = await requestIn(
      { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') },
      { url: `https://${HOST}:${receiver.port}/`, dnsServers: [dns.address], extraCa: [callers.pem] },
    )
    assert.equal(outcome.outcome, 'answered')
    await receiver.close()
  }
  await Promise.all([dns.close(), rm(folder, { recursive: true })])
})

test('authorities of the environment variables are trusted on the event loop and in the thread', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'authority-'))
  const file = join(folder, 'ca.pem')
  const dns = await startDnsServer(() => ({ A: [OUTSIDE] }))
  const authority = await makeAuthority()
  await writeFile(file, authority.pem)
  const receiver = await startReceiver(answering(OK), { tls: await authority.issue({ names: [HOST] }) })
  after(() => Promise.all([dns.close(), receiver.close(), rm(folder, { recursive: true })]))
  for (const [env, expected] of [
    [{ NODE_EXTRA_CA_CERTS: file }, 'answered'],
    [{ SSL_CERT_FILE: file, NODE_USE_SYSTEM_CA: '1' }, 'answered'],
    [{ SSL_CERT_FILE: file, NODE_OPTIONS: '--use-system-ca' }, 'answered'],
    [{ SSL_CERT_FILE: file, NODE_OPTIONS: '--use-openssl-ca' }, 'answered'],
    [{}, 'tls_error'],
  ] as const) {
    const outcome = await requestIn(env, { url: `https://${HOST}:${receiver.port}/`, dnsServers: [dns.address] })
    assert.equal(outcome.outcome, expected, JSON.stringify(env))
  }
})

test('EGR-24: no environment variable enables old TLS', async () => {
  const dns = await startDnsServer(() => ({ A: [OUTSIDE] }))
  const authority = await makeAuthority()
  const certificate = await authority.issue({ names: [HOST] })
  const weak = { ...certificate, ciphers: 'DEFAULT@SECLEVEL=0', minVersion: 'TLSv1' } as const
  for (const [maxVersion, expected] of [
    ['TLSv1.2', 'answered'],
    ['TLSv1.1', 'tls_error'],
  ] as const) {
    const receiver = await startReceiver(answering(OK), { tls: { ...weak, maxVersion } })
    const outcome = await requestIn(
      { NODE_OPTIONS: '--tls-min-v1.0 --tls-cipher-list=DEFAULT@SECLEVEL=0' },
      { url: `https://${HOST}:${receiver.port}/`, dnsServers: [dns.address], extraCa: [authority.pem] },
    )
    assert.equal(outcome.outcome, expected, maxVersion)
    await receiver.close()
  }
  await dns.close()
})

test('a lenient parser and a higher limit from the environment variables are not used', async () => {
  const dns = await startDnsServer(() => ({ A: [OUTSIDE] }))
  const answers = {
    protocol_error: 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    response_too_large: `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(17_000)}\r\nContent-Length: 0\r\n\r\n`,
  }
  for (const [expected, answer] of Object.entries(answers)) {
    const receiver = await startReceiver(answering(answer))
    const outcome = await requestIn(
      { NODE_OPTIONS: '--insecure-http-parser --max-http-header-size=100000' },
      { url: `http://${HOST}:${receiver.port}/`, dnsServers: [dns.address] },
    )
    assert.equal(outcome.outcome, expected)
    await receiver.close()
  }
  await dns.close()
})

test('EGR-26: search domains and host aliases of the environment variables are not used', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aliases-'))
  const aliases = join(folder, 'aliases')
  await writeFile(aliases, `${HOST} inside.attacker.com\nhooks inside.attacker.com\n`)
  const dns = await startDnsServer((name) => (name === HOST ? undefined : { A: [OUTSIDE] }))
  const outcome = await requestIn(
    { LOCALDOMAIN: 'svc.cluster.local', RES_OPTIONS: 'ndots:5', HOSTALIASES: aliases },
    { url: `http://${HOST}/`, dnsServers: [dns.address] },
  )
  assert.deepEqual(outcome, { outcome: 'dns_failure', reason: 'name_not_found' })
  assert.deepEqual([...new Set(dns.questions)].sort(), [`${HOST}/A`, `${HOST}/AAAA`])
  await Promise.all([dns.close(), rm(folder, { recursive: true })])
})
