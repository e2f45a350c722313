// Defines the routes of a tenant's registration: identity, certificates, and how templates and access certificates match them.

import { type Parties, renderIdentity } from '../../../core/registrations/domain/identity.ts'
import { renderProblem, renderRefusal } from '../../../core/registrations/domain/problem.ts'
import {
  type Registration,
  registrationFaults,
  registrationRemarks,
  renderRegistration,
} from '../../../core/registrations/domain/registration.ts'
import { readParties } from '../../../core/registrations/usecases/read-registrations.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { permitted, staffOf } from '../../staff/index.ts'
import { renderConcernForPage } from '../domain/concern-for-page.ts'
import { type RegistrationReport, renderReport } from '../domain/report.ts'
import { checkRegistration } from '../usecases/check-registration.ts'
import { changeIdentity } from '../usecases/manage-identity.ts'
import { addRegistration, removeRegistration } from '../usecases/manage-registrations.ts'

export function addRegistrationRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/registration'),
    handler: async (request) => reportForPage(await checkRegistration(deps, staffOf(request).realm), deps.clock.now()),
  })
  addIdentityRoute(app, deps)
  app.route({
    ...permitted(deps, 'POST @/registration/certificates'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
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

/** The same facts as the command line shows, with codes instead of sentences. */
const certificateForPage = (registration: Registration, parties: Parties, nowMs: number) => ({
  ...renderRegistration(registration, parties, nowMs),
  faults: registrationFaults(registration, parties, nowMs).map(renderProblem),
  remarks: registrationRemarks(registration).map(renderProblem),
})

const reportForPage = (report: RegistrationReport, nowMs: number) => ({
  ...renderReport(report, nowMs),
  certificates: report.registrations.map((one) => certificateForPage(one, report, nowMs)),
  templates: report.templates.map(({ key, builtIn, intendedUse, concerns }) => ({
    key,
    built_in: builtIn,
    intended_use: intendedUse,
    concerns: concerns.map(renderConcernForPage),
  })),
})

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
