// Turns a verdict into the result that a merchant reads: only requested claims, and no sources of an age.

import type {
  AcceptedCredential,
  Check,
  DcqlQuery,
  JsonObject,
  RejectedCredential,
  TrustEvidence,
  Verdict,
} from '@vidimus/engine'
import { createResultBudget, equalJson, firstOfEachName, isLongerThan, type ResultBudget } from '@vidimus/engine/claims'
import { formatOf, withConflicts } from '@vidimus/engine/formats'
import { answerTemplate } from '../../templates/domain/answer.ts'
import type { Outputs } from '../../templates/domain/outputs.ts'
import { createOutputReader, RESULT_BYTES_MAX } from '../../templates/domain/read-outputs.ts'
import { deniesSomething } from './verdict.ts'
import type { Content, CredentialResult, Finding, VerificationResult } from './verification.ts'

export interface JudgedResult {
  readonly result: VerificationResult
  /** For each credential of the result, in order. */
  readonly trustEvidence: readonly CredentialEvidence[]
  /** The credentials in the diagnostics, including those that could not be parsed. */
  readonly examined: readonly RejectedCredential[]
}

/** The query of a presented credential, and the evidence for its trust. */
export interface CredentialEvidence extends TrustEvidence {
  readonly queryId: string
  /** Every check that ran. */
  readonly checks: readonly Check[]
}

/** `utcDay`: the day of the response, for which ages are computed. `budget`: what the response may still cost. */
export function resultOf(
  verdict: Verdict,
  { query, outputs }: { readonly query: DcqlQuery; readonly outputs: Outputs | null },
  utcDay: string,
  budget = createResultBudget(),
): JudgedResult {
  if (verdict.outcome === 'rejected') {
    const { code, message, credentials } = verdict
    return judgedFailed({ code, message: sentence(message) }, credentials)
  }
  const { credentials } = verdict
  if (outputs === null) {
    // Computed once, because a response may have thousands of claims.
    const results = credentials.map((credential) => renderNamed(credential))
    const named = results.map(({ claims }) => claims)
    const mixed = mixedPresentation(credentials)
    if (mixed !== null) return judgedFailed(CLAIM_CONFLICT, credentials.with(mixed.index, mixed.credential))
    if (isTooLong(named, budget)) return judgedFailed(TOO_LONG, credentials)
    const claims = firstOfEachName(named.flatMap((part) => Object.entries(part)))
    const isDenied = !deniesSomething(claims) && credentials.some((one) => deniesSomething(one.claims))
    return judgedCompleted({ claims, credentials: results, ...(isDenied && DENIED) }, credentials, budget)
  }
  const reader = createOutputReader(outputs, utcDay, budget)
  const signers = verdict.confirmations.map(({ queryId }) => queryId)
  const answer = answerTemplate({ query, outputs: reader, signers }, credentials)
  if (answer.outcome === 'too_long' || !budget.sufficed()) return judgedFailed(TOO_LONG, credentials)
  if (answer.outcome === 'unsigned') return judgedFailed(UNSIGNED, credentials)
  if (answer.outcome === 'unanswered') {
    const message = `The credentials do not contain ${answer.missing.join(', ')}.`
    return judgedFailed({ code: 'query_not_satisfied', message }, credentials)
  }
  const ages = Object.keys(outputs).filter((name) => 'age_over' in (outputs[name] ?? {}))
  // Credentials that the answer does not use are not kept. Some answers show claims of credentials without the findings.
  const used = withConflicts(answer.credentials)
  const results = used.map((credential) => {
    const kept = reader.keptClaims(credential)
    const isOverruled = (age: string) => kept[age] === true && answer.claims[age] === false
    const denied = ages.filter(isOverruled).map((age) => [age, false])
    const checks = denied.length > 0 ? [...credential.checks, OVERRULED] : credential.checks
    const rendered = renderNamed({ ...credential, checks }, kept)
    return { ...rendered, claims: { ...rendered.claims, ...Object.fromEntries(denied) } }
  })
  return judgedCompleted({ claims: answer.claims, credentials: results }, used, budget)
}

function judgedCompleted(
  completed: Content,
  examined: readonly AcceptedCredential[],
  budget: ResultBudget,
): JudgedResult {
  if (isTooLong([completed.claims, ...completed.credentials.map((one) => one.claims)], budget))
    return judgedFailed(TOO_LONG, examined)
  return { result: { outcome: 'completed', ...completed }, trustEvidence: examined.map(evidenceOf), examined }
}

/** Without outputs, `claims` has the first value of each name. What another value of that name denies is no, too. */
const DENIED = { verdict: 'no' } as const

/** `claims`: all claims, also those of the credentials. */
const isTooLong = (claims: readonly JsonObject[], budget: ResultBudget) =>
  isLongerThan(claims, Math.min(RESULT_BYTES_MAX, budget.bytesMax()))

const UNSIGNED: ResultError = {
  code: 'transaction_not_confirmed',
  message: 'No alternative of the query has every credential that signed transaction data (transaction_data_missing).',
}

const TOO_LONG: ResultError = {
  code: 'query_not_satisfied',
  message: 'The claims are too long for a result.',
}

const conflict = (status: Check['status'], detail: string): Check => ({ check: 'claim_conflict', status, detail })

/**
 * Finds the first presentation with another claim set than an earlier presentation for the same query. With `multiple`, a
 * wallet may present the name of one person and the birth date of another.
 */
function mixedPresentation(credentials: readonly AcceptedCredential[]) {
  const firstOf = new Map<string, number | null>()
  for (const [index, credential] of credentials.entries()) {
    const { queryId, claimSet, checks } = credential
    if (firstOf.has(queryId) && firstOf.get(queryId) !== claimSet)
      return { index, credential: { ...credential, checks: [...checks, OTHER_CLAIM_SET] } }
    firstOf.set(queryId, claimSet)
  }
  return null
}

const OTHER_CLAIM_SET = conflict(
  'fail',
  'an earlier presentation for the same credential query discloses another claim set',
)

const CLAIM_CONFLICT: ResultError = {
  code: 'claim_conflict',
  message:
    'Several presentations for one credential query disclose different claim sets, so they may be of different people.',
}

const evidenceOf = ({ queryId, checks, trustEvidence }: RejectedCredential): CredentialEvidence => ({
  queryId,
  checks,
  ...trustEvidence,
})

const OVERRULED = conflict('warning', 'another credential of the response denies the age that this one confirms')

interface ResultError {
  readonly code: string
  readonly message: string
}

/** Has no credentials, because the wallet presented none. */
export const failedResult = (error: ResultError): VerificationResult => ({ outcome: 'failed', error, credentials: [] })

/** Credentials that could at least be parsed, without their claims. */
export function judgedFailed(error: ResultError, credentials: readonly RejectedCredential[]): JudgedResult {
  const parsed = credentials.filter(({ checks }) =>
    checks.some(({ check, status }) => check === 'well_formed' && status === 'pass'),
  )
  const result = { outcome: 'failed', error, credentials: parsed.map((one) => renderCredential(one, {})) } as const
  return { result, trustEvidence: parsed.map(evidenceOf), examined: credentials }
}

function renderCredential(credential: RejectedCredential, claims: JsonObject): CredentialResult {
  const { common_name, country } = credential.issuer
  return {
    format: credential.format,
    doctype_or_vct: credential.doctypeOrVct,
    claims,
    issuer: { ...(common_name === undefined ? {} : { common_name }), ...(country === undefined ? {} : { country }) },
    trusted: credential.trusted,
    signature_valid: credential.signatureValid,
    holder_binding_valid: credential.holderBindingValid,
    findings: credential.checks.filter(({ status }) => status !== 'pass').map(toFinding),
  }
}

/** Findings of the API have four statuses. Diagnostics and receipts also have `not_provable`. */
function toFinding({ check, status: checked, detail }: Check): Finding {
  const status = checked === 'not_provable' ? 'skipped' : checked
  return detail === undefined ? { check, status } : { check, status, detail: sentence(detail) }
}

/** With claims by the names that their format gives them; of two with one name, the first, and a warning. */
function renderNamed(credential: AcceptedCredential, claims = credential.claims): CredentialResult {
  const named = formatOf(credential.format).namedClaims(claims, credential.claims)
  const first = firstOfEachName(named)
  const isMixed = named.some(([name, value]) => !equalJson(first[name] ?? null, value))
  return renderCredential(isMixed ? { ...credential, checks: [...credential.checks, OTHER_VALUE] } : credential, first)
}

const OTHER_VALUE = conflict('warning', 'the credential has another value for a claim of the same name')

function sentence(text: string): string {
  const trimmed = text.trim()
  return `${trimmed.slice(0, 1).toUpperCase()}${trimmed.slice(1)}${/[.!?]$/.test(trimmed) ? '' : '.'}`
}
