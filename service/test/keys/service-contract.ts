// Tests a whole service whose keys are in a key service: unavailable at start, back, and rotated.

import assert from 'node:assert/strict'
import { verify, X509Certificate } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { verifyReceipt } from '../../src/features/transparency/domain/receipt/verify-receipt.ts'
import { runJob } from '../harness/jobs.ts'
import { accessAuthority } from '../harness/keys/access-authority.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { type TestService, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, decode } from '../wallet/verifications.ts'
import { type Counterpart, NO_DEADLINE_MS } from './key-service-contract.ts'

export function testServiceUnderKeys(
  what: string,
  { env, proxy, reference, isSignature, pinned, answers }: Counterpart,
) {
  test(`${what}: a service starts without it and signs when it is back; open verifications keep a rotated certificate`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'vidimus-keys-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const service = await testService({}, { ...env }, { keyDeadlineMs: NO_DEADLINE_MS })
    const { json } = commandLine(service)
    const key = await service.key(await service.tenant())
    const authority = accessAuthority(service.clock.now(), 'verify.example.com')
    const install = async (name: string) => {
      const use = ['--environment', 'test']
      const created = await json('certificate', 'csr', ...use, '--common-name', name, '--key', reference(name))
      const chain = authority.certify(created.csr)
      await writeFile(join(folder, 'chain.pem'), chain)
      await json('certificate', 'install', ...use, '--chain', join(folder, 'chain.pem'))
      service.clock.advance(5_001)
      return new X509Certificate(chain).fingerprint256
    }
    const first = await install('access-1')
    await json('receipt', 'rotate-key', '--key', reference('receipts'))

    // The key service is unavailable at start: everything except signing requests continues, and no other key signs.
    proxy.fault = () => 'reset'
    const outside = await testService({}, { ...env }, { sharedWith: service, keyDeadlineMs: NO_DEADLINE_MS })
    const verification = await create(outside, key, { template: 'identity' })
    const refused = await outside.call('GET', new URL(verification.request_uri).pathname)
    assert.equal(refused.status, 503)
    assert.equal(refused.headers['retry-after'], '5')
    assert.equal((await outside.call('GET', `/v1/verifications/${verification.id}`, { key })).json.status, 'pending')
    const bad = await commandLine(outside).run('doctor')
    assert.match(bad.out, /FAIL {2}key outside: \S+ does not sign: the key service does not answer/)

    // A throttled call is counted as throttled.
    proxy.fault = (passing) => (isSignature(passing) ? answers.throttled : null)
    assert.equal((await outside.call('GET', new URL(verification.request_uri).pathname)).status, 503)
    const { values } = await outside.deps.metrics.keySignatures.get()
    assert.ok(values.some(({ labels, value }) => labels.outcome === 'throttled' && value === 1))

    // The key service is available again. A new process signs, because a key that failed is paused for a while.
    proxy.fault = () => null
    const back = await testService({}, { ...env }, { sharedWith: service, keyDeadlineMs: NO_DEADLINE_MS })
    assert.equal(await signerOf(back, verification.request_uri), first)
    const good = await commandLine(back).run('doctor')
    const probed = good.out.split('\n').filter((line) => /ok {4}key outside: \S+ signs/.test(line))
    assert.equal(probed.length, 2, good.out)
    for (const line of probed) assert.match(line.replace(/^.*outside: (\S+) signs$/, '$1'), pinned)

    // After a rotation the open verification keeps its certificate and key, and the next one has the new ones.
    const second = await install('access-2')
    const rotated = await testService({}, { ...env }, { sharedWith: service, keyDeadlineMs: NO_DEADLINE_MS })
    const next = await create(rotated, key, { template: 'identity' })
    assert.equal(await signerOf(rotated, next.request_uri), second)
    assert.equal(await signerOf(rotated, verification.request_uri), first)

    const wallet = await testWallet(rotated)
    await wallet.present(next.wallet_uri)
    assert.equal((await rotated.call('GET', `/v1/verifications/${next.id}`, { key })).json.status, 'completed')
    await runJob(rotated.deps, 'sign-receipts')
    await runJob(rotated.deps, 'keep-log')
    const receipt = await rotated.call('GET', `/v1/verifications/${next.id}/receipt`, { key })
    assert.equal(receipt.status, 200, receipt.text)
    const keys = (await rotated.call('GET', '/log/receipt-keys')).json
    assert.equal(verifyReceipt(receipt.text, keys).outcome, 'genuine')
    assert.ok(!rotated.logged.some((line) => /does not sign/.test(line)))
  })
}

/** Returns the fingerprint of the certificate of a request, whose signature is checked with it. */
async function signerOf(service: TestService, uri: string): Promise<string> {
  const { status, text } = await service.call('GET', new URL(uri).pathname)
  assert.equal(status, 200, text)
  const [head, body, signature = ''] = text.split('.')
  const leaf = new X509Certificate(Buffer.from(String((decode(text).header.x5c as string[])[0]), 'base64'))
  const key = { key: leaf.publicKey, dsaEncoding: 'ieee-p1363' } as const
  assert.ok(verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url')))
  return leaf.fingerprint256
}
