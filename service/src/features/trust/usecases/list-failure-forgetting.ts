// Deletes failed fetches of status lists after a day, because credentials choose their origins.

import type { ForgettingContribution } from '../../../core/verifications/usecases/forgetting/contributions.ts'
import { deleteOldListFailures } from '../store/list-failures.ts'

export const listFailureForgetting: ForgettingContribution = {
  name: 'list failures',
  forgetOverdue: deleteOldListFailures,
}
