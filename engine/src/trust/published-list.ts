// What published lists (VICAL, LoTE, trusted list in XML) have in common, and how their signers are judged.

import type { KeyObject } from 'node:crypto'
import { isShowable } from '../bytes.ts'
import type { Trust } from '../expected.ts'
import { EVERY_DOCUMENT, MDOC } from '../formats/mdoc/name.ts'
import { establishRevocation } from '../status/establish.ts'
import type { Anchor } from './anchor.ts'
import { createChainCache } from './cache.ts'
import { judgeChain } from './chain.ts'
import { signerStatus } from './revocation.ts'

export interface PublishedList {
  readonly issuer: string
  /** Grows with each issue; null if the list has no number. */
  readonly sequence: number | null
  /** Unix seconds. */
  readonly issuedAt: number
  /** After this time the list vouches for nothing. */
  readonly endsAt: number
  readonly entries: readonly ListEntry[]
  /** Entries that vouch for nothing, for example of withdrawn services. Their keys may still have signed credentials. */
  readonly ended: readonly ListEntry[]
}

export interface ListEntry {
  /** DER of an authority's certificate. */
  readonly certificate: Uint8Array
  /** The docTypes that the list names for the authority, which narrow the importer's grant; null: none named. */
  readonly docTypes: readonly string[] | null
  readonly profile: Anchor['profile']
}

export type ListReading =
  | {
      readonly outcome: 'read'
      readonly list: PublishedList
      /** The certificates of the list's signer, for later revocation checks; null if the list is unsigned. */
      readonly signerChain: readonly Uint8Array[] | null
    }
  | RefusedList

export interface RefusedList {
  readonly outcome: 'refused'
  readonly detail: string
  /** The signer is revoked or on hold, so nothing that it signed may be used. */
  readonly signerRevoked?: true
  /** The list is of another kind than its importer stated. */
  readonly mismatch?: true
}

/** `tsl`: a trusted list in XML. */
export type ListKind = 'vical' | 'lote' | 'tsl'

export interface ListTerms {
  /** DER of the configured certificate: the signer's, or for a VICAL optionally that of the authority above. */
  readonly signer: Uint8Array
  /** DER of the authority that issued the signer's certificate and publishes its revocation list; null: unknown. */
  readonly authority: Uint8Array | null
  /** Unix seconds. */
  readonly now: number
}

interface ListSigner {
  readonly key: KeyObject
  /** The revocation lists that its certificates name. */
  readonly references: ReturnType<typeof signerStatus>
}

/**
 * Returns the signer of the list; null if it may not sign. Its certificate must be the configured one. A VICAL may also
 * have a signer below the configured certificate, with the key purpose of ISO 18013-5 Annex C.
 */
export function listSigner(
  chain: readonly Uint8Array[],
  kind: ListKind,
  { signer, authority, now }: ListTerms,
): ListSigner | null {
  const base = { certificate: signer, types: [EVERY_DOCUMENT], profile: 'generic' } as const
  const anchors: Anchor[] = [{ ...base, kind: 'pinned' }]
  if (kind === 'vical') anchors.push({ ...base, kind: 'ca' })
  // Vouches for nothing; only publishes the revocation list of the signer.
  if (authority !== null) anchors.push({ ...base, kind: 'ca', certificate: authority, types: [] })
  const cache = createChainCache(10)
  const question = { chain, format: MDOC, type: 'a list', at: now, use: 'vical' } as const
  const answer = judgeChain(question, { anchors, cache, haip: false })
  if (answer.outcome !== 'trusted') return null
  return { key: answer.signer.publicKey, references: signerStatus(answer, MDOC) }
}

export interface ConfirmingTerms extends ListTerms {
  readonly fetchStatus: Trust['fetchStatus']
}

/**
 * Returns why nothing that the signer of a parsed list signed may be used: it was revoked, or its revocation list is
 * unavailable. null: no reason. Uses the network.
 */
export async function signerFault(
  chain: readonly Uint8Array[],
  kind: ListKind,
  terms: ConfirmingTerms,
): Promise<RefusedList | null> {
  const signer = listSigner(chain, kind, terms)
  if (signer === null) return { outcome: 'refused', detail: "the list's signer is not trusted" }
  const { now, fetchStatus } = terms
  const trust = { fetchStatus, cache: createChainCache(10) }
  const expected = { now, skewSeconds: SKEW_SECONDS }
  return revocationFault(await establishRevocation(signer.references, { expected, trust }))
}

/**
 * Whether the signer of a loaded list was revoked later, even if its address no longer serves the list. False if this
 * is unknown, because the list itself expires.
 */
export async function isListSignerRevoked(
  chain: readonly Uint8Array[],
  kind: ListKind,
  terms: ConfirmingTerms,
): Promise<boolean> {
  const fault = await signerFault(chain, kind, terms)
  return fault?.signerRevoked === true
}

/** If a named revocation list is unavailable, the new list is refused and the loaded one stays in use. */
function revocationFault(status: Awaited<ReturnType<typeof establishRevocation>>) {
  if (status === 'none' || status === 'valid') return null
  if (status === 'revoked' || status === 'suspended') {
    return {
      outcome: 'refused',
      detail: "the list's signer has been revoked or is on hold",
      signerRevoked: true,
    } as const
  }
  const detail = "could not establish whether the list's signer has been revoked"
  return { outcome: 'refused', detail } as const
}

export const SKEW_SECONDS = 300
/** The longest validity of a list without a date for its next issue. */
const UNSTATED_AGE_SECONDS = 90 * 86_400
/** The longest validity of any list: six months, as ETSI TS 119 612 §5.3.15 allows. */
const AGE_SECONDS_MAX = 184 * 86_400

export function endOf(issuedAt: number, nextUpdate: number | null): number {
  return Math.min(nextUpdate ?? issuedAt + UNSTATED_AGE_SECONDS, issuedAt + AGE_SECONDS_MAX)
}

/** More characters than are ever shown. */
const NAME_READ_MAX = 1_000

/**
 * Returns the name on one line, or "unnamed" if it has control characters: the publisher chose it, and operators see
 * it.
 */
export function showableName(name: string): string {
  const line = name.slice(0, NAME_READ_MAX).replaceAll(/\s+/g, ' ').trim()
  return line !== '' && isShowable(line) ? line : 'unnamed'
}

/** Returns why the list is not current. An expired list vouches for nothing. */
export function currencyFault(
  { issuedAt, endsAt }: Pick<PublishedList, 'issuedAt' | 'endsAt'>,
  now: number,
): string | null {
  if (!(issuedAt <= now + SKEW_SECONDS)) return 'the list is issued in the future'
  if (!(now < endsAt)) return 'the list has expired'
  return null
}

/** Reads RFC 3339 in UTC or with an offset; null for anything else. */
export function instantSeconds(text: unknown): number | null {
  if (typeof text !== 'string' || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(text))
    return null
  const milliseconds = Date.parse(text)
  return Number.isNaN(milliseconds) ? null : Math.floor(milliseconds / 1000)
}
