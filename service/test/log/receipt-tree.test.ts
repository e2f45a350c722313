// Tests receipts that share a signature (L24): the verifiers of service and SDK accept both forms and no forged path.

import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import test from 'node:test'
import { ReceiptVerificationError, verifyReceipt as verifyWithSdk } from '@vidimus/sdk'
import { compactVerify, importJWK } from 'jose'
import {
  completeReceipts,
  RECEIPT_TYPE,
  receiptSigner,
} from '../../src/features/transparency/domain/receipt/receipt.ts'
import { verifyReceipt } from '../../src/features/transparency/domain/receipt/verify-receipt.ts'
import { localKey } from '../../src/platform/keys/signing-key.ts'
import { treeForgeries } from '../evidence/tree-receipts.ts'

const random = (size: number) => new Uint8Array(randomBytes(size))
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
const jwk = { kty: 'EC', crv: 'P-256', x, y, kid: 'k', use: 'sig', alg: 'ES256' }
const keys = { keys: [jwk] }
const local = localKey(privateKey)
let signatures = 0
/** A receipt signer with an external key, which counts signatures. */
const signer = receiptSigner('k', {
  ...local,
  reference: 'pkcs11:token=t;object=k',
  async sign(bytes) {
    signatures += 1
    return local.sign(bytes)
  },
})

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const contentOf = (jti: string) => ({
  ...{ iss: 'https://a.example', aud: 'ten_a', jti, iat: 1, env: 'test', verdict: 'accepted' },
  ...{ result_sha256: 'r', chain: { seq: 1, hash: 'h' } },
})
const unsigned = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ jws: `${signer.header}.${encoded(contentOf(`ver_${name}_${i}`))}.` }))
const jwsOf = (receipts: readonly { readonly jws: string }[], i: number) => receipts[i]?.jws ?? assert.fail()
const ownProof = (jws: string) => Buffer.from(jws.split('.')[2] ?? '', 'base64url')

const batch = await completeReceipts(unsigned('a', 3), signer, random)
const next = await completeReceipts(unsigned('b', 256), signer, random)

async function codesOf(jws: string): Promise<string[]> {
  const bySdk = verifyWithSdk(jws, keys).then(
    () => 'genuine',
    (error) => (error instanceof ReceiptVerificationError ? error.code : assert.fail(error)),
  )
  return [verifyReceipt(jws, keys).outcome, await bySdk]
}

test('L24 a batch has one signature, and every receipt of it verifies; a full batch has 256', async () => {
  assert.equal(signatures, 2)
  for (const { jws } of [...batch, ...next]) assert.deepEqual(await codesOf(jws), ['genuine', 'genuine'])
  const receipt = await verifyWithSdk(jwsOf(next, 255), keys, { id: 'ver_b_255' })
  assert.equal(receipt.jti, 'ver_b_255')
  const places = next.map(({ jws }) => ownProof(jws)[64])
  assert.equal(new Set(places).size, 256, 'each has a place of its own')
  await assert.rejects(completeReceipts(unsigned('c', 257), signer, random), /bug: more receipts/)
})

test('L24 a receipt reveals neither how many receipts share its signature nor its position', async () => {
  assert.equal(new Set([...batch, ...next].map(({ jws }) => ownProof(jws).length)).size, 1)
  const first = await Promise.all(
    Array.from({ length: 40 }, async () => jwsOf(await completeReceipts(unsigned('d', 1), signer, random), 0)),
  )
  assert.ok(new Set(first.map((jws) => ownProof(jws)[64])).size > 1, 'shuffled')
  // Padding is random, never a repeated leaf.
  const siblings = first.flatMap((jws) =>
    Array.from({ length: 8 }, (_, i) => ownProof(jws).toString('hex', 65 + 32 * i, 97 + 32 * i)),
  )
  assert.equal(new Set(siblings).size, siblings.length)
})

for (const { name, jws, code } of treeForgeries(jwsOf(batch, 0), jwsOf(batch, 1), jwsOf(next, 0)))
  test(`L24 refused: ${name}`, async () => assert.deepEqual(await codesOf(jws), [code, code]))

test('L24 refused: trees that do not distinguish leaves from nodes, roots without their label, and other bytes that the key signs', async () => {
  const input = `${signer.header}.${encoded(contentOf('ver_a'))}`
  const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
  const by = (bytes: Buffer) => sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const path = Array.from({ length: 8 }, () => randomBytes(32))
  const rootOf = (leaf: number[], node: number[]) =>
    path.reduce<Buffer>(
      (hash, sibling) => sha256(Buffer.from(node), hash, sibling),
      sha256(Buffer.from(leaf), Buffer.from(input)),
    )
  const label = Buffer.from('vidimus-receipt-tree-v1\0')
  const compact = (signature: Buffer) =>
    `${input}.${Buffer.concat([signature, Uint8Array.of(0), ...path]).toString('base64url')}`
  const right = rootOf([0], [1])
  assert.deepEqual(await codesOf(compact(by(Buffer.concat([label, right])))), ['genuine', 'genuine'])
  const wrong = {
    'no prefixes': Buffer.concat([label, rootOf([], [])]),
    'one prefix for both': Buffer.concat([label, rootOf([0], [0])]),
    'prefixes the other way round': Buffer.concat([label, rootOf([1], [0])]),
    'a root without its label': right,
    'another label': Buffer.concat([Buffer.from('vidimus-receipt-v1\0'), right]),
    'the receipt itself': Buffer.from(input),
  }
  for (const [name, bytes] of Object.entries(wrong))
    assert.deepEqual(await codesOf(compact(by(bytes))), ['bad_signature', 'bad_signature'], name)
  const text = Buffer.concat([label, right]).toString('latin1')
  assert.equal(/^[\w-]+\.[\w-]+$/.test(text), false, 'what the key signs for a batch is not a JWS')
})

test('L24 a reader that does not know the form refuses it: a JOSE library, and a plain check of ES256', async () => {
  const jws = jwsOf(batch, 0)
  const key = await importJWK({ ...jwk, key_ops: ['verify'] }, 'ES256')
  await assert.rejects(compactVerify(jws, key), /alg|algorithm/i)
  const [, payload = '', signature = ''] = jws.split('.')
  const plain = encoded({ alg: 'ES256', kid: 'k', typ: RECEIPT_TYPE })
  for (const part of [signature, ownProof(jws).subarray(0, 64).toString('base64url')])
    await assert.rejects(compactVerify(`${plain}.${payload}.${part}`, key), /verification failed|length/i)
})

test('L24 receipts with their own signature verify as before', async () => {
  const input = `${encoded({ alg: 'ES256', kid: 'k', typ: RECEIPT_TYPE })}.${encoded(contentOf('ver_old'))}`
  const old = `${input}.${Buffer.from(local.sign(Buffer.from(input))).toString('base64url')}`
  assert.deepEqual(await codesOf(old), ['genuine', 'genuine'])
  const other = Buffer.from(local.sign(Buffer.from('another text'))).toString('base64url')
  assert.deepEqual(await codesOf(`${input}.${other}`), ['bad_signature', 'bad_signature'])
  // The last of 86 characters has four unused bits: A, Q, g or w.
  const unused = String.fromCharCode(old.charCodeAt(old.length - 1) + 1)
  for (const spelled of [`${old}=`, `${old}==`, `${old}!`, `${old.slice(0, -1)}${unused}`])
    assert.deepEqual(await codesOf(spelled), ['bad_signature', 'bad_signature'], spelled.slice(-3))
  assert.equal(receiptSigner('k', local).header, encoded({ alg: 'ES256', kid: 'k', typ: RECEIPT_TYPE }))
})
