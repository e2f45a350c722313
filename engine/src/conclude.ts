// Decides acceptance: every check that the format requires must be in the log and have passed. No other file accepts.

import type { Finding } from './finding.ts'
import { withConflicts } from './formats/conflicts.ts'
import { FORMAT_NAMES, formatOf, type PresentedFormat } from './formats/table.ts'
import type { RejectedCredential, Verdict } from './judged-presentation.ts'
import type { TransactionItem } from './transaction/item.ts'
import {
  CHECKS,
  type Check,
  type CheckName,
  type CheckStatus,
  type RejectionCode,
  type TrustEvidence,
} from './verdict.ts'

const SIGNED: readonly CheckName[] = ['algorithm_allowed', 'issuer_certificate_present', 'issuer_signature_valid']
const BOUND: readonly CheckName[] = [
  'holder_key_present',
  'holder_signature_valid',
  'bound_to_request',
  'bound_to_presentation',
]
const EVERY_FORMAT: readonly CheckName[] = [
  'well_formed',
  ...SIGNED,
  'issuer_trusted',
  'type_requested',
  'within_validity',
  ...BOUND,
  'transaction_data_valid',
]
const EVERY_ANSWER: readonly CheckName[] = ['query_answered', 'authority_requested']

/** Returns the checks that must pass, once each. A format can add checks to the common ones, but not remove any. */
export function requiredChecks(format: PresentedFormat): readonly CheckName[] {
  const { contentChecks, otherChecks } = formatOf(format)
  return [...EVERY_FORMAT, ...contentChecks, ...otherChecks, ...EVERY_ANSWER]
}

/** For each format: the required checks, and the checks of genuine content. Computed once. */
const BY_FORMAT = new Map(
  FORMAT_NAMES.map((format) => {
    const genuine = [...SIGNED, ...formatOf(format).contentChecks]
    return [format, { required: requiredChecks(format), genuine }] as const
  }),
)

function checksOf(format: PresentedFormat): { required: readonly CheckName[]; genuine: readonly CheckName[] } {
  const checks = BY_FORMAT.get(format)
  if (checks === undefined) throw new Error('bug: unknown format')
  return checks
}

/** Checks that must be in the log exactly once and must not have failed. */
const STATUS_CHECKS = ['not_revoked', 'signer_not_revoked'] as const satisfies readonly CheckName[]

/** Returns the checks that every accepted credential of the format passed, in order. */
export function checksOfFormat(format: PresentedFormat): readonly CheckName[] {
  const checks: readonly CheckName[] = [...requiredChecks(format), ...STATUS_CHECKS]
  return CHECKS.filter((check) => checks.includes(check))
}

/** `items`: the transaction data that the holder was asked to confirm. */
export function accept(findings: readonly Finding[], items: readonly TransactionItem[] = []): Verdict {
  const unproven = findings.find((finding) => !isProven(finding))
  if (unproven !== undefined) return reject(findings, unproven.log.failure ?? INCOMPLETE)
  const credentials = findings.flatMap((finding) => {
    const { answer } = finding
    return answer === null ? [] : [{ ...describeCredential(finding), ...answer }]
  })
  // Without a credential nothing is proven, so an empty list is never a success.
  if (credentials.length === 0) return reject(findings, UNANSWERED)
  // Each item needs a confirmation of its own, whatever the earlier checks say.
  const confirmations = items.map(({ text }) =>
    findings.flatMap(({ examination }) => examination.confirmed.filter((one) => one.text === text)),
  )
  if (confirmations.some(({ length }) => length !== 1)) return reject(findings, UNCONFIRMED)
  return { outcome: 'accepted', credentials: withConflicts(credentials), confirmations: confirmations.flat() }
}

export function reject(findings: readonly Finding[], failure: { code: RejectionCode; message: string }): Verdict {
  return { outcome: 'rejected', ...failure, credentials: findings.map(describeCredential) }
}

export const UNANSWERED = {
  code: 'query_not_satisfied',
  message: 'what was presented does not answer the query',
} as const
const UNCONFIRMED = {
  code: 'transaction_not_confirmed',
  message: 'the transaction data was not confirmed by exactly one credential',
} as const
const INCOMPLETE = { code: 'credential_invalid', message: 'not every required check ran' } as const

function isProven({ format, log, answer }: Finding): boolean {
  if (answer === null || log.failure !== null) return false
  const { checks } = log
  if (checks.some(({ status }) => status === 'fail')) return false
  // The policy has already turned an unacceptable status into a failure. A status that was not checked at all also rejects.
  return STATUS_CHECKS.every((name) => isLoggedOnce(checks, name)) && allPassed(checks, checksOf(format).required)
}

/** Whether the check is in the log exactly once. Two results could contradict each other. */
function isLoggedOnce(checks: readonly Check[], name: CheckName): boolean {
  const result = resultOf(checks, name)
  return result !== undefined && result !== 'repeated'
}

function allPassed(checks: readonly Check[], names: readonly CheckName[]): boolean {
  return names.every((name) => resultOf(checks, name) === 'pass')
}

function resultOf(checks: readonly Check[], name: CheckName): CheckStatus | 'repeated' | undefined {
  let result: CheckStatus | 'repeated' | undefined
  for (const { check, status } of checks) {
    if (check === name) result = result === undefined ? status : 'repeated'
  }
  return result
}

/**
 * Names issuer and type only if a trusted party signed them, because anyone can sign. A party is not trusted if its
 * certificate is revoked, has a status that the policy rejects, or has a revocation list that was not checked.
 */
function describeCredential({ format, examination, log, statuses }: Finding): RejectedCredential {
  const { queryId, type, issuer } = examination
  const { checks } = log
  const signatureValid = allPassed(checks, checksOf(format).genuine)
  const trusted =
    signatureValid && resultOf(checks, 'issuer_trusted') === 'pass' && isSignerInForce(checks, examination)
  return {
    queryId,
    format,
    doctypeOrVct: trusted ? type : '',
    issuer: trusted ? issuer : {},
    trusted,
    signatureValid,
    holderBindingValid: allPassed(checks, BOUND),
    checks,
    trustEvidence: trusted ? { signer: examination.signer, ...statusEvidence(statuses) } : NO_EVIDENCE,
  }
}

/** Whether the signer is still trusted. Revocation lists are checked last, so a credential that failed earlier lacks that check. */
function isSignerInForce(checks: readonly Check[], { signerNamesList }: Finding['examination']): boolean {
  const result = resultOf(checks, 'signer_not_revoked')
  return result === undefined ? !signerNamesList : result !== 'fail' && result !== 'repeated'
}

const NO_EVIDENCE: TrustEvidence = { signer: null, status: null, lists: [] }

function statusEvidence(statuses: Finding['statuses']): Pick<TrustEvidence, 'status' | 'lists'> {
  const own = statuses.find(({ check }) => check === 'not_revoked')
  const status = own === undefined || own.outcome === 'none' ? null : { outcome: own.outcome, list: own.list ?? null }
  return { status, lists: statuses.flatMap(({ list }) => (list === undefined ? [] : [list])) }
}
