// Trust anchors: the issuers that a tenant trusts, per environment, installed by hand or taken from a published list.

import type { ListProviders, SoleType, VouchedType } from '@vidimus/engine'
import { CREDENTIAL_FORMATS, EVERY_DOCUMENT, queriedFormatOf, vouchedDocType } from '@vidimus/engine/formats'
import type { TRUST_LIST_KINDS } from '../../../../../wire/values/trust.ts'
import type { TrustAnchor } from '../../../core/ports/trust.ts'
import type { Environment, Instant } from '../../../platform/world.ts'
import type { AnchorFacts } from './anchor-facts.ts'
import { renderSoleType } from './sole-type.ts'

export type { ListIssue, TrustAnchor } from '../../../core/ports/trust.ts'

/** How to write types, for error messages. */
export const vouchedTypesOf = (type?: string) =>
  CREDENTIAL_FORMATS.map((format) => `${format}:${type ?? `<${queriedFormatOf(format).typeName}>`}`).join(' or ')

/** A format with its vct or docType, or with `*`; a bare name is ambiguous and invalid. */
export function isVouchedType(text: string): text is VouchedType {
  const isOfFormat = CREDENTIAL_FORMATS.some(
    (format) => text.startsWith(`${format}:`) && text.length > format.length + 1,
  )
  return isOfFormat || text === REGISTRATIONS || text === REGISTERS
}

/** The type of anchors for providers of registration certificates. */
export const REGISTRATIONS = 'rc-wrp+jwt:*'

/** The type of anchors for signers of a national register's responses. */
export const REGISTERS = 'register+jwt:*'

/** An authority that says what a merchant may request must not be able to issue it, nor the other way round. */
export const mixesRegistrations = (types: readonly string[]) =>
  [REGISTRATIONS, REGISTERS].some((apart) => types.includes(apart) && types.some((type) => type !== apart))

/** Types that only the operator can grant. */
export const APART: readonly string[] = [REGISTRATIONS, REGISTERS]

type OwnedAnchor = Pick<InstalledAnchor, 'tenantId' | 'environment' | 'types'>

/**
 * Whether an anchor blocks later conflicting ones. A tenant's anchor for credentials does not, because its owners may
 * have added it and must not block the operator; it yields instead, see `withoutYielding`.
 */
const standsFirm = ({ tenantId, types }: Pick<OwnedAnchor, 'tenantId' | 'types'>) =>
  tenantId === null || types.some((type) => APART.includes(type))

/** Drops the tenant's anchors for credentials whose key, by the operator's grant, decides what may be requested. */
export function withoutYielding<A extends OwnedAnchor>(anchors: readonly A[], keyOf: (anchor: A) => string): A[] {
  const firm = anchors.filter(({ types }) => types.some((type) => APART.includes(type)))
  if (firm.length === 0) return [...anchors]
  const keys = new Map(firm.map((anchor) => [anchor, keyOf(anchor)]))
  return anchors.filter((anchor) => {
    if (standsFirm(anchor)) return true
    const key = keyOf(anchor)
    return (
      findMixed(
        anchor,
        firm.filter((other) => keys.get(other) === key),
      ) === null
    )
  })
}

/** Whether some tenant sees both anchors. */
const meet = (one: Pick<InstalledAnchor, 'tenantId' | 'environment'>, other: typeof one) =>
  one.environment === other.environment &&
  (one.tenantId === null || other.tenantId === null || one.tenantId === other.tenantId)

/** Among anchors with the same key, the first that vouches for what must not be combined with this one's types. */
export function findMixed<A extends Pick<InstalledAnchor, 'tenantId' | 'environment' | 'types'>>(
  anchor: Pick<InstalledAnchor, 'tenantId' | 'environment' | 'types'>,
  ofSameKey: readonly A[],
): A | null {
  return ofSameKey.find((other) => meet(anchor, other) && mixesRegistrations([...anchor.types, ...other.types])) ?? null
}

/** Pinned signers bypass their authority, so they are for test only: when they are added and when they are used. */
export function mayStandIn(environment: Environment, { kind }: Pick<TrustAnchor, 'kind'>): boolean {
  return kind === 'ca' || environment === 'test'
}

/** The types in a list narrow the operator's grant and never widen it; null if the list names no types. */
export function narrowedTypes(
  granted: readonly VouchedType[],
  docTypes: readonly string[] | null,
): readonly VouchedType[] {
  if (docTypes === null) return granted
  if (granted.includes(EVERY_DOCUMENT)) return docTypes.filter((type) => type !== '*').map(vouchedDocType)
  return granted.filter((type) => docTypes.some((docType) => type === vouchedDocType(docType)))
}

export interface InstalledAnchor extends TrustAnchor {
  readonly id: string
  /** null: the operator's, for every tenant. */
  readonly tenantId: string | null
  readonly environment: Environment
  /** null: installed by hand. */
  readonly listId: string | null
  readonly createdAt: Instant
}

/** With the facts of its certificate. */
export interface AnchorView extends InstalledAnchor, AnchorFacts {}

/** As shown: without the certificate itself. */
export type ShownAnchor = Omit<AnchorView, 'certificate'>

export function renderAnchor(anchor: ShownAnchor) {
  return {
    id: anchor.id,
    environment: anchor.environment,
    tenant_id: anchor.tenantId,
    own: anchor.tenantId !== null,
    kind: anchor.kind,
    profile: anchor.profile,
    types: [...anchor.types],
    sole_type: anchor.sole === undefined ? null : renderSoleType(anchor.sole),
    list_id: anchor.listId,
    from_list: anchor.listId !== null,
    subject: anchor.subject,
    valid_until: anchor.validUntil,
  }
}

export type TrustListKind = (typeof TRUST_LIST_KINDS)[number]

/** Whether a list's source is an address that is polled; otherwise it is the name of a file that was read once. */
export const isAddress = (source: string) => /^https?:\/\//i.test(source)

/** A published list of anchors, and how fresh our copy is. */
export interface TrustList {
  readonly id: string
  readonly tenantId: string | null
  readonly environment: Environment
  /** Imported by one of the tenant's owners, not by the operator: stricter limits apply. */
  readonly byOwner: boolean
  readonly kind: TrustListKind
  /** The providers that it lists; null: imported by a release that did not ask, and not refreshed until this is set. */
  readonly providers: ListProviders | null
  /** An http(s) address, or the name of a file that was read once. */
  readonly source: string
  /** DER of the certificate that the list's signature must chain to; null only for a file that the operator vouches for. */
  readonly signer: Uint8Array | null
  /** DER of the authority that issued the signer's certificate and publishes its revocation list; null if not given. */
  readonly signerAuthority: Uint8Array | null
  /** What the operator lets the list vouch for: the upper limit for its entries. */
  readonly types: readonly VouchedType[]
  /** The operator's declaration for all its entries; absent: none. */
  readonly sole?: SoleType
  readonly createdAt: Instant
  readonly issuer: string | null
  readonly sequence: number | null
  readonly issuedAt: Instant | null
  /** From this time on its anchors are not trusted. */
  readonly nextUpdateAt: Instant | null
  /** DER of the signer's certificates of the loaded list: they may be revoked later. */
  readonly signerChain: readonly Uint8Array[] | null
  readonly loadedAt: Instant | null
  readonly attemptedAt: Instant | null
  readonly failure: string | null
  /** The address served a list of another kind, and none of the right kind since. */
  readonly mismatched: boolean
}

/** Needs the operator's attention: the list is of another kind than imported, or its kind is not set. */
export const needsProviders = ({ providers, mismatched }: Pick<TrustList, 'providers' | 'mismatched'>) =>
  mismatched || providers === null

/** Without the certificates that verify its signature. */
export function renderTrustList(list: TrustList) {
  return {
    id: list.id,
    tenant_id: list.tenantId,
    environment: list.environment,
    kind: list.kind,
    providers: list.providers,
    source: list.source,
    types: [...list.types],
    sole_type: list.sole === undefined ? null : renderSoleType(list.sole),
    created_at: list.createdAt,
    issuer: list.issuer,
    sequence: list.sequence,
    issued_at: list.issuedAt,
    next_update_at: list.nextUpdateAt,
    loaded_at: list.loadedAt,
    attempted_at: list.attemptedAt,
    failure: list.failure,
  }
}
