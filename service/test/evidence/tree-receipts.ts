// Creates receipts with a shared signature, as an external key signs them, and forgeries of them.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { completeReceipts, receiptSigner } from '../../src/features/transparency/domain/receipt/receipt.ts'
import { listReceiptKeys, openReceiptKey } from '../../src/features/transparency/store/receipt-keys.ts'
import { NO_REMOTE_KEYS } from '../harness/keys/no-remote-keys.ts'
import type { TestService } from '../harness/service.ts'

/** Replaces the signatures of stored receipts by a shared one, before they enter the log. */
export async function signTogether({ deps }: TestService, ids: readonly string[]): Promise<void> {
  const [stored] = await listReceiptKeys(deps.db)
  assert.ok(stored !== undefined)
  const local = openReceiptKey(deps.db, stored, NO_REMOTE_KEYS.open)
  assert.ok(local !== null)
  const signer = receiptSigner(local.kid, { ...local.key, reference: 'pkcs11:token=t;object=k' })
  const find = `select verification_id as id, jws from receipts where verification_id = any ($1::text[])`
  const waiting = await deps.db.query<{ id: string; jws: string }>({ name: 'test_find_receipts', text: find }, [ids])
  assert.equal(waiting.length, ids.length)
  const update = 'update receipts set jws = $2 where verification_id = $1 and leaf_index is null returning 1'
  for (const { id, jws } of await completeReceipts(waiting, signer, deps.random)) {
    const written = await deps.db.query({ name: 'test_replace_receipt', text: update }, [id, jws])
    assert.equal(written.length, 1)
  }
}

export interface TreeForgery {
  readonly name: string
  readonly jws: string
  readonly code: 'malformed' | 'bad_signature'
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()

interface Parts {
  readonly header: string
  readonly payload: string
  readonly signature: Buffer
  readonly index: number
  /** Eight hashes, beginning with the leaf's sibling. */
  readonly path: readonly Buffer[]
}

function partsOf(jws: string): Parts {
  const [header = '', payload = '', proof = ''] = jws.split('.')
  const bytes = Buffer.from(proof, 'base64url')
  assert.equal(bytes.length, 321)
  const path = Array.from({ length: 8 }, (_, i) => bytes.subarray(65 + 32 * i, 97 + 32 * i))
  return { header, payload, signature: bytes.subarray(0, 64), index: bytes[64] ?? 0, path }
}

const joined = ({ header, payload, signature, index, path }: Parts) =>
  `${header}.${payload}.${Buffer.concat([signature, Uint8Array.of(index), ...path]).toString('base64url')}`

/** `one` and `two` are of one batch, `foreign` of another. */
export function treeForgeries(one: string, two: string, foreign: string): readonly TreeForgery[] {
  const [own, second, other] = [partsOf(one), partsOf(two), partsOf(foreign)]
  const { header, payload, signature, index, path } = own
  const flipped = (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -1), Uint8Array.of((bytes.at(-1) ?? 0) ^ 1)])
  const wrong = (name: string, change: Partial<Parts>): TreeForgery => {
    const jws = joined({ ...own, ...change })
    assert.notEqual(jws, one)
    return { name, jws, code: 'bad_signature' }
  }
  const malformed = (name: string, jws: string): TreeForgery => ({ name, jws, code: 'malformed' })
  const proofOf = (...parts: Uint8Array[]) => `${header}.${payload}.${Buffer.concat(parts).toString('base64url')}`
  const place = Uint8Array.of(index)
  const headed = (change: object) => encode({ ...decode(header), ...change })
  const leaf = sha256(Uint8Array.of(0), Buffer.from(`${header}.${payload}`))
  const [sibling = Buffer.alloc(32), ...above] = path
  const parent = index % 2 === 0 ? sha256(Uint8Array.of(1), leaf, sibling) : sha256(Uint8Array.of(1), sibling, leaf)
  return [
    wrong('another verdict', { payload: encode({ ...decode(payload), verdict: 'rejected' }) }),
    ...path.map((hash, level) => wrong(`a forged path, at level ${level}`, { path: path.with(level, flipped(hash)) })),
    wrong('a forged signature', { signature: flipped(signature) }),
    wrong('the path of another receipt of the batch', { index: second.index, path: second.path }),
    wrong('the path of another batch', { index: other.index, path: other.path }),
    wrong('the signature of another batch', { signature: other.signature }),
    wrong('path and signature of another batch', { ...other, header, payload }),
    wrong('another index', { index: index ^ 1 }),
    wrong('a node in place of the leaf', { index: index >> 1, path: [...above, flipped(sibling)] }),
    wrong('its own parent as its sibling', { path: [parent, ...above] }),
    wrong('the last leaf twice', { index: 255, path: [leaf, ...above] }),
    malformed('a path that is one hash short', proofOf(signature, place, ...above)),
    malformed('a path that is one hash long', proofOf(signature, place, ...path, leaf)),
    malformed('an empty path with its own root', proofOf(signature, Uint8Array.of(0))),
    malformed('an empty path with a foreign root', proofOf(other.signature, Uint8Array.of(0))),
    malformed('a signature alone', proofOf(signature)),
    malformed('nothing', `${header}.${payload}.`),
    malformed('a byte behind the path', proofOf(signature, place, ...path, place)),
    malformed('a path in another alphabet', `${one}=`),
    malformed('an algorithm that is not known', joined({ ...own, header: headed({ alg: 'vidimus-ES256-tree-v2' }) })),
    malformed('no algorithm', joined({ ...own, header: headed({ alg: undefined }) })),
    wrong('the algorithm of a receipt that was signed alone', { header: headed({ alg: 'ES256' }) }),
  ]
}
