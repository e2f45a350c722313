// What a tenant's staff see of its account: start page, usage, trust, settings, team.

import type { Deps } from '../../deps.ts'
import { secondsToMidnight } from '../../domain/tenant/quota.ts'
import { instantOf } from '../../domain/world.ts'
import { readTrust } from '../../usecases/trust/read-trust.ts'
import { readOverview } from '../../usecases/verifications/read-overview.ts'
import { readUsage } from '../../usecases/verifications/read-usage.ts'
import type { App } from '../app.ts'
import { permitted, staffOf } from './access.ts'
import { RealmParams } from './fields.ts'
import { addSettingsRoutes } from './settings.ts'
import { addTeamRoutes } from './team.ts'

export function addAccountRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/overview'),
    schema: { hide: true, params: RealmParams },
    handler: async (request) => {
      const { steps, lastDay, usage, failingDestinations } = await readOverview(deps, staffOf(request).realm)
      return { steps, last_day: lastDay, usage, failing_destinations: failingDestinations }
    },
  })
  app.route({
    ...permitted(deps, 'GET @/usage'),
    schema: { hide: true, params: RealmParams },
    handler: async (request) => {
      const nowMs = deps.clock.now()
      const usage = await readUsage(deps, staffOf(request).realm.tenantId)
      return { ...usage, resets_at: instantOf(nowMs + secondsToMidnight(nowMs) * 1000) }
    },
  })
  app.route({
    ...permitted(deps, 'GET @/trust'),
    schema: { hide: true, params: RealmParams },
    handler: async (request) => renderTrust(await readTrust(deps, staffOf(request).realm)),
  })
  addSettingsRoutes(app, deps)
  addTeamRoutes(app, deps)
}

function renderTrust({ anchors, lists, certificates, sandbox }: Awaited<ReturnType<typeof readTrust>>) {
  return {
    sandbox,
    anchors: anchors.map((anchor) => ({
      id: anchor.id,
      subject: anchor.subject,
      kind: anchor.kind,
      types: anchor.types,
      valid_until: anchor.validUntil,
      own: anchor.tenantId !== null,
      from_list: anchor.listId !== null,
    })),
    lists: lists.map((list) => ({
      id: list.id,
      kind: list.kind,
      source: list.source,
      issuer: list.issuer,
      loaded_at: list.loadedAt,
      next_update_at: list.nextUpdateAt,
      failure: list.failure,
    })),
    certificates: certificates.map((certificate) => ({
      id: certificate.id,
      purpose: certificate.purpose,
      state: certificate.state,
      origin: certificate.origin,
      subject: certificate.subject,
      issuer: certificate.issuer,
      client_id: certificate.clientId,
      valid_until: certificate.validUntil,
      own: certificate.tenantId !== null,
    })),
  }
}
