// Which periodic work there is. A job is named after its use case.

import { applyRetention } from '../usecases/apply-retention.ts'
import { forgetSignIns } from '../usecases/dashboard-sessions.ts'
import { forgetDestinations } from '../usecases/forget-destinations.ts'
import { forgetDeviceTokens } from '../usecases/forget-device-tokens.ts'
import { refreshTrustLists } from '../usecases/import-trust-list.ts'
import { keepCheckpoints } from '../usecases/keep-checkpoints.ts'
import type { Job } from '../usecases/run-due-job.ts'

export const JOBS: readonly Job[] = [
  { name: 'apply-retention', everySeconds: 60, leaseSeconds: 900, run: applyRetention },
  { name: 'forget-destinations', everySeconds: 3_600, leaseSeconds: 900, run: forgetDestinations },
  { name: 'forget-device-tokens', everySeconds: 3_600, leaseSeconds: 900, run: forgetDeviceTokens },
  { name: 'forget-sign-ins', everySeconds: 3_600, leaseSeconds: 900, run: forgetSignIns },
  { name: 'keep-checkpoints', everySeconds: 86_400, leaseSeconds: 900, run: keepCheckpoints },
  { name: 'refresh-trust-lists', everySeconds: 6 * 3_600, leaseSeconds: 900, run: refreshTrustLists },
]
