// Serves the list of verifications as a CSV file.

import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { spendBudget } from '../../../platform/http/bounds/budget.ts'
import type { Downloads } from '../../../platform/http/downloads.ts'
import type { Budget } from '../../../platform/rate.ts'
import { guardsOf, RealmParams, staffOf } from '../../staff/index.ts'
import { exportVerifications } from '../usecases/export-verifications.ts'
import { SEARCH, searchOf } from './verification-search.ts'

/** Per tenant, because an export reads many rows. */
const EXPORTS: Budget = { perSecond: 1 / 20, burst: 6 }
const CsvFile = Type.Unsafe<Readable>({ type: 'string', produces: ['text/csv'] })

export function addExportRoute(app: App, deps: Deps, downloads: Downloads): void {
  app.route({
    ...guardsOf(deps, 'GET @/verifications/export'),
    schema: {
      hide: true,
      params: RealmParams,
      querystring: Type.Object(SEARCH, { additionalProperties: false }),
      response: { 200: CsvFile },
    },
    handler: async (request, reply) => {
      const { realm, actor } = staffOf(request)
      const query = searchOf(realm, request)
      return downloads.send(reply, realm.tenantId, async () => {
        await spendBudget(deps, reply, { name: 'verification_export', key: realm.tenantId, budget: EXPORTS })
        const lines = await exportVerifications(deps, { query, actor })
        const day = new Date(deps.clock.now()).toISOString().slice(0, 10)
        return { type: 'text/csv', name: `vidimus-verifications-${realm.environment}-${day}.csv`, lines }
      })
    },
  })
}
