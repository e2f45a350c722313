// Imports and removes published lists, from a file or an address. A list that cannot be loaded is not stored.

import type { ListProviders } from '@vidimus/engine'
import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { loadTenant } from '../../../core/tenants/store/tenants.ts'
import type { Deps } from '../../../deps.ts'
import { newTrustListId } from '../../../platform/ids.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { instantOf, millisecondsOf } from '../../../platform/world.ts'
import type { TrustList } from '../domain/anchor.ts'
import type { Owner } from '../domain/certificate-use.ts'
import { providersProblem } from '../domain/list-providers.ts'
import { isOfSameSigner } from '../domain/list-signer.ts'
import { refuseTrust, type TrustRefusal } from '../domain/problem.ts'
import { type SoleType, soleTypeProblem } from '../domain/sole-type.ts'
import { deleteAnchorsOfList, insertAnchors, notifyAnchors } from '../store/anchors.ts'
import { noteListedKeys, takeListedKeysOver } from '../store/listed-keys.ts'
import {
  deleteTrustList,
  endGrant,
  insertTrustList,
  listTrustLists,
  noteLoaded,
  takeOtherIssuesOver,
} from '../store/trust-lists.ts'
import { anchorsOf, keysMaxOf, type ListNeeds, loadedOf, readList, typesFault } from './load-trust-list.ts'
import { typesProblem } from './manage-anchors.ts'

export interface NewTrustList {
  readonly owner: Owner
  readonly kind: TrustList['kind']
  /** The kind of providers that the list contains. */
  readonly providers: ListProviders
  /** The address, or the name of the file. */
  readonly source: string
  readonly file: Uint8Array | null
  readonly signer: Uint8Array | null
  readonly signerAuthority: Uint8Array | null
  /** The most that entries of the list may vouch for. */
  readonly types: TrustList['types']
  /** The declaration for all entries of the list; absent: none. */
  readonly sole?: SoleType | null
  /** Earlier imports that this one replaces. An issue that is older than one of these of the same signer is refused. */
  readonly replaced?: readonly TrustList[]
  /** Whether an owner of the tenant imports the list, within the limits for owners; absent: the operator. */
  readonly byOwner?: boolean
  /** Asked in the transaction that stores the list; absent: no limit. */
  readonly lateProblem?: (tx: Tx) => Promise<TrustRefusal | null>
  /** Absent: the operator's command line. */
  readonly actor?: AuditActor
}

export type Import =
  | { readonly outcome: 'loaded'; readonly id: string; readonly anchors: number; readonly left: number }
  | TrustRefusal

/** Stores nothing if the first load fails. */
export async function importTrustList(deps: ListNeeds & Pick<Deps, 'audit'>, input: NewTrustList): Promise<Import> {
  const problem = await problemOf(deps, input)
  if (problem !== null) return problem
  const { owner, byOwner = false, file, replaced = [], lateProblem, actor, sole, ...terms } = input
  const now = instantOf(deps.clock.now())
  const identity = { ...owner, byOwner, id: newTrustListId(deps.random), createdAt: now }
  const list: TrustList = { ...NOT_LOADED, ...terms, ...identity, ...(sole == null ? {} : { sole }) }
  const read = await readList(deps, list, file)
  if (read.outcome === 'refused') return refuseTrust(read.code, read.detail)
  const issue = loadedOf(read)
  const earlier = replaced.filter((one) => isOfSameSigner(one, { ...list, signerChain: read.signerChain }))
  if (earlier.flatMap((one) => issueAs(one, input.providers)).some((known) => isOlder(issue, known)))
    return refuseTrust('list_older', 'the address serves an older list than the one loaded')
  const { anchors, left, keys } = anchorsOf(deps, list, { parsed: read, now })
  if (anchors.length === 0)
    return refuseTrust('list_names_nobody', 'the list names no authority for these types that can be used here')
  const tooLong = typesFault(list, anchors)
  if (tooLong !== null) return refuseTrust('list_too_long', tooLong)
  const refusal = await deps.db.transaction(async (tx) => {
    const late = (await lateProblem?.(tx)) ?? null
    if (late !== null) return late
    await insertTrustList(tx, list)
    await noteLoaded(tx, list, { ...issue, at: now })
    await insertAnchors(tx, anchors)
    await noteListedKeys(tx, list, { keys, at: now, most: keysMaxOf(list) })
    const by = actor ?? AT_THE_COMMAND_LINE
    await deps.audit.record(tx, list, { now, actor: by, action: 'trust_list.imported', ...aboutList(list) })
    return null
  })
  if (refusal !== null) return refusal
  // Clears this process's cache at once. Other processes get a notification.
  deps.anchors.forget()
  return { outcome: 'loaded', id: list.id, anchors: anchors.length, left }
}

type Issue = Pick<TrustList, 'sequence' | 'issuedAt'>

const issueAs = (list: TrustList, providers: ListProviders): Issue | [] =>
  list.providers === providers ? list : (list.otherIssues[providers] ?? [])

function isOlder(issue: Issue, known: Issue): boolean {
  const isBefore = (one: number | null, other: number | null) => one !== null && other !== null && one < other
  const issuedMs = ({ issuedAt }: Issue) => (issuedAt === null ? null : millisecondsOf(issuedAt))
  return isBefore(issue.sequence, known.sequence) || isBefore(issuedMs(issue), issuedMs(known))
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
  mismatched: false,
  otherIssues: {},
} as const

async function problemOf(deps: Pick<Deps, 'db'>, input: NewTrustList): Promise<TrustRefusal | null> {
  const { tenantId } = input.owner
  if (tenantId !== null && (await loadTenant(deps.db, tenantId)) === null)
    return refuseTrust('no_tenant', `there is no tenant ${tenantId}`)
  if (input.signer === null && (input.kind !== 'lote' || input.file === null))
    return refuseTrust(
      'signer_certificate',
      'a VICAL, a trusted list in XML, and every list fetched over the network, needs the certificate that verifies its signature',
    )
  const unfit = providersProblem(input.providers, input)
  const faulty = typesProblem(input.types) ?? soleTypeProblem(input.sole ?? null, input.types)
  return faulty ?? (unfit === null ? null : refuseTrust('list_providers', unfit))
}

/** Returns false if the list does not exist. */
export async function removeTrustList(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'audit' | 'anchors'>,
  id: string,
  /** `realm`: an owner, who may remove only lists of this realm; null: any list. Absent: the operator's command line. */
  by?: { readonly realm: Realm | null; readonly actor: AuditActor },
  /** The list that replaces this one. It takes over named keys, and numbers of other kinds. */
  successor?: Pick<TrustList, 'id' | 'tenantId'>,
): Promise<boolean> {
  const done = await deps.db.transaction(async (tx) => {
    if (successor !== undefined) {
      await takeListedKeysOver(tx, successor, id)
      const [one, other] = (await listTrustLists(tx)).filter((list) => list.id === id || list.id === successor.id)
      if (one !== undefined && other !== undefined && isOfSameSigner(one, other))
        await takeOtherIssuesOver(tx, successor, id)
    }
    const list = await deleteTrustList(tx, id, by?.realm ?? null)
    if (list === null) return false
    await notifyAnchors(tx)
    const [now, actor] = [instantOf(deps.clock.now()), by?.actor ?? AT_THE_COMMAND_LINE]
    const { object, details } = aboutList(list)
    const about = { object, details: successor === undefined ? details : { ...details, successor: successor.id } }
    await deps.audit.record(tx, list, { now, actor, action: 'trust_list.removed', ...about })
    return true
  })
  deps.anchors.forget()
  return done
}

/**
 * Ends the grant of a list. The list itself stays, so that its named keys stay known. `mismatched`: it was read as
 * another kind than the new terms have. `failure`: why, if not for the new terms.
 */
export async function revokeGrant(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'audit' | 'anchors'>,
  list: Pick<TrustList, 'id' | 'tenantId' | 'environment' | 'source'>,
  {
    actor,
    mismatched = false,
    failure = WITHOUT_GRANT,
  }: { readonly actor: AuditActor; readonly mismatched?: boolean; readonly failure?: string },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (!(await endGrant(tx, list, { failure, mismatched }))) return
    await deleteAnchorsOfList(tx, list)
    const now = instantOf(deps.clock.now())
    await deps.audit.record(tx, list, { now, actor, action: 'trust_list.changed', ...aboutList(list) })
  })
  deps.anchors.forget()
}

const WITHOUT_GRANT = 'its terms have changed, and it could not be read under the new ones'

export const showTrustLists = (deps: Pick<Deps, 'db'>): Promise<TrustList[]> => listTrustLists(deps.db)

export const AT_THE_COMMAND_LINE: AuditActor = { type: 'operator', id: 'cli' }

export const aboutList = ({ id, source }: Pick<TrustList, 'id' | 'source'>) => ({
  object: { type: 'trust_list', id },
  details: { source },
})
