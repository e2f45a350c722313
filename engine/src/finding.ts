// Checks a genuine credential against its query, and then its status. Only a credential without a fault leads to a fetch.

import { CheckLog, type Examination, type Fault } from './examination.ts'
import type { SentRequest, Trust } from './expected.ts'
import { type CredentialQuery, formatOf, type PresentedFormat, vouchedFormatOf } from './formats/table.ts'
import { type Budget, OVERSPENT } from './limits.ts'
import { type AnsweredClaims, answerClaims, isFromAuthority } from './openid4vp/match.ts'
import { establishStatus, type StatusOutcome } from './status/establish.ts'
import type { ResponseLists } from './status/response-lists.ts'
import type { RejectionCode } from './verdict.ts'

type StatusPolicy = Trust['statusPolicy']

/** An examination with the results of later checks. */
export interface Finding {
  readonly examination: Examination
  /** The format, from the position in the answer and never from the content. */
  readonly format: PresentedFormat
  readonly log: CheckLog
  /** null after a fault. */
  readonly answer: AnsweredClaims | null
  /** The status of the credential and of its signer; empty before they are checked. */
  readonly statuses: readonly StatusOutcome[]
}

export function judgeAnswer(
  examination: Examination,
  { query, format }: { readonly query: CredentialQuery; readonly format: PresentedFormat },
  budget: Budget,
): Finding {
  const log = CheckLog.continuing(examination)
  const { claims: disclosed, withheld } = examination
  if (log.failure !== null || disclosed === null) return { examination, format, log, answer: null, statuses: [] }
  const answered = answerClaims({ claims: disclosed, withheld }, query, budget)
  const answer = log.require('query_answered', answered, budget.work.left === 0 ? TOO_COSTLY : NOT_ANSWERED)
  const isFromRequested = isFromAuthority(examination.authorityKeyIds, query, budget)
  log.judge('authority_requested', isFromRequested ? null : OTHER_AUTHORITY)
  return { examination, format, log, answer: log.failure === null ? answer : null, statuses: [] }
}

const NOT_ANSWERED: Fault = {
  code: 'query_not_satisfied',
  detail: 'the credential does not disclose every requested claim, or one has a value that was not requested',
}
const TOO_COSTLY: Fault = { code: 'query_not_satisfied', detail: OVERSPENT }
const OTHER_AUTHORITY: Fault = {
  code: 'query_not_satisfied',
  detail: 'the credential was not issued under an authority that was asked for',
}

export async function settleStatus(
  finding: Finding,
  { expected, trust, lists }: { readonly expected: SentRequest; readonly trust: Trust; readonly lists: ResponseLists },
): Promise<Finding> {
  const { examination, format } = finding
  const log = CheckLog.continuing(finding.log)
  const { statusNotProvable } = formatOf(format)
  // An anchor for a type of document also vouches for proofs about such documents.
  const vouched = { ...examination, format: vouchedFormatOf(format) }
  const statuses = await establishStatus(vouched, expected, trust, lists)
  for (const status of causesFirst(statuses)) {
    if (statusNotProvable !== null && status.check === 'not_revoked') {
      log.note(status.check, 'not_provable', statusNotProvable)
      continue
    }
    const result = judgeStatus(status, examination, trust.statusPolicy)
    if (result === 'pass') log.pass(status.check)
    else if (result === 'skipped' || result === 'warning') log.note(status.check, result, status.detail)
    else log.fail(status.check, result, status.detail)
  }
  return { ...finding, log, answer: log.failure === null ? finding.answer : null, statuses }
}

/** If the status of the credential is unknown, its signer may be why. A fault of the signer then sets the code. */
function causesFirst(statuses: readonly StatusOutcome[]): readonly StatusOutcome[] {
  const isUnknown = statuses.some(({ check, outcome }) => check === 'not_revoked' && outcome === 'unknown')
  const isCause = ({ check, outcome }: StatusOutcome) =>
    isUnknown && check === 'signer_not_revoked' && outcome !== 'valid' && outcome !== 'none'
  return statuses.toSorted((a, b) => Number(isCause(b)) - Number(isCause(a)))
}

type StatusResult = RejectionCode | 'pass' | 'warning' | 'skipped'

/** Judges a status. If it is unknown, the policy decides. */
function judgeStatus(
  { check, outcome }: StatusOutcome,
  { expiresAt }: Examination,
  policy: StatusPolicy,
): StatusResult {
  const ofSigner = check === 'signer_not_revoked'
  switch (outcome) {
    case 'valid':
      return 'pass'
    case 'revoked':
      return ofSigner ? 'issuer_untrusted' : 'credential_revoked'
    case 'suspended':
      return ofSigner ? 'issuer_untrusted' : 'credential_suspended'
    case 'invalid':
      return 'credential_invalid'
    case 'exceeded':
      return 'status_unavailable'
    case 'unknown':
      return policy === 'prefer' ? 'warning' : 'status_unavailable'
    case 'none':
      // If a status is required, a credential must either expire or be revocable.
      return ofSigner || expiresAt !== null || policy === 'prefer' ? 'skipped' : 'status_unavailable'
  }
}
