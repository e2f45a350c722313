// Which periodic work there is. A job is named after its use case.

import { CHECKPOINT_JOB, keepCheckpoints } from '../usecases/audit/keep-checkpoints.ts'
import { forgetDeviceTokens } from '../usecases/devices/forget-device-tokens.ts'
import { forgetDevices } from '../usecases/devices/forget-devices.ts'
import { keepLog } from '../usecases/log/keep-log.ts'
import { forgetAuthorizations } from '../usecases/oidc/forget-authorizations.ts'
import { renewSigningKeys } from '../usecases/oidc/signing-keys.ts'
import type { Job } from '../usecases/operator/run-due-job.ts'
import { recheckOrigins } from '../usecases/origins/recheck-origins.ts'
import { lookAtRegisters } from '../usecases/registration/look-at-register.ts'
import { watchRegistrations } from '../usecases/registration/watch-registrations.ts'
import { forgetSignIns } from '../usecases/staff/dashboard-sessions.ts'
import { forgetAuthenticationCodes } from '../usecases/transactions/take-authentication-codes.ts'
import { refreshTrustLists } from '../usecases/trust/refresh-trust-lists.ts'
import { tellUsage } from '../usecases/usage/tell-usage.ts'
import { countEndings } from '../usecases/verifications/answering/count-endings.ts'
import { applyRetention } from '../usecases/verifications/forgetting/apply-retention.ts'
import { forgetHeldContent } from '../usecases/verifications/forgetting/forget-held-content.ts'
import { endPlainParticulars } from '../usecases/verifications/forgetting/seal-plain-particulars.ts'
import { forgetAnswers } from '../usecases/webhooks/forget-answers.ts'
import { forgetDestinations } from '../usecases/webhooks/forget-destinations.ts'

export const JOBS: readonly Job[] = [
  { name: 'apply-retention', everySeconds: 60, leaseSeconds: 900, run: applyRetention },
  // The overview is so much behind.
  { name: 'count-endings', everySeconds: 5, leaseSeconds: 60, run: countEndings },
  // After a crash in the middle of it content must not stay much longer: a short lease.
  { name: 'forget-held-content', everySeconds: 5, leaseSeconds: 30, run: forgetHeldContent },
  { name: 'forget-answers', everySeconds: 3_600, leaseSeconds: 900, run: forgetAnswers },
  { name: 'forget-destinations', everySeconds: 3_600, leaseSeconds: 900, run: forgetDestinations },
  { name: 'forget-devices', everySeconds: 3_600, leaseSeconds: 900, run: forgetDevices },
  { name: 'forget-device-tokens', everySeconds: 3_600, leaseSeconds: 900, run: forgetDeviceTokens },
  { name: 'forget-sign-ins', everySeconds: 3_600, leaseSeconds: 900, run: forgetSignIns },
  { name: 'forget-authorizations', everySeconds: 60, leaseSeconds: 300, run: forgetAuthorizations },
  { name: 'forget-authentication-codes', everySeconds: 3_600, leaseSeconds: 900, run: forgetAuthenticationCodes },
  { name: 'renew-signing-keys', everySeconds: 3_600, leaseSeconds: 900, run: renewSigningKeys },
  { name: CHECKPOINT_JOB, everySeconds: 86_400, leaseSeconds: 900, run: keepCheckpoints },
  { name: 'recheck-origins', everySeconds: 3_600, leaseSeconds: 900, run: recheckOrigins },
  { name: 'keep-log', everySeconds: 60, leaseSeconds: 300, run: keepLog },
  { name: 'look-at-registers', everySeconds: 3_600, leaseSeconds: 900, run: lookAtRegisters },
  { name: 'refresh-trust-lists', everySeconds: 6 * 3_600, leaseSeconds: 900, run: refreshTrustLists },
  {
    name: 'watch-registrations',
    everySeconds: 6 * 3_600,
    leaseSeconds: 900,
    run: (deps, stopped) => watchRegistrations(deps, null, stopped),
  },
  { name: 'tell-usage', everySeconds: 60, leaseSeconds: 180, run: tellUsage },
  { name: 'seal-plain-particulars', everySeconds: 3_600, leaseSeconds: 900, run: endPlainParticulars },
]
