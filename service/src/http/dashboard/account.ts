// What a tenant's staff see of its account: start page, usage, trust, settings, team.

import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import { secondsToMidnight } from '../../domain/tenant/quota.ts'
import { RETENTION_DAYS, type TenantSettings } from '../../domain/tenant/settings.ts'
import { instantOf } from '../../domain/world.ts'
import { changeSettings, readSettings } from '../../usecases/operator/manage-settings.ts'
import { readTrust } from '../../usecases/trust/read-trust.ts'
import { readOverview } from '../../usecases/verifications/read-overview.ts'
import { readUsage } from '../../usecases/verifications/read-usage.ts'
import type { App } from '../app.ts'
import { permitted, staffOf } from './access.ts'
import { oneOf, RealmParams } from './fields.ts'
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

function addSettingsRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/settings'),
    schema: { hide: true, params: RealmParams },
    handler: async (request) => {
      const settings = await readSettings(deps, staffOf(request).realm.tenantId)
      if (settings === null) throw new Refusal('not_found')
      return render(settings)
    },
  })
  app.route({
    ...permitted(deps, 'POST @/settings'),
    schema: {
      hide: true,
      params: RealmParams,
      body: Type.Object(
        {
          retention_days: Type.Integer({ minimum: RETENTION_DAYS.min, maximum: RETENTION_DAYS.max }),
          wallet_rejection_status: oneOf(200, 400),
          status_policy_test: oneOf('require', 'prefer'),
          status_policy_live: oneOf('require', 'prefer'),
          haip: Type.Boolean(),
          client_id_prefix: oneOf('x509_hash', 'x509_san_dns'),
          response_mode: oneOf('direct_post', 'direct_post.jwt'),
          live_webhooks_https_only: Type.Boolean(),
        },
        { additionalProperties: false },
      ),
    },
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const { body } = request
      const change: TenantSettings = {
        retentionDays: body.retention_days,
        walletRejectionStatus: body.wallet_rejection_status,
        statusPolicyTest: body.status_policy_test,
        statusPolicyLive: body.status_policy_live,
        haip: body.haip,
        clientIdPrefix: body.client_id_prefix,
        responseMode: body.response_mode,
        liveWebhooksHttpsOnly: body.live_webhooks_https_only,
      }
      const settings = await changeSettings(deps, { tenantId: realm.tenantId, change, actor })
      if (settings === null) throw new Refusal('not_found')
      return render(settings)
    },
  })
}

function render(settings: TenantSettings) {
  return {
    retention_days: settings.retentionDays,
    wallet_rejection_status: settings.walletRejectionStatus,
    status_policy_test: settings.statusPolicyTest,
    status_policy_live: settings.statusPolicyLive,
    haip: settings.haip,
    client_id_prefix: settings.clientIdPrefix,
    response_mode: settings.responseMode,
    live_webhooks_https_only: settings.liveWebhooksHttpsOnly,
  }
}
