// Adds, lists and removes a tenant's registration certificates.

import { createHash } from 'node:crypto'
import { countPaths, readRegistrationCertificate } from '@vidimus/engine'
import type { AuditActor } from '../../../core/ports/audit.ts'
import { subjectFault } from '../../../core/registrations/domain/identity.ts'
import {
  type RegistrationProblem,
  type RegistrationRefusal,
  refuseRegistration,
  registrationProblem,
} from '../../../core/registrations/domain/problem.ts'
import {
  isIntendedUse,
  REGISTERED_PATHS_MAX,
  REGISTRATIONS_MAX,
  REGISTRATIONS_STORED_MAX,
  type Registration,
  registrationFaults,
} from '../../../core/registrations/domain/registration.ts'
import {
  insertRegistration,
  listRegistrations,
  removeRegistrationRow,
} from '../../../core/registrations/store/registrations.ts'
import { readParties } from '../../../core/registrations/usecases/read-registrations.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { lockTenantSettings } from '../../../core/tenants/store/settings.ts'
import type { Deps } from '../../../deps.ts'
import { newRegistrationId } from '../../../platform/ids.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'
import { type JudgingNeeds, judgeRegistration } from './judge-registration.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'audit' | 'registrations'>

export type RegistrationAddition =
  | {
      readonly outcome: 'added'
      readonly registration: Registration
      readonly warnings: readonly RegistrationProblem[]
    }
  | RegistrationRefusal

/**
 * Live accepts only certificates that are usable now. Test also accepts certificates with faults, with a warning. A
 * certificate of another party is always refused.
 */
export async function addRegistration(
  deps: Needs & JudgingNeeds,
  input: {
    readonly realm: Realm
    readonly jwt: string
    /** The intended use, for a certificate that has none. */
    readonly intendedUse: string | null
    readonly actor: AuditActor
  },
): Promise<RegistrationAddition> {
  const { realm, actor } = input
  const reading = readRegistrationCertificate(input.jwt.trim())
  if (reading.outcome === 'refused')
    return refused('no_certificate', `this is not a registration certificate: ${reading.detail}`, reading.detail)
  const { certificate } = reading
  const use = intendedUseOf(certificate.intendedUse, input.intendedUse)
  if ('problem' in use) return refuseRegistration(use)
  const parties = await readParties(deps, realm)
  const subject = subjectFault(certificate, parties)
  if (subject !== null) return refuseRegistration(subject)
  const now = instantOf(deps.clock.now())
  const { unverified, status } = await judgeRegistration(deps, realm, reading)
  const registration: Registration = {
    id: newRegistrationId(deps.random),
    tenantId: realm.tenantId,
    environment: realm.environment,
    intendedUse: use.intendedUse,
    certificate,
    hash: createHash('sha256').update(certificate.raw, 'ascii').digest('hex'),
    verdict: { unverified, status },
    checkedAt: now,
    createdAt: now,
    removedAt: null,
  }
  const faults = registrationFaults(registration, parties, deps.clock.now())
  if (realm.environment === 'live' && faults.length > 0) return refuseRegistration(...faults)
  const done = await deps.db.transaction((tx) => keep(deps, tx, { registration, faults, actor, now }))
  // Clears this process's cache at once. Other processes get a notification.
  deps.registrations.forget()
  return done
}

async function keep(
  deps: Needs,
  tx: Tx,
  input: { registration: Registration; faults: readonly RegistrationProblem[]; actor: AuditActor; now: Instant },
): Promise<RegistrationAddition> {
  const { registration, faults, actor, now } = input
  if ((await lockTenantSettings(tx, registration.tenantId)) === null)
    return refused('no_tenant', `there is no tenant ${registration.tenantId}`)
  const existing = await listRegistrations(tx, registration, now)
  if (existing.length >= REGISTRATIONS_STORED_MAX)
    return refused('too_many_removed', 'too many were removed lately; try again in two hours')
  const kept = existing.filter(({ removedAt }) => removedAt === null)
  if (kept.length >= REGISTRATIONS_MAX) return refused('too_many', 'limit reached; remove one that has expired')
  const paths = [...kept, registration].reduce((sum, { certificate }) => sum + countPaths(certificate.credentials), 0)
  if (paths > REGISTERED_PATHS_MAX)
    return refused('too_many_claims', 'all certificates together would register too many claims')
  if (!(await insertRegistration(tx, registration))) return refused('there_already', 'it exists already')
  await deps.audit.record(tx, registration, { now, actor, action: 'registration.added', ...about(registration) })
  return { outcome: 'added', registration, warnings: faults }
}

/** Returns the certificate's own intended use. A different one in the call is refused. */
function intendedUseOf(own: string | null, requested: string | null): { intendedUse: string } | RegistrationProblem {
  const intendedUse = own ?? requested
  if (intendedUse === null) return registrationProblem('use_missing', 'it names no intended use: set the one it is for')
  if (requested !== null && own !== null && requested !== own)
    return registrationProblem('use_other', `it is for the intended use ${own}`, own)
  return isIntendedUse(intendedUse)
    ? { intendedUse }
    : registrationProblem('use_form', 'an intended use is named by 1 to 200 ASCII characters without spaces')
}

/** Returns false if the certificate does not exist. Pending verifications that use it continue. */
export async function removeRegistration(
  deps: Needs,
  input: { readonly realm: Realm; readonly id: string; readonly actor: AuditActor },
): Promise<boolean> {
  const { realm, id, actor } = input
  const now = instantOf(deps.clock.now())
  const done = await deps.db.transaction(async (tx) => {
    const registration = await removeRegistrationRow(tx, realm, { id, at: now })
    if (registration === null) return false
    await deps.audit.record(tx, realm, { now, actor, action: 'registration.removed', ...about(registration) })
    return true
  })
  // Clears this process's cache at once. Other processes get a notification.
  deps.registrations.forget()
  return done
}

const refused = (...about: Parameters<typeof registrationProblem>) => refuseRegistration(registrationProblem(...about))

const about = ({ id, intendedUse, hash }: Pick<Registration, 'id' | 'intendedUse' | 'hash'>) => ({
  object: { type: 'registration', id },
  details: { intended_use: intendedUse, sha256: hash },
})
