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

/** Lists the unregistered paths. For an unregistered type, lists every claim that is requested of it. */
export function listUnregistered(found: readonly OverAsk[]) {
  const listed: { types: string[]; path: ClaimsPath[number][] | null }[] = []
  for (const { credential, path } of found) {
    const claims = credential.claims ?? []
    const paths = path !== null || claims.length === 0 ? [path] : claims.map((claim) => claim.path)
    const rest = paths.slice(0, LISTED_MAX - listed.length)
    listed.push(...rest.map((one) => ({ types: [...queriedTypes(credential)], path: one === null ? null : [...one] })))
  }
  return listed
}
