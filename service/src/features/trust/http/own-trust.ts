// Defines the routes with which a tenant's owners change trusted issuers and certificates.

import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { spendBudget } from '../../../platform/http/bounds/budget.ts'
import type { Budget } from '../../../platform/rate.ts'
import { permitted, staffOf } from '../../staff/index.ts'
import {
  addOwnAnchor,
  importOwnList,
  installOwnCertificate,
  removeOwnAnchor,
  removeOwnList,
  requestOwnCertificate,
  withdrawOwnKey,
} from '../usecases/manage-own-trust.ts'

/** Per tenant, because these calls fetch lists and generate keys. */
const BY_HAND: Budget = { perSecond: 1 / 10, burst: 10 }

export function addOwnTrustRoutes(app: App, deps: Deps): void {
  const spend = (request: Parameters<typeof staffOf>[0], reply: Parameters<typeof spendBudget>[1]) =>
    spendBudget(deps, reply, { name: 'trust_by_hand', key: staffOf(request).realm.tenantId, budget: BY_HAND })
  app.route({
    ...permitted(deps, 'POST @/trust/anchors'),
    handler: async (request, reply) => {
      await spend(request, reply)
      const { sole_type: soleType, ...anchor } = request.body
      const sole =
        soleType === undefined ? undefined : { nameSpace: soleType.namespace, withoutStatus: soleType.without_status }
      return addOwnAnchor(deps, { ...staffOf(request), ...anchor, sole })
    },
  })
  app.route({
    ...permitted(deps, 'POST @/trust/anchors/:id/remove'),
    handler: async (request, reply) => {
      await spend(request, reply)
      if (!(await removeOwnAnchor(deps, { ...staffOf(request), id: request.params.id }))) throw new Refusal('not_found')
      return {}
    },
  })
  app.route({
    ...permitted(deps, 'POST @/trust/lists'),
    handler: async (request, reply) => {
      await spend(request, reply)
      return importOwnList(deps, { ...staffOf(request), ...request.body })
    },
  })
  app.route({
    ...permitted(deps, 'POST @/trust/lists/:id/remove'),
    handler: async (request, reply) => {
      await spend(request, reply)
      if (!(await removeOwnList(deps, { ...staffOf(request), id: request.params.id }))) throw new Refusal('not_found')
      return {}
    },
  })
  addCertificateRoutes(app, deps, spend)
}

function addCertificateRoutes(
  app: App,
  deps: Deps,
  spend: (request: Parameters<typeof staffOf>[0], reply: Parameters<typeof spendBudget>[1]) => Promise<void>,
): void {
  app.route({
    ...permitted(deps, 'POST @/trust/certificates/request'),
    handler: async (request, reply) => {
      await spend(request, reply)
      const {
        id: waitingId,
        purpose,
        common_name: commonName,
        organization_identifier: identifier,
        ...rest
      } = request.body
      const subject = {
        commonName,
        ...rest,
        ...(identifier === undefined ? {} : { organizationIdentifier: identifier }),
      }
      return requestOwnCertificate(deps, { ...staffOf(request), purpose, subject, waitingId })
    },
  })
  app.route({
    ...permitted(deps, 'POST @/trust/certificates/install'),
    handler: async (request, reply) => {
      await spend(request, reply)
      return installOwnCertificate(deps, { ...staffOf(request), ...request.body })
    },
  })
  app.route({
    ...permitted(deps, 'POST @/trust/certificates/:id/withdraw'),
    handler: async (request, reply) => {
      await spend(request, reply)
      if (!(await withdrawOwnKey(deps, { ...staffOf(request), id: request.params.id }))) throw new Refusal('not_found')
      return {}
    },
  })
}
