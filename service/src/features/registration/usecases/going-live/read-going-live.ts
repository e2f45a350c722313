// Reads a realm's progress towards live from everything stored about it.

import type { Realm } from '../../../../core/tenants/domain/realm.ts'
import { listApiKeys } from '../../../../core/tenants/store/api-keys.ts'
import type { Deps } from '../../../../deps.ts'
import { listTrustListsOf, readAnchors, readCertificates } from '../../../trust/index.ts'
import { describeWebhookSecret, listDestinations } from '../../../webhooks/index.ts'
import { judgeGoingLive, type Step } from '../../domain/going-live/checklist.ts'
import type { Mandate } from '../../domain/going-live/mandate.ts'
import type { OperatorRequest } from '../../domain/going-live/operator-request.ts'
import { loadMandate } from '../../store/mandates.ts'
import { listRequests } from '../../store/operator-requests.ts'
import { checkRegistration } from '../check-registration.ts'

export interface GoingLive {
  readonly steps: readonly Step[]
  readonly mandate: Mandate | null
  /** Newest first. */
  readonly requests: readonly OperatorRequest[]
}

export async function readGoingLive(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'audit' | 'sandbox' | 'registrations'>,
  realm: Realm,
): Promise<GoingLive> {
  const [report, anchors, lists, certificates, keys, mandate, secret, failing, requests] = await Promise.all([
    checkRegistration(deps, realm),
    readAnchors(deps, realm, null),
    listTrustListsOf(deps.db, realm),
    readCertificates(deps, realm),
    listApiKeys(deps.db, realm.tenantId),
    loadMandate(deps.db, realm),
    describeWebhookSecret(deps, realm),
    listDestinations(deps, realm),
    listRequests(deps.db, realm),
  ])
  const overAsking = report.templates.filter(({ concerns }) => concerns.some(({ code }) => code === 'over_asking'))
  const unfit = report.accessCertificates.filter(({ level }) => level === 'problem')
  const steps = judgeGoingLive(
    {
      identity: report.identity,
      own: report.own,
      mandate,
      registrations: report.registrations,
      overAsking: overAsking.length,
      certificates,
      unfitCertificates: new Set(unfit.map(({ certificateId }) => certificateId)),
      anchors,
      lists,
      keys: keys.filter(({ environment }) => environment === realm.environment),
      webhook: { hasSecret: secret !== null, failingDestinations: failing.length },
    },
    deps.clock.now(),
  )
  return { steps, mandate, requests }
}
