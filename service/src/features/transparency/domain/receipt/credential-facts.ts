// What a receipt says about the trust in a credential. None of it identifies a holder.

import type { CredentialEvidence } from '../../../../core/verifications/domain/result.ts'
import { findNamingIssue, listAddressOf, type PresentedKind } from '../../../../core/verifications/domain/trust-list.ts'
import type { ListIssue, TrustAnchor } from '../../../trust/index.ts'

/** As the receipt writes them. Hashes are SHA-256, base64url; unknown facts are absent. */
export interface CredentialFacts {
  readonly query: string
  /** Checks that did not pass. */
  readonly checks: readonly { readonly check: string; readonly outcome: string }[]
  readonly issuer_cert_sha256?: string
  readonly anchor_sha256?: string
  /** Set if a published list named the authority. */
  readonly trust_list?: { readonly uri: string; readonly seq?: number; readonly sha256?: string }
  /** Set if the credential names a status. */
  readonly status?: { readonly outcome: string; readonly list_sha256?: string; readonly fetched?: number }
}

export function credentialFacts(
  { queryId, signer, status, checks: allChecks }: CredentialEvidence,
  kind: PresentedKind,
  anchors: readonly TrustAnchor[],
): CredentialFacts {
  const checks = allChecks
    // Omits contradictions about an age between two credentials, because they reveal what one credential says.
    .filter(({ check, status: outcome }) => outcome !== 'pass' && check !== 'claim_conflict')
    .map(({ check, status: outcome }) => ({ check, outcome }))
  if (signer === null) return { query: queryId, checks }
  const issue = findNamingIssue(signer.anchorFingerprint, kind, anchors)
  return {
    query: queryId,
    checks,
    issuer_cert_sha256: signer.fingerprint,
    anchor_sha256: signer.anchorFingerprint,
    ...(issue === null ? {} : { trust_list: renderIssue(issue) }),
    ...(status === null ? {} : { status: { outcome: status.outcome, ...listFacts(status.list) } }),
  }
}

function renderIssue(issue: ListIssue): NonNullable<CredentialFacts['trust_list']> {
  const { sequence, sha256 } = issue
  return {
    uri: listAddressOf(issue),
    ...(sequence === null ? {} : { seq: sequence }),
    ...(sha256 === null ? {} : { sha256 }),
  }
}

function listFacts(list: NonNullable<CredentialEvidence['status']>['list']) {
  if (list === null) return {}
  const { sha256, fetchedAt } = list
  return { list_sha256: sha256, ...(fetchedAt === null ? {} : { fetched: fetchedAt }) }
}
