// Yes or no: what a person at a till needs to know of a template's answer, without what it says.

import type { Json, JsonObject } from '@vidimus/engine'
import type { Verification } from './verification.ts'

export const VERDICTS = ['yes', 'no'] as const
export type TemplateVerdict = (typeof VERDICTS)[number]

/** A template is answered with no where one of its outputs is false, or has false in it. */
export function verdictOf(claims: JsonObject): TemplateVerdict {
  return deniesSomething(claims) ? 'no' : 'yes'
}

/** At any depth: ages of a PID stand side by side in an object. */
export function deniesSomething(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return value === false
  return Object.values(value).some(deniesSomething)
}

/** null: not completed, no template, or forgotten. */
export function readVerdict(verification: Verification): TemplateVerdict | null {
  if (verification.status !== 'completed' || verification.template === null || verification.content === null)
    return null
  const { claims, verdict } = verification.content
  return verdict === undefined ? verdictOf(claims) : verdict
}

export function renderVerdict(verification: Verification) {
  return { id: verification.id, status: verification.status, verdict: readVerdict(verification) }
}
