// Tests the thread that encrypts evidence bundles: beside the event loop, killed, hanging, and with too much work.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { generateResultKey, openEvidence } from '@vidimus/sdk'
import { type BundleFacts, contentOf, EVIDENCE_TYPE } from '../../src/features/evidence/domain/bundle.ts'
import { renderContent } from '../../src/features/evidence/domain/bundle-content.ts'
import { createBundleWriter, type WriterOptions } from '../../src/features/evidence/outbound/bundle-writer.ts'
import { changeEvidence } from '../../src/features/evidence/usecases/manage-evidence.ts'
import { addMerchantKey } from '../forgetting/merchant-keys.ts'
import { merchant } from '../forgetting/merchants.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read, respond, validBody } from '../wallet/verifications.ts'

const { publicKey, privateKey } = await generateResultKey()
const ID = 'ver_sealed'
const REALM = { tenantId: 'ten_one', environment: 'live' } as const
const point = { x: String(publicKey.x), y: String(publicKey.y) }
const terms = { point, type: EVIDENCE_TYPE, verificationId: ID }

function factsOf(vpToken: BundleFacts['response'] | null, listBytes = 10): BundleFacts {
  // Bytes that are a view of a larger buffer, like those of a body or a certificate.
  const pool = Buffer.alloc(listBytes + 100, 7)
  const bytes = pool.subarray(50, 50 + listBytes)
  const list = { uri: 'https://a.example/l', kind: 'crl' as const, bytes, sha256: 'of the list' }
  const signer = {
    certificate: pool.subarray(1, 4),
    anchor: Uint8Array.of(1, 2, 3),
    fingerprint: 'f',
    anchorFingerprint: 'a',
  }
  return {
    id: ID,
    at: '2026-01-01T00:00:00.000000Z',
    request: null,
    response: vpToken ?? { deviceResponse: pool.subarray(3, 9) },
    result: { outcome: 'completed', claims: { given_name: 'Specimen' }, credentials: [] },
    trustEvidence: [{ queryId: 'a', checks: [], signer, status: null, lists: [list] }],
    credentials: [{ query: 'a', checks: [], status_policy: 'require' }],
  }
}

const dir = await mkdtemp(join(tmpdir(), 'vidimus-writer-'))
after(() => rm(dir, { recursive: true }))

/** Returns a thread that misbehaves with a bundle of this token. */
async function worker(name: string, otherwise: string): Promise<URL> {
  const path = join(dir, `${name}.mjs`)
  await writeFile(
    path,
    `import { parentPort } from 'node:worker_threads'
     parentPort.on('message', ({ id, input: { content } }) => {
       if (content.response.vp_token === 'bad') { ${otherwise} }
       parentPort.postMessage({ id, output: { jwe: String(content.response.vp_token), sha256: '' } })
     })`,
  )
  return pathToFileURL(path)
}

function openWriter(options: WriterOptions = {}) {
  const problems: string[] = []
  const writer = createBundleWriter({ ...options, report: (problem) => problems.push(problem) })
  after(() => writer.close())
  const seal = async (vpToken: string, tenantId: string = REALM.tenantId) =>
    (await writer.write({ tenantId, environment: 'live' }, () => contentOf(factsOf({ vpToken })), terms))?.jwe ?? null
  return { writer, seal, problems }
}

test('the merchant decrypts what the thread encrypted: the same text, with all its bytes, and its hash', async () => {
  const { writer, problems } = openWriter()
  for (const facts of [factsOf({ vpToken: { a: ['ö', { b: null }] } }), factsOf(null, 2_000_000)]) {
    const sealed = await writer.write(REALM, () => contentOf(facts), terms)
    assert.ok(sealed !== null, problems.join())
    assert.equal(sealed.sha256, hash('sha256', sealed.jwe, 'base64url'))
    const opened = await openEvidence({ id: ID, evidence: sealed.jwe }, privateKey)
    assert.deepEqual(opened, JSON.parse(renderContent(contentOf(facts))))
    const [list] = opened.lists as { bytes: string }[]
    const [used] = facts.trustEvidence[0]?.lists ?? []
    assert.deepEqual(Buffer.from(list?.bytes ?? '', 'base64'), used?.bytes)
    assert.ok(facts.trustEvidence[0]?.lists[0]?.bytes.length, 'the list itself stays in the cache')
  }
  assert.deepEqual(problems, [])
})

test('no two bundles are encrypted with the same random numbers', async () => {
  const { seal } = openWriter()
  const [one, other] = await Promise.all([seal('a'), seal('a')])
  const parts = [one, other].map((jwe) => jwe?.split('.') ?? [])
  for (const at of [0, 2, 3, 4]) assert.notEqual(parts[0]?.[at], parts[1]?.[at])
})

const LONG_MS = 60_000
const ways: [string, string, RegExp, number][] = [
  ['throws', `throw new Error('hostile')`, /failed/, LONG_MS],
  ['ends', 'process.exit(0)', /ended/, LONG_MS],
  ['hangs', 'for (;;) {}', /too long/, 1_000],
  ['answers another question', `parentPort.postMessage({ id: id - 1, output: {} }); for (;;) {}`, /too long/, 1_000],
]
for (const [what, otherwise, problem, writeWithinMs] of ways)
  test(`a thread that ${what} has encrypted nothing, and the next bundle gets another thread`, async () => {
    const workerUrl = await worker(what.replaceAll(' ', '-'), otherwise)
    const { seal, problems } = openWriter({ workerUrl, writeWithinMs })
    // A first bundle, so that the thread's start is not counted.
    assert.equal(await seal('first'), 'first')
    assert.deepEqual(await Promise.all([seal('bad'), seal('good')]), [null, 'good'])
    assert.equal(problems.length, 1)
    assert.match(problems[0] ?? '', problem)
  })

test('without a thread nothing is encrypted', async () => {
  const { seal, problems } = openWriter({ workerUrl: pathToFileURL(join(dir, 'absent.mjs')) })
  assert.equal(await seal('a'), null)
  assert.equal(problems.length, 1)
})

test('a limited number of bundles wait, and they fail when the writer is closed', async () => {
  const workerUrl = await worker('full', 'for (;;) {}')
  const { writer, seal, problems } = openWriter({ workerUrl, waiting: { each: 3, all: 3, reserve: 0, light: 0 } })
  const waiting = [seal('bad'), seal('b'), seal('c')]
  assert.equal(await seal('d'), null)
  assert.deepEqual(problems, ['too many wait'])
  await writer.close()
  assert.deepEqual(await Promise.all([...waiting, seal('e')]), [null, null, null, null])
  assert.equal(problems.length, 1)
})

test('a merchant with very many bundles does not fill the queue, and others do not wait for all of its bundles', async () => {
  // Each bundle of that merchant takes 200 ms.
  const workerUrl = await worker('turns', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)')
  const { seal, problems } = openWriter({ workerUrl })
  const outcomes: string[] = []
  const sealing = (token: string, tenantId: string) =>
    seal(token, tenantId).then((sealed) => void outcomes.push(`${tenantId}: ${sealed}`))
  for (let at = 0; at < 100; at++) void sealing('bad', 'ten_many')
  await Promise.all([sealing('a', 'ten_a'), sealing('b', 'ten_b')])
  const refused = outcomes.filter((one) => one === 'ten_many: null').length
  assert.deepEqual([refused, problems.length, outcomes.slice(-1)], [36, 36, ['ten_b: b']])
  assert.ok(outcomes.filter((one) => one === 'ten_many: bad').length <= 2, outcomes.join())
})

test('a verification whose evidence cannot be encrypted does not end: the wallet gets 503, and may answer again', async () => {
  const service = await testService()
  const { realm, key } = await merchant(service, { content: 'keep' })
  await addMerchantKey(service, realm)
  const basis = 'AMLR (EU) 2024/1624 Art. 77: obliged entity, own registration'
  const changed = await changeEvidence(service.deps, { tenantId: realm.tenantId, basis, actor: OPERATOR })
  assert.equal(changed.outcome, 'changed')
  const created = await create(service, key)
  const wallet = await testWallet(service)
  const body = await validBody(wallet, await wallet.request(created.wallet_uri))
  await service.deps.bundleWriter.close()
  const answer = await respond(service, created.id, body)
  assert.equal(answer.status, 503, answer.text)
  assert.equal((await read(service, key, created.id)).status, 'pending')
  const count = { name: 'test_no_bundles', text: 'select verification_id from evidence_bundles where tenant_id = $1' }
  assert.deepEqual(await service.deps.db.query(count, [realm.tenantId]), [])
})
