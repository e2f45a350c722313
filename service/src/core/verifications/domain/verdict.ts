// Yes or no: what a person at a till needs of a template's answer, without its content.

import type { Json, JsonObject } from '@vidimus/engine'
import type { Verification } from './verification.ts'

const VERDICTS = ['yes', 'no'] as const
type TemplateVerdict = (typeof VERDICTS)[number]

/** A template's answer is no if one of its outputs is false, or contains false. */
export function verdictOf(claims: JsonObject): TemplateVerdict {
  return deniesSomething(claims) ? 'no' : 'yes'
}

/** At any depth: the ages of a PID are members of an object. */
export function deniesSomething(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return value === false
  return Object.values(value).some(deniesSomething)
}

/** null: not completed, no template, or deleted. */
export function readVerdict(verification: Verification): TemplateVerdict | null {
  if (verification.status !== 'completed' || verification.template === null || verification.content === null)
    return null
  const { claims, verdict } = verification.content
  return verdict === undefined ? verdictOf(claims) : verdict
}

export function renderVerdict(verification: Verification) {
  return { id: verification.id, status: verification.status, verdict: readVerdict(verification) }
}
