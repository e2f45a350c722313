// What a leaf of the log is: the head of a tenant's audit chain without the tenant's name, or the digest of a receipt.

import { createHash, createHmac } from 'node:crypto'
import type { AuditHead } from '../audit/entry.ts'
import type { Realm } from '../tenant/realm.ts'
import { type Environment, millisecondsOf } from '../world.ts'

const HEAD_LABEL = Buffer.from('vidimus-head-v1\0', 'ascii')
const RECEIPT_LABEL = Buffer.from('vidimus-receipt-v1\0', 'ascii')
const ENVIRONMENT_BYTE: Readonly<Record<Environment, number>> = { test: 0, live: 1 }

/** label, tag (32), environment (1), number of the entry (8), its hash (32), its time in microseconds (8). */
export function headLeaf(blindingKey: Uint8Array, realm: Realm, head: AuditHead): Buffer {
  const tag = createHmac('sha256', blindingKey).update(realm.tenantId, 'utf8').digest()
  return Buffer.concat([
    HEAD_LABEL,
    tag,
    Uint8Array.of(ENVIRONMENT_BYTE[realm.environment]),
    eightBytes(head.seq),
    head.hash,
    eightBytes(Math.round(millisecondsOf(head.at) * 1000)),
  ])
}

/** Over the receipt as it is handed out. Nobody guesses one: it holds the id of its verification and a signature. */
export const receiptLeaf = (jws: string): Buffer =>
  Buffer.concat([RECEIPT_LABEL, createHash('sha256').update(jws, 'ascii').digest()])

function eightBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}
