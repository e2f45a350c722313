// Deletes sign-ins and correlation ids with their verification, and userinfo with the verification's content.

import type { ForgettingContribution } from '../../../core/verifications/usecases/forgetting/contributions.ts'
import { revokeOfVerification } from '../store/authorizations.ts'
import { forgetRequestsOf, forgetRequestsOfLapsed } from '../store/erased-requests.ts'

export const userinfoForgetting: ForgettingContribution = {
  name: 'userinfo',
  forgetCopies: revokeOfVerification,
  async forgetDerived(tx, realm, ids) {
    await forgetRequestsOf(tx, realm, ids)
    return {}
  },
  forgetLapsed: forgetRequestsOfLapsed,
  derivedTables: ['oid4vp_requests', 'oidc_authorizations'],
}
