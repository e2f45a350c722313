// Defines the routes for going live: what is missing, the mandate, and requests to the operator.

import { MANDATE_KINDS } from '../../../../../wire/values/going-live.ts'
import { renderRefusal } from '../../../core/registrations/domain/problem.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { payAsStaff, permitted, staffOf } from '../../staff/index.ts'
import { mayAddIssuers } from '../../trust/index.ts'
import { renderStep } from '../domain/going-live/checklist.ts'
import { renderMandate } from '../domain/going-live/mandate.ts'
import { renderRequest } from '../domain/going-live/operator-request.ts'
import { askOperator, type RequestOutcome, recordMandate } from '../usecases/going-live/ask-operator.ts'
import { readGoingLive } from '../usecases/going-live/read-going-live.ts'
import { measureComparison } from '../usecases/list-templates-with-use.ts'
import { SURCHARGE_OF_REPORT } from './registration.ts'

export function addGoingLiveRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/going-live', () => SURCHARGE_OF_REPORT),
    handler: async (request) => {
      const staff = staffOf(request)
      const realm = liveRealmOf(staff)
      await payAsStaff(deps, staff, await measureComparison(deps, realm))
      const { steps, mandate, requests } = await readGoingLive(deps, realm)
      return {
        steps: steps.map(renderStep),
        mandate: mandate === null ? null : renderMandate(mandate),
        mandate_kinds: MANDATE_KINDS,
        own_issuers: await mayAddIssuers(deps, realm),
        requests: requests.map(renderRequest),
      }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/going-live/mandate'),
    handler: async (request) => {
      const staff = staffOf(request)
      const recorded = { realm: liveRealmOf(staff), mandate: request.body, actor: staff.actor }
      return rendered(await recordMandate(deps, recorded))
    },
  })
  app.route({
    ...permitted(deps, 'POST @/going-live/requests'),
    handler: async (request) => {
      const staff = staffOf(request)
      const { kind, identity: claimed } = request.body
      const identity =
        claimed === undefined
          ? null
          : { identifier: claimed.identifier, tradeName: claimed.trade_name, registryUri: claimed.registry_uri ?? null }
      return rendered(await askOperator(deps, { realm: liveRealmOf(staff), kind, identity, actor: staff.actor }))
    },
  })
}

/** Test needs no approval, so these routes exist only for live. */
function liveRealmOf({ realm }: { readonly realm: Realm }): Realm {
  if (realm.environment !== 'live') throw new Refusal('not_found')
  return realm
}

const rendered = (asking: RequestOutcome) =>
  asking.outcome === 'refused'
    ? renderRefusal(asking)
    : { outcome: 'asked' as const, request: renderRequest(asking.request) }
