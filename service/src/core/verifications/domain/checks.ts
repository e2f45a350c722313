// Lists the outcome of each check for the diagnostics, without claims and checks that reveal a claim's value.

import type { CheckName, CheckStatus, PresentedFormat, RejectedCredential } from '@vidimus/engine'
import type { TrustAnchor } from '../../ports/trust.ts'
import { findNamingIssue, listAddressOf } from './trust-list.ts'

/**
 * `not_checked`: an earlier check failed, or there was nothing to check. `not_provable`: a zero-knowledge proof cannot
 * show this.
 */
type CheckOutcome = 'passed' | 'failed' | 'warning' | 'not_checked' | 'not_provable'

const OUTCOME_OF = {
  pass: 'passed',
  fail: 'failed',
  warning: 'warning',
  skipped: 'not_checked',
  not_provable: 'not_provable',
} as const satisfies Record<CheckStatus, CheckOutcome>

/** Stored in the sealed result, so that it is deleted with the content. */
export interface CredentialChecks {
  /** The id of the credential query that it was presented for. */
  readonly query: string
  readonly format: PresentedFormat
  readonly checks: Readonly<Partial<Record<CheckName, CheckOutcome>>>
  /** The address of the published list that named the authority; absent: none, or stored by an earlier release. */
  readonly trustList?: string
}

/**
 * Lists every check of the format, even those that did not run: a missing check must not read as passed. Leaves out
 * `claim_conflict`, because it reveals a claim's value.
 */
export function checksOf(
  { queryId, format, checks: performed, doctypeOrVct: type, trustEvidence: { signer } }: RejectedCredential,
  checksOfFormat: readonly CheckName[],
  anchors: readonly TrustAnchor[],
): CredentialChecks {
  const checks: Partial<Record<CheckName, CheckOutcome>> = {}
  for (const name of checksOfFormat) checks[name] = 'not_checked'
  for (const { check, status } of performed)
    if (check !== 'claim_conflict' && checks[check] !== 'failed') checks[check] = OUTCOME_OF[status]
  const issue = signer === null ? null : findNamingIssue(signer.anchorFingerprint, { format, type }, anchors)
  return { query: queryId, format, checks, ...(issue === null ? {} : { trustList: listAddressOf(issue) }) }
}
