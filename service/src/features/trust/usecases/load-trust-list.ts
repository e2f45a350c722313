// Loads a published list: fetches it, verifies its signature, and limits its number of entries.

import { createHash, X509Certificate } from 'node:crypto'
import {
  type ListBudget,
  type ListProviders,
  type ListReading,
  type PublishedList,
  readLote,
  readTrustedList,
  readVical,
  type StatusSource,
} from '@vidimus/engine'
import type { Deps } from '../../../deps.ts'
import { restOfTurn } from '../../../platform/batch.ts'
import { request } from '../../../platform/egress/client.ts'
import { newAnchorId } from '../../../platform/ids.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'
import { type AnchorView, isAddress, narrowedTypes, type TrustList } from '../domain/anchor.ts'
import { type AnchorFacts, anchorFacts } from '../domain/anchor-facts.ts'
import type { TrustProblem } from '../domain/problem.ts'
import { type ListedKey, listedKeysOf } from '../domain/sole-type.ts'

export type ListNeeds = Pick<Deps, 'db' | 'clock' | 'random' | 'egress' | 'statusLists' | 'log' | 'anchors'>

/** Limits of a list: bytes, JSON values, XML elements, CBOR items, and entries, usable or not. Apply to imports and refreshes. */
export const LIST_BOUNDS = {
  owner: { bytes: 2_000_000, values: 60_000, elements: 15_000, items: 60_000, entries: 500 },
  operator: { bytes: 10_000_000, values: 1_000_000, elements: 50_000, items: 200_000, entries: 5_000 },
} as const

/** Twice as many keys as an issue may have, because keys of earlier issues are also stored. */
export const keysMaxOf = (list: Pick<TrustList, 'byOwner'>) => 2 * boundsOf(list).entries

const boundsOf = ({ byOwner }: Pick<TrustList, 'byOwner'>) => LIST_BOUNDS[byOwner ? 'owner' : 'operator']

export type Reading = { readonly outcome: 'refused'; readonly code: TrustProblem; readonly detail: string } | ReadIssue
type ReadIssue = Extract<ListReading, { outcome: 'read' }> & { readonly sha256: Buffer }

export async function readList(deps: ListNeeds, list: TrustList, file: Uint8Array | null): Promise<Reading> {
  if (list.providers === null)
    return { outcome: 'refused', code: 'list_mismatch', detail: 'the providers of the list are not set' }
  const bytes = file ?? (await download(deps, list))
  if (bytes === null) return { outcome: 'refused', code: 'list_not_fetched', detail: 'the list could not be fetched' }
  const read = await readBytes(deps, { ...list, providers: list.providers }, bytes)
  if (read.outcome === 'read' && countEntries(read.list) > boundsOf(list).entries)
    return { outcome: 'refused', code: 'list_too_long', detail: tooMany(list, read.list) }
  if (read.outcome === 'read') return { ...read, sha256: createHash('sha256').update(bytes).digest() }
  const code =
    read.signerRevoked === true ? 'list_signer_revoked' : read.mismatch === true ? 'list_mismatch' : 'list_unfit'
  return { outcome: 'refused', code, detail: read.detail }
}

const countEntries = ({ entries, ended }: PublishedList) => entries.length + ended.length

/** Names the number of entries, which is known before any certificate is parsed. */
function tooMany(list: TrustList, published: PublishedList): string {
  const { entries: most } = boundsOf(list)
  const remedy = list.byOwner ? ': your operator can import it' : ''
  return `the list names ${countEntries(published)} authorities, and may name ${most}${remedy}`
}

async function readBytes(
  deps: ListNeeds,
  list: TrustList & { readonly providers: ListProviders },
  bytes: Uint8Array,
): Promise<ListReading> {
  const { signer, providers } = list
  const terms = { ...termsOf(deps, list), providers }
  const { values, elements, items } = boundsOf(list)
  if (list.kind === 'lote') return readLote(bytes, { ...terms, signer, valuesMax: values })
  if (signer === null) throw new Error('bug: a list without the certificate of its signer')
  return list.kind === 'tsl'
    ? readTrustedList(bytes, { ...terms, signer, elementsMax: elements })
    : readVical(bytes, { ...terms, signer, itemsMax: items })
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
  const outcome = await request(deps.egress[list.environment], {
    method: 'GET',
    url: list.source,
    bodyBytesMax: boundsOf(list).bytes,
  })
  return outcome.outcome === 'answered' && outcome.status === 200 ? outcome.body : null
}

/**
 * Returns anchors for entries that are authorities and name a granted type (signers can only be pinned by hand, in
 * test). Also returns the keys of all entries, because documents in wallets may be signed with them.
 */
export async function anchorsOf(
  deps: Pick<Deps, 'random'>,
  list: Pick<TrustList, 'id' | 'tenantId' | 'environment' | 'types' | 'sole'>,
  { published, now }: { published: PublishedList; now: Instant },
): Promise<{ anchors: AnchorView[]; left: number; keys: ListedKey[] }> {
  const usable: (Pick<AnchorView, 'certificate' | 'profile' | 'types'> & { readonly facts: AnchorFacts })[] = []
  const named: { readonly keySha256: string; readonly docTypes: readonly string[] | null }[] = []
  const ended = new Set(published.ended)
  for (const [at, entry] of [...published.entries, ...published.ended].entries()) {
    if (at % ENTRIES_PER_TURN === 0) await restOfTurn()
    const { certificate, profile, docTypes } = entry
    const facts = anchorFacts(certificate)
    if (facts === null) continue
    named.push({ keySha256: facts.keySha256, docTypes })
    const types = ended.has(entry) ? [] : narrowedTypes(list.types, docTypes)
    if (types.length > 0 && new X509Certificate(certificate).ca) usable.push({ certificate, profile, types, facts })
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
  return { anchors, left: published.entries.length - usable.length, keys }
}

/** Parsing a certificate takes half a millisecond, so the loop yields after this many. */
const ENTRIES_PER_TURN = 8

export function loadedOf({ list, signerChain, sha256 }: ReadIssue) {
  const { issuer, sequence, issuedAt, endsAt } = list
  const nextUpdateAt = instantOf(endsAt * 1000)
  return {
    issuer: issuer.slice(0, 200),
    sequence,
    issuedAt: instantOf(issuedAt * 1000),
    nextUpdateAt,
    signerChain,
    sha256,
  }
}
