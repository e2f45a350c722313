// Adds and removes trust anchors by hand. For published lists see import-trust-list.ts.

import { X509Certificate } from 'node:crypto'
import { anchorFault } from '@vidimus/engine'
import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { loadTenant } from '../../../core/tenants/store/tenants.ts'
import type { Deps } from '../../../deps.ts'
import { newAnchorId } from '../../../platform/ids.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { instantOf } from '../../../platform/world.ts'
import {
  type AnchorView,
  findMixed,
  type InstalledAnchor,
  isAllowedIn,
  isVouchedType,
  mixesRegistrations,
  type ShownAnchor,
  vouchedTypesOf,
} from '../domain/anchor.ts'
import { anchorFacts } from '../domain/anchor-facts.ts'
import type { Owner } from '../domain/certificate-use.ts'
import { refuseTrust, type TrustRefusal } from '../domain/problem.ts'
import { renderSoleType, soleTypeProblem } from '../domain/sole-type.ts'
import { deleteAnchor, insertAnchors, listAllAnchors, listAnchorsOf, listBlockingOfKey } from '../store/anchors.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'audit' | 'anchors'>

export interface NewAnchor extends Pick<InstalledAnchor, 'kind' | 'profile' | 'types' | 'sole' | 'certificate'> {
  readonly owner: Owner
  readonly actor: AuditActor
  /** Asked in the transaction that stores the anchor; absent: no limit. */
  readonly lateProblem?: (tx: Tx) => Promise<TrustRefusal | null>
}

export type Addition = { readonly outcome: 'added'; readonly anchor: AnchorView } | TrustRefusal

export async function addAnchor(deps: Needs, input: NewAnchor): Promise<Addition> {
  const { owner } = input
  if (owner.tenantId !== null && (await loadTenant(deps.db, owner.tenantId)) === null)
    return refuseTrust('no_tenant', `there is no tenant ${owner.tenantId}`)
  const problem = anchorProblem(input)
  if (problem !== null) return problem
  const facts = anchorFacts(input.certificate)
  if (facts === null) return refuseTrust('anchor_unfit', 'the key of this certificate cannot be read')
  const now = instantOf(deps.clock.now())
  const anchor: AnchorView = {
    ...facts,
    id: newAnchorId(deps.random),
    tenantId: owner.tenantId,
    environment: owner.environment,
    kind: input.kind,
    profile: input.profile,
    types: [...new Set(input.types)],
    ...(input.sole === undefined ? {} : { sole: input.sole }),
    certificate: input.certificate,
    listId: null,
    createdAt: now,
  }
  const done = await deps.db.transaction(async (tx): Promise<Addition> => {
    const late = (await input.lateProblem?.(tx)) ?? null
    if (late !== null) return late
    const other = findMixed(anchor, await listBlockingOfKey(tx, owner, facts.keySha256))
    if (other !== null) {
      // Tenants do not get the id of an operator's anchor.
      const which = input.actor.type === 'operator' ? other.id : 'another one'
      const problem = `${which} has the same key: an authority for registration certificates cannot vouch for credentials`
      return refuseTrust('key_mixed', problem)
    }
    await insertAnchors(tx, [anchor])
    await deps.audit.record(tx, anchor, { now, actor: input.actor, action: 'anchor.added', ...about(anchor) })
    return { outcome: 'added', anchor }
  })
  // Clears this process's cache at once. Other processes get a notification.
  deps.anchors.forget()
  return done
}

/** Lists anchors with this key that block other anchors of the owner. */
export const readBlockingOfKey = (deps: Pick<Deps, 'db'>, owner: Owner, keySha256: string): Promise<AnchorView[]> =>
  listBlockingOfKey(deps.db, owner, keySha256)

/** Finds another anchor with the same key whose types must not be combined with this one's; null: none. */
export function mixedWith(anchor: AnchorView, all: readonly AnchorView[]): AnchorView | null {
  return findMixed(
    anchor,
    all.filter(({ id, keySha256 }) => id !== anchor.id && keySha256 === anchor.keySha256),
  )
}

/** Returns why a certificate cannot be an anchor; null if it can. */
export function anchorProblem(
  anchor: Pick<NewAnchor, 'kind' | 'types' | 'sole' | 'profile' | 'certificate' | 'owner'>,
): TrustRefusal | null {
  const problem = typesProblem(anchor.types) ?? soleTypeProblem(anchor.sole ?? null, anchor.types)
  if (problem !== null) return problem
  if (!isAllowedIn(anchor.owner.environment, anchor))
    return refuseTrust('pinned_in_test_only', 'a signer may be pinned in test only')
  try {
    const certificate = new X509Certificate(anchor.certificate)
    if (anchor.kind === 'ca' && !certificate.ca)
      return refuseTrust('not_an_authority', 'the certificate is not an authority; in test you may pin it')
  } catch {
    return refuseTrust('one_certificate', 'this is not a certificate')
  }
  // Reports a fault now that would make the engine reject every chain under this anchor.
  const fault = anchorFault(anchor)
  return fault === null ? null : refuseTrust('anchor_unfit', fault)
}

/** Checks the types of an anchor or a list. Without a type it would vouch for nothing. */
export function typesProblem(types: readonly string[]): TrustRefusal | null {
  if (mixesRegistrations(types))
    return refuseTrust('types_mixed', 'an authority for registration certificates cannot vouch for credentials')
  if (types.length > 0 && types.every(isVouchedType)) return null
  return refuseTrust(
    'types_missing',
    `name the credential types it may vouch for, each with its format: ${vouchedTypesOf()} (* for every type)`,
  )
}

/** Returns null if there is no such anchor, or if it comes from a list. */
export async function removeAnchor(
  deps: Needs,
  /** `realm`: only an anchor of this realm can be removed. */
  input: { readonly id: string; readonly actor: AuditActor; readonly realm?: Realm },
): Promise<InstalledAnchor | null> {
  const now = instantOf(deps.clock.now())
  const done = await deps.db.transaction(async (tx) => {
    const anchor = await deleteAnchor(tx, input.id, input.realm ?? null)
    if (anchor !== null)
      await deps.audit.record(tx, anchor, { now, actor: input.actor, action: 'anchor.removed', ...about(anchor) })
    return anchor
  })
  // Clears this process's cache at once. Other processes get a notification.
  deps.anchors.forget()
  return done
}

export const listAnchors = (deps: Pick<Deps, 'db'>): Promise<AnchorView[]> => listAllAnchors(deps.db)

/** Reads at most `most` anchors of the realm and of the operator; null: all. */
export const readAnchors = (deps: Pick<Deps, 'db'>, realm: Realm, most: number | null): Promise<ShownAnchor[]> =>
  listAnchorsOf(deps.db, realm, most)

const about = ({ id, kind, types, sole }: Pick<InstalledAnchor, 'id' | 'kind' | 'types' | 'sole'>) => ({
  object: { type: 'anchor', id },
  details: { kind, types: [...types], ...(sole === undefined ? {} : { sole_type: { ...renderSoleType(sole) } }) },
})
