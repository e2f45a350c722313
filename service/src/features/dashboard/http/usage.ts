// Routes of usage: consumption and quota, the forecast, and alerts.

import { secondsToMidnight } from '../../../core/quota/domain/quota.ts'
import { readUsage } from '../../../core/verifications/usecases/reading/read-usage.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { instantOf } from '../../../platform/world.ts'
import { changeAlertTopics, changeUsageAlerts, readAlertTopics, readUsageAlerts } from '../../alerts/index.ts'
import { readForecast } from '../../figures/index.ts'
import { chooseLanguage } from '../../pages/index.ts'
import { permitted, reaches, staffOf } from '../../staff/index.ts'

export function addUsageRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/usage'),
    handler: async (request) => {
      const nowMs = deps.clock.now()
      const { tenantId } = staffOf(request).realm
      const usage = await readUsage(deps, tenantId)
      const { today, spentAtMs, month } = await readForecast(deps, tenantId, usage.daily_quota)
      return {
        ...usage,
        resets_at: instantOf(nowMs + secondsToMidnight(nowMs) * 1000),
        forecast: {
          today,
          spent_at: spentAtMs === null ? null : instantOf(spentAtMs),
          month: { so_far: month.soFar, at_end: month.atEnd },
        },
      }
    },
  })
  app.route({
    ...permitted(deps, 'GET @/usage/alerts'),
    handler: async (request) => {
      const { realm, role } = staffOf(request)
      const { alerts, sent } = await readUsageAlerts(deps, realm)
      return {
        // The address may contain a secret, so only staff who may change it see it.
        url: reaches(role, 'admin') ? (alerts?.url ?? null) : null,
        host: alerts === null ? null : (URL.parse(alerts.url)?.host ?? null),
        thresholds: alerts?.thresholds ?? [],
        told: sent.map(({ threshold, day, noticedAt, outcome }) => ({
          threshold,
          day,
          noticed_at: noticedAt,
          outcome,
        })),
      }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/usage/alerts'),
    handler: async (request) => {
      const { realm, actor } = staffOf(request)
      const { url, thresholds } = request.body
      await changeUsageAlerts(deps, { realm, actor, alerts: url === null ? null : { url, thresholds } })
      return {}
    },
  })
  app.route({
    ...permitted(deps, 'GET @/alerts/mail'),
    handler: async (request) => {
      const { person, realm } = staffOf(request)
      return { topics: await readAlertTopics(deps, { personId: person.id, tenantId: realm.tenantId }) }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/alerts/mail'),
    handler: async (request) => {
      const { person, realm } = staffOf(request)
      const own = { personId: person.id, tenantId: realm.tenantId }
      const language = chooseLanguage(undefined, request.headers['accept-language'])
      await changeAlertTopics(deps, own, { topics: request.body.topics, language })
      return {}
    },
  })
}
