// Loads a published list: fetches it, has it parsed in a thread, and asks whether its signer was revoked.

import { type ListBudget, type StatusSource, signerFault } from '@vidimus/engine'
import type { Deps } from '../../../deps.ts'
import { request } from '../../../platform/egress/client.ts'
import { newAnchorId } from '../../../platform/ids.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'
import { type AnchorView, isAddress, narrowedTypes, type TrustList } from '../domain/anchor.ts'
import type { AnchorFacts } from '../domain/anchor-facts.ts'
import type { TrustProblem } from '../domain/problem.ts'
import { type ListedKey, listedKeysOf } from '../domain/sole-type.ts'
import type { ParsedTrustList, TrustListBounds } from '../outbound/trust-list-reader.ts'

export type ListNeeds = Pick<
  Deps,
  'db' | 'clock' | 'random' | 'egress' | 'statusLists' | 'trustListReader' | 'log' | 'anchors'
>

/** Limits of a list: bytes, JSON values, XML elements, CBOR items, entries, and time. Apply to imports and refreshes. */
export const LIST_BOUNDS = {
  owner: { bytes: 2_000_000, values: 60_000, elements: 15_000, items: 60_000, entriesMax: 500, withinMs: 5_000 },
  operator: {
    bytes: 10_000_000,
    values: 1_000_000,
    elements: 50_000,
    items: 200_000,
    entriesMax: 5_000,
    withinMs: 60_000,
  },
} as const satisfies Record<string, TrustListBounds>

/** Of all anchors of an owner's list, in characters: every process loads them. */
const OWN_TYPES_LENGTH_MAX = 200_000

/** Returns why the anchors of a list cannot be stored; null if they can. */
export function typesFault({ byOwner }: Pick<TrustList, 'byOwner'>, anchors: readonly AnchorView[]): string | null {
  const length = anchors.reduce((sum, { types }) => sum + types.join('').length, 0)
  if (!byOwner || length <= OWN_TYPES_LENGTH_MAX) return null
  return `the types of all authorities have ${length} characters, and may have ${OWN_TYPES_LENGTH_MAX}: your operator can import the list`
}

/** Twice as many keys as an issue may have, because keys of earlier issues are also stored. */
export const keysMaxOf = (list: Pick<TrustList, 'byOwner'>) => 2 * boundsOf(list).entriesMax

const boundsOf = ({ byOwner }: Pick<TrustList, 'byOwner'>) => LIST_BOUNDS[byOwner ? 'owner' : 'operator']

export type Parsed = Extract<ParsedTrustList, { outcome: 'parsed' }>
type Reading = Parsed | { readonly outcome: 'refused'; readonly code: TrustProblem; readonly detail: string }

export async function readList(deps: ListNeeds, list: TrustList, file: Uint8Array | null): Promise<Reading> {
  const { providers, kind, signer, byOwner, tenantId } = list
  if (providers === null)
    return { outcome: 'refused', code: 'list_mismatch', detail: 'the providers of the list are not set' }
  const bytes = file ?? (await download(deps, list))
  if (bytes === null) return { outcome: 'refused', code: 'list_not_fetched', detail: 'the list could not be fetched' }
  if (signer === null && kind !== 'lote') throw new Error('bug: a list without the certificate of its signer')
  const terms = termsOf(deps, list)
  const { authority, now } = terms
  const parsing = { bytes, kind, terms: { providers, signer, authority, now }, bounds: boundsOf(list) }
  const read = await deps.trustListReader.parse(tenantId ?? 'operator', parsing)
  if (read === null)
    return { outcome: 'refused', code: 'list_unfit', detail: 'the list could not be parsed, or took too long' }
  if (read.outcome === 'refused') {
    const remedy = read.code === 'list_too_long' && byOwner ? ': your operator can import it' : ''
    return { ...read, detail: `${read.detail}${remedy}` }
  }
  if (signer === null) return read
  if (read.signerChain === null) throw new Error('bug: a signed list without the certificates of its signer')
  const fault = await signerFault(read.signerChain, kind, { ...terms, signer })
  if (fault === null) return read
  const code = fault.signerRevoked === true ? 'list_signer_revoked' : 'list_unfit'
  return { outcome: 'refused', code, detail: fault.detail }
}

export function termsOf(deps: ListNeeds, { signerAuthority, environment, tenantId }: TrustList) {
  const nowMs = deps.clock.now()
  return {
    authority: signerAuthority,
    now: Math.floor(nowMs / 1000),
    fetchStatus: (source: StatusSource, budget: ListBudget) =>
      deps.statusLists.find({ source, environment, nowMs, owner: tenantId, budget }),
  }
}

async function download(deps: ListNeeds, list: TrustList): Promise<Uint8Array | null> {
  if (!isAddress(list.source)) return null
  const get = { method: 'GET', url: list.source, bodyBytesMax: boundsOf(list).bytes } as const
  const outcome = await request(deps.egress[list.environment], get)
  return outcome.outcome === 'answered' && outcome.status === 200 ? outcome.body : null
}

/**
 * Returns anchors for entries that are authorities and name a granted type (signers can only be pinned by hand, in
 * test). Also returns the keys of all entries, because documents in wallets may be signed with them.
 */
export function anchorsOf(
  deps: Pick<Deps, 'random'>,
  list: Pick<TrustList, 'id' | 'tenantId' | 'environment' | 'types' | 'sole'>,
  { parsed, now }: { parsed: Pick<Parsed, 'entries' | 'ended'>; now: Instant },
): { anchors: AnchorView[]; left: number; keys: ListedKey[] } {
  const usable: (Pick<AnchorView, 'certificate' | 'profile' | 'types'> & { readonly facts: AnchorFacts })[] = []
  const named: { readonly keySha256: string; readonly docTypes: readonly string[] | null }[] = []
  const ended = new Set(parsed.ended)
  for (const entry of [...parsed.entries, ...parsed.ended]) {
    const { certificate, profile, docTypes, facts, isAuthority } = entry
    if (facts === null) continue
    named.push({ keySha256: facts.keySha256, docTypes })
    const types = ended.has(entry) ? [] : narrowedTypes(list.types, docTypes)
    if (types.length > 0 && isAuthority) usable.push({ certificate, profile, types, facts })
  }
  const keys = listedKeysOf(named, list.types)
  const contradicted = new Set(
    keys.filter(({ docType }) => docType !== list.sole?.docType).map(({ keySha256 }) => keySha256),
  )
  const anchors = usable.map(
    ({ certificate, types, profile, facts }): AnchorView => ({
      ...facts,
      id: newAnchorId(deps.random),
      tenantId: list.tenantId,
      environment: list.environment,
      kind: 'ca',
      profile,
      types,
      ...(list.sole === undefined || contradicted.has(facts.keySha256) ? {} : { sole: list.sole }),
      certificate,
      listId: list.id,
      createdAt: now,
    }),
  )
  return { anchors, left: parsed.entries.length - usable.length, keys }
}

export function loadedOf({ about, signerChain, sha256 }: Parsed) {
  const { issuer, sequence } = about
  const [issuedAt, nextUpdateAt] = [instantOf(about.issuedAt * 1000), instantOf(about.endsAt * 1000)]
  return { issuer: issuer.slice(0, 200), sequence, issuedAt, nextUpdateAt, signerChain, sha256 }
}
