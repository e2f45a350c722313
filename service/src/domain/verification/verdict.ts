// Yes or no: what a person at a till needs to know of a template's answer, without what it says.

import type { JsonObject } from '@vidimus/engine'
import type { Verification } from './verification.ts'

export const VERDICTS = ['yes', 'no'] as const
export type Verdict = (typeof VERDICTS)[number]

/** A template is answered with no where one of its outputs is false. */
export function verdictOf(claims: JsonObject): Verdict {
  return Object.values(claims).includes(false) ? 'no' : 'yes'
}

/** null: not completed, no template, or forgotten. */
export function readVerdict(verification: Verification): Verdict | null {
  if (verification.status !== 'completed' || verification.template === null || verification.content === null)
    return null
  const { claims, verdict } = verification.content
  return verdict === undefined ? verdictOf(claims) : verdict
}

export function renderVerdict(verification: Verification) {
  return { id: verification.id, status: verification.status, verdict: readVerdict(verification) }
}
