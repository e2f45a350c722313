// Provides genuine and forged files about a receipt, for every program that verifies them.

import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { growLog } from '../../src/features/transparency/usecases/grow-log.ts'
import type { TestService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { create } from '../wallet/verifications.ts'
import { signTogether } from './tree-receipts.ts'

export interface ReceiptCase {
  readonly name: string
  /** By file name. */
  readonly files: Readonly<Record<string, string>>
  readonly isGenuine: boolean
}

export interface HeldReceipt {
  readonly id: string
  readonly certificate: string
  readonly receipt: string
  readonly proof: string
}

/**
 * Two verifications in the log, and the public keys. `together`: their receipts share a signature, as with an external key;
 * `foreign` is a receipt that does not share theirs.
 */
export async function createReceipts(service: TestService, signed: 'alone' | 'together' = 'alone') {
  const wallet = await testWallet(service)
  const tenant = await service.tenant({ name: 'Grünhof' })
  const key = await service.key(tenant)
  const get = async (path: string) => {
    const answer = await service.call('GET', path, { key })
    assert.equal(answer.status, 200, answer.text)
    return answer.text
  }
  const ids: string[] = []
  for (const template of ['age_over_18', 'age_over_16', 'age_over_18']) {
    const created = await create(service, key, { template })
    await wallet.present(created.wallet_uri)
    ids.push(created.id)
  }
  if (signed === 'together') {
    await signTogether(service, ids.slice(0, 2))
    await signTogether(service, ids.slice(2))
  }
  await growLog(service.deps)
  const [one, two, foreign] = await Promise.all(
    ids.map(async (id): Promise<HeldReceipt> => {
      const path = `/v1/verifications/${id}`
      const certificate = await get(`${path}/certificate`)
      return { id, certificate, receipt: await get(`${path}/receipt`), proof: await get(`${path}/receipt.tlog-proof`) }
    }),
  )
  assert.ok(one !== undefined && two !== undefined && foreign !== undefined)
  return { key, tenant, one, two, foreign, keys: await get('/log/receipt-keys'), logKey: await get('/log/key') }
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
const hex = (text: string) => Buffer.from(text).toString('hex')

export function receiptCases(one: HeldReceipt, two: HeldReceipt): readonly ReceiptCase[] {
  const [header = '', payload = '', signature = ''] = one.receipt.split('.')
  const changed = `${header}.${encode({ ...decode(payload), verdict: 'rejected' })}.${signature}`
  // Forgeries: a signature by another key under our name, and no signature.
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signedText = `${header}.${payload}`
  const foreign = sign('sha256', Buffer.from(signedText), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const unsigned = `${encode({ ...decode(header), alg: 'none' })}.${payload}.`
  const attached = (pdf: string, from: string, to: string) => {
    assert.ok(pdf.includes(hex(from)))
    return pdf.replace(hex(from), hex(to))
  }
  const cut = (text: string) => text.slice(0, Math.floor(text.length / 2))
  const receipt = 'receipt.jws'
  const proof = 'receipt.tlog-proof'
  const pdf = 'certificate.pdf'
  const genuine = (name: string, files: ReceiptCase['files']) => ({ name, files, isGenuine: true })
  const forged = (name: string, files: ReceiptCase['files']) => ({ name, files, isGenuine: false })
  const embedded = one.certificate.slice(
    one.certificate.indexOf('/Type /EmbeddedFile /Vidimus (receipt.jws)') - 20,
    one.certificate.indexOf('endstream', one.certificate.indexOf('/Vidimus (receipt.jws)')) + 9,
  )
  return [
    genuine('a certificate', { [pdf]: one.certificate }),
    genuine('a receipt with its proof', { [receipt]: one.receipt, [proof]: one.proof }),
    genuine('a certificate whose printed text was changed: only the attachments count', {
      [pdf]: one.certificate.replace('/Producer (Vidimus)', '/Producer (Another)'),
    }),
    forged('a changed receipt', { [receipt]: changed, [proof]: one.proof }),
    forged('a changed receipt in a certificate', { [pdf]: attached(one.certificate, one.receipt, changed) }),
    forged('the signature of another key', {
      [receipt]: `${signedText}.${foreign.toString('base64url')}`,
      [proof]: one.proof,
    }),
    forged('no signature', { [receipt]: unsigned, [proof]: one.proof }),
    forged('the proof of another receipt', { [receipt]: one.receipt, [proof]: two.proof }),
    forged('the proof of another receipt in a certificate', { [pdf]: attached(one.certificate, one.proof, two.proof) }),
    forged('an empty proof', { [receipt]: one.receipt, [proof]: 'c2sp.org/tlog-proof@v1\n' }),
    forged('a proof without its checkpoint', { [receipt]: one.receipt, [proof]: `${one.proof.split('\n\n')[0]}\n\n` }),
    forged('a proof that is cut off', { [receipt]: one.receipt, [proof]: cut(one.proof) }),
    forged('a receipt that is cut off', { [receipt]: cut(one.receipt), [proof]: one.proof }),
    forged('a certificate that is cut off', { [pdf]: cut(one.certificate) }),
    forged('a certificate with two receipts', { [pdf]: `${one.certificate}\n99 0 obj\n${embedded}\nendobj\n` }),
    forged('another PDF', { [pdf]: '%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF\n' }),
    forged('an empty file', { [receipt]: '', [proof]: one.proof }),
  ]
}
