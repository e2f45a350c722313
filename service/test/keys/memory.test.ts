// Tests that memory and environment of a running service contain no external private key.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { certificatesIn } from '../../src/features/trust/domain/pem.ts'
import { installCertificate } from '../../src/features/trust/usecases/manage-certificates.ts'
import { accessAuthority } from '../harness/keys/access-authority.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { startReplicas } from '../harness/servers/replicas.ts'
import { HSM_MODULE, type SoftHsm, startSoftHsm, whyNoSoftHsm } from '../harness/servers/soft-hsm.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { endOf, waitUntil, within } from '../harness/wait.ts'
import { testWallet } from '../harness/wallet.ts'
import { create } from '../wallet/verifications.ts'

const SERVER = ['/usr/libexec/p11-kit/p11-kit-server', '/usr/lib/p11-kit/p11-kit-server'].find(existsSync)
const CLIENT = [
  '/usr/lib/x86_64-linux-gnu/pkcs11/p11-kit-client.so',
  '/usr/lib/aarch64-linux-gnu/pkcs11/p11-kit-client.so',
].find(existsSync)

const missing =
  whyNoSoftHsm() ?? (SERVER === undefined || CLIENT === undefined ? 'p11-kit is not installed (p11-kit-modules)' : null)
if (missing === null) addTests(await startSoftHsm())
// The runner prints this line next to the file's name.
else test('the memory of a service', () => console.log(`not tried: ${missing}`))

/** Returns the HSM in a separate process, so that its memory is not the service's. */
async function startServer(hsm: SoftHsm): Promise<{ readonly child: ChildProcess; readonly address: string }> {
  const socket = join(hsm.folder, 'socket')
  const args = ['-f', '-n', socket, '--provider', HSM_MODULE ?? '', hsm.reference('').split(';')[0] ?? '']
  const child = spawn(SERVER ?? '', args, { env: { SOFTHSM2_CONF: hsm.conf }, stdio: 'ignore' })
  await waitUntil('p11-kit listens', () => existsSync(socket))
  return { child, address: `unix:path=${socket}` }
}

/** Big-endian as in PKCS #8, little-endian as in OpenSSL's numbers, and as text. */
function spellings(secret: Buffer): Buffer[] {
  const texts = (['hex', 'base64', 'base64url'] as const).map((encoding) => Buffer.from(secret.toString(encoding)))
  return [secret, Buffer.from(secret).reverse(), ...texts]
}

/**
 * Returns the secrets that are, in any encoding, in the memory or environment variables of the process. It must find a
 * local key, to prove that it would find the others.
 */
async function findSecrets(pid: number, secrets: Readonly<Record<string, Buffer>>): Promise<string[]> {
  const wanted = Object.entries(secrets).flatMap(([name, secret]) =>
    spellings(secret).map((bytes) => ({ name, bytes })),
  )
  const found = new Set<string>()
  const search = (part: Buffer) => {
    for (const { name, bytes } of wanted) if (!found.has(name) && part.includes(bytes)) found.add(name)
  }
  const memory = await open(`/proc/${pid}/mem`, 'r')
  try {
    for (const line of (await readFile(`/proc/${pid}/maps`, 'utf8')).split('\n')) {
      const [, from = '', to = ''] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? []
      if (from === '') continue
      for await (const part of regionOf(memory, Number.parseInt(from, 16), Number.parseInt(to, 16))) search(part)
    }
  } finally {
    await memory.close()
  }
  search(await readFile(`/proc/${pid}/environ`))
  return [...found]
}

const PART = 4 * 1024 * 1024
const OVERLAP = 64

async function* regionOf(memory: Awaited<ReturnType<typeof open>>, from: number, to: number): AsyncGenerator<Buffer> {
  for (let at = from; at < to; at += PART - OVERLAP) {
    const size = Math.min(PART, to - at)
    // Reserved and not readable, or unmapped since it was listed.
    const read = await memory.read(Buffer.alloc(size), 0, size, at).catch(() => null)
    if (read === null) return
    yield read.buffer.subarray(0, read.bytesRead)
  }
}

const scalarOf = (key: KeyObject) => Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url')
const pemOf = (key: KeyObject) => key.export({ format: 'pem', type: 'pkcs8' }).toString()

function addTests(hsm: SoftHsm): void {
  test('no external private key is in the memory or the environment variables of a running service', async () => {
    const known = {
      access: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
      reader: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
      receipt: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    }
    for (const [object, privateKey] of Object.entries(known)) await hsm.importKey(object, pemOf(privateKey))
    const service = await testService({}, hsm.env)
    const { deps } = service
    const { json } = commandLine(service)
    const authority = accessAuthority(Date.now(), 'verify.example.com')
    service.clock.set(Date.now())
    for (const [purpose, object] of [
      ['openid4vp', 'access'],
      ['iso-reader', 'reader'],
    ] as const) {
      const use = ['--environment', 'test', '--purpose', purpose]
      const { csr } = await json('certificate', 'csr', ...use, '--common-name', 'x', '--key', hsm.reference(object))
      const chain = join(hsm.folder, 'chain.pem')
      await writeFile(chain, authority.certify(csr, purpose))
      await json('certificate', 'install', ...use, '--chain', chain)
    }
    await json('receipt', 'rotate-key', '--key', hsm.reference('receipt'))
    // The key of live is local, and the search must find it.
    const local = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    const installed = await installCertificate(deps, {
      owner: { tenantId: null, environment: 'live' },
      purpose: 'openid4vp',
      chain: certificatesIn(Buffer.from(authority.certifyKey(local))),
      privateKey: local.export({ format: 'der', type: 'pkcs8' }),
      actor: OPERATOR,
    })
    assert.equal(installed.outcome, 'installed')
    const tenant = await service.tenant()
    const [key, liveKey] = [await service.key(tenant), await service.key(tenant, { environment: 'live' })]
    const further = await testService({}, hsm.env, { sharedWith: service })
    const created = await create(further, key, { template: 'identity' })
    await (await testWallet(further)).present(created.wallet_uri)

    const server = await startServer(hsm)
    const serverEnded = endOf(server.child)
    const replicas = await startReplicas(service.url, 1, {
      ...hsm.env,
      VIDIMUS_PKCS11_MODULE: CLIENT ?? '',
      P11_KIT_SERVER_ADDRESS: server.address,
    })
    try {
      const [url = ''] = replicas.urls
      const [pid = 0] = replicas.pids
      const call = (path: string, owner?: string) =>
        fetch(`${url}${path}`, owner === undefined ? {} : { headers: { authorization: `Bearer ${owner}` } })
      const pending = await create(further, key, { template: 'identity' })
      for (const path of [`/wallet/request/${pending.id}`, `/wallet/request/${(await create(further, liveKey)).id}`])
        assert.equal((await call(path)).status, 200, path)
      await waitUntil(
        'the receipt is signed',
        async () => (await call(`/v1/verifications/${created.id}/receipt`, key)).ok,
      )

      const outside = Object.entries(known).map(([object, privateKey]) => [object, scalarOf(privateKey)] as const)
      const found = await findSecrets(pid, { ...Object.fromEntries(outside), local: scalarOf(local) })
      assert.deepEqual(found, ['local'], 'the search finds the local key and no other')
    } finally {
      await replicas.stop()
      server.child.kill()
      await within('p11-kit ends', serverEnded)
    }
  })
}
