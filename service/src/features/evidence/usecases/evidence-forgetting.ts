// Deletes bundles together with their content or their verification, and bundles that were not collected in time.

import type { ForgettingContribution } from '../../../core/verifications/usecases/forgetting/contributions.ts'
import {
  destroyBundle,
  destroyBundles,
  dropBundlesOfLapsed,
  dropOverdueBundlesAcrossTenants,
} from '../store/bundles.ts'

export const evidenceForgetting: ForgettingContribution = {
  name: 'evidence',
  forgetContent: destroyBundle,
  async forgetDerived(tx, realm, ids) {
    await destroyBundles(tx, realm, ids)
    return {}
  },
  forgetLapsed: dropBundlesOfLapsed,
  derivedTables: ['evidence_bundles'],
  forgetOverdue: dropOverdueBundlesAcrossTenants,
}
