// Renders registrations for a page: the same facts as the command line shows, with codes instead of sentences and bounded.

import type { Parties } from '../../../core/registrations/domain/identity.ts'
import { renderProblem } from '../../../core/registrations/domain/problem.ts'
import {
  type Registration,
  registrationFaults,
  registrationRemarks,
  renderRegistration,
} from '../../../core/registrations/domain/registration.ts'
import { renderConcernForPage, TYPES_LISTED_MAX } from './concern-for-page.ts'
import { type RegistrationReport, renderReport } from './report.ts'

/** Further certificates are shown without what they may ask for, which the page loads for one at a time. */
const CERTIFICATES_LENGTH_MAX = 256 * 1024
/** Of all lists of unregistered and unused claims. */
const CLAIMS_LENGTH_MAX = 128 * 1024

export const certificateForPage = (registration: Registration, parties: Parties, nowMs: number) => ({
  ...renderRegistration(registration, parties, nowMs),
  faults: registrationFaults(registration, parties, nowMs).map(renderProblem),
  remarks: registrationRemarks(registration).map(renderProblem),
  shortened: false,
})

export function reportForPage(report: RegistrationReport, nowMs: number) {
  const { registrations, underUse, templates } = report
  let left = CERTIFICATES_LENGTH_MAX
  const certificates = registrations.map((one) => {
    const { certificate } = one
    const shortened = certificate.raw.length > left
    if (!shortened) left -= certificate.raw.length
    const shown = shortened ? { ...one, certificate: { ...certificate, purposes: [], credentials: [] } } : one
    return { ...certificateForPage(shown, report, nowMs), shortened }
  })
  const firstOf = claimsWithin(CLAIMS_LENGTH_MAX)
  return {
    ...renderReport({ ...report, registrations: [], templates: [], underUse: [] }, nowMs),
    certificates,
    templates: templates.map(({ key, builtIn, intendedUse, concerns }) => ({
      key,
      built_in: builtIn,
      intended_use: intendedUse,
      concerns: concerns.map(renderConcernForPage).map(({ unregistered, ...concern }) => {
        return { ...concern, unregistered: firstOf(unregistered) }
      }),
    })),
    under_use: underUse.map(({ intendedUse, unused }) => ({
      intended_use: intendedUse,
      unused: firstOf(
        unused.map(({ format, types, path }) => {
          return { format, types: types.slice(0, TYPES_LISTED_MAX), path: path === null ? null : [...path] }
        }),
      ),
      unused_count: unused.length,
    })),
  }
}

/** Returns the first claims of each list, until all lists together have this many characters. */
function claimsWithin(lengthMax: number) {
  let left = lengthMax
  return <Claim>(claims: readonly Claim[]): Claim[] => {
    const first: Claim[] = []
    for (const claim of claims) {
      if (left > 0) left -= JSON.stringify(claim).length
      if (left <= 0) break
      first.push(claim)
    }
    return first
  }
}
