// What was already proved about certificates? Bounded memory of parsed certificates and of signatures that held, by
// SHA-256 fingerprint. What depends on the time, or on whom an anchor vouches for, is judged anew each time.

import type { Anchor } from '../expected.ts'
import { createListMemory, type ListMemory } from '../status/memory.ts'
import { isSignedBy } from './algorithms.ts'
import type { AnchorSet } from './anchors.ts'
import { type Certificate, fingerprintOf, parseCertificate } from './certificate.ts'

export interface ChainCache {
  /** Certificates that proved to be signed by another one; nothing an unknown sender makes up gets in. */
  readonly certificates: Lru<Certificate>
  /** "subject issuer" fingerprints whose signature held. */
  readonly links: Lru<true>
  /** Whole paths that held under a signer's rule, in everything but the time. */
  readonly paths: Lru<true>
  /** Parsed anchors of a list, as long as the caller keeps that very list. */
  readonly anchorSets: WeakMap<readonly Anchor[], AnchorSet>
  /** Status lists that were read before. */
  readonly lists: ListMemory
}

export function createChainCache(entriesMax: number): ChainCache {
  return {
    certificates: createLru(entriesMax),
    links: createLru(entriesMax),
    paths: createLru(entriesMax),
    anchorSets: new WeakMap(),
    lists: createListMemory(),
  }
}

/** Throws MalformedCertificate. */
export function rememberedCertificate(der: Uint8Array, cache: ChainCache): Certificate {
  return cache.certificates.get(fingerprintOf(der)) ?? parseCertificate(der)
}

export function isIssuedBy(subject: Certificate, issuer: Certificate, cache: ChainCache): boolean {
  const link = `${subject.fingerprint} ${issuer.fingerprint}`
  if (cache.links.get(link) === true) return true
  if (!isSignedBy(issuer, subject.signed)) return false
  cache.links.set(link, true)
  cache.certificates.set(subject.fingerprint, subject)
  return true
}

export interface Lru<Value> {
  readonly get: (key: string) => Value | undefined
  readonly set: (key: string, value: Value) => void
  readonly size: () => number
}

function createLru<Value>(entriesMax: number): Lru<Value> {
  // A Map iterates in insertion order: the first key is the one unused for longest.
  const entries = new Map<string, Value>()
  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      for (const oldest of entries.keys()) {
        if (entries.size <= entriesMax) break
        entries.delete(oldest)
      }
    },
    size: () => entries.size,
  }
}
