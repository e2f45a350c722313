// Enforces the dashboard's permissions before a request's body is read, and again afterwards.

import type {
  FastifyReply,
  FastifyRequest,
  FastifySerializerCompiler,
  onRequestAsyncHookHandler,
  preHandlerAsyncHookHandler,
} from 'fastify'
import type { DashboardRoute } from '../../../../../wire/dashboard.ts'
import { priceOf, priceOfReading, type Surcharge } from '../../../core/http/principal.ts'
import type { AuditActor } from '../../../core/ports/audit.ts'
import { requireServed } from '../../../core/tenants/domain/closed.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { Access } from '../../../platform/http/access.ts'
import { addressBucket } from '../../../platform/http/address.ts'
import { ANONYMOUS_BODY_BYTES_MAX, JSON_BODY_BYTES_MAX } from '../../../platform/http/body.ts'
import { spendBudget, spendOrReserve } from '../../../platform/http/bounds/budget.ts'
import { isTenantId } from '../../../platform/ids.ts'
import { halfOf } from '../../../platform/rate.ts'
import { isEnvironment } from '../../../platform/world.ts'
import { type Person, type Role, reaches } from '../domain/person.ts'
import { isFresh } from '../domain/session.ts'
import { type FoundSession, findSession } from '../usecases/dashboard-sessions.ts'
import { addressOf, PERMISSIONS, type Permission, type PermittedRoute } from './permissions.ts'
import { schemaOf } from './route-schema.ts'
import { tokenOf } from './sign-in/session-cookie.ts'

/** Our page sends this header with each request. A form on another site cannot send it. */
const OWN_HEADER = 'vidimus-dashboard'
/** Marks requests that a page sends by itself, without an action of the person. */
const POLL_HEADER = 'vidimus-poll'

interface Visitor {
  readonly session: FoundSession
  readonly person: Person
  readonly actor: AuditActor
}

export interface Staff extends Visitor {
  readonly realm: Realm
  readonly role: Role
}

const visitors = new WeakMap<FastifyRequest, Visitor>()
const staff = new WeakMap<FastifyRequest, Staff>()

export function visitorOf(request: FastifyRequest): Visitor {
  const visitor = visitors.get(request)
  if (visitor === undefined) throw new Error('bug: a route without sign-in reads its visitor')
  return visitor
}

export function staffOf(request: FastifyRequest): Staff {
  const found = staff.get(request)
  if (found === undefined) throw new Error('bug: a route without a role reads its staff member')
  return found
}

interface RouteGuards {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly bodyLimit: number
  readonly config: { readonly access: Access }
  readonly onRequest: onRequestAsyncHookHandler
  readonly preHandler: preHandlerAsyncHookHandler
  readonly serializerCompiler: FastifySerializerCompiler<unknown>
}

/** Guards and schema of a JSON route. */
export function permitted<R extends DashboardRoute>(deps: Deps, route: R, surcharge?: Surcharge) {
  return { ...guardsOf(deps, route, surcharge), schema: schemaOf(route) }
}

export function guardsOf(deps: Deps, route: PermittedRoute, surcharge: Surcharge = () => 0): RouteGuards {
  const permission: Permission = PERMISSIONS[route]
  return {
    ...addressOf(route),
    bodyLimit: permission.role === 'anyone' ? ANONYMOUS_BODY_BYTES_MAX : JSON_BODY_BYTES_MAX,
    config: { access: { kind: 'dashboard', permission } },
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      addHeaders(reply)
      await spendBudget(deps, reply, { name: 'ip', key: addressBucket(request.ip), budget: deps.config.rates.ip })
      if (request.method !== 'GET') requireSameOrigin(deps, request)
      await requirePermission(deps, request, permission)
      const found = staff.get(request)
      if (found !== undefined) await spendAsStaff(deps, reply, found, priceOfBody(request) + surcharge(request))
    },
    preHandler: async (request: FastifyRequest) => {
      // Reading the body may take half a minute. In that time the person may have been signed out or removed.
      if (request.method !== 'GET') await requirePermission(deps, request, permission)
    },
    // A filtering serializer would hide members that the schema lacks, and tests must find them.
    serializerCompiler: () => (answer) => JSON.stringify(answer),
  }
}

async function requirePermission(deps: Deps, request: FastifyRequest, permission: Permission): Promise<void> {
  if (permission.role === 'anyone') return
  const { tenant = '', environment = '' } = (request.params ?? {}) as { tenant?: string; environment?: string }
  const tenantId = isTenantId(tenant) ? tenant : null
  const isPoll = request.method === 'GET' && request.headers[POLL_HEADER] === '1'
  const session = await findSession(deps, tokenOf(deps, request), { tenantId, isPoll })
  if (session === null) throw new Refusal('not_signed_in')
  const visitor: Visitor = {
    session,
    person: { id: session.personId, email: session.email },
    actor: { type: 'user', id: session.personId },
  }
  visitors.set(request, visitor)
  if (permission.role !== 'person') {
    // The same answer whether or not the tenant exists.
    if (tenantId === null || session.role === null || !isEnvironment(environment)) throw new Refusal('not_found')
    if (!reaches(session.role, permission.role)) throw new Refusal('role_insufficient')
    requireServed(session.closed)
    staff.set(request, { ...visitor, realm: { tenantId, environment }, role: session.role })
  }
  const mustBeFresh = permission.fresh === 'always' || (permission.fresh === 'live' && environment !== 'test')
  if (mustBeFresh && !isFresh(session, deps.clock.now())) throw new Refusal('fresh_sign_in_required')
}

/** An eighth of what a key pays for a body, because pages send a logo again with each preview. */
const priceOfBody = (request: FastifyRequest) => Math.ceil(priceOf(request) / 8)

/**
 * Charges the person, and all staff of the tenant together. Not the rate of the tenant's keys: a leaked key must not
 * keep staff from revoking it, and staff must not stop tills.
 */
async function spendAsStaff(deps: Deps, reply: FastifyReply, { person, realm }: Staff, amount: number): Promise<void> {
  const { key, tenant } = deps.config.rates
  await spendBudget(deps, reply, { name: 'staff', key: person.id, budget: key, amount })
  await spendOrReserve(deps, { name: 'staff_tenant', key: realm.tenantId, budget: halfOf(tenant), amount }, null)
}

/** Charges staff for long results and requests, as keys are charged for theirs. */
export async function payAsStaff(deps: Deps, { person, realm }: Staff, bytes: number): Promise<void> {
  const { key, tenant } = deps.config.rates
  const half = halfOf(tenant)
  const amount = priceOfReading(bytes, Math.min(key.burst, half.burst))
  if (amount === 0) return
  await spendOrReserve(deps, { name: 'staff', key: person.id, budget: key, amount }, null)
  await spendOrReserve(deps, { name: 'staff_tenant', key: realm.tenantId, budget: half, amount }, null)
}

/** Refuses a request without an origin, or with another origin than ours. */
function requireSameOrigin(deps: Pick<Deps, 'config'>, request: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site, [OWN_HEADER]: own } = request.headers
  const siteFits = site === undefined || site === 'same-origin'
  const originFits = origin === undefined || site === 'same-origin' || origin === new URL(deps.config.baseUrl).origin
  const namesOrigin = site !== undefined || origin !== undefined
  if (own !== '1' || !namesOrigin || !siteFits || !originFits) throw new Refusal('cross_site_request')
}

export function addHeaders(reply: FastifyReply): void {
  reply.header('Cross-Origin-Opener-Policy', 'same-origin')
  reply.header('Cross-Origin-Resource-Policy', 'same-origin')
  reply.header('X-Frame-Options', 'DENY')
  reply.header('Permissions-Policy', 'camera=(), microphone=(), geolocation=(), publickey-credentials-get=(self)')
}
