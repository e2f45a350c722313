// Defines the routes of a tenant's registration: identity, certificates, and how templates and access certificates match them.

import { renderIdentity } from '../../../core/registrations/domain/identity.ts'
import { renderProblem, renderRefusal } from '../../../core/registrations/domain/problem.ts'
import { readParties } from '../../../core/registrations/usecases/read-registrations.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { payAsStaff, permitted, staffOf } from '../../staff/index.ts'
import { certificateForPage, reportForPage } from '../domain/report-for-page.ts'
import { checkRegistration } from '../usecases/check-registration.ts'
import { measureComparison } from '../usecases/list-templates-with-use.ts'
import { changeIdentity } from '../usecases/manage-identity.ts'
import { addRegistration, removeRegistration } from '../usecases/manage-registrations.ts'

/** It compares every template with every certificate. */
export const SURCHARGE_OF_REPORT = 9

export function addRegistrationRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/registration', () => SURCHARGE_OF_REPORT),
    handler: async (request) => {
      const staff = staffOf(request)
      await payAsStaff(deps, staff, await measureComparison(deps, staff.realm))
      return reportForPage(await checkRegistration(deps, staff.realm), deps.clock.now())
    },
  })
  app.route({
    ...permitted(deps, 'GET @/registration/certificates/:id'),
    handler: async (request) => {
      const { realm } = staffOf(request)
      const found = await deps.registrations.findOne(realm, request.params.id, deps.clock.now())
      if (found === null || found.removedAt !== null) throw new Refusal('not_found')
      return certificateForPage(found, await readParties(deps, realm), deps.clock.now())
    },
  })
  addIdentityRoute(app, deps)
  app.route({
    ...permitted(deps, 'POST @/registration/certificates'),
    handler: async (request) => {
      const staff = staffOf(request)
      const { realm, actor } = staff
      // Adding one compares it with all that are there.
      await payAsStaff(deps, staff, await measureComparison(deps, realm))
      const { jwt, intended_use: intendedUse = null } = request.body
      const added = await addRegistration(deps, { realm, jwt, intendedUse, actor })
      if (added.outcome === 'refused') return renderRefusal(added)
      const certificate = certificateForPage(added.registration, await readParties(deps, realm), deps.clock.now())
      return { outcome: 'added' as const, certificate, warnings: added.warnings.map(renderProblem) }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/registration/certificates/:id/remove'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      if (!(await removeRegistration(deps, { realm, id: request.params.id, actor }))) throw new Refusal('not_found')
      return {}
    },
  })
}

function addIdentityRoute(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'POST @/registration/identity'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      // Certificates are public: a merchant that could set its own identity could ask under another merchant's certificate.
      if (realm.environment === 'live')
        throw new Refusal('role_insufficient', { message: 'In live, the operator sets your identity.' })
      const { identifier, trade_name: tradeName, registry_uri: registryUri = null } = request.body
      const identity = { identifier, tradeName, registryUri, isIntermediary: false }
      const changed = await changeIdentity(deps, { ...realm, identity, actor })
      if (changed.outcome === 'refused') return renderRefusal(changed)
      return { outcome: 'changed' as const, identity: renderIdentity(changed.identity) }
    },
  })
}
