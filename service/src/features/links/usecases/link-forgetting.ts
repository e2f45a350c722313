// Counts and deletes the openings of erased verifications.

import type { ForgettingContribution } from '../../../core/verifications/usecases/forgetting/contributions.ts'
import { countErasedOpenings, countLapsedOpenings } from '../store/openings.ts'

export const linkForgetting: ForgettingContribution = {
  name: 'link openings',
  async forgetDerived(tx, realm, ids) {
    await countErasedOpenings(tx, realm, ids)
    return {}
  },
  forgetLapsed: countLapsedOpenings,
  derivedTables: ['link_openings'],
}
