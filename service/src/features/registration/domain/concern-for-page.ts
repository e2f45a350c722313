// Renders a concern for a page. The page has its own texts, and names unregistered claims in words.

import type { ClaimsPath } from '@vidimus/engine'
import { queriedTypes } from '@vidimus/engine/formats'
import type { Concern } from '../../../core/registrations/domain/choose.ts'
import type { OverAsk } from '../../../core/registrations/domain/over-asking.ts'
import { renderProblem } from '../../../core/registrations/domain/problem.ts'

export const renderConcernForPage = ({ code, reason, intendedUse, overAsking }: Concern) => ({
  code,
  reason: renderProblem(reason),
  intended_use: intendedUse,
  unregistered: listUnregistered(overAsking),
})

/** A query may have thousands of paths, so a page shows only the first ones. */
const LISTED_MAX = 60
const LISTED_LENGTH_MAX = 8_000
/** Of one credential, which may have many long types. */
export const TYPES_LISTED_MAX = 3

/** Lists the unregistered paths. For an unregistered type, lists every claim that is requested of it. */
export function listUnregistered(found: readonly OverAsk[]) {
  const listed: { types: string[]; path: ClaimsPath[number][] | null }[] = []
  let left = LISTED_LENGTH_MAX
  for (const { credential, path } of found) {
    const claims = credential.claims ?? []
    const paths = path !== null || claims.length === 0 ? [path] : claims.map((claim) => claim.path)
    const types = queriedTypes(credential).slice(0, TYPES_LISTED_MAX)
    for (const one of paths.slice(0, LISTED_MAX - listed.length)) {
      const claim = { types, path: one === null ? null : [...one] }
      // One is listed, however long it is.
      if (listed.length > 0 && left <= 0) return listed
      left -= JSON.stringify(claim).length
      listed.push(claim)
    }
  }
  return listed
}
