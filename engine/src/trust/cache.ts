// Caches parsed certificates and valid signatures by SHA-256 fingerprint. What depends on the time or on an anchor's
// types is judged every time.

import { OVERSPENT, spendCertificate, spendHashing, spendSignature, type WorkBudget } from '../limits.ts'
import { createListMemory, type ListMemory } from '../status/memory.ts'
import type { JsonObject } from '../verdict.ts'
import type { AnchorSet, AnchorSets } from './anchors.ts'
import {
  type Certificate,
  fingerprintOf,
  MalformedCertificate,
  memoryOfCertificate,
  parseCertificate,
} from './certificate.ts'
import { isSignedBy } from './certified-key.ts'

export interface ChainCache {
  /** Certificates that another certificate validly signed, so that unknown senders cannot fill the cache. */
  readonly certificates: Lru<Certificate>
  /** The fingerprints "subject issuer" of valid signatures. */
  readonly links: Lru<true>
  /** Paths that were valid by a signer's rule, apart from the time. */
  readonly paths: Lru<true>
  /** Protected headers of credentials with a valid signature, by text. */
  readonly headers: Lru<JsonObject>
  readonly anchorSets: AnchorSets
  /** Status lists that were read before. */
  readonly lists: ListMemory
}

/** For the anchors of all realms of a process: twice as many as the largest lists have. */
const ANCHORS_MAX = 20_000
/** Memory for certificates, in each of the two caches. A real one takes about 8 kB. */
const PRESENTED_BYTES_MAX = 40_000_000
const ANCHOR_BYTES_MAX = 100_000_000

export function createChainCache(entriesMax: number): ChainCache {
  return {
    certificates: createLru(entriesMax, { most: PRESENTED_BYTES_MAX, of: memoryOfCertificate }),
    links: createLru(entriesMax),
    paths: createLru(entriesMax),
    headers: createLru(entriesMax),
    anchorSets: {
      sets: new WeakMap(),
      read: new WeakMap(),
      certificates: createLru(ANCHORS_MAX, { most: ANCHOR_BYTES_MAX, of: memoryOfCertificate }),
    },
    lists: createListMemory(),
  }
}

/** The certificate was not read, because the budget of the response is used up. */
export class CertificatesSpent extends MalformedCertificate {}

/** Throws MalformedCertificate. */
export function rememberedCertificate(
  der: Uint8Array,
  { anchors, cache, budget }: { readonly anchors: AnchorSet; readonly cache: ChainCache; readonly budget: WorkBudget },
): Certificate {
  const fingerprint = paidFingerprint(der, budget)
  const known = cache.certificates.get(fingerprint) ?? anchors.pinned.get(fingerprint)?.[0]?.certificate
  return known ?? parsePaid(der, budget)
}

/** Throws MalformedCertificate. */
export function paidFingerprint(der: Uint8Array, budget: WorkBudget): string {
  if (!spendHashing(budget, der.length)) throw new CertificatesSpent(OVERSPENT)
  return fingerprintOf(der)
}

/** Throws MalformedCertificate. */
export function parsePaid(der: Uint8Array, budget: WorkBudget): Certificate {
  if (!spendCertificate(budget, der.length, longKeyIn(der))) throw new CertificatesSpent(OVERSPENT)
  return parseCertificate(der)
}

/** Finds a long key without parsing, because parsing must be paid for first. If the identifier occurs elsewhere, the price is too high. */
function longKeyIn(der: Uint8Array): 'P-384' | 'P-521' | null {
  const bytes = Buffer.from(der.buffer, der.byteOffset, der.byteLength)
  return bytes.includes(SECP521R1) ? 'P-521' : bytes.includes(SECP384R1) ? 'P-384' : null
}

const SECP384R1 = Buffer.from('06052b81040022', 'hex')
const SECP521R1 = Buffer.from('06052b81040023', 'hex')

/** Returns null if the budget of the response is used up. */
export function isIssuedBy(
  subject: Certificate,
  issuer: Certificate,
  { cache, budget }: { readonly cache: ChainCache; readonly budget: WorkBudget },
): boolean | null {
  const link = `${subject.fingerprint} ${issuer.fingerprint}`
  if (cache.links.get(link) === true) return true
  if (!spendSignature(budget, issuer, subject.signed.bytes.length)) return null
  if (!isSignedBy(issuer, subject.signed)) return false
  cache.links.set(link, true)
  cache.certificates.set(subject.fingerprint, subject)
  return true
}

interface Lru<Value> {
  readonly get: (key: string) => Value | undefined
  readonly set: (key: string, value: Value) => void
  readonly size: () => number
}

interface Bytes<Value> {
  readonly most: number
  /** Must always return the same number for the same value. */
  readonly of: (value: Value) => number
}

/** Has two generations: an entry that was used in the current one survives the next change. A hit costs one lookup. */
function createLru<Value>(entriesMax: number, bytes: Bytes<Value> = { most: 1, of: () => 0 }): Lru<Value> {
  let recent = new Map<string, Value>()
  let older = new Map<string, Value>()
  let recentBytes = 0
  const keep = (key: string, value: Value): void => {
    older.delete(key)
    if (recent.has(key)) return void recent.set(key, value)
    const added = bytes.of(value)
    if (recent.size >= entriesMax / 2 || recentBytes + added > bytes.most / 2) {
      older = recent
      recent = new Map()
      recentBytes = 0
    }
    recentBytes += added
    recent.set(key, value)
  }
  return {
    get(key) {
      const value = recent.get(key)
      if (value !== undefined) return value
      const rediscovered = older.get(key)
      if (rediscovered !== undefined) keep(key, rediscovered)
      return rediscovered
    },
    set: keep,
    size: () => recent.size + older.size,
  }
}
