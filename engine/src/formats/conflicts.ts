// Warns of credentials that disagree on a claim.

import { equalJson } from '../json.ts'
import type { AcceptedCredential } from '../judged-presentation.ts'
import type { Json } from '../verdict.ts'
import { formatOf } from './table.ts'

/**
 * If two credentials disagree on a claim, the later one gets a warning. The merchant decides. Warnings from comparing
 * more credentials are dropped.
 */
export function withConflicts(all: readonly AcceptedCredential[]): AcceptedCredential[] {
  const earlier = new Map<string, { readonly value: Json; readonly of: AcceptedCredential; differs: boolean }>()
  return all.map((one) => {
    const credential = { ...one, checks: one.checks.filter(({ check }) => check !== 'claim_conflict') }
    let conflicts = false
    for (const [name, value] of namedClaims(credential)) {
      const first = earlier.get(name)
      if (first === undefined) {
        earlier.set(name, { value, of: one, differs: false })
        continue
      }
      first.differs ||= !equalJson(first.value, value)
      conflicts ||= first.differs && first.of !== one
    }
    if (!conflicts) return credential
    const detail = 'an earlier credential gives another value for a claim of the same name'
    return { ...credential, checks: [...credential.checks, { check: 'claim_conflict', status: 'warning', detail }] }
  })
}

const namedClaims = ({ format, claims }: AcceptedCredential) => formatOf(format).namedClaims(claims, claims)
