// What became of a chain that was held against its seal and its checkpoints, and how that reads.

import type { ChainVerdict } from './verify-chain.ts'

export type AuditVerdict =
  | (ChainVerdict & { readonly checkpoints: number })
  /** A checkpoint that this key did not sign, a head without our seal, or a file that is no export. */
  | { readonly outcome: 'untrusted'; readonly problem: string }

export function renderVerdict(verdict: AuditVerdict) {
  if (verdict.outcome !== 'whole') return verdict
  const { outcome, entries, detailsErased, checkpoints, head } = verdict
  return { outcome, entries, details_erased: detailsErased, checkpoints, head: head.toString('hex') }
}
