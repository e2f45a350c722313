// A verification that can be told of: completed, its content still there, and readable here.

import type { Completed, Content, Verification } from './verification.ts'

export interface Answered extends Omit<Completed, 'content'>, Pick<Content, 'claims' | 'credentials'> {}

/** null for any other: what is forgotten, or only the merchant can read, is nothing to sign in with. */
export function answeredOf(verification: Verification): Answered | null {
  if (verification.status !== 'completed' || verification.content === null) return null
  const { content, ...rest } = verification
  if (Object.hasOwn(content.claims, '$jwe')) return null
  return { ...rest, claims: content.claims, credentials: content.credentials }
}
