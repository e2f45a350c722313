// What a published list of issuers says, once its signature holds. Every kind (VICAL, LoTE, trusted list in XML) comes to this.

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
  /** Rises with each issue; null where the list has none. */
  readonly sequence: number | null
  /** Unix seconds. */
  readonly issuedAt: number
  /** From then on it vouches for no one. */
  readonly endsAt: number
  readonly entries: readonly ListEntry[]
}

export interface ListEntry {
  /** DER of an authority. */
  readonly certificate: Uint8Array
  /** The docTypes that the list names for it; they narrow what the importer allows. Null if it names none. */
  readonly docTypes: readonly string[] | null
  readonly profile: Anchor['profile']
}

export type ListReading =
  | {
      readonly outcome: 'read'
      readonly list: PublishedList
      /** The certificates of its signer, for later revocation checks; null if it is unsigned. */
      readonly signerChain: readonly Uint8Array[] | null
    }
  | RefusedList

export interface RefusedList {
  readonly outcome: 'refused'
  readonly detail: string
  /** Who signed it has been revoked or is on hold: nothing that was signed so is worth anything any more. */
  readonly signerRevoked?: true
  /** It is a list of another kind than the one that was imported. */
  readonly mismatch?: true
}

/** `tsl`: a trusted list in XML. */
export type ListKind = 'vical' | 'lote' | 'tsl'

export interface ListTerms {
  /** DER of the certificate we were given for this list: its signer's own; of a VICAL, also the authority above. */
  readonly signer: Uint8Array
  /** DER of the authority that issued the signer's own certificate, whose revocation list counts; null where we have none. */
  readonly authority: Uint8Array | null
  /** Unix seconds. */
  readonly now: number
  readonly fetchStatus: Trust['fetchStatus']
}

export interface ListSigner {
  readonly key: KeyObject
  /** Why nothing it signed may be used; null when nothing speaks against it. Asks the network. */
  readonly fault: () => Promise<RefusedList | null>
}

/**
 * Who signed the list; null where it is not one that may. Either the very certificate we were given, or, for a
 * VICAL, one below it with the purpose of ISO 18013-5 Annex C. The lists of ETSI have no such purpose to tell their signers from
 * everybody else under the same authority.
 */
export function listSigner(
  chain: readonly Uint8Array[],
  kind: ListKind,
  { signer, authority, now, fetchStatus }: ListTerms,
): ListSigner | null {
  const base = { certificate: signer, types: [EVERY_DOCUMENT], profile: 'generic' } as const
  const anchors: Anchor[] = [{ ...base, kind: 'pinned' }]
  if (kind === 'vical') anchors.push({ ...base, kind: 'ca' })
  // Vouches for no one: it publishes the revocation list of the signer.
  if (authority !== null) anchors.push({ ...base, kind: 'ca', certificate: authority, types: [] })
  const cache = createChainCache(10)
  const question = { chain, format: MDOC, type: 'a list', at: now, use: 'vical' } as const
  const answer = judgeChain(question, { anchors, cache, haip: false })
  if (answer.outcome !== 'trusted') return null
  const references = signerStatus(answer, MDOC)
  const expected = { now, skewSeconds: SKEW_SECONDS }
  return {
    key: answer.signer.publicKey,
    fault: async () =>
      revocationFault(await establishRevocation(references, { expected, trust: { fetchStatus, cache } })),
  }
}

/**
 * Whether the signer of a list that was read before has been revoked since: its address need not serve it any more. False
 * where that cannot be established: the list itself runs out.
 */
export async function isListSignerRevoked(
  chain: readonly Uint8Array[],
  kind: ListKind,
  terms: ListTerms,
): Promise<boolean> {
  const fault = await listSigner(chain, kind, terms)?.fault()
  return fault?.signerRevoked === true
}

/** If a named revocation list is unavailable, we do not go on without it: the list loaded before stays in force. */
function revocationFault(standing: Awaited<ReturnType<typeof establishRevocation>>) {
  if (standing === 'none' || standing === 'valid') return null
  if (standing === 'revoked' || standing === 'suspended') {
    return {
      outcome: 'refused',
      detail: "the list's signer has been revoked or is on hold",
      signerRevoked: true,
    } as const
  }
  const detail = "whether the list's signer has been revoked could not be established"
  return { outcome: 'refused', detail } as const
}

const SKEW_SECONDS = 300
/** A list that does not say when the next one comes is not good for ever. */
const UNSTATED_AGE_SECONDS = 90 * 86_400
/** Nor is one that names a day far off: six months, the longest that ETSI TS 119 612 §5.3.15 lets a trusted list stand. */
const AGE_SECONDS_MAX = 184 * 86_400

export function endOf(issuedAt: number, nextUpdate: number | null): number {
  return Math.min(nextUpdate ?? issuedAt + UNSTATED_AGE_SECONDS, issuedAt + AGE_SECONDS_MAX)
}

/** As it is shown to operators: a tenant may import a list whose publisher writes control characters into its name. */
export function showableName(name: string): string {
  const line = name.replaceAll(/\s+/g, ' ').trim()
  return line !== '' && isShowable(line) ? line : 'unnamed'
}

/** An expired list vouches for no one. */
export function currencyFault(
  { issuedAt, endsAt }: Pick<PublishedList, 'issuedAt' | 'endsAt'>,
  now: number,
): string | null {
  if (!(issuedAt <= now + SKEW_SECONDS)) return 'the list is issued in the future'
  if (!(now < endsAt)) return 'the list has run out'
  return null
}

/** RFC 3339 in UTC or with an offset; null for all else. */
export function instantSeconds(text: unknown): number | null {
  if (typeof text !== 'string' || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(text))
    return null
  const milliseconds = Date.parse(text)
  return Number.isNaN(milliseconds) ? null : Math.floor(milliseconds / 1000)
}
