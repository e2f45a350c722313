// Heads of audit chains in the format of releases before blinding. The log and older exports still have such leaves.

import { createHmac } from 'node:crypto'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { ENVIRONMENTS, type Environment, millisecondsOf } from '../../../platform/world.ts'
import { eightBytes } from '../../transparency/domain/log/leaves.ts'
import type { AuditHead } from './entry.ts'

const HEAD_LABEL = Buffer.from('vidimus-head-v1\0', 'ascii')
export const TAG_BYTES = 32
const HEAD_LEAF_BYTES = HEAD_LABEL.length + TAG_BYTES + 1 + 8 + 32 + 8
const ENVIRONMENT_BYTE: Readonly<Record<Environment, number>> = { test: 0, live: 1 }

/** Label, tag (32 bytes), environment (1), number of the entry (8), its hash (32), its time in microseconds (8). */
export function taggedLeaf(tag: Uint8Array, environment: Environment, head: AuditHead): Buffer {
  return Buffer.concat([
    HEAD_LABEL,
    tag,
    Uint8Array.of(ENVIRONMENT_BYTE[environment]),
    eightBytes(head.seq),
    head.hash,
    eightBytes(Math.round(millisecondsOf(head.at) * 1000)),
  ])
}

/** The content of a head's leaf. */
interface HeadLeaf {
  readonly tag: Buffer
  readonly environment: Environment
  readonly seq: number
  readonly hash: Buffer
  /** When that entry was recorded, in microseconds. */
  readonly atMicros: number
}

/** Reads a leaf; null if it is not a head of a chain. */
export function readHeadLeaf(leaf: Buffer): HeadLeaf | null {
  const at = HEAD_LABEL.length + TAG_BYTES
  if (leaf.length !== HEAD_LEAF_BYTES || !leaf.subarray(0, HEAD_LABEL.length).equals(HEAD_LABEL)) return null
  const environment = ENVIRONMENTS.find((name) => ENVIRONMENT_BYTE[name] === leaf[at])
  if (environment === undefined) return null
  return {
    tag: leaf.subarray(HEAD_LABEL.length, at),
    environment,
    seq: Number(leaf.readBigUInt64BE(at + 1)),
    hash: leaf.subarray(at + 9, at + 41),
    atMicros: Number(leaf.readBigUInt64BE(at + 41)),
  }
}

interface TenantLeaf {
  readonly seq: number
  readonly hash: Buffer
}

/** Reads a leaf; null if it is not a head of this realm's chain. */
export function tenantLeafOf(leaf: Buffer, blindingKey: Uint8Array, realm: Realm): TenantLeaf | null {
  const head = readHeadLeaf(leaf)
  if (head === null || head.environment !== realm.environment || !head.tag.equals(tagOf(blindingKey, realm)))
    return null
  return { seq: head.seq, hash: head.hash }
}

/** The tag is the same in all leaves of a tenant. */
export const tagOf = (blindingKey: Uint8Array, { tenantId }: Realm) =>
  createHmac('sha256', blindingKey).update(tenantId, 'utf8').digest()
