// Error messages for the person at the till.

import { RefusedError, UnreachableError } from '../../sdk/typescript/src/device/device-errors.ts'
import type { Words } from './words/words.ts'

export function pairingProblem(words: Words, error: unknown): string {
  if (error instanceof UnreachableError) return words.pairUnknown
  if (!(error instanceof RefusedError)) return words.trouble
  if (error.status === 429) return words.tooMany
  return error.status === 400 ? words.badCode : words.trouble
}

const REFUSALS: Readonly<Record<string, (words: Words) => string>> = {
  quota_exceeded: ({ quota }) => quota,
  rate_limit_exceeded: ({ tooMany }) => tooMany,
  template_not_allowed: ({ notAllowed }) => notAllowed,
  unknown_template: ({ notAllowed }) => notAllowed,
  session_not_found: ({ gone }) => gone,
}

export function problemText(words: Words, error: unknown): string {
  if (error instanceof UnreachableError) return words.noConnection
  return (error instanceof RefusedError ? REFUSALS[error.code]?.(words) : undefined) ?? words.trouble
}
