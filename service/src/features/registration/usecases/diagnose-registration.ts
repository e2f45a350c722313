// Diagnoses registrations for the operator: expiring or invalid certificates, and mismatches with access certificates.

import type { Parties } from '../../../core/registrations/domain/identity.ts'
import {
  daysLeft,
  endingOf,
  type Registration,
  registrationFaults,
  registrationRemarks,
} from '../../../core/registrations/domain/registration.ts'
import { listRegistrationsAcrossTenants } from '../../../core/registrations/store/registrations.ts'
import { readParties } from '../../../core/registrations/usecases/read-registrations.ts'
import { realmName } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import type { Diagnosis } from '../../../platform/diagnosis.ts'
import { checkRegistration } from './check-registration.ts'

const AREA = 'registration'

type Needs = Pick<Deps, 'db' | 'clock' | 'registrations'>

export async function diagnoseRegistrations(deps: Needs): Promise<Diagnosis[]> {
  const found: Diagnosis[] = []
  const parties = new Map<string, Parties>()
  for (const registration of await listRegistrationsAcrossTenants(deps.db)) {
    const name = realmName(registration)
    const known = parties.get(name) ?? (await readParties(deps, registration))
    if (!parties.has(name)) found.push(...(await diagnoseRealm(deps, registration)))
    parties.set(name, known)
    found.push(diagnoseOne(registration, known, deps.clock.now()))
  }
  return found
}

function diagnoseOne(registration: Registration, parties: Parties, nowMs: number): Diagnosis {
  const { tenantId, environment, intendedUse, verdict } = registration
  const name = `${tenantId}, ${environment}, ${intendedUse}`
  const [fault] = registrationFaults(registration, parties, nowMs)
  const remedy = 'have the registrar issue another one, and add it with `vidimus registration add`'
  if (fault !== undefined) {
    const status = environment === 'live' ? 'problem' : 'warning'
    return { area: AREA, status, finding: `${name}: ${fault.problem}`, remedy }
  }
  const ending = endingOf(registration, nowMs)
  if (ending !== null)
    return { area: AREA, status: 'warning', finding: `${name}: ends in ${daysLeft(registration, nowMs)} days`, remedy }
  if (verdict.status === 'unknown') {
    const finding = `${name}: the status could not be established`
    return { area: AREA, status: 'warning', finding, remedy: 'check that the address of its status list responds' }
  }
  const [remark] = registrationRemarks(registration)
  if (remark !== undefined) return { area: AREA, status: 'warning', finding: `${name}: ${remark.problem}`, remedy }
  return { area: AREA, status: 'ok', finding: `${name}: good` }
}

/** Reports templates that ask for more than is registered, and access certificates that do not match. */
async function diagnoseRealm(deps: Needs, { tenantId, environment }: Registration): Promise<Diagnosis[]> {
  const { templates, accessCertificates } = await checkRegistration(deps, { tenantId, environment })
  const unregistered = templates.flatMap(({ key, concerns }) =>
    concerns.map(({ message }): Diagnosis => {
      const finding = `${tenantId}, ${environment}, template ${key}: ${message}`
      return { area: AREA, status: 'warning', finding, remedy: 'request less, or extend the registration' }
    }),
  )
  const access = accessCertificates
    .filter(({ level }) => level !== 'info')
    .map(({ level, certificateId, detail }): Diagnosis => {
      const finding = `${tenantId}, ${environment}, ${certificateId}: ${detail}`
      const remedy = 'order another one with `vidimus certificate csr --service` and install it'
      return { area: 'access certificate', status: level === 'problem' ? 'problem' : 'warning', finding, remedy }
    })
  return [...unregistered, ...access]
}
