// Reads the trusted issuers, trust lists and certificates of a realm, without those of other tenants.

import type { Reader } from '../../../core/tenants/domain/principal.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { readSettings } from '../../../core/tenants/usecases/manage-settings.ts'
import { isSameSoleType } from '../../../core/verifications/domain/provable.ts'
import { acceptedProofs, type QueryNeeds } from '../../../core/verifications/usecases/asking/accepted-query.ts'
import type { Deps } from '../../../deps.ts'
import { millisecondsOf } from '../../../platform/world.ts'
import { loadRegisterCheck, type RegisterCheck } from '../../registration/index.ts'
import {
  type CertificateView,
  countAnchorsOf,
  listSigningRequests,
  listTrustListsOf,
  mayAddIssuers,
  measureAnchorsOf,
  readAnchors,
  readCertificates,
  type ShownAnchor,
  type SigningRequest,
  type TrustList,
} from '../../trust/index.ts'

/** The maximum number of anchors shown: published lists may have thousands. */
export const SHOWN_ANCHORS_MAX = 200

export interface TrustView {
  /** The first anchors with their first types: those that the tenant added by hand, then the operator's, then those of lists. */
  readonly anchors: readonly ShownAnchor[]
  readonly anchorCount: number
  /** Of these anchors, the ids of those under which zero-knowledge proofs are accepted. */
  readonly provable: ReadonlySet<string>
  readonly lists: readonly TrustList[]
  readonly certificates: readonly CertificateView[]
  /** The signing requests of the tenant's pending keys, by id. */
  readonly signingRequests: ReadonlyMap<string, SigningRequest>
  /** Whether the built-in issuer of the test environment is trusted. */
  readonly sandbox: boolean
  /** Whether owners may add issuers: in test always, in live if the operator allows it. */
  readonly ownAllowed: boolean
  /** The result of the last check of the tenant's register; null if there was none. */
  readonly register: RegisterCheck | null
}

/** `isOwner`: whether the viewer may request certificates and sees the signing requests. */
export async function readTrust(
  deps: QueryNeeds & Pick<Deps, 'db' | 'sandbox'>,
  { realm, isOwner, pay }: { readonly realm: Realm; readonly isOwner: boolean; readonly pay: Reader['pay'] },
): Promise<TrustView> {
  await pay(await measureAnchorsOf(deps.db, realm, SHOWN_ANCHORS_MAX))
  const anchors = await readAnchors(deps, realm, SHOWN_ANCHORS_MAX)
  return {
    anchors,
    provable: await findProvable(deps, realm, anchors),
    anchorCount: (await countAnchorsOf(deps.db, realm)).all,
    lists: await listTrustListsOf(deps.db, realm),
    certificates: await readCertificates(deps, realm),
    signingRequests: isOwner ? await listSigningRequests(deps.db, realm) : new Map(),
    sandbox: deps.sandbox !== null && realm.environment === 'test',
    ownAllowed: await mayAddIssuers(deps, realm),
    register: await loadRegisterCheck(deps.db, realm),
  }
}

/**
 * Asks what requests ask, so that the page and requests agree. The mark of an anchor has no effect if other anchors
 * contradict it, and none after its list or its certificate has ended.
 */
async function findProvable(
  deps: QueryNeeds & Pick<Deps, 'db'>,
  realm: Realm,
  shown: readonly ShownAnchor[],
): Promise<ReadonlySet<string>> {
  if (shown.every(({ sole }) => sole === undefined)) return new Set()
  const settings = await readSettings(deps, realm.tenantId)
  const soleTypeOf = settings === null ? null : await acceptedProofs(deps, { ...realm, settings })
  if (soleTypeOf === null) return new Set()
  const nowMs = deps.clock.now()
  const trusted = await deps.anchors.find(realm, nowMs)
  const vouching = new Set(trusted.flatMap(({ id, types }) => (types.length > 0 ? id : [])))
  const holds = ({ id, sole, isContradicted, validUntil }: ShownAnchor) =>
    sole !== undefined &&
    isContradicted !== true &&
    vouching.has(id) &&
    (validUntil === null || millisecondsOf(validUntil) > nowMs) &&
    isSameSoleType(soleTypeOf(sole.docType), sole)
  return new Set(shown.filter(holds).map(({ id }) => id))
}
