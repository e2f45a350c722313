// Tests keys in an HSM by PKCS #11, with SoftHSM: created there, and used for every signature of a verification.

import assert from 'node:assert/strict'
import { createPublicKey, randomBytes, verify, X509Certificate } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readJwt, signJwt } from '../../src/features/oidc/domain/jwt.ts'
import { signingKeyFor } from '../../src/features/oidc/usecases/signing-keys.ts'
import { moveNoteKey } from '../../src/features/operator/usecases/move-note-key.ts'
import { openTreeHead } from '../../src/features/transparency/domain/log/checkpoint.ts'
import { logSigner, originOf } from '../../src/features/transparency/domain/log/log-keys.ts'
import { verifyReceipt } from '../../src/features/transparency/domain/receipt/verify-receipt.ts'
import { readMasterKeys, wrapMasterKey } from '../../src/master-key.ts'
import { withRemoteKeys } from '../../src/open-parts.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { readWrappedKey } from '../../src/platform/keys/wrapped-key.ts'
import { browserAnswer, fetchOffer, postAnswer } from '../harness/dc-api.ts'
import { runJob } from '../harness/jobs.ts'
import { accessAuthority } from '../harness/keys/access-authority.ts'
import { commandLine } from '../harness/servers/command-line.ts'
import { startSoftHsm, whyNoSoftHsm } from '../harness/servers/soft-hsm.ts'
import { testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, decode } from '../wallet/verifications.ts'

const missing = whyNoSoftHsm()
if (missing === null) await addTests()
// The runner prints this line next to the file's name.
else test('keys in SoftHSM', () => console.log(`not tried: ${missing}`))

async function addTests(): Promise<void> {
  const hsm = await startSoftHsm()
  const service = await testService({}, { ...hsm.env, VIDIMUS_OIDC_KEYS: hsm.reference('oidc') })
  const { deps } = service
  const { run: vidimus, json } = commandLine(service)
  const tenant = await service.tenant()
  const key = await service.key(tenant)
  const authority = accessAuthority(service.clock.now(), 'verify.example.com')
  const chainFile = join(hsm.folder, 'chain.pem')
  const signatures = async () => {
    const { values } = await deps.metrics.keySignatures.get()
    return values.reduce((sum, { value, labels }) => (labels.outcome === 'signed' ? sum + value : sum), 0)
  }

  async function install(purpose: 'openid4vp' | 'iso-reader', object: string): Promise<string> {
    const use = ['--environment', 'test', '--purpose', purpose]
    const created = await json(
      'certificate',
      'csr',
      ...use,
      '--common-name',
      'Corner shop',
      '--key',
      hsm.reference(object),
    )
    await writeFile(chainFile, authority.certify(created.csr, purpose))
    const { id } = await json('certificate', 'install', ...use, '--chain', chainFile)
    service.clock.advance(5_001)
    return id
  }

  test('csr creates the first key in the token, and only of the right kind', async () => {
    const use = ['--environment', 'test', '--common-name', 'x']
    const csr = (reference: string) => vidimus('certificate', 'csr', ...use, '--key', reference)
    assert.match((await csr('pkcs11:token=other;object=a')).err, /cannot be used: no token of this label/)
    assert.match((await csr('/tmp/key.pem')).err, /a key is named like `pkcs11:/)
    await deps.remoteKeys.findOrCreate(hsm.reference('wrong-kind'), 'EdDSA')
    assert.match((await csr(hsm.reference('wrong-kind'))).err, /signs EdDSA; this needs one for ES256/)
    const created = await deps.remoteKeys.findOrCreate(hsm.reference('twice'), 'ES256')
    const again = await deps.remoteKeys.findOrCreate(hsm.reference('twice'), 'ES256')
    assert.ok(created.publicKey.equals(again.publicKey))
  })

  test('a verification works with every key in the HSM: requests, readers, receipt, log, ID token', async () => {
    const before = await create(service, key)
    const local = await (await service.call('GET', new URL(before.request_uri).pathname)).text
    await install('openid4vp', 'access')
    await install('iso-reader', 'reader')
    await json('receipt', 'rotate-key', '--key', hsm.reference('receipt'))
    assert.deepEqual(await moveNoteKey(deps, 'log', hsm.reference('log')), { outcome: 'moved' })
    assert.deepEqual(await moveNoteKey(deps, 'audit', hsm.reference('audit')), { outcome: 'moved' })
    const again = await (await service.call('GET', new URL(before.request_uri).pathname)).text
    assert.deepEqual(decode(again).header.x5c, decode(local).header.x5c, 'an open verification keeps its certificate')

    // A service in another process, which starts with these keys.
    const outside = await testServiceOn()
    const wallet = await testWallet(outside)
    const counted = async () => {
      const { values } = await outside.deps.metrics.keySignatures.get()
      return values.reduce((sum, { value }) => sum + value, 0)
    }
    const created = await create(outside, key, { template: 'identity' })
    const path = new URL(created.request_uri).pathname
    const first = await outside.call('GET', path)
    service.clock.advance(3_000)
    const second = await outside.call('GET', path)
    assert.equal(first.text, second.text, 'kept')
    assert.equal(await counted(), 1)
    const leaf = new X509Certificate(Buffer.from(String((decode(first.text).header.x5c as string[])[0]), 'base64'))
    assert.equal(leaf.subject, 'CN=Corner shop')
    const [head, body, signature = ''] = first.text.split('.')
    const isValid = verify(
      'sha256',
      Buffer.from(`${head}.${body}`),
      { key: leaf.publicKey, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    )
    assert.ok(isValid)
    // The test wallet sends its own nonce, which must be signed.
    await wallet.present(created.wallet_uri)
    assert.equal((await outside.call('GET', `/v1/verifications/${created.id}`, { key })).json.status, 'completed')

    const early = await outside.call('GET', `/v1/verifications/${created.id}/receipt`, { key })
    assert.equal(early.status, 503)
    assert.ok(Number(early.headers['retry-after']) > 0)
    await runJob(outside.deps, 'keep-log')
    const unlogged = await outside.call('GET', `/v1/verifications/${created.id}/receipt`, { key })
    assert.equal(unlogged.status, 503, 'an unsigned receipt does not enter the log')
    await runJob(outside.deps, 'sign-receipts')
    const receipt = await outside.call('GET', `/v1/verifications/${created.id}/receipt`, { key })
    assert.equal(receipt.status, 200, receipt.text)
    const keys = (await outside.call('GET', '/log/receipt-keys')).json
    assert.equal(verifyReceipt(receipt.text, keys).outcome, 'genuine')
    assert.equal(keys.keys.at(-1).kid, decode(receipt.text).header.kid)

    await runJob(outside.deps, 'keep-log')
    const signer = logSigner(outside.deps.derivedKeys, originOf(outside.deps.config.baseUrl))
    assert.equal(signer.key.reference, hsm.reference('log'))
    const checkpoint = await outside.call('GET', '/log/checkpoint')
    assert.equal(openTreeHead(checkpoint.text, signer).outcome, 'signed')
    assert.deepEqual(await moveNoteKey({ ...outside.deps, db: deps.db }, 'log', hsm.reference('log-2')), {
      outcome: 'refused',
      problem: 'the key has signed checkpoints, and auditors have its public key: it cannot be moved',
    })

    const realm = { tenantId: tenant, environment: 'test' } as const
    for (const alg of ['ES256', 'RS256'] as const) {
      const signing = await signingKeyFor(outside.deps, realm, alg)
      assert.match(String(signing.key.reference), /object=oidc\.sig_/)
      const jwt = readJwt(await signJwt({ sub: 'a' }, signing))
      assert.ok(
        jwt?.isSignedBy({ alg, key: createPublicKey(signing.key.publicKey.export({ format: 'pem', type: 'spki' })) }),
      )
    }
  })

  test('over the Digital Credentials API the HSM makes each signature of the offer once, and the answer is accepted', async () => {
    const outside = await testServiceOn()
    const created = await create(outside, key, { template: 'identity' })
    const offer = (await fetchOffer(outside, created.id)).json
    const count = async () =>
      (await outside.deps.metrics.keySignatures.get()).values.reduce((sum, one) => sum + one.value, 0)
    const signed = await count()
    assert.ok(signed >= 1)
    service.clock.advance(3_000)
    await fetchOffer(outside, created.id)
    assert.equal(await count(), signed)
    const wallet = await testWallet(outside)
    const answer = await browserAnswer(wallet, offer)
    assert.equal((await postAnswer(outside, created.id, answer)).status, 200)
  })

  test('doctor has each key sign a probe', async () => {
    const { out } = await vidimus('doctor')
    for (const object of ['access', 'reader', 'receipt', 'log', 'audit'])
      assert.match(out, new RegExp(`ok {4}key outside: \\S+object=${object} signs`))
    assert.ok((await signatures()) >= 5)
  })

  test('a master key is not wrapped with a key that can leave its token, or of another length', async () => {
    const plain = readConfig({ ...hsm.env, VIDIMUS_MASTER_KEY: randomBytes(32).toString('base64') })
    for (const [object, length, isExtractable, reason] of [
      ['extractable', 32, true, /can leave its token/],
      ['short', 16, false, /not of AES-256/],
    ] as const) {
      hsm.generateSecretKey(object, length, isExtractable)
      const reference = hsm.reference(object)
      const wrapping = withRemoteKeys(plain, (keys) =>
        wrapMasterKey(plain, keys, { reference, isNew: true, random: randomBytes }),
      )
      await assert.rejects(wrapping, reason, object)
    }
  })

  test('the master key is wrapped, and unwrapped only at start', async () => {
    const dataDir = join(hsm.folder, 'data')
    const base = { ...hsm.env, VIDIMUS_DATA_DIR: dataDir }
    const reference = hsm.reference('wrapping')
    const masterKey = randomBytes(32)
    const plain = readConfig({ ...base, VIDIMUS_MASTER_KEY: masterKey.toString('base64') })
    const random = (size: number) => new Uint8Array(randomBytes(size))
    const wrapped = await withRemoteKeys(plain, (keys) =>
      wrapMasterKey(plain, keys, { reference, isNew: false, random }),
    )
    assert.ok(!wrapped.includes(masterKey.toString('base64')) && !wrapped.includes(masterKey.toString('base64url')))
    const fresh = await withRemoteKeys(plain, (keys) => wrapMasterKey(plain, keys, { reference, isNew: true, random }))
    const config = readConfig({ ...base, VIDIMUS_MASTER_KEY_WRAPPED: `${fresh},${wrapped}` })
    const read = await withRemoteKeys(config, (keys) => readMasterKeys(config, keys))
    assert.deepEqual(
      read?.readableMasterKeys.map((one) => Buffer.from(one)),
      [masterKey],
    )
    assert.notDeepEqual(read?.masterKey, masterKey)

    const parsed = readWrappedKey(wrapped) ?? assert.fail()
    const flipped = Buffer.from(parsed.wrapped)
    flipped[20] = (flipped[20] ?? 0) ^ 1
    const text = (bytes: Uint8Array, by = reference) => `${by}#${Buffer.from(bytes).toString('base64url')}`
    for (const [bad, why] of [
      [text(flipped), /cannot be unwrapped/],
      [text(parsed.wrapped, hsm.reference('nothing')), /no secret key of this label/],
      [text(parsed.wrapped, 'pkcs11:token=away;object=wrapping'), /no token of this label/],
    ] as const) {
      const broken = readConfig({ ...base, VIDIMUS_MASTER_KEY_WRAPPED: bad })
      await assert.rejects(
        withRemoteKeys(broken, (keys) => readMasterKeys(broken, keys)),
        (error: Error) => error.name === 'MasterKeyProblem' && why.test(error.message),
      )
    }
    assert.throws(
      () => readConfig({ ...base, VIDIMUS_MASTER_KEY_WRAPPED: wrapped, VIDIMUS_MASTER_KEY: masterKey.toString('hex') }),
      /not together with VIDIMUS_MASTER_KEY_WRAPPED/,
    )
    assert.throws(
      () => readConfig({ ...base, VIDIMUS_MASTER_KEY_WRAPPED: 'x' }),
      /what `vidimus master-key wrap` printed/,
    )
  })

  test('without the HSM wallets get 503 with Retry-After, verifications stay pending, and nothing else stops', async () => {
    const outside = await testServiceOn()
    const created = await create(outside, key, { template: 'identity' })
    const lost = await testServiceOn({ VIDIMUS_PKCS11_MODULE: '/nowhere/module.so' })
    const path = new URL(created.request_uri).pathname
    for (let i = 0; i < 7; i += 1) {
      const answer = await lost.call('GET', path)
      assert.equal(answer.status, 503)
      assert.equal(answer.headers['retry-after'], '5')
      assert.equal(answer.json.error.code, 'unavailable')
    }
    assert.equal((await lost.call('GET', `/v1/verifications/${created.id}`, { key })).json.status, 'pending')
    assert.equal((await create(lost, key)).status, 'pending', 'verifications are created')
    assert.equal((await lost.call('GET', '/v1/usage', { key })).status, 200)
    await runJob(lost.deps, 'sign-receipts')
    const { err, out } = await commandLine(lost).run('doctor')
    assert.match(out, /FAIL {2}key outside: \S+object=access does not sign: /)
    assert.match(err, /problems? found/)
    assert.ok(lost.logged.some((line) => /object=access does not sign: /.test(line)))
  })

  /** Returns a further process of the same installation. */
  function testServiceOn(env: Record<string, string> = {}) {
    return testService({}, { ...hsm.env, VIDIMUS_OIDC_KEYS: hsm.reference('oidc'), ...env }, { sharedWith: service })
  }
}
