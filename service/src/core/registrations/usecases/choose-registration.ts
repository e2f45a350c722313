// Chooses the registration of a new verification: live refuses what a wallet would warn about, test returns a warning.

import type { DcqlQuery } from '@vidimus/engine'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { inTurn } from '../../../platform/event-loop/in-turn.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import { type Concern, chooseRegistration, concernOf, renderConcern, type Warning } from '../domain/choose.ts'
import { registrationProblem } from '../domain/problem.ts'
import type { Registration } from '../domain/registration.ts'

interface ChosenRegistration {
  /** null: no registration certificate is sent. */
  readonly registration: Registration | null
  readonly warnings: readonly Warning[]
}

export async function chooseFor(
  deps: Pick<Deps, 'registrations' | 'clock' | 'config'>,
  realm: Realm,
  question: { readonly query: DcqlQuery; readonly intendedUse: string | null },
): Promise<ChosenRegistration> {
  const nowMs = deps.clock.now()
  const registered = await deps.registrations.find(realm, nowMs)
  // Comparing a long query takes milliseconds.
  if (registered.registrations.length > 0) await inTurn(realm.tenantId)
  const choice = chooseRegistration(registered, question, nowMs)
  const { registration } = choice
  const isMissing = deps.config.registeredOnly && registration === null && choice.concerns.length === 0
  const concerns = isMissing ? [NONE_AT_ALL] : choice.concerns
  const [first] = concerns
  if (first !== undefined && realm.environment === 'live') throw new Refusal(first.code, { message: first.message })
  return { registration, warnings: concerns.map(renderConcern) }
}

const NONE_AT_ALL: Concern = concernOf(
  'not_registered',
  registrationProblem('none_at_all', 'This service requires a registration certificate. Add yours under Registration.'),
)

/** The registration that a verification was created under; null if none. */
export async function registrationOf(
  deps: Pick<Deps, 'registrations' | 'clock'>,
  verification: Realm & { readonly registrationId: string | null },
): Promise<Registration | null> {
  if (verification.registrationId === null) return null
  const found = await deps.registrations.findOne(verification, verification.registrationId, deps.clock.now())
  if (found === null) throw new Error('bug: a verification has lost its registration certificate')
  return found
}
