// Deletes the userinfo of a sign-in when the merchant asks to forget its content.

import type { ForgettingContribution } from '../../../core/verifications/usecases/forgetting/contributions.ts'
import { revokeOfVerification } from '../store/authorizations.ts'

export const userinfoForgetting: ForgettingContribution = {
  name: 'userinfo',
  forgetCopies: revokeOfVerification,
}
