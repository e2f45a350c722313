// Does a genuine credential answer what was asked, and does its issuer still stand by it? What follows the examination
// of one credential: the query, then its status. The network comes last, and only for a credential without a fault.

import { CheckLog, type Examination, type Fault } from './examination.ts'
import type { SentRequest, Trust } from './expected.ts'
import { type CredentialQuery, formatOf, type PresentedFormat, vouchedFormatOf } from './formats/table.ts'
import { answerClaims } from './openid4vp/match.ts'
import { establishStatus, type StatusOutcome } from './status/establish.ts'
import type { ResponseLists } from './status/response-lists.ts'
import type { JsonObject, RejectionCode } from './verdict.ts'

type StatusPolicy = Trust['statusPolicy']

/** An examination with everything known of it since; `claims` are only those asked for, null after any fault. */
export interface Finding {
  readonly examination: Examination
  /** In which it came: by where it stood in the answer, never by what it says. */
  readonly format: PresentedFormat
  readonly log: CheckLog
  readonly claims: JsonObject | null
  /** What was asked about its status and its signer's; empty before that. */
  readonly statuses: readonly StatusOutcome[]
}

export function judgeAnswer(
  examination: Examination,
  { query, format }: { readonly query: CredentialQuery; readonly format: PresentedFormat },
): Finding {
  const log = CheckLog.continuing(examination)
  const { claims: disclosed, withheld } = examination
  if (log.failure !== null || disclosed === null) return { examination, format, log, claims: null, statuses: [] }
  const claims = log.require('query_answered', answerClaims({ claims: disclosed, withheld }, query), NOT_ANSWERED)
  log.judge('authority_requested', isFromRequestedAuthority(examination, query) ? null : OTHER_AUTHORITY)
  return { examination, format, log, claims: log.failure === null ? claims : null, statuses: [] }
}

const NOT_ANSWERED: Fault = {
  code: 'query_not_satisfied',
  detail: 'the credential does not disclose every claim, or not with a value, that was asked for',
}
const OTHER_AUTHORITY: Fault = {
  code: 'query_not_satisfied',
  detail: 'the credential was not issued under an authority that was asked for',
}

/** OpenID4VP §6.1.1: one of them is enough. A query that names none leaves it to our anchors. */
function isFromRequestedAuthority({ authorityKeyIds }: Examination, query: CredentialQuery): boolean {
  const authorities = query.trusted_authorities
  if (authorities === undefined) return true
  return authorities.some(({ values }) => values.some((keyId) => authorityKeyIds.includes(keyId)))
}

export async function settleStatus(
  finding: Finding,
  { expected, trust, lists }: { readonly expected: SentRequest; readonly trust: Trust; readonly lists: ResponseLists },
): Promise<Finding> {
  const { examination, format } = finding
  const log = CheckLog.continuing(finding.log)
  const { statusNotProvable } = formatOf(format)
  // Who vouches for a document vouches for what is proved of it.
  const vouched = { ...examination, format: vouchedFormatOf(format) }
  const statuses = await establishStatus(vouched, expected, trust, lists)
  for (const status of statuses) {
    if (statusNotProvable !== null && status.check === 'not_revoked') {
      log.note(status.check, 'not_provable', statusNotProvable)
      continue
    }
    const standing = standingOf(status, examination, trust.statusPolicy)
    if (standing === 'pass') log.pass(status.check)
    else if (standing === 'skipped' || standing === 'warning') log.note(status.check, standing, status.detail)
    else log.fail(status.check, standing, status.detail)
  }
  return { ...finding, log, claims: log.failure === null ? finding.claims : null, statuses }
}

type Standing = RejectionCode | 'pass' | 'warning' | 'skipped'

/** Unknown is neither revoked nor fine: the policy decides. */
function standingOf({ check, outcome }: StatusOutcome, { expiresAt }: Examination, policy: StatusPolicy): Standing {
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
      // Where a status is required, a credential that nothing could ever end is not accepted.
      return ofSigner || expiresAt !== null || policy === 'prefer' ? 'skipped' : 'status_unavailable'
  }
}
