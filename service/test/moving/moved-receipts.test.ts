// Tests that the two public logs of a moved tenant reveal nothing when compared, and that each receipt is still proven.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { readCertificate, verifyReceipt, verifyReceiptProof } from '@vidimus/sdk'
import { checkReceipt, readFiles, readFragment } from '../../../dashboard/src/receipt-page/check.ts'
import { receiptAddress } from '../../src/features/certificates/domain/receipt-address.ts'
import { switchTenant } from '../../src/features/operator/usecases/moving/move-tenant.ts'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import { verifyReceiptProof as verifyWithService } from '../../src/features/transparency/usecases/verify-log.ts'
import { logKey, mirrorLog } from '../harness/log/log-mirror.ts'
import { type TestService, testService } from '../harness/service.ts'
import { ask, completed, type Installations, moveOf, run, twoInstallations } from './installations.ts'

const STOP = { stopSeconds: 30 }

async function minute({ clock, deps }: TestService): Promise<void> {
  clock.advance(60_000)
  await growLog(deps)
}

const leavesOf = async (service: TestService) => (await mirrorLog(service)).leaves.map((leaf) => leaf.toString('hex'))

async function commonLeaves({ source, target }: Installations): Promise<number> {
  const there = new Set(await leavesOf(target))
  return (await leavesOf(source)).filter((leaf) => there.has(leaf)).length
}

interface Held {
  readonly id: string
  readonly receipt: string
  readonly proof: string
}

async function read(service: TestService, key: string, id: string): Promise<Held> {
  const get = async (file: string) => {
    const { status, text } = await ask(service, `/v1/verifications/${id}/${file}`, { key })
    assert.equal(status, 200, text)
    return text
  }
  return { id, receipt: await get('receipt'), proof: await get('receipt.tlog-proof') }
}

const indexIn = (proof: string) => Number(/^index (\d+)$/m.exec(proof)?.[1])
const saltIn = (proof: string) => {
  const salt = /^extra (\S+)$/m.exec(proof)?.[1]
  return salt === undefined ? null : Buffer.from(salt, 'base64')
}

/** Checks a code like the verifying page: from the address in the code, with only public files. */
async function checkCode(service: TestService, address: string) {
  const fragment = (await readFragment(new URL(address).hash)) ?? assert.fail('the page does not know this address')
  return checkReceipt(fragment, await pageKeys(service), {
    checkpoint: async () => (await service.call('GET', '/log/checkpoint')).text,
    tile: async (path) => new Uint8Array((await service.app.inject({ method: 'GET', url: `/log/${path}` })).rawPayload),
  })
}

async function pageKeys(service: TestService) {
  const [{ text }, { text: log }] = [
    await service.call('GET', '/log/receipt-keys'),
    await service.call('GET', '/log/key'),
  ]
  return { receipts: JSON.parse(text), log }
}

it('two public logs have no leaf in common after a move, and each receipt that moved is proven', async () => {
  const both = await twoInstallations()
  const { source, target } = both
  const [shop, other] = [await source.tenant({ name: 'Shop' }), await source.tenant({ name: 'Other' })]
  const [key, otherKey] = [await source.key(shop), await source.key(other)]
  const ids: string[] = []
  for (const many of [2, 0, 3]) {
    for (let i = 0; i < many; i += 1) ids.push(await completed(source, key))
    await completed(source, otherKey)
    await minute(source)
  }
  const before = await Promise.all(ids.map((id) => read(source, key, id)))
  // The log of the old installation does not have this one yet.
  ids.push(await completed(source, key))
  await switchTenant(moveOf(both, shop), STOP)
  for (let i = 0; i < 2; i += 1) await minute(target)
  await minute(source)

  assert.equal(await commonLeaves(both), 0)
  const moved = await Promise.all(ids.map((id) => read(target, key, id)))
  assert.equal(new Set(moved.map(({ proof }) => saltIn(proof)?.toString('hex'))).size, ids.length, 'each has its own')
  const keys = await pageKeys(target)
  for (const { id, receipt, proof } of moved) {
    assert.equal((await verifyReceipt(receipt, keys.receipts)).jti, id)
    assert.equal((await verifyReceiptProof(proof, receipt, keys)).origin, 'new.example.com/log')
    const findings = verifyWithService(proof, receipt, { log: await logKey(target), witnesses: [] })
    assert.equal(findings.outcome, 'proven', findings.notProven.join())
    const address = receiptAddress('https://new.example.com', receipt, { index: indexIn(proof), salt: saltIn(proof) })
    assert.equal((await checkCode(target, address)).outcome, 'verified')
  }
  const pdf = await ask(target, `/v1/verifications/${ids[0]}/certificate`, { key })
  assert.equal(pdf.status, 200, pdf.text)
  const attached = readCertificate(Buffer.from(pdf.text, 'latin1')) ?? assert.fail('no certificate')
  assert.ok(await verifyReceiptProof(attached.proof, attached.receipt, keys))
  const file = await readFiles([new Blob([Buffer.from(pdf.text, 'latin1')])])
  assert.ok(!('code' in file))
  assert.equal((await checkReceipt(file, keys, NO_LOG)).outcome, 'verified')

  const oldKey = (await source.call('GET', '/log/key')).text
  for (const { receipt, proof } of before) {
    assert.equal(saltIn(proof), null)
    assert.ok(await verifyReceiptProof(proof, receipt, { log: oldKey }), 'a proof from before the move stays good')
  }
})

const NO_LOG = {
  checkpoint: () => assert.fail('the file has its proof'),
  tile: () => assert.fail('the file has its proof'),
}

it('a moved receipt is proven by its own salt alone', async () => {
  const both = await twoInstallations()
  const { source, target } = both
  const shop = await source.tenant()
  const key = await source.key(shop)
  const ids = [await completed(source, key), await completed(source, key)]
  await switchTenant(moveOf(both, shop), STOP)
  await minute(target)
  const [one, two] = await Promise.all(ids.map((id) => read(target, key, id)))
  assert.ok(one !== undefined && two !== undefined)
  const keys = await pageKeys(target)
  const own = saltIn(one.proof) ?? assert.fail('no salt')
  const withSalt = (salt: Buffer) => one.proof.replace(/^extra .*$/m, `extra ${salt.toString('base64')}`)
  const cases: Readonly<Record<string, [file: string, jws: string, code: string]>> = {
    'no salt': [one.proof.replace(/^extra .*\n/m, ''), one.receipt, 'not_included'],
    'the salt of another': [withSalt(saltIn(two.proof) ?? Buffer.alloc(0)), one.receipt, 'not_included'],
    'another receipt': [one.proof, two.receipt, 'not_included'],
    // HMAC treats both as the same key, so this salt would prove the same.
    'the salt and a zero byte': [withSalt(Buffer.concat([own, Buffer.alloc(1)])), one.receipt, 'malformed'],
    'half a salt': [withSalt(own.subarray(16)), one.receipt, 'malformed'],
    'no base64': [one.proof.replace(/^extra .*$/m, 'extra -'), one.receipt, 'malformed'],
  }
  for (const [what, [file, jws, code]] of Object.entries(cases)) {
    await assert.rejects(verifyReceiptProof(file, jws, keys), { code }, what)
    const findings = verifyWithService(file, jws, { log: await logKey(target), witnesses: [] })
    assert.equal(findings.outcome, 'broken', what)
  }
  const place = { index: indexIn(one.proof), salt: null }
  const bare = await checkCode(target, receiptAddress('https://new.example.com', one.receipt, place))
  assert.deepEqual(bare, { outcome: 'not_verified', code: 'not_in_log' })
})

it('a tenant that moves again has other leaves in each of the three logs', async () => {
  const both = await twoInstallations()
  const { source, target } = both
  const third = await testService({ baseUrl: 'https://third.example.com' }, {}, { masterKey: randomBytes(32) })
  const shop = await source.tenant()
  const key = await source.key(shop)
  const id = await completed(source, key)
  await minute(source)
  await switchTenant(moveOf(both, shop), STOP)
  await minute(target)
  await switchTenant(moveOf({ source: target, target: third }, shop), STOP)
  await minute(third)
  const { proof, receipt } = await read(third, key, id)
  assert.ok(await verifyReceiptProof(proof, receipt, await pageKeys(third)))
  const leaves = (await Promise.all([source, target, third].map(leavesOf))).flat()
  assert.equal(new Set(leaves).size, leaves.length)
})

it('the store refuses an arrived receipt that would enter the log without a salt', async () => {
  const both = await twoInstallations()
  const { source, target } = both
  const shop = await source.tenant()
  const id = await completed(source, await source.key(shop))
  await switchTenant(moveOf(both, shop), STOP)
  const without = run(target, 'update receipts set leaf_index = 7 where verification_id = $1', [id])
  await assert.rejects(without, /receipts_arrived_salted/)
})
