// What the figures add to the ending of a verification: a row for the counting job.

import type { EndingContribution } from '../../../core/verifications/usecases/answering/contributions.ts'
import { insertUncounted } from '../store/counts.ts'

export const countEnding: EndingContribution = { name: 'counts', fromEnded: insertUncounted }
