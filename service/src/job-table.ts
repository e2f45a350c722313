// The table of periodic jobs. A job is named after its use case.

import { forgetAuthenticationCodes } from './core/transactions/usecases/take-authentication-codes.ts'
import { forgetDueContent } from './core/verifications/usecases/forgetting/forget-due-content.ts'
import { endPlainSensitiveFields } from './core/verifications/usecases/forgetting/seal-plain-sensitive-fields.ts'
import { mailAlerts } from './features/alerts/usecases/mail-alerts.ts'
import { sendUsageAlerts } from './features/alerts/usecases/send-usage-alerts.ts'
import { JUDGE_TRAILS_JOB, judgeTrails } from './features/audit/usecases/judge-chains.ts'
import { forgetDeviceTokens } from './features/devices/usecases/forget-device-tokens.ts'
import { forgetDevices } from './features/devices/usecases/forget-devices.ts'
import { countEndings, forgetCounts } from './features/figures/usecases/count-endings.ts'
import { countLinkOpenings } from './features/links/usecases/count-openings.ts'
import { forgetLinks } from './features/links/usecases/forget-links.ts'
import { sendMails } from './features/mail/usecases/send-mails.ts'
import { forgetAuthorizations } from './features/oidc/usecases/forget-authorizations.ts'
import { renewSigningKeys } from './features/oidc/usecases/signing-keys.ts'
import { applyLateMigrations } from './features/operator/usecases/apply-late-migrations.ts'
import { deleteCopies } from './features/operator/usecases/moving/delete-copies.ts'
import { openArrivedTenants } from './features/operator/usecases/moving/open-arrived-tenants.ts'
import { readMailLook } from './features/pages/usecases/read-mail-look.ts'
import { checkRegisters } from './features/registration/usecases/check-registers.ts'
import { watchRegistrations } from './features/registration/usecases/watch-registrations.ts'
import { applyRetention, searchedDays } from './features/retention/usecases/apply-retention.ts'
import { makeDays } from './features/retention/usecases/make-days.ts'
import { forgetSignIns } from './features/staff/usecases/dashboard-sessions.ts'
import { forgetFormerStaff } from './features/staff/usecases/forget-former-staff.ts'
import { maintainLog } from './features/transparency/usecases/maintain-log.ts'
import { signReceipts } from './features/transparency/usecases/sign-receipts.ts'
import { recheckOrigins } from './features/trust/usecases/origins/recheck-origins.ts'
import { refreshTrustLists } from './features/trust/usecases/refresh-trust-lists.ts'
import { forgetAnswers } from './features/webhooks/usecases/forget-answers.ts'
import { forgetDestinations } from './features/webhooks/usecases/forget-destinations.ts'
import { rebuildDueTimes } from './features/webhooks/usecases/rebuild-due-times.ts'
import type { Config } from './platform/config/config.ts'
import type { Job } from './platform/jobs/run-due-job.ts'

export const JOBS: readonly Job[] = [
  {
    name: 'apply-retention',
    everySeconds: 60,
    leaseSeconds: 900,
    run: (deps, stopped) => applyRetention(deps, stopped, searchedDays(deps.db)),
  },
  { name: 'make-days', everySeconds: 3_600, leaseSeconds: 300, run: makeDays },
  // The overview is at most this old.
  { name: 'count-endings', everySeconds: 5, leaseSeconds: 60, run: countEndings },
  { name: 'forget-counts', everySeconds: 300, leaseSeconds: 900, run: forgetCounts },
  // A short lease, so that after a crash content is not kept much longer.
  { name: 'forget-held-content', everySeconds: 5, leaseSeconds: 30, run: forgetDueContent },
  { name: 'forget-answers', everySeconds: 3_600, leaseSeconds: 900, run: forgetAnswers },
  { name: 'forget-destinations', everySeconds: 3_600, leaseSeconds: 900, run: forgetDestinations },
  { name: 'forget-devices', everySeconds: 3_600, leaseSeconds: 900, run: forgetDevices },
  { name: 'forget-device-tokens', everySeconds: 3_600, leaseSeconds: 900, run: forgetDeviceTokens },
  { name: 'forget-sign-ins', everySeconds: 3_600, leaseSeconds: 900, run: forgetSignIns },
  { name: 'forget-former-staff', everySeconds: 6 * 3_600, leaseSeconds: 900, run: forgetFormerStaff },
  { name: 'count-link-openings', everySeconds: 300, leaseSeconds: 300, run: countLinkOpenings },
  { name: 'forget-links', everySeconds: 3_600, leaseSeconds: 900, run: forgetLinks },
  { name: 'forget-authorizations', everySeconds: 60, leaseSeconds: 300, run: forgetAuthorizations },
  { name: 'forget-authentication-codes', everySeconds: 3_600, leaseSeconds: 900, run: forgetAuthenticationCodes },
  { name: 'renew-signing-keys', everySeconds: 3_600, leaseSeconds: 900, run: renewSigningKeys },
  { name: JUDGE_TRAILS_JOB, everySeconds: 86_400, leaseSeconds: 900, run: judgeTrails },
  { name: 'rebuild-due-times', everySeconds: 60, leaseSeconds: 180, run: rebuildDueTimes },
  { name: 'recheck-origins', everySeconds: 3_600, leaseSeconds: 900, run: recheckOrigins },
  { name: 'keep-log', everySeconds: 60, leaseSeconds: 300, run: maintainLog },
  { name: 'sign-receipts', everySeconds: 5, leaseSeconds: 60, run: signReceipts },
  { name: 'look-at-registers', everySeconds: 3_600, leaseSeconds: 900, run: checkRegisters },
  { name: 'refresh-trust-lists', everySeconds: 6 * 3_600, leaseSeconds: 900, run: refreshTrustLists },
  {
    name: 'watch-registrations',
    everySeconds: 6 * 3_600,
    leaseSeconds: 900,
    run: (deps, stopped) => watchRegistrations(deps, null, stopped),
  },
  {
    name: 'send-mails',
    everySeconds: 5,
    leaseSeconds: 300,
    run: (deps, stopped) => sendMails(deps, (...of) => readMailLook(deps, ...of), stopped),
  },
  { name: 'apply-late-migrations', everySeconds: 300, leaseSeconds: 900, run: applyLateMigrations },
  { name: 'mail-alerts', everySeconds: 60, leaseSeconds: 300, run: mailAlerts },
  { name: 'delete-copies', everySeconds: 3_600, leaseSeconds: 900, run: deleteCopies },
  { name: 'open-arrived-tenants', everySeconds: 60, leaseSeconds: 300, run: openArrivedTenants },
  { name: 'tell-usage', everySeconds: 60, leaseSeconds: 180, run: sendUsageAlerts },
  { name: 'seal-plain-particulars', everySeconds: 3_600, leaseSeconds: 900, run: endPlainSensitiveFields },
]

/**
 * Receipts wait for a signature only if their key is outside of the process. Such keys can exist without any setting,
 * so the job always runs, but less often if no setting names one.
 */
export const jobsFor = ({ keys }: Pick<Config, 'keys'>): readonly Job[] =>
  JOBS.map((job) => (job.name !== 'sign-receipts' || namesKeyService(keys) ? job : { ...job, everySeconds: 60 }))

const namesKeyService = ({ pkcs11, vault, aws, azure, google, idTokens, wrappedMasterKeys }: Config['keys']): boolean =>
  [pkcs11, vault, aws.region, azure.tenantId, azure.identityUrl, google.credentialsFile, idTokens].some(
    (setting) => setting !== null,
  ) || wrappedMasterKeys.length > 0
