// Whom a tenant trusts to issue credentials: anchors by environment, installed by hand or taken from a published list.

import type { ListProviders, SoleType, VouchedType } from '@vidimus/engine'
import { askedFormatOf, CREDENTIAL_FORMATS, EVERY_DOCUMENT, vouchedDocType } from '@vidimus/engine/formats'
import type { TRUST_LIST_KINDS } from '../../../../../wire/values/trust.ts'
import type { TrustAnchor } from '../../../core/ports/trust.ts'
import type { Environment, Instant } from '../../../platform/world.ts'
import type { AnchorFacts } from './anchor-facts.ts'
import { renderSoleType } from './sole-type.ts'

export type { ListIssue, TrustAnchor } from '../../../core/ports/trust.ts'

/** How types are written, for whoever wrote one otherwise. */
export const vouchedTypesOf = (type?: string) =>
  CREDENTIAL_FORMATS.map((format) => `${format}:${type ?? `<${askedFormatOf(format).typeName}>`}`).join(' or ')

/** A format with a vct or docType of it, or with `*`; a bare name could mean either and means nothing. */
export function isVouchedType(text: string): text is VouchedType {
  const isOfFormat = CREDENTIAL_FORMATS.some(
    (format) => text.startsWith(`${format}:`) && text.length > format.length + 1,
  )
  return isOfFormat || text === REGISTRATIONS || text === REGISTERS
}

/** What providers of registration certificates vouch for, and nobody else. */
export const REGISTRATIONS = 'rc-wrp+jwt:*'

/** What those vouch for who sign the answers of a national register, and nobody else. */
export const REGISTERS = 'register+jwt:*'

/** Who says what a merchant may ask for must not be able to issue what it asks for, nor the other way round. */
export const mixesRegistrations = (types: readonly string[]) =>
  [REGISTRATIONS, REGISTERS].some((apart) => types.includes(apart) && types.some((type) => type !== apart))

/** What the operator alone lets anybody vouch for. */
export const APART: readonly string[] = [REGISTRATIONS, REGISTERS]

type OwnedAnchor = Pick<InstalledAnchor, 'tenantId' | 'environment' | 'types'>

/**
 * Whether an anchor stands in the way of others, who come later. A tenant's for credentials does not, for its owners may have added
 * it: they must not keep the operator from anything. Such a one yields instead, see `withoutYielding`.
 */
export const standsFirm = ({ tenantId, types }: Pick<OwnedAnchor, 'tenantId' | 'types'>) =>
  tenantId === null || types.some((type) => APART.includes(type))

/** Without the tenant's anchors for credentials whose key says, by the operator's word, what may be asked. */
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

/** Whether two anchors are seen by a tenant in common. */
const meet = (one: Pick<InstalledAnchor, 'tenantId' | 'environment'>, other: typeof one) =>
  one.environment === other.environment &&
  (one.tenantId === null || other.tenantId === null || one.tenantId === other.tenantId)

/** Of those whose certificate has the same key, the first that vouches for what this one must not vouch for beside it. */
export function findMixed<A extends Pick<InstalledAnchor, 'tenantId' | 'environment' | 'types'>>(
  anchor: Pick<InstalledAnchor, 'tenantId' | 'environment' | 'types'>,
  ofSameKey: readonly A[],
): A | null {
  return ofSameKey.find((other) => meet(anchor, other) && mixesRegistrations([...anchor.types, ...other.types])) ?? null
}

/** Signers chosen by their bytes bypass their authority: in test alone, when they are added and when they are judged by. */
export function mayStandIn(environment: Environment, { kind }: Pick<TrustAnchor, 'kind'>): boolean {
  return kind === 'ca' || environment === 'test'
}

/** What a list names narrows what the operator granted it, never more; null where the list does not name types. */
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

/** With what its certificate says of itself. */
export interface AnchorView extends InstalledAnchor, AnchorFacts {}

/** As it is shown: without the certificate itself. */
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

/** Whether the source of a list is where it is read again and again; otherwise it is the name of a file, read once. */
export const isAddress = (source: string) => /^https?:\/\//i.test(source)

/** A published list of anchors, and how fresh our copy of it is. */
export interface TrustList {
  readonly id: string
  readonly tenantId: string | null
  readonly environment: Environment
  /** Imported by one of the tenant's owners, not by the operator: closer bounds hold for it. */
  readonly byOwner: boolean
  readonly kind: TrustListKind
  /** Whom it names; null: it was imported before that was asked, and is not read again until somebody says. */
  readonly providers: ListProviders | null
  /** An http(s) address, or the name of a file that was read once. */
  readonly source: string
  /** DER of the certificate that the list's signature must lead to; null only for a file the operator vouches for. */
  readonly signer: Uint8Array | null
  /** DER of the authority that issued the signer's certificate and keeps its revocation list; null where it was not given. */
  readonly signerAuthority: Uint8Array | null
  /** What the operator lets the list vouch for: its entries have this at most. */
  readonly types: readonly VouchedType[]
  /** What the operator says of everybody it names; absent: nothing. */
  readonly sole?: SoleType
  readonly createdAt: Instant
  readonly issuer: string | null
  readonly sequence: number | null
  readonly issuedAt: Instant | null
  /** From then on it vouches for nobody. */
  readonly nextUpdateAt: Instant | null
  /** DER of the certificates of who signed what was loaded: they may be revoked later. */
  readonly signerChain: readonly Uint8Array[] | null
  readonly loadedAt: Instant | null
  readonly attemptedAt: Instant | null
  readonly failure: string | null
  /** Whether the address served a list of another kind, and none of the right kind since. */
  readonly mismatched: boolean
}

/** Somebody has to look at it: it is of another kind than was imported, or nobody said of which it is. */
export const needsProviders = ({ providers, mismatched }: Pick<TrustList, 'providers' | 'mismatched'>) =>
  mismatched || providers === null

/** Without the certificates that its signature is judged by. */
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
