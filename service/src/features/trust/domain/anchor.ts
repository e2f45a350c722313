// Defines trust anchors: the issuers that a tenant trusts, per environment, installed by hand or taken from a published list.

import type { ListProviders, SoleType, VouchedType } from '@vidimus/engine'
import { CREDENTIAL_FORMATS, EVERY_DOCUMENT, queriedFormatOf, vouchedDocType } from '@vidimus/engine/formats'
import type { TRUST_LIST_KINDS } from '../../../../../wire/values/trust.ts'
import type { TrustAnchor } from '../../../core/ports/trust.ts'
import type { Environment, Instant } from '../../../platform/world.ts'
import type { AnchorFacts } from './anchor-facts.ts'
import { renderSoleType } from './sole-type.ts'

export type { ListIssue, TrustAnchor } from '../../../core/ports/trust.ts'

/** Returns how types are spelled, for error messages. */
export const vouchedTypesOf = (type?: string) =>
  CREDENTIAL_FORMATS.map((format) => `${format}:${type ?? `<${queriedFormatOf(format).typeName}>`}`).join(' or ')

/** Whether the text is a format with a vct, a docType or `*`. A name without a format is ambiguous. */
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

/** Whether types mix two roles: an issuer of credentials must not also decide which merchants may request them. */
export const mixesRegistrations = (types: readonly string[]) =>
  [REGISTRATIONS, REGISTERS].some((apart) => types.includes(apart) && types.some((type) => type !== apart))

/** Types that only the operator may grant. */
export const OPERATOR_TYPES: readonly string[] = [REGISTRATIONS, REGISTERS]

type OwnedAnchor = Pick<InstalledAnchor, 'tenantId' | 'environment' | 'types'>

/**
 * Whether an anchor blocks later conflicting ones. A tenant's anchor for credentials does not: its owners may have
 * added it, and they must not block the operator. See `withoutBlocked`.
 */
const blocksOthers = ({ tenantId, types }: Pick<OwnedAnchor, 'tenantId' | 'types'>) =>
  tenantId === null || types.some((type) => OPERATOR_TYPES.includes(type))

/** Drops the tenant's anchors for credentials if the operator trusts the same key to decide what merchants may request. */
export function withoutBlocked<A extends OwnedAnchor>(anchors: readonly A[], keyOf: (anchor: A) => string): A[] {
  const forRegistrations = anchors.filter(({ types }) => types.some((type) => OPERATOR_TYPES.includes(type)))
  if (forRegistrations.length === 0) return [...anchors]
  const keys = new Map(forRegistrations.map((anchor) => [anchor, keyOf(anchor)]))
  return anchors.filter((anchor) => {
    if (blocksOthers(anchor)) return true
    const key = keyOf(anchor)
    return (
      findMixed(
        anchor,
        forRegistrations.filter((other) => keys.get(other) === key),
      ) === null
    )
  })
}

/** Whether there can be a tenant that sees both anchors. */
const isShared = (one: Pick<InstalledAnchor, 'tenantId' | 'environment'>, other: typeof one) =>
  one.environment === other.environment &&
  (one.tenantId === null || other.tenantId === null || one.tenantId === other.tenantId)

/** Returns the first anchor, of those with the same key, whose types must not be combined with the types of this one. */
export function findMixed<A extends Pick<InstalledAnchor, 'tenantId' | 'environment' | 'types'>>(
  anchor: Pick<InstalledAnchor, 'tenantId' | 'environment' | 'types'>,
  ofSameKey: readonly A[],
): A | null {
  return (
    ofSameKey.find((other) => isShared(anchor, other) && mixesRegistrations([...anchor.types, ...other.types])) ?? null
  )
}

/** Whether an anchor is allowed here: a pinned signer bypasses its authority, so it is allowed in test only. */
export function isAllowedIn(environment: Environment, { kind }: Pick<TrustAnchor, 'kind'>): boolean {
  return kind === 'ca' || environment === 'test'
}

/** Returns the granted types that a list names, or all if it names none (null). A list narrows a grant, but never widens it. */
export function narrowedTypes(
  granted: readonly VouchedType[],
  docTypes: readonly string[] | null,
): readonly VouchedType[] {
  if (docTypes === null) return granted
  if (granted.includes(EVERY_DOCUMENT)) return docTypes.filter((type) => type !== '*').map(vouchedDocType)
  const named = new Set<string>(docTypes.map(vouchedDocType))
  return granted.filter((type) => named.has(type))
}

export interface InstalledAnchor extends TrustAnchor {
  readonly id: string
  /** null: an anchor of the operator, for every tenant. */
  readonly tenantId: string | null
  readonly environment: Environment
  /** null: installed by hand. */
  readonly listId: string | null
  readonly createdAt: Instant
}

/** An anchor with the facts of its certificate. */
export interface AnchorView extends InstalledAnchor, AnchorFacts {}

/** An anchor as pages and commands show it, without the certificate itself. */
export interface ShownAnchor extends Omit<AnchorView, 'certificate'> {
  /** How many types it vouches for; absent: `types` names them all. */
  readonly typeCount?: number
  /** Whether an anchor for documents with the same key has another mark or none. The mark then counts for nothing. */
  readonly isContradicted?: boolean
}

export function renderAnchor(anchor: ShownAnchor) {
  return {
    id: anchor.id,
    environment: anchor.environment,
    tenant_id: anchor.tenantId,
    own: anchor.tenantId !== null,
    kind: anchor.kind,
    profile: anchor.profile,
    types: [...anchor.types],
    type_count: anchor.typeCount ?? anchor.types.length,
    sole_type: anchor.sole === undefined ? null : renderSoleType(anchor.sole),
    list_id: anchor.listId,
    from_list: anchor.listId !== null,
    subject: anchor.subject,
    valid_until: anchor.validUntil,
  }
}

export type TrustListKind = (typeof TRUST_LIST_KINDS)[number]

/** Whether a list's source is an address that is polled. Otherwise it is the name of a file that was read once. */
export const isAddress = (source: string) => /^https?:\/\//i.test(source)

/** A published list of anchors, and the state of our copy. */
export interface TrustList {
  readonly id: string
  readonly tenantId: string | null
  readonly environment: Environment
  /** Whether an owner of the tenant imported the list. If so, stricter limits apply than for the operator. */
  readonly byOwner: boolean
  readonly kind: TrustListKind
  /** The kind of providers in the list. null: an earlier release did not ask for it; the list is not refreshed until it is set. */
  readonly providers: ListProviders | null
  /** An http(s) address, or the name of a file that was read once. */
  readonly source: string
  /** DER of the certificate that the list's signature must chain to; null only for a file that the operator vouches for. */
  readonly signer: Uint8Array | null
  /** DER of the authority that issued the signer's certificate and publishes its revocation list; null if not given. */
  readonly signerAuthority: Uint8Array | null
  /** The most that the operator lets entries of the list vouch for. */
  readonly types: readonly VouchedType[]
  /** The operator's declaration for all entries of the list; absent: none. */
  readonly sole?: SoleType
  readonly createdAt: Instant
  readonly issuer: string | null
  readonly sequence: number | null
  readonly issuedAt: Instant | null
  /** After this time the list's anchors are not trusted. */
  readonly nextUpdateAt: Instant | null
  /** DER of the certificates that signed the loaded list. They may be revoked later. */
  readonly signerChain: readonly Uint8Array[] | null
  readonly loadedAt: Instant | null
  readonly attemptedAt: Instant | null
  readonly failure: string | null
  /** The address has served a list of another kind, or the kind has changed, and since then no list of the right kind. */
  readonly mismatched: boolean
  /** What was loaded as other kinds, before the kind was set or in an import that this one has replaced. */
  readonly otherIssues: { readonly [providers in ListProviders]?: Pick<TrustList, 'sequence' | 'issuedAt'> }
}

/** Whether the operator must act: the list is of another kind than imported, or its kind is not set. */
export const needsProviders = ({ providers, mismatched }: Pick<TrustList, 'providers' | 'mismatched'>) =>
  mismatched || providers === null

/** Leaves out the certificates that verify the list's signature. */
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
