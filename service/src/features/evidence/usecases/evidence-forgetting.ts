// Deletes evidence with its content, and when it was not collected in time.

import type { ForgettingContribution } from '../../../core/verifications/usecases/forgetting/contributions.ts'
import { destroyBundle, dropOverdueBundlesAcrossTenants } from '../store/bundles.ts'

export const evidenceForgetting: ForgettingContribution = {
  name: 'evidence',
  forgetContent: destroyBundle,
  forgetOverdue: dropOverdueBundlesAcrossTenants,
}
