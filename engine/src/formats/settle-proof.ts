// Verifies zero-knowledge proofs with the caller's verifier. This comes last, because it costs a thousand times as much.

import { CheckLog } from '../examination.ts'
import type { Trust } from '../expected.ts'
import type { Finding } from '../finding.ts'
import { type Budget, spend } from '../limits.ts'
import { formatOf } from './table.ts'

/** Returns a finding without proofs unchanged. */
export async function settleProof(finding: Finding, trust: Trust, budget: Budget): Promise<Finding> {
  const { examination } = finding
  const record = formatOf(finding.format)
  if (record.kind === 'queried') return finding
  const log = CheckLog.continuing(finding.log)
  const answer = log.failure === null ? await checkProofs(examination.proofs, trust, budget) : 'invalid'
  if (answer === 'valid') for (const check of record.provedChecks) log.pass(check)
  else if (log.failure === null)
    log.fail(
      'issuer_signature_valid',
      answer === 'invalid' ? 'credential_invalid' : 'proof_unavailable',
      DETAIL[answer],
    )
  return { ...finding, log, answer: log.failure === null ? finding.answer : null }
}

const DETAIL = {
  invalid: 'the proof does not hold',
  unavailable: 'the proof could not be checked',
  overspent: 'the response needs more checks of proofs than are made for one response',
} as const

/** Checks one statement per origin that may have used the request. Nearly always there is one. */
async function checkProofs(
  proofs: Finding['examination']['proofs'],
  { verifyZk }: Trust,
  budget: Budget,
): Promise<'valid' | keyof typeof DETAIL> {
  if (verifyZk === undefined) return 'unavailable'
  for (const input of proofs) {
    if (!spend(budget, 'proofsLeft', 1)) return 'overspent'
    const answer = await verifyZk(input)
    if (answer !== 'invalid') return answer
  }
  return 'invalid'
}
