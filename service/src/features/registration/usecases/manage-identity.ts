// Changes the registered identity of a tenant or of the operator. A tenant's changes are recorded on its audit trail.

import type { AuditActor } from '../../../core/ports/audit.ts'
import { identityFault, type RegisteredIdentity } from '../../../core/registrations/domain/identity.ts'
import {
  type RegistrationRefusal,
  refuseRegistration,
  registrationProblem,
} from '../../../core/registrations/domain/problem.ts'
import { loadIdentity, saveIdentity } from '../../../core/registrations/store/identities.ts'
import { loadTenant } from '../../../core/tenants/store/tenants.ts'
import type { Deps } from '../../../deps.ts'
import type { Environment } from '../../../platform/world.ts'
import { instantOf } from '../../../platform/world.ts'

export type IdentityChange =
  | { readonly outcome: 'changed'; readonly identity: RegisteredIdentity }
  | RegistrationRefusal

/** After the change, certificates of another identity are no longer used. */
export async function changeIdentity(
  deps: Pick<Deps, 'db' | 'clock' | 'audit' | 'registrations'>,
  input: {
    /** null for the operator's own identity. */
    readonly tenantId: string | null
    readonly environment: Environment
    readonly identity: Omit<RegisteredIdentity, 'changedAt'>
    readonly actor: AuditActor
  },
): Promise<IdentityChange> {
  const { tenantId, environment, actor } = input
  const problem = identityFault(input.identity)
  if (problem !== null) return refuseRegistration(problem)
  if (tenantId !== null && input.identity.isIntermediary)
    return refuseRegistration(registrationProblem('for_others', 'only the operator acts for others here'))
  const now = instantOf(deps.clock.now())
  const identity = { ...input.identity, changedAt: now }
  const done = await deps.db.transaction(async (tx): Promise<IdentityChange> => {
    if (tenantId !== null && (await loadTenant(tx, tenantId)) === null)
      return refuseRegistration(registrationProblem('no_tenant', `there is no tenant ${tenantId}`))
    await saveIdentity(tx, { tenantId, environment }, identity)
    const { identifier, tradeName, registryUri } = identity
    const details = { identifier, trade_name: tradeName, registry_uri: registryUri }
    if (tenantId !== null) {
      const object = { type: 'tenant', id: tenantId }
      await deps.audit.record(
        tx,
        { tenantId, environment },
        { now, actor, action: 'identity.changed', object, details },
      )
    }
    return { outcome: 'changed', identity }
  })
  // Clears this process's cache at once. Other processes get a notification.
  deps.registrations.forget()
  return done
}

export const readIdentity = (
  deps: Pick<Deps, 'db'>,
  owner: { readonly tenantId: string | null; readonly environment: Environment },
): Promise<RegisteredIdentity | null> => loadIdentity(deps.db, owner)
