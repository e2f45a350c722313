// Lists, adds and removes the origins on which a tenant may ask. Changes get an audit entry.

import type { AuditActor } from '../../../../core/ports/audit.ts'
import {
  newOriginToken,
  ORIGINS_PER_REALM_MAX,
  type Origin,
  type OriginProblem,
  readOrigin,
} from '../../../../core/tenants/domain/origin.ts'
import type { Realm } from '../../../../core/tenants/domain/realm.ts'
import { deleteOrigin, insertOrigin, listOrigins } from '../../../../core/tenants/store/origins.ts'
import { lockTenantSettings } from '../../../../core/tenants/store/settings.ts'
import type { Deps } from '../../../../deps.ts'
import { newOriginId } from '../../../../platform/ids.ts'
import { instantOf } from '../../../../platform/world.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'audit'>

export const readOrigins = (deps: Pick<Deps, 'db'>, realm: Realm): Promise<Origin[]> => listOrigins(deps.db, realm)

export type OriginAddition =
  | { readonly outcome: 'added'; readonly origin: Origin }
  | { readonly outcome: 'refused'; readonly problem: OriginProblem }

/** Adds an origin. Web pages must be proven later; a developer's machine needs no proof, and the operator vouches for apps. */
export async function addOrigin(
  deps: Needs,
  input: { readonly realm: Realm; readonly origin: string; readonly actor: AuditActor },
): Promise<OriginAddition> {
  const { realm, actor } = input
  const read = readOrigin(input.origin, realm.environment)
  if (read.outcome === 'refused') return read
  if (read.kind === 'app' && actor.type !== 'operator') return { outcome: 'refused', problem: 'app_by_operator' }
  const now = instantOf(deps.clock.now())
  const origin: Origin = {
    id: newOriginId(deps.random),
    origin: input.origin,
    kind: read.kind,
    token: newOriginToken(deps.random),
    provenAt: read.kind === 'web' ? null : now,
    createdAt: now,
  }
  return deps.db.transaction(async (tx): Promise<OriginAddition> => {
    if ((await lockTenantSettings(tx, realm.tenantId)) === null) return { outcome: 'refused', problem: 'no_tenant' }
    if ((await listOrigins(tx, realm)).length >= ORIGINS_PER_REALM_MAX)
      return { outcome: 'refused', problem: 'too_many' }
    if (!(await insertOrigin(tx, realm, origin))) return { outcome: 'refused', problem: 'there_already' }
    await deps.audit.record(tx, realm, { now, actor, action: 'origin.added', ...aboutOrigin(origin) })
    return { outcome: 'added', origin }
  })
}

/** Verifications on the origin continue, because it was allowed at their creation. Returns false if the origin does not exist. */
export async function removeOrigin(
  deps: Needs,
  input: { readonly realm: Realm; readonly id: string; readonly actor: AuditActor },
): Promise<boolean> {
  const { realm, id, actor } = input
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx) => {
    const origin = await deleteOrigin(tx, realm, id)
    if (origin === null) return false
    await deps.audit.record(tx, realm, { now, actor, action: 'origin.removed', ...aboutOrigin({ id, origin }) })
    return true
  })
}

/** The object of audit entries about an origin. */
export const aboutOrigin = ({ id, origin }: Pick<Origin, 'id' | 'origin'>) => ({
  object: { type: 'origin', id },
  details: { origin },
})
