// Job: checks all registration certificates in use again. Deletes certificates that were removed long enough ago.

import { isGoodRegistration, keepRevocations, readRegistrationCertificate } from '@vidimus/engine'
import { endingOf, type Registration } from '../../../core/registrations/domain/registration.ts'
import {
  findFirstEndsAcrossTenants,
  forgetRemovedAcrossTenants,
  listRegistrationsAcrossTenants,
  updateVerdict,
} from '../../../core/registrations/store/registrations.ts'
import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { instantOf, NEVER_STOPPED } from '../../../platform/world.ts'
import { type JudgingNeeds, judgeRegistration } from './judge-registration.ts'

type Needs = JudgingNeeds & Pick<Deps, 'db' | 'log' | 'metrics' | 'registrations'>

/** `only` restricts a requested check to one realm. */
export async function watchRegistrations(
  deps: Needs,
  only: Realm | null = null,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<void> {
  const isMeant = (one: Registration) => only === null || realmName(one) === realmName(only)
  for (const registration of (await listRegistrationsAcrossTenants(deps.db)).filter(isMeant)) {
    stopped.throwIfAborted()
    await watchAlone(deps, registration)
  }
  await forgetRemovedAcrossTenants(deps.db, instantOf(deps.clock.now()))
}

/** An error of one certificate must not stop the others. */
async function watchAlone(deps: Needs, registration: Registration): Promise<void> {
  try {
    await watchOne(deps, registration)
  } catch (error) {
    deps.log.fault('a registration certificate could not be checked', error)
  }
}

async function watchOne(deps: Needs, registration: Registration): Promise<void> {
  const reading = readRegistrationCertificate(registration.certificate.raw)
  // An earlier release read it. It is not sent to wallets any more.
  const verdict =
    reading.outcome === 'refused'
      ? { ...registration.verdict, unverified: reading.detail }
      : keepRevocations(registration.verdict, await judgeRegistration(deps, registration, reading))
  await updateVerdict(deps.db, registration, { id: registration.id, verdict, at: instantOf(deps.clock.now()) })
  deps.registrations.forget()
  if (!isGoodRegistration(verdict) && registration.environment === 'live')
    deps.metrics.alarms.inc({ alarm: 'registration_not_good' })
  const ending = endingOf(registration, deps.clock.now())
  if (ending !== null && registration.environment === 'live')
    deps.log.warn('a registration certificate ends', { outcome: String(ending) })
}

/** Returns the seconds until the first certificate in use expires, by environment; negative if it has expired. */
export async function secondsToFirstEnds(deps: Pick<Deps, 'db' | 'clock'>): Promise<ReadonlyMap<string, number>> {
  const ends = await findFirstEndsAcrossTenants(deps.db)
  return new Map(
    ends.map(({ environment, expiresAt }) => [environment, Math.floor(expiresAt - deps.clock.now() / 1000)]),
  )
}
