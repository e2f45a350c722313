// What a published list of issuers says, once its signature holds. Both kinds (VICAL, LoTE) come to this.

import type { KeyObject } from 'node:crypto'
import type { Anchor, Trust } from '../expected.ts'
import { createChainCache } from './cache.ts'
import { judgeChain } from './chain.ts'

export interface PublishedList {
  readonly issuer: string
  /** Rises with each issue; null where the list has none. */
  readonly sequence: number | null
  /** Unix seconds. */
  readonly issuedAt: number
  readonly nextUpdate: number | null
  readonly entries: readonly ListEntry[]
}

export interface ListEntry {
  /** DER of an authority. */
  readonly certificate: Uint8Array
  /** vct or docType values; empty where the list does not say. */
  readonly types: readonly string[]
  readonly profile: Anchor['profile']
}

export type ListReading =
  | { readonly outcome: 'read'; readonly list: PublishedList }
  | { readonly outcome: 'refused'; readonly detail: string }

export interface ListTerms {
  /** DER of the certificate we were given for this list: its signer's own; of a VICAL, also the authority above. */
  readonly signer: Uint8Array
  /** Unix seconds. */
  readonly now: number
}

/**
 * The key that signed the list; null where it is not one that may. Either the very certificate we were given, or, for a
 * VICAL, one below it with the purpose of ISO 18013-5 Annex C. Lists of trusted entities have no such purpose to tell their
 * signers from everybody else under the same authority.
 */
export function listSignerKey(
  chain: readonly Uint8Array[],
  kind: 'vical' | 'lote',
  { signer, now }: ListTerms,
): KeyObject | null {
  const base = { certificate: signer, types: ['*'], profile: 'generic' } as const
  const pinned = { ...base, kind: 'pinned' } as const
  const trust: Pick<Trust, 'anchors' | 'cache' | 'haip'> = {
    anchors: kind === 'lote' ? [pinned] : [pinned, { ...base, kind: 'ca' }],
    cache: createChainCache(10),
    haip: false,
  }
  const answer = judgeChain({ chain, type: '*', at: now, use: 'vical' }, trust)
  return answer.outcome === 'trusted' ? answer.signer.publicKey : null
}

/** A list that has run out vouches for nobody. */
export function currencyFault(
  { issuedAt, nextUpdate }: Pick<PublishedList, 'issuedAt' | 'nextUpdate'>,
  now: number,
): string | null {
  const skewSeconds = 300
  if (!(issuedAt <= now + skewSeconds)) return 'the list is issued in the future'
  if (nextUpdate !== null && !(now < nextUpdate)) return 'the list has run out'
  return null
}

/** RFC 3339 in UTC or with an offset; null for all else. */
export function instantSeconds(text: unknown): number | null {
  if (typeof text !== 'string' || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(text))
    return null
  const milliseconds = Date.parse(text)
  return Number.isNaN(milliseconds) ? null : Math.floor(milliseconds / 1000)
}
