// When a verification lapses, its used authentication codes stay, without its id.

import type { ForgettingContribution } from '../../../core/verifications/usecases/forgetting/contributions.ts'
import { forgetCodesOfLapsed } from '../store/day-partitions.ts'

export const codeForgetting: ForgettingContribution = {
  name: 'authentication codes',
  forgetLapsed: forgetCodesOfLapsed,
  derivedTables: ['authentication_codes'],
}
