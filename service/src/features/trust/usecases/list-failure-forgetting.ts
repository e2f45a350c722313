// Deletes failed fetches of status lists after a day, because their origins come from credentials.

import type { ForgettingContribution } from '../../../core/verifications/usecases/forgetting/contributions.ts'
import { deleteOldListFailures } from '../store/list-failures.ts'

export const listFailureForgetting: ForgettingContribution = {
  name: 'list failures',
  forgetOverdue: deleteOldListFailures,
}
