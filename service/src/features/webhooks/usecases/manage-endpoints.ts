// Saves, changes and removes a realm's webhook addresses, each with an audit entry.

import type { AuditActor } from '../../../core/ports/audit.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { lockTenantSettings } from '../../../core/tenants/store/settings.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { newEndpointId } from '../../../platform/ids.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { instantOf } from '../../../platform/world.ts'
import { ENDPOINTS_MAX, type Endpoint } from '../domain/endpoint.ts'
import {
  clearDefaultEndpoint,
  deleteEndpoint,
  findDefaultEndpoint,
  insertEndpoint,
  listEndpoints,
  listEndpointsAcrossTenants,
  openEndpoint,
  updateEndpoint,
} from '../store/endpoints.ts'
import { checkWebhookUrl } from './check-webhook-url.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'egress' | 'audit'>

export async function readEndpoints(deps: Pick<Deps, 'db'>, realm: Realm): Promise<Endpoint[]> {
  return (await listEndpoints(deps.db, realm)).map((sealed) => openEndpoint(deps.db, realm, sealed))
}

/** Lists the endpoints of these tenants. */
export const readEndpointsAcrossTenants = (deps: Pick<Deps, 'db'>, tenantIds: readonly string[]) =>
  listEndpointsAcrossTenants(deps.db, tenantIds)

/** Returns the webhook address for verifications that staff create; null: none. */
export async function defaultWebhookUrl(deps: Pick<Deps, 'db'>, realm: Realm): Promise<string | null> {
  return (await findDefaultEndpoint(deps.db, realm))?.url ?? null
}

interface EndpointDraft {
  readonly name: string
  readonly url: string
  readonly isDefault: boolean
}

/** Returns null if the endpoint or the tenant does not exist. A new default replaces the previous one. */
export async function saveEndpoint(
  deps: Needs,
  input: {
    readonly realm: Realm
    /** null: create an endpoint. */
    readonly id: string | null
    readonly draft: EndpointDraft
    readonly actor: AuditActor
  },
): Promise<Endpoint | null> {
  const { realm, draft, actor } = input
  const isThere = async (tx: Tx) =>
    input.id === null || (await listEndpoints(tx, realm)).some(({ id }) => id === input.id)
  if (!(await isThere(deps.db))) return null
  await checkWebhookUrl(deps, realm, draft.url)
  const now = instantOf(deps.clock.now())
  const id = input.id ?? newEndpointId(deps.random)
  return deps.db.transaction(async (tx) => {
    if ((await lockTenantSettings(tx, realm.tenantId)) === null) return null
    const known = await listEndpoints(tx, realm)
    const before = known.find((one) => one.id === input.id)
    if (input.id !== null && before === undefined) return null
    if (input.id === null && known.length >= ENDPOINTS_MAX) throw new Refusal('too_many_webhook_endpoints')
    if (draft.isDefault) await clearDefaultEndpoint(tx, realm, id)
    const saved = { ...draft, id, createdAt: before?.createdAt ?? now }
    if (before === undefined) await insertEndpoint(tx, realm, saved)
    else await updateEndpoint(tx, realm, saved)
    const event = { action: 'endpoint.saved', object: endpointObject(id), details: { name: draft.name } } as const
    await deps.audit.record(tx, realm, { now: instantOf(deps.clock.now()), actor, ...event })
    return saved
  })
}

/** Verifications that were created with this address still send to it. Returns false if the endpoint does not exist. */
export async function removeEndpoint(
  deps: Needs,
  input: { readonly realm: Realm; readonly id: string; readonly actor: AuditActor },
): Promise<boolean> {
  const { realm, id, actor } = input
  return deps.db.transaction(async (tx) => {
    if (!(await deleteEndpoint(tx, realm, id))) return false
    const event = { action: 'endpoint.removed', object: endpointObject(id) } as const
    await deps.audit.record(tx, realm, { now: instantOf(deps.clock.now()), actor, ...event })
    return true
  })
}

export const endpointObject = (id: string) => ({ type: 'webhook_endpoint', id })
