// A receipt's facts about the trust in a credential: hashes of certificates, the list that named the authority, the
// list that gave the status. Nothing that identifies a holder: no index in a list, no key, no signature.

import { hash } from 'node:crypto'
import type { PresentedFormat } from '@vidimus/engine'
import { vouchedFormatOf } from '@vidimus/engine/formats'
import type { CredentialGrounds } from '../../../../core/verifications/domain/result.ts'
import type { ListIssue, TrustAnchor } from '../../../trust/index.ts'

/** Hashes are SHA-256, base64url. As in the receipt; unknown facts are left out. */
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

interface PresentedKind {
  readonly format: PresentedFormat
  /** vct or docType. */
  readonly type: string
}

export function credentialFacts(
  { queryId, signer, status, checks: made }: CredentialGrounds,
  kind: PresentedKind,
  anchors: readonly TrustAnchor[],
): CredentialFacts {
  const checks = made
    // Left out: a disagreement of two credentials about an age reveals what one of them says.
    .filter(({ check, status: outcome }) => outcome !== 'pass' && check !== 'claim_conflict')
    .map(({ check, status: outcome }) => ({ check, outcome }))
  if (signer === null) return { query: queryId, checks }
  const issue = issueNaming(signer.anchorFingerprint, kind, anchors)
  return {
    query: queryId,
    checks,
    issuer_cert_sha256: signer.fingerprint,
    anchor_sha256: signer.anchorFingerprint,
    ...(issue === null ? {} : { trust_list: renderIssue(issue) }),
    ...(status === null ? {} : { status: { outcome: status.outcome, ...listFacts(status.list) } }),
  }
}

function renderIssue({ uri, sequence, sha256 }: ListIssue): NonNullable<CredentialFacts['trust_list']> {
  // The query may hold an access key to the list.
  const address = uri.replace(/[?#].*$/s, '')
  return { uri: address, ...(sequence === null ? {} : { seq: sequence }), ...(sha256 === null ? {} : { sha256 }) }
}

function listFacts(list: NonNullable<CredentialGrounds['status']>['list']) {
  if (list === null) return {}
  const { sha256, fetchedAt } = list
  return { list_sha256: sha256, ...(fetchedAt === null ? {} : { fetched: fetchedAt }) }
}

/** The array is the same object while nothing changed. */
const NAMED = new WeakMap<readonly TrustAnchor[], ReadonlyMap<string, readonly TrustAnchor[]>>()

/** null if the authority was installed by hand. */
function issueNaming(
  fingerprint: string,
  { format, type }: PresentedKind,
  anchors: readonly TrustAnchor[],
): ListIssue | null {
  const named = NAMED.get(anchors) ?? namedByLists(anchors)
  NAMED.set(anchors, named)
  const asked = vouchedFormatOf(format)
  const vouching = (named.get(fingerprint) ?? []).find(
    ({ types }) => types.includes(`${asked}:*`) || types.includes(`${asked}:${type}`),
  )
  return vouching?.issue ?? null
}

function namedByLists(anchors: readonly TrustAnchor[]): ReadonlyMap<string, readonly TrustAnchor[]> {
  const published = anchors.filter(({ issue }) => issue !== undefined)
  return Map.groupBy(published, ({ certificate }) => hash('sha256', certificate, 'base64url'))
}
