// Lists allowed values of bodies about the public log.

export const WITNESS_STATES = ['cosigned', 'unreachable', 'refused', 'ahead', 'forked', 'not_asked'] as const

/** Why a receipt is not verified, for the page that verifies receipts. */
export const RECEIPT_PROBLEMS = [
  'malformed',
  'too_large',
  'unknown_key',
  'bad_signature',
  'no_proof',
  'not_in_log',
  'no_keys',
  'no_log',
  'unsupported',
] as const
export type ReceiptProblem = (typeof RECEIPT_PROBLEMS)[number]
