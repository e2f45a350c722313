// Chooses the registration of a request: the one that the merchant names, or the only possible one.

import type { DcqlQuery } from '@vidimus/engine'
import type { Parties } from './identity.ts'
import { coversQuery, describeOverAsking, findOverAsking, type OverAsk, type RegisteredUse } from './over-asking.ts'
import { type Effort, isSpent, newEffort } from './path-tree.ts'
import { type RegistrationProblem, registrationProblem } from './problem.ts'
import { type Registration, registrationFaults } from './registration.ts'

/** A concern, as the merchant's system receives it. */
export interface Warning {
  readonly code: 'not_registered' | 'over_asking'
  readonly message: string
}

/** A reason for which live refuses a request, and test only warns. */
export interface Concern extends Warning {
  /** The reason, as pages show it. */
  readonly reason: RegistrationProblem
  /** The intended use whose certificate the reason is about; null: the reason is about the query. */
  readonly intendedUse: string | null
  /** What the query asks for beyond the registration, as pages show it. */
  readonly overAsking: readonly OverAsk[]
}

export const concernOf = (
  code: Concern['code'],
  reason: RegistrationProblem,
  overAsking: readonly OverAsk[] = [],
): Concern => ({ code, message: reason.problem, reason, intendedUse: null, overAsking })

export const renderConcern = ({ code, message }: Concern): Warning => ({ code, message })

export interface Choice {
  /** null: no registration is sent. */
  readonly registration: Registration | null
  readonly concerns: readonly Concern[]
}

/** The registrations of a realm, without removed ones. */
export interface Registered extends Parties {
  readonly registrations: readonly Registration[]
}

export interface Asking {
  readonly query: DcqlQuery
  readonly intendedUse: string | null
}

export function chooseRegistration(registered: Registered, asking: Asking, nowMs: number): Choice {
  return registrationChooser(registered, nowMs)(asking)
}

/** Chooses for many queries. They share one budget of steps. What does not depend on the query is computed once. */
export function registrationChooser(
  registered: Registered,
  nowMs: number,
  effort: Effort = newEffort(),
): (asking: Asking) => Choice {
  const best = bestOfEach(registered, nowMs)
  return ({ query, intendedUse }) => {
    if (registered.registrations.length === 0 && intendedUse === null) return NOTHING
    const chosen =
      intendedUse === null ? onlyOne(best, query, effort) : best.find((one) => one.intendedUse === intendedUse)
    if (chosen === undefined) return { registration: null, concerns: [notFound(intendedUse, best)] }
    const faults = registrationFaults(chosen, registered, nowMs).map((fault): Concern => {
      return {
        code: 'not_registered',
        message: `The registration for '${chosen.intendedUse}' cannot be used: ${fault.problem}.`,
        reason: fault,
        intendedUse: chosen.intendedUse,
        overAsking: [],
      }
    })
    return { registration: chosen, concerns: [...faults, ...overAsking(chosen, best, { query, effort })] }
  }
}

const NOTHING: Choice = { registration: null, concerns: [] }

function overAsking(
  chosen: Registration,
  all: readonly Registration[],
  { query, effort }: { readonly query: DcqlQuery; readonly effort: Effort },
): Concern[] {
  const found = findOverAsking(query, chosen.certificate.credentials, effort)
  if (found.length === 0) return []
  const others = all.filter((one) => one !== chosen).map(useOf)
  const { intendedUse } = chosen
  if (isSpent(effort)) {
    const problem = `The query is too large to be compared with what '${intendedUse}' registers.`
    return [concernOf('over_asking', registrationProblem('not_comparable', problem, intendedUse))]
  }
  return [concernOf('over_asking', describeOverAsking(intendedUse, found, others), found)]
}

export const useOf = ({ intendedUse, certificate: { credentials } }: Registration): RegisteredUse => ({
  intendedUse,
  credentials,
})

/** Per intended use: the newest certificate without a fault, else the newest. Renewals may overlap. */
export function bestOfEach(registered: Registered, nowMs: number): readonly Registration[] {
  const isSound = (one: Registration) => registrationFaults(one, registered, nowMs).length === 0
  const best = new Map<string, Registration>()
  for (const one of registered.registrations) {
    const known = best.get(one.intendedUse)
    if (known === undefined || isBetter(one, known, isSound)) best.set(one.intendedUse, one)
  }
  return [...best.values()]
}

function isBetter(one: Registration, known: Registration, isSound: (one: Registration) => boolean): boolean {
  if (isSound(one) !== isSound(known)) return isSound(one)
  return one.certificate.issuedAt > known.certificate.issuedAt
}

/** The only registration, or the only one that covers the query. */
function onlyOne(best: readonly Registration[], query: DcqlQuery, effort: Effort): Registration | undefined {
  if (best.length === 1) return best[0]
  let only: Registration | undefined
  for (const one of best) {
    if (!coversQuery(query, one.certificate.credentials, effort)) continue
    if (only !== undefined) return undefined
    only = one
  }
  // A registration that was not checked might also cover the query.
  return isSpent(effort) ? undefined : only
}

const NAMED_MAX = 10

function notFound(intendedUse: string | null, best: readonly Registration[]): Concern {
  const known = best.slice(0, NAMED_MAX).map((one) => `'${one.intendedUse}'`)
  const which = known.length === 0 ? 'None is registered here.' : `Registered: ${known.join(', ')}.`
  const reason =
    intendedUse === null
      ? registrationProblem(
          'use_unclear',
          `None or several of the registered intended uses cover this: name one with \`intended_use\`. ${which}`,
          known.join(', '),
        )
      : registrationProblem(
          'use_unknown',
          `There is no registration for this intended use. ${which}`,
          intendedUse,
          known.join(', '),
        )
  return concernOf('not_registered', reason)
}
