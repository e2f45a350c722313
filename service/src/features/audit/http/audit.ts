// Routes of the audit trail: list, verify, export.

import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { Line, oneOf } from '../../../../../wire/parts.ts'
import { ACTOR_TYPES, AUDIT_KINDS } from '../../../core/ports/audit.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { spendBudget } from '../../../platform/http/bounds/budget.ts'
import type { Downloads } from '../../../platform/http/downloads.ts'
import type { Budget } from '../../../platform/rate.ts'
import { instantOf, type Instant as WorldInstant } from '../../../platform/world.ts'
import { guardsOf, PAGE_SIZE, permitted, RealmParams, schemaOf, staffOf } from '../../staff/index.ts'
import { renderVerdict } from '../domain/verdict.ts'
import { exportAudit, readGuard, readTrail } from '../usecases/read-audit.ts'
import { verifyStored } from '../usecases/verify-audit.ts'

/** Reading a whole chain is expensive: each tenant may do it six times at once, then once in 20 seconds. */
const SCANS: Budget = { perSecond: 1 / 20, burst: 6 }

const Day = Type.String({ pattern: '^[12]\\d{3}-\\d{2}-\\d{2}$' })
const AuditExport = Type.Unsafe<Readable>({ type: 'string', produces: ['application/x-ndjson'] })

export function addAuditRoutes(app: App, deps: Deps, downloads: Downloads): void {
  app.route({
    ...permitted(deps, 'GET @/audit'),
    schema: {
      ...schemaOf('GET @/audit'),
      querystring: Type.Object(
        {
          before: Type.Optional(Type.Integer({ minimum: 1 })),
          kind: Type.Optional(oneOf(...AUDIT_KINDS)),
          actor_type: Type.Optional(oneOf(...ACTOR_TYPES)),
          actor: Type.Optional(Line(200)),
          from: Type.Optional(Day),
          to: Type.Optional(Day),
        },
        { additionalProperties: false },
      ),
    },
    handler: async (request) => {
      const {
        before = null,
        kind = null,
        actor_type: actorType = null,
        actor: actorId = null,
        from,
        to,
      } = request.query
      const { entries, next } = await readTrail(deps, staffOf(request).realm, {
        before,
        limit: PAGE_SIZE,
        kind,
        actorType,
        actorId,
        from: from === undefined ? null : startOf(from, 0),
        // Includes the whole day.
        to: to === undefined ? null : startOf(to, 1),
      })
      const guard = await readGuard(deps, staffOf(request).realm)
      return {
        data: entries.map(({ details, ...entry }) => ({ ...entry, details: details === null ? null : { ...details } })),
        next,
        guard: { sealed: guard.hasValidMac, checkpoint_missing: guard.checkpointMissing },
      }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/audit/verify'),
    handler: async (request, reply) => {
      const { realm } = staffOf(request)
      await spendBudget(deps, reply, { name: 'audit_scan', key: realm.tenantId, budget: SCANS })
      const verdict = await verifyStored(deps, { realm, log: 'newest' })
      return { verdict: renderVerdict(verdict), at: new Date(deps.clock.now()).toISOString() }
    },
  })
  app.route({
    ...guardsOf(deps, 'GET @/audit/export'),
    schema: { hide: true, params: RealmParams, response: { 200: AuditExport } },
    handler: async (request, reply) => {
      const { realm } = staffOf(request)
      return downloads.send(reply, realm.tenantId, async () => {
        await spendBudget(deps, reply, { name: 'audit_scan', key: realm.tenantId, budget: SCANS })
        const day = new Date(deps.clock.now()).toISOString().slice(0, 10)
        // Verifies before the first byte is sent: an interrupted download cannot say what is wrong.
        const verdict = await verifyStored(deps, { realm, log: 'newest' })
        if (verdict.outcome !== 'whole') throw new Refusal('audit_not_whole', { reason: verdict.outcome })
        const name = `vidimus-audit-${realm.environment}-${day}.ndjson`
        return { type: 'application/x-ndjson', name, lines: withLineEnds(exportAudit(deps, realm)) }
      })
    },
  })
}

function startOf(day: string, daysLater: number): WorldInstant {
  const startMs = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(startMs)) throw new Refusal('invalid_request', { message: 'query: there is no such day.' })
  return instantOf(startMs + daysLater * 86_400_000)
}

async function* withLineEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield line.endsWith('\n') ? line : `${line}\n`
}
