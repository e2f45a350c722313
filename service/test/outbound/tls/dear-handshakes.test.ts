// Tests TLS servers that make the client compute: the bytes that OpenSSL gets limit its work.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { TlsOptions } from 'node:tls'
import { Worker } from 'node:worker_threads'
import { makeEgress, request } from '../../../src/platform/egress/client.ts'
import { once } from '../../harness/wait.ts'
import { makeAuthority } from '../certificates.ts'
import { OUTSIDE, startReceiver, testPolicy } from '../world.ts'
import { makeCostlyChain } from './costly-chain.ts'

const authority = await makeAuthority()
const good = await authority.issue({ ip: OUTSIDE })
const egress = makeEgress({ policy: testPolicy({ environment: 'test' }), extraCa: [authority.pem] })

async function startHost(tls: TlsOptions): Promise<number> {
  const host = new Worker(new URL('./tls-host.ts', import.meta.url), { workerData: tls })
  after(() => host.terminate())
  const [port] = await once(host, 'message')
  return port
}

const get = (port: number) =>
  request(egress, { method: 'GET', url: `https://${OUTSIDE}:${port}/`, bodyBytesMax: 1_000 })

/** CPU time of this thread alone, in milliseconds. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  return cpuSince(before)
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

const ROUNDS = 10
const rounds = async (port: number) => {
  for (let round = 0; round < ROUNDS; round += 1) await get(port)
}

const AT_ONCE = 8
/** Without the limit the factor is over a hundred; with it the cost is below one honest handshake. */
const DEARER_MAX = 8

test('EGR-29: a chain longer than the limit never reaches OpenSSL', async () => {
  const [honest, hostile] = [await startHost({ ...good }), await startHost({ ...makeCostlyChain(100) })]
  assert.equal((await get(honest)).outcome, 'answered')
  assert.deepEqual(await get(hostile), { outcome: 'tls_error', reason: 'handshake_too_long' })
  const control = await cpuOf(() => rounds(honest))
  const spent = await cpuOf(() => rounds(hostile))
  assert.ok(spent < DEARER_MAX * control, `${spent} ms, and ${control} ms for honest handshakes`)
})

for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const)
  test(`an expensive chain within the limit never reaches OpenSSL, in ${maxVersion}`, async () => {
    const [honest, hostile] = [
      await startHost({ ...good, maxVersion }),
      await startHost({ ...makeCostlyChain(68), maxVersion }),
    ]
    assert.equal((await get(honest)).outcome, 'answered')
    assert.deepEqual(await get(hostile), { outcome: 'tls_error', reason: 'certificates_refused' })
    const control = await cpuOf(() => rounds(honest))
    const spent = await cpuOf(() => rounds(hostile))
    assert.ok(spent < DEARER_MAX * control, `${spent} ms, and ${control} ms for honest handshakes`)
  })

for (const ciphers of ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'])
  test(`certificates are read under ${ciphers}, also in long handshakes and after a second hello`, async () => {
    const tls = { ciphers, minVersion: 'TLSv1.3', ecdhCurve: 'P-521' } as const
    assert.equal((await get(await startHost({ ...good, ...tls }))).outcome, 'answered')
    assert.deepEqual(await get(await startHost({ ...makeCostlyChain(9, 'secp521r1'), ...tls })), {
      outcome: 'tls_error',
      reason: 'certificates_refused',
    })
    assert.deepEqual(await get(await startHost({ ...makeCostlyChain(4, 'secp521r1'), ...tls })), {
      outcome: 'tls_error',
      reason: 'CERT_SIGNATURE_FAILURE',
    })
  })

test('the client gives up at once on a server that does not speak TLS', async () => {
  const receiver = await startReceiver((socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))
  after(() => receiver.close())
  assert.deepEqual(await get(receiver.port), { outcome: 'tls_error', reason: 'handshake_refused' })
})

test('expensive handshakes within the limit run one per turn: timers run between them', async () => {
  const port = await startHost({ ...makeCostlyChain(10, 'secp384r1') })
  const began = process.threadCpuUsage()
  let before = began
  let longest = 0
  let isOver = false
  const endTurn = () => {
    longest = Math.max(longest, cpuSince(before))
    before = process.threadCpuUsage()
  }
  const eachTurn = () => {
    endTurn()
    if (!isOver) setImmediate(eachTurn)
  }
  setImmediate(eachTurn)
  await Promise.all(Array.from({ length: AT_ONCE }, () => get(port)))
  isOver = true
  endTurn()
  const sum = cpuSince(began)
  assert.ok(3 * longest < sum, `${longest} ms of ${sum} ms in one turn`)
})

test('an honest certificate with very many names is within the limit', async () => {
  const names = Array.from({ length: 300 }, (_, at) => `a-rather-long-name-${at}.shop.example`)
  const port = await startHost({ ...(await authority.issue({ ip: OUTSIDE, names })) })
  assert.equal((await get(port)).outcome, 'answered')
})

const PLAIN_12 = { maxVersion: 'TLSv1.2' } as const
const accepted: readonly (readonly [string, TlsOptions])[] = [
  ...['X25519MLKEM768', 'X25519', 'P-256', 'P-384', 'P-521'].map(
    (group) => [`the group ${group}`, { ecdhCurve: group }] as const,
  ),
  ['TLS 1.2 with GCM', { ...PLAIN_12, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' }],
  ['TLS 1.2 with CBC', { ...PLAIN_12, ciphers: 'ECDHE-ECDSA-AES128-SHA' }],
  ['TLS 1.2 with ChaCha20', { ...PLAIN_12, ciphers: 'ECDHE-ECDSA-CHACHA20-POLY1305' }],
]
for (const [name, tls] of accepted) {
  test(`a server that has only ${name} is reached`, async () => {
    assert.equal((await get(await startHost({ ...good, ...tls }))).outcome, 'answered')
  })
}

const rsa = await authority.issue({ ip: OUTSIDE, rsa: true })
const refused: readonly (readonly [string, TlsOptions])[] = [
  ['DHE', { ...rsa, ...PLAIN_12, ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' }],
  ['RSA key transport', { ...rsa, ...PLAIN_12, ciphers: 'AES128-GCM-SHA256' }],
  ['the group ffdhe2048 of TLS 1.3', { ...good, minVersion: 'TLSv1.3', ecdhCurve: 'ffdhe2048' }],
]
for (const [name, tls] of refused) {
  test(`a server that has only ${name} is refused`, async () => {
    assert.equal((await get(await startHost(tls))).outcome, 'tls_error')
  })
}

test('the servers that are refused above are not refused for their certificate', async () => {
  assert.equal((await get(await startHost({ ...rsa }))).outcome, 'answered')
})
