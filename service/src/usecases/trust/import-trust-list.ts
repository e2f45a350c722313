// Published lists come and go: read from a file once, or from an address, and from then on by refresh-trust-lists.ts. A list that
// cannot be loaded trusts nobody new and says so; what was loaded before stands until the list itself runs out.

import type { Deps } from '../../deps.ts'
import type { AuditActor } from '../../domain/audit/entry.ts'
import { newTrustListId } from '../../domain/ids.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import type { TrustList } from '../../domain/trust/anchor.ts'
import type { Owner } from '../../domain/trust/slot.ts'
import { type Instant, instantOf } from '../../domain/world.ts'
import { appendAudit } from '../../store/audit/chain.ts'
import type { Tx } from '../../store/postgres/db.ts'
import { loadTenant } from '../../store/tenants/tenants.ts'
import { insertAnchors, notifyAnchors } from '../../store/trust/anchors.ts'
import { deleteTrustList, insertTrustList, listTrustLists, noteLoaded } from '../../store/trust/trust-lists.ts'
import { anchorsOf, type ListNeeds, loadedOf, readList } from './load-trust-list.ts'
import { typesProblem } from './manage-anchors.ts'

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
  /** Whether one of the tenant's owners imports it, within their bounds; absent: the operator does. */
  readonly byOwner?: boolean
  /** Absent: the operator's command line. */
  readonly actor?: AuditActor
}

export type Import =
  | { readonly outcome: 'loaded'; readonly id: string; readonly anchors: number; readonly left: number }
  | { readonly outcome: 'refused'; readonly problem: string }

/** Nothing is kept of a list that cannot be loaded the first time. */
export async function importTrustList(deps: ListNeeds & Pick<Deps, 'auditSeal'>, input: NewTrustList): Promise<Import> {
  const problem = await problemOf(deps, input)
  if (problem !== null) return { outcome: 'refused', problem }
  const now = instantOf(deps.clock.now())
  const list: TrustList = {
    id: newTrustListId(deps.random),
    ...input.owner,
    byOwner: input.byOwner ?? false,
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
  await deps.db.transaction(async (tx) => {
    await insertTrustList(tx, list)
    await noteLoaded(tx, list.id, { ...loadedOf(read), at: now })
    await insertAnchors(tx, anchors)
    await record(deps, tx, { list, actor: input.actor, now, action: 'trust_list.imported' })
  })
  // Other processes hear of it; this one need not wait for that.
  deps.anchors.forget()
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

/** False where there is none. */
export async function removeTrustList(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'auditSeal' | 'anchors'>,
  id: string,
  /** One of a realm's owners, who remove that realm's alone; absent: the operator's command line. */
  by?: { readonly realm: Realm; readonly actor: AuditActor },
): Promise<boolean> {
  const done = await deps.db.transaction(async (tx) => {
    const list = await deleteTrustList(tx, id, by?.realm ?? null)
    if (list === null) return false
    await notifyAnchors(tx)
    await record(deps, tx, { list, actor: by?.actor, now: instantOf(deps.clock.now()), action: 'trust_list.removed' })
    return true
  })
  deps.anchors.forget()
  return done
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
