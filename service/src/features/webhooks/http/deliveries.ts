// Routes of the delivery log: pages of deliveries, one delivery in full, resending.

import { Type } from 'typebox'
import { oneOf } from '../../../../../wire/parts.ts'
import { DELIVERY_STATES } from '../../../../../wire/values/webhooks.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { giveBack, spendBudget } from '../../../platform/http/bounds/budget.ts'
import { parsePageBound } from '../../../platform/http/bounds/page-bound.ts'
import type { Budget } from '../../../platform/rate.ts'
import { instantOf } from '../../../platform/world.ts'
import { PAGE_SIZE, permitted, reaches, type Staff, schemaOf, staffOf } from '../../staff/index.ts'
import { EVENT_TYPES } from '../domain/event.ts'
import { readDeliveryPage, resendDelivery } from '../usecases/read-deliveries.ts'
import { readDelivery } from '../usecases/read-delivery.ts'
import { readTestEvents, testEventsWithin } from '../usecases/read-test-events.ts'
import { resendFailed } from '../usecases/resend-failed.ts'
import { renderDeliveryFor, renderDetail, renderTestDetail, renderTestEvent } from './delivery-schema.ts'

/** Limits what staff send by hand, because the tenant chooses where the requests go. */
export const BY_HAND: Budget = { perSecond: 1 / 2, burst: 30 }
/** A call makes up to 500 failed deliveries due. So a tenant can resend 2,000 at once and then 2,000 per hour. */
const RESENDS_OF_FAILED: Budget = { perSecond: 4 / 3_600, burst: 4 }
const HOUR_MS = 3_600_000

const newestFirst = (a: { readonly created_at: string }, b: { readonly created_at: string }) =>
  Number(a.created_at < b.created_at) - Number(a.created_at > b.created_at)

/** Requests contain claims, and responses may echo them. So the rule is the same as for showing a verification. */
const maySeeContent = ({ role }: Staff) => reaches(role, 'admin')

export function addDeliveryRoutes(app: App, deps: Deps): void {
  app.route({
    ...permitted(deps, 'GET @/deliveries'),
    schema: {
      ...schemaOf('GET @/deliveries'),
      querystring: Type.Object(
        {
          before: Type.Optional(Type.String({ maxLength: 40 })),
          state: Type.Optional(oneOf(...DELIVERY_STATES)),
          type: Type.Optional(oneOf(...EVENT_TYPES)),
        },
        { additionalProperties: false },
      ),
    },
    handler: async (request) => {
      const staff = staffOf(request)
      const { before, state, type } = request.query
      const { realm } = staff
      const from = before === undefined ? null : parsePageBound(before)
      const { deliveries, next } = await readDeliveryPage(deps, {
        realm,
        limit: PAGE_SIZE,
        before: from,
        verificationId: null,
        ...(state === undefined ? {} : { state }),
        ...(type === undefined ? {} : { type }),
      })
      const page = { before: from, next, state: state ?? null, type: type ?? null }
      const tests = testEventsWithin(await readTestEvents(deps, realm), page)
      const data = [
        ...deliveries.map((delivery) => renderDeliveryFor(staff, delivery)),
        ...tests.map((event) => renderTestEvent(staff, event)),
      ]
      return { data: data.toSorted(newestFirst), next }
    },
  })
  app.route({
    ...permitted(deps, 'GET @/deliveries/:id'),
    handler: async (request) => {
      const staff = staffOf(request)
      const showsContent = maySeeContent(staff)
      const { realm } = staff
      const { id } = request.params
      const found = await readDelivery(deps, { realm, id, maySeeContent: showsContent })
      if (found !== null) return renderDetail(staff, found, showsContent)
      const test = (await readTestEvents(deps, realm)).find((event) => event.id === id)
      if (test === undefined) throw new Refusal('not_found')
      return renderTestDetail(staff, test, showsContent)
    },
  })
  app.route({
    ...permitted(deps, 'POST @/deliveries/:id/resend'),
    handler: async (request, reply) => {
      const { realm, actor } = staffOf(request)
      await spendBudget(deps, reply, { name: 'webhook_by_hand', key: realm.tenantId, budget: BY_HAND })
      const end = await resendDelivery(deps, { realm, deliveryId: request.params.id, actor })
      if (end === null) throw new Refusal('not_found')
      return { outcome: end.outcome, http_status: end.httpStatus }
    },
  })
  app.route({
    ...permitted(deps, 'POST @/deliveries/resend-failed'),
    handler: async (request, reply) => {
      const { realm, actor } = staffOf(request)
      await spendBudget(deps, reply, { name: 'webhook_by_hand', key: realm.tenantId, budget: BY_HAND })
      const calls = { name: 'webhook_resends', key: realm.tenantId, budget: RESENDS_OF_FAILED } as const
      await spendBudget(deps, reply, calls)
      const since = instantOf(deps.clock.now() - request.body.hours * HOUR_MS)
      const resent = await resendFailed(deps, { realm, since, actor })
      if (resent === 0) await giveBack(deps, calls)
      return { resent }
    },
  })
}
