// Reports a realm's registration: identity, certificates and their faults, requests beyond it, unused claims.

import { bestOfEach, registrationChooser } from '../../../core/registrations/domain/choose.ts'
import { findUnderUse } from '../../../core/registrations/domain/over-asking.ts'
import { newEffort } from '../../../core/registrations/domain/path-tree.ts'
import type { Registration } from '../../../core/registrations/domain/registration.ts'
import { readParties } from '../../../core/registrations/usecases/read-registrations.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { lintForRegistration, listCertificatesOf } from '../../trust/index.ts'
import type { AccessFinding, RegistrationReport } from '../domain/report.ts'
import { listTemplatesWithUse } from './list-templates-with-use.ts'

/** A budget for all templates of a realm together. Two hundred usual templates need a small part of it. */
const REPORT_STEPS_MAX = 500_000

export async function checkRegistration(
  deps: Pick<Deps, 'db' | 'clock' | 'registrations'>,
  realm: Realm,
): Promise<RegistrationReport> {
  const nowMs = deps.clock.now()
  const { registrations } = await deps.registrations.find(realm, nowMs)
  const registered = { registrations, ...(await readParties(deps, realm)) }
  const templates = (await listTemplatesWithUse(deps, realm)).filter(({ isInUse }) => isInUse)
  const choose = registrationChooser(registered, nowMs, newEffort(REPORT_STEPS_MAX))
  const chosen = templates.map((template) => ({ template, registration: choose(template).registration }))
  const effort = newEffort(REPORT_STEPS_MAX)
  const unusedOf = (registration: Registration) => {
    const queries = chosen.filter((one) => one.registration === registration).map(({ template }) => template.query)
    return findUnderUse(queries, registration.certificate.credentials, effort)
  }
  return {
    ...registered,
    templates: templates.map(({ key, builtIn, intendedUse, concerns }) => ({ key, builtIn, intendedUse, concerns })),
    underUse: bestOfEach(registered, nowMs).map((one) => ({ intendedUse: one.intendedUse, unused: unusedOf(one) })),
    accessCertificates: await lintAccess(deps, realm),
  }
}

async function lintAccess(deps: Pick<Deps, 'db' | 'clock'>, realm: Realm): Promise<AccessFinding[]> {
  const own = (await listCertificatesOf(deps.db, realm)).filter(({ tenantId }) => tenantId === realm.tenantId)
  const found: AccessFinding[] = []
  for (const { id, purpose, serviceId, chain, installedAt } of own) {
    const [leaf] = chain
    if (leaf === undefined || installedAt === null) continue
    for (const finding of await lintForRegistration(deps, { owner: realm, purpose, serviceId, leaf }))
      found.push({ certificateId: id, serviceId, ...finding })
  }
  return found
}
