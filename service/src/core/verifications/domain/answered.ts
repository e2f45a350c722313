// Defines a verification with a result that can be used: completed, and its content is still stored and readable here.

import { verdictOf } from './verdict.ts'
import type { Completed, Content, Verification } from './verification.ts'

export interface Answered extends Omit<Completed, 'content'>, Pick<Content, 'claims' | 'credentials'> {
  readonly verdict: 'yes' | 'no'
}

/** null for any other. A sign-in cannot use content that was deleted or that only the merchant can read. */
export function answeredOf(verification: Verification): Answered | null {
  if (verification.status !== 'completed' || verification.content === null) return null
  const { content, ...rest } = verification
  if (Object.hasOwn(content.claims, '$jwe')) return null
  const { claims, credentials, verdict } = content
  return { ...rest, claims, credentials, verdict: verdict ?? verdictOf(claims) }
}
