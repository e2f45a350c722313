// Turns a tenant's evidence bundles on or off, with the legal basis that the operator records.

import type { AuditActor } from '../../../core/ports/audit.ts'
import { listResultKeys } from '../../../core/result-keys/store/result-keys.ts'
import { contentInEffect } from '../../../core/tenants/domain/settings.ts'
import { lockTenantSettings } from '../../../core/tenants/store/settings.ts'
import type { Deps } from '../../../deps.ts'
import { ENVIRONMENTS, instantOf } from '../../../platform/world.ts'
import { BASIS_LENGTH } from '../domain/bundle.ts'
import { loadEvidenceBasis, updateEvidenceBasis } from '../store/basis.ts'

export type EvidenceProblem = 'no_tenant' | 'no_basis' | 'no_key' | 'forwarding'
type EvidenceChange =
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'refused'; readonly problem: EvidenceProblem }

export const readEvidenceBasis = (deps: Pick<Deps, 'db'>, tenantId: string): Promise<string | null> =>
  loadEvidenceBasis(deps.db, tenantId)

/** `basis` null turns bundles off. Bundles that are not collected yet stay until they expire. */
export async function changeEvidence(
  deps: Pick<Deps, 'db' | 'clock' | 'audit' | 'config'>,
  input: { readonly tenantId: string; readonly basis: string | null; readonly actor: AuditActor },
): Promise<EvidenceChange> {
  const { tenantId, actor } = input
  const basis = input.basis?.trim() ?? null
  const refused = (problem: EvidenceProblem) => ({ outcome: 'refused', problem }) as const
  if (basis !== null && !isBasis(basis)) return refused('no_basis')
  const now = instantOf(deps.clock.now())
  return deps.db.transaction(async (tx): Promise<EvidenceChange> => {
    const settings = await lockTenantSettings(tx, tenantId)
    if (settings === null) return refused('no_tenant')
    if (basis !== null) {
      if (contentInEffect(settings, deps.config.forwardOnly) !== 'keep') return refused('forwarding')
      const keys = await Promise.all(ENVIRONMENTS.map((environment) => listResultKeys(tx, { tenantId, environment })))
      if (!keys.flat().some(({ provenAt }) => provenAt !== null)) return refused('no_key')
    }
    await updateEvidenceBasis(tx, tenantId, basis)
    const object = { type: 'tenant', id: tenantId }
    await deps.audit.recordOnBoth(tx, tenantId, { now, actor, action: 'evidence.changed', object, details: { basis } })
    return { outcome: 'changed' }
  })
}

const isBasis = (text: string) =>
  text.length >= BASIS_LENGTH.min && text.length <= BASIS_LENGTH.max && !/\p{Cc}/u.test(text)
