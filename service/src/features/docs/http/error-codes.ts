// All codes that have a page in the docs: refusals, and failures of verifications.

import { en } from '../../../../../labels/en.ts'
import { INTERNAL_ERROR, PROBLEMS } from '../../../platform/http/problems.ts'

export interface Problem {
  readonly status: number
  readonly message: string
  readonly advice?: string
}

export const REFUSALS: ReadonlyMap<string, Problem> = new Map(
  Object.entries({ ...PROBLEMS, [INTERNAL_ERROR.code]: INTERNAL_ERROR }),
)
/** Failure reasons of a verification, from the label catalogue. */
export const FAILURES: ReadonlyMap<string, string> = new Map(Object.entries(en.reasons))

export const ERROR_CODES: ReadonlySet<string> = new Set([...REFUSALS.keys(), ...FAILURES.keys()])
