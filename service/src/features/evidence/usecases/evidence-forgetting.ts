// Evidence goes with the content it is of, and by itself where nobody collected it in time.

import type { ForgettingContribution } from '../../../core/verifications/usecases/forgetting/contributions.ts'
import { destroyBundle, dropOverdueBundlesAcrossTenants } from '../store/bundles.ts'

export const evidenceForgetting: ForgettingContribution = {
  name: 'evidence',
  forgetContent: destroyBundle,
  forgetOverdue: dropOverdueBundlesAcrossTenants,
}
