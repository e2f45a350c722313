// Anchors from published lists: read from a file once, or from an address again and again. A list that cannot be loaded
// trusts nobody new and says so; what was loaded before stands until the list itself runs out.

import { createHash, X509Certificate } from 'node:crypto'
import {
  isListSignerRevoked,
  type ListReading,
  listLifetime,
  type PublishedList,
  readLote,
  readVical,
  type StatusSource,
} from '@vidimus/engine'
import type { Deps } from '../../deps.ts'
import type { AuditActor } from '../../domain/audit/entry.ts'
import { newAnchorId, newTrustListId } from '../../domain/ids.ts'
import { type InstalledAnchor, narrowedTypes, type TrustList } from '../../domain/trust/anchor.ts'
import type { Owner } from '../../domain/trust/slot.ts'
import { type Instant, instantOf, NEVER_STOPPED } from '../../domain/world.ts'
import { request } from '../../outbound/egress/client.ts'
import { appendAudit } from '../../store/audit/chain.ts'
import type { Tx } from '../../store/postgres/db.ts'
import { loadTenant } from '../../store/tenants/tenants.ts'
import { deleteAnchorsOfList, insertAnchors, notifyAnchors } from '../../store/trust/anchors.ts'
import {
  deleteTrustList,
  insertTrustList,
  listTrustLists,
  noteFailure,
  noteLoaded,
} from '../../store/trust/trust-lists.ts'
import { typesProblem } from './manage-anchors.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'egress' | 'statusLists' | 'log'>

const BYTES_MAX = 10_000_000

export interface NewTrustList {
  readonly owner: Owner
  readonly kind: TrustList['kind']
  /** The address, or the name of the file whose bytes are given. */
  readonly source: string
  readonly file: Uint8Array | null
  readonly signer: Uint8Array | null
  readonly signerAuthority: Uint8Array | null
  /** What the list may vouch for at most. */
  readonly types: TrustList['types']
  /** How many authorities it may bring; absent: as many as it names. */
  readonly anchorsMax?: number
  /** Absent: the operator's command line. */
  readonly actor?: AuditActor
}

export type Import =
  | { readonly outcome: 'loaded'; readonly id: string; readonly anchors: number; readonly left: number }
  | { readonly outcome: 'refused'; readonly problem: string }

/** Nothing is kept of a list that cannot be loaded the first time. */
export async function importTrustList(deps: Needs & Pick<Deps, 'auditSeal'>, input: NewTrustList): Promise<Import> {
  const problem = await problemOf(deps, input)
  if (problem !== null) return { outcome: 'refused', problem }
  const now = instantOf(deps.clock.now())
  const list: TrustList = {
    id: newTrustListId(deps.random),
    ...input.owner,
    kind: input.kind,
    source: input.source,
    signer: input.signer,
    signerAuthority: input.signerAuthority,
    types: [...input.types],
    createdAt: now,
    ...NOT_LOADED,
  }
  const read = await readList(deps, list, input.file)
  if (read.outcome === 'refused') return { outcome: 'refused', problem: read.detail }
  const { anchors, left } = anchorsOf(deps, list, { published: read.list, now })
  if (anchors.length === 0)
    return { outcome: 'refused', problem: 'the list names no authority for these types that can be used here' }
  if (anchors.length > (input.anchorsMax ?? Number.POSITIVE_INFINITY))
    return { outcome: 'refused', problem: `the list names ${anchors.length} authorities: your operator can import it` }
  await deps.db.transaction(async (tx) => {
    await insertTrustList(tx, list)
    await noteLoaded(tx, list.id, { ...loadedOf(read), at: now })
    await insertAnchors(tx, anchors)
    await record(deps, tx, { list, actor: input.actor, now, action: 'trust_list.imported' })
  })
  return { outcome: 'loaded', id: list.id, anchors: anchors.length, left }
}

const NOT_LOADED = {
  issuer: null,
  sequence: null,
  issuedAt: null,
  nextUpdateAt: null,
  signerChain: null,
  loadedAt: null,
  attemptedAt: null,
  failure: null,
} as const

async function problemOf(deps: Pick<Deps, 'db'>, input: NewTrustList): Promise<string | null> {
  const { tenantId } = input.owner
  if (tenantId !== null && (await loadTenant(deps.db, tenantId)) === null) return `there is no tenant ${tenantId}`
  if (input.signer === null && (input.kind === 'vical' || input.file === null)) {
    return 'a VICAL, and whatever comes over the network, needs the certificate its signature is checked with'
  }
  return typesProblem(input.types)
}

/** The job: every list with an address is read again, and of every list it is asked whether its signer still counts. */
export async function refreshTrustLists(deps: Needs, stopped: AbortSignal = NEVER_STOPPED): Promise<void> {
  for (const list of await listTrustLists(deps.db)) {
    stopped.throwIfAborted()
    await refreshAlone(deps, list, stopped)
  }
}

/** What is wrong with one list must not keep the others from being read: they would run out. */
async function refreshAlone(deps: Needs, list: TrustList, stopped: AbortSignal): Promise<void> {
  try {
    const replaced = isAddress(list.source) && (await refresh(deps, list))
    if (!replaced) await dropWhereSignerRevoked(deps, list)
  } catch (error) {
    stopped.throwIfAborted()
    deps.log.fault('a trust list could not be loaded', error)
    const at = instantOf(deps.clock.now())
    await noteFailure(deps.db, list.id, { at, failure: 'the list could not be taken in: see the log' })
  }
}

/** Whether another issue stands now in place of the one before. */
async function refresh(deps: Needs, list: TrustList): Promise<boolean> {
  const now = instantOf(deps.clock.now())
  const read = await readList(deps, list, null)
  if (read.outcome === 'refused') {
    await noteFailure(deps.db, list.id, { at: now, failure: read.detail })
    deps.log.warn('a trust list could not be loaded', { outcome: read.detail })
    return false
  }
  const { anchors } = anchorsOf(deps, list, { published: read.list, now })
  const replaced = await deps.db.transaction(async (tx) => {
    // An older issue than the one we have is a replay: it could bring back whom the list has dropped.
    if (!(await noteLoaded(tx, list.id, { ...loadedOf(read), at: now }))) return false
    await deleteAnchorsOfList(tx, list.id)
    await insertAnchors(tx, anchors)
    return true
  })
  if (!replaced)
    await noteFailure(deps.db, list.id, { at: now, failure: 'the address serves an older list than the one loaded' })
  return replaced
}

/**
 * Whoever has the key of a revoked signer may have written what we loaded, and need not serve anything any more. Lists from
 * before their signer was noted name at least the certificate they were given.
 */
async function dropWhereSignerRevoked(deps: Needs, list: TrustList): Promise<void> {
  const { signer, kind } = list
  if (signer === null) return
  const chain = list.signerChain ?? [signer]
  if (!(await isListSignerRevoked(chain, kind, { ...termsOf(deps, list), signer }))) return
  const failure = "the list's signer has been revoked or is on hold"
  await deps.db.transaction(async (tx) => {
    await noteFailure(tx, list.id, { at: instantOf(deps.clock.now()), failure })
    await deleteAnchorsOfList(tx, list.id)
  })
  deps.log.warn('a trust list lost its anchors', { outcome: failure })
}

/** False where there is none. */
export async function removeTrustList(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'auditSeal'>,
  id: string,
  actor?: AuditActor,
): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    const list = await deleteTrustList(tx, id)
    if (list === null) return false
    await notifyAnchors(tx)
    await record(deps, tx, { list, actor, now: instantOf(deps.clock.now()), action: 'trust_list.removed' })
    return true
  })
}

/** A tenant's own stands on its chain; the operator's lists belong to no tenant. */
async function record(
  deps: Pick<Deps, 'random' | 'auditSeal'>,
  tx: Tx,
  entry: {
    readonly list: Owner & Pick<TrustList, 'id' | 'source'>
    readonly actor: AuditActor | undefined
    readonly now: Instant
    readonly action: 'trust_list.imported' | 'trust_list.removed'
  },
): Promise<void> {
  const { list, actor = { type: 'operator', id: 'cli' }, now, action } = entry
  if (list.tenantId === null) return
  const realm = { tenantId: list.tenantId, environment: list.environment }
  const events = [{ action, actor, object: { type: 'trust_list', id: list.id }, details: { source: list.source } }]
  await appendAudit(tx, realm, { now, random: deps.random, seal: deps.auditSeal, events })
}

export const showTrustLists = (deps: Pick<Deps, 'db'>): Promise<TrustList[]> => listTrustLists(deps.db)

type Reading = Extract<ListReading, { outcome: 'refused' }> | ReadIssue
type ReadIssue = Extract<ListReading, { outcome: 'read' }> & { readonly sha256: Buffer }

async function readList(deps: Needs, list: TrustList, file: Uint8Array | null): Promise<Reading> {
  const bytes = file ?? (await download(deps, list))
  if (bytes === null) return { outcome: 'refused', detail: 'the list could not be fetched' }
  const read = await readBytes(deps, list, bytes)
  return read.outcome === 'read' ? { ...read, sha256: createHash('sha256').update(bytes).digest() } : read
}

async function readBytes(deps: Needs, list: TrustList, bytes: Uint8Array): Promise<ListReading> {
  const { signer } = list
  const terms = termsOf(deps, list)
  if (list.kind === 'lote') return readLote(bytes, { ...terms, signer })
  if (signer === null) throw new Error('bug: a VICAL without the certificate of its signer')
  return readVical(bytes, { ...terms, signer })
}

function termsOf(deps: Needs, { signerAuthority, environment }: TrustList) {
  const nowMs = deps.clock.now()
  return {
    authority: signerAuthority,
    now: Math.floor(nowMs / 1000),
    fetchStatus: (source: StatusSource) =>
      deps.statusLists.find({ source, environment, nowMs, lifetimeOf: listLifetime }),
  }
}

async function download(deps: Needs, list: TrustList): Promise<Uint8Array | null> {
  if (!isAddress(list.source)) return null
  const outcome = await request(deps.egress[list.environment], {
    method: 'GET',
    url: list.source,
    bodyBytesMax: BYTES_MAX,
  })
  return outcome.outcome === 'answered' && outcome.status === 200 ? outcome.body : null
}

/**
 * Entries that are no authorities are left out: a signer by itself may be pinned in test, by hand. So are those that name
 * none of the types that the list was granted.
 */
function anchorsOf(
  deps: Pick<Deps, 'random'>,
  list: TrustList,
  { published, now }: { published: PublishedList; now: Instant },
): { anchors: InstalledAnchor[]; left: number } {
  const usable = published.entries
    .map(({ docTypes, ...entry }) => ({ ...entry, types: narrowedTypes(list.types, docTypes) }))
    .filter(({ certificate, types }) => types.length > 0 && isAuthority(certificate))
  const anchors = usable.map(
    ({ certificate, types, profile }): InstalledAnchor => ({
      id: newAnchorId(deps.random),
      tenantId: list.tenantId,
      environment: list.environment,
      kind: 'ca',
      profile,
      types,
      certificate,
      listId: list.id,
      createdAt: now,
    }),
  )
  return { anchors, left: published.entries.length - usable.length }
}

function isAuthority(certificate: Uint8Array): boolean {
  try {
    return new X509Certificate(certificate).ca
  } catch {
    return false
  }
}

function loadedOf({ list, signerChain, sha256 }: ReadIssue) {
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

const isAddress = (source: string) => /^https?:\/\//i.test(source)
