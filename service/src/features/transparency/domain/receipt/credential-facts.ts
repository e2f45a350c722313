// What a receipt says about the trust in a credential. None of it identifies a holder.

import type { SoleType } from '@vidimus/engine'
import { formatOf } from '@vidimus/engine/formats'
import type { CredentialEvidence } from '../../../../core/verifications/domain/result.ts'
import {
  findNamingIssue,
  fingerprintOf,
  listAddressOf,
  type PresentedKind,
} from '../../../../core/verifications/domain/trust-list.ts'
import type { ListIssue, TrustAnchor } from '../../../trust/index.ts'

/** As the receipt writes them. Hashes are SHA-256, base64url; unknown facts are absent. */
export interface CredentialFacts {
  readonly query: string
  /** Checks that did not pass. */
  readonly checks: readonly { readonly check: string; readonly outcome: string }[]
  /** The tenant's policy for a status that is not established. */
  readonly status_policy: 'require' | 'prefer'
  readonly issuer_cert_sha256?: string
  readonly anchor_sha256?: string
  /** Set for a zero-knowledge proof whose anchor is marked: the only type that its signers issue. */
  readonly sole_type?: { readonly doc_type: string; readonly namespace: string; readonly without_status: boolean }
  /** Set if a published list named the authority. */
  readonly trust_list?: { readonly uri: string; readonly seq?: number; readonly sha256?: string }
  /** Set if the credential names a status. Without the time of the fetch, which another tenant may have caused. */
  readonly status?: { readonly outcome: string; readonly list_sha256?: string }
}

interface Trust {
  readonly anchors: readonly TrustAnchor[]
  readonly statusPolicy: CredentialFacts['status_policy']
}

export function credentialFacts(
  { queryId, signer, status, checks: allChecks }: CredentialEvidence,
  kind: PresentedKind,
  { anchors, statusPolicy }: Trust,
): CredentialFacts {
  const checks = allChecks
    // Omits contradictions about an age between two credentials, because they reveal what one credential says.
    .filter(({ check, status: outcome }) => outcome !== 'pass' && check !== 'claim_conflict')
    .map(({ check, status: outcome }) => ({ check, outcome }))
  const common = { query: queryId, checks, status_policy: statusPolicy }
  if (signer === null) return common
  const issue = findNamingIssue(signer.anchorFingerprint, kind, anchors)
  return {
    ...common,
    issuer_cert_sha256: signer.fingerprint,
    anchor_sha256: signer.anchorFingerprint,
    ...soleFacts(signer.anchorFingerprint, kind, anchors),
    ...(issue === null ? {} : { trust_list: renderIssue(issue) }),
    ...(status === null
      ? {}
      : { status: { outcome: status.outcome, ...(status.list && { list_sha256: status.list.sha256 }) } }),
  }
}

/** By fingerprint and document type. Cached per array, which stays the same object until anchors change. */
const SOLE_TYPES = new WeakMap<readonly TrustAnchor[], ReadonlyMap<string, SoleType>>()

function soleTypesOf(anchors: readonly TrustAnchor[]): ReadonlyMap<string, SoleType> {
  const soleTypes = new Map<string, SoleType>()
  for (const anchor of anchors)
    if (anchor.sole !== undefined) soleTypes.getOrInsert(`${fingerprintOf(anchor)} ${anchor.sole.docType}`, anchor.sole)
  return soleTypes
}

function soleFacts(
  fingerprint: string,
  { format, type }: PresentedKind,
  anchors: readonly TrustAnchor[],
): Pick<CredentialFacts, 'sole_type'> {
  if (formatOf(format).kind !== 'proof') return {}
  const sole = SOLE_TYPES.getOrInsertComputed(anchors, soleTypesOf).get(`${fingerprint} ${type}`)
  if (sole === undefined) return {}
  return { sole_type: { doc_type: sole.docType, namespace: sole.nameSpace, without_status: sole.withoutStatus } }
}

function renderIssue(issue: ListIssue): NonNullable<CredentialFacts['trust_list']> {
  const { sequence, sha256 } = issue
  return {
    uri: listAddressOf(issue),
    ...(sequence === null ? {} : { seq: sequence }),
    ...(sha256 === null ? {} : { sha256 }),
  }
}
