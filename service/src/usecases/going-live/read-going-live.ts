// How far a realm is on its way to asking real holders: everything that is stored of it, judged by one function.

import type { Deps } from '../../deps.ts'
import { judgeGoingLive, type Step } from '../../domain/going-live/checklist.ts'
import type { Mandate } from '../../domain/going-live/mandate.ts'
import type { OperatorRequest } from '../../domain/going-live/operator-request.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { listApiKeys } from '../../store/tenants/api-keys.ts'
import { loadMandate } from '../../store/tenants/mandates.ts'
import { listRequests } from '../../store/tenants/operator-requests.ts'
import { listTrustListsOf } from '../../store/trust/trust-lists.ts'
import { checkRegistration } from '../registration/check-registration.ts'
import { readAnchors } from '../trust/manage-anchors.ts'
import { readCertificates } from '../trust/manage-certificates.ts'
import { describeWebhookSecret } from '../webhooks/manage-webhook-secret.ts'
import { listDestinations } from '../webhooks/watch-destinations.ts'

export interface GoingLive {
  readonly steps: readonly Step[]
  readonly mandate: Mandate | null
  /** The newest first. */
  readonly requests: readonly OperatorRequest[]
}

export async function readGoingLive(
  deps: Pick<Deps, 'db' | 'clock' | 'random' | 'sealer' | 'headMacs' | 'sandbox'>,
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
