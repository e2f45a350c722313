// Routes of a tenant's account for its staff: start page, trust, usage, settings, team.

import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { renderRegisterCheck } from '../../registration/index.ts'
import { addTeamRoutes, payAsStaff, permitted, reaches, staffOf } from '../../staff/index.ts'
import { renderAnchor, renderCertificate, renderTrustList, toPem } from '../../trust/index.ts'
import { readOverview } from '../usecases/read-overview.ts'
import { readTrust, type TrustView } from '../usecases/read-trust.ts'
import { addSettingsRoutes } from './settings.ts'
import { addUsageRoutes } from './usage.ts'

/** It searches all days for completed first steps. */
const SURCHARGE_OF_OVERVIEW = 9

export function addAccountRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/overview', () => SURCHARGE_OF_OVERVIEW),
    handler: async (request) => {
      const { steps, waiting, usage, failingDestinations, webhookAttempts } = await readOverview(
        deps,
        staffOf(request).realm,
      )
      return { steps, waiting, usage, failing_destinations: failingDestinations, webhook_attempts: webhookAttempts }
    },
  })
  addUsageRoutes(app, deps)
  app.route({
    ...permitted(deps, 'GET @/trust'),
    handler: async (request) => {
      const staff = staffOf(request)
      const pay = (bytes: number) => payAsStaff(deps, staff, bytes)
      return renderTrust(await readTrust(deps, { realm: staff.realm, isOwner: reaches(staff.role, 'owner'), pay }))
    },
  })
  addSettingsRoutes(app, deps)
  addTeamRoutes(app, deps)
}

function renderTrust(view: TrustView) {
  const { anchors, anchorCount, provable, lists, certificates, signingRequests, sandbox, register, ownAllowed } = view
  return {
    sandbox,
    own_allowed: ownAllowed,
    anchor_count: anchorCount,
    anchors: anchors.map((anchor) => ({ ...renderAnchor(anchor), proofs_accepted: provable.has(anchor.id) })),
    // The query of an operator's address may hold an access key to the list.
    lists: lists.map((list) => {
      const shown = renderTrustList(list)
      return list.tenantId === null ? { ...shown, source: shown.source.replace(/[?#].*$/s, '') } : shown
    }),
    certificates: certificates.map((certificate) => {
      const request = signingRequests.get(certificate.id)
      const csr = request === undefined ? null : toPem('CERTIFICATE REQUEST', request)
      return { ...renderCertificate(certificate), csr }
    }),
    register: register === null ? null : renderRegisterCheck(register),
  }
}
