// Compares the current entry in a register with our identity and registration certificates.

import type { RegisteredCredential, RegisterRecord, RegisterUse } from '@vidimus/engine'
import type { FINDING_CODES, LOOK_OUTCOMES } from '../../../../../wire/values/registration.ts'
import type { RegisteredIdentity } from '../../../core/registrations/domain/identity.ts'
import type { Registration } from '../../../core/registrations/domain/registration.ts'
import type { Instant } from '../../../platform/world.ts'

export interface RegisterFinding {
  readonly code: (typeof FINDING_CODES)[number]
  /** For the operator. Contains no text of the register except identifiers and paths. */
  readonly detail: string
}

export interface RegisterCheck {
  readonly outcome: (typeof LOOK_OUTCOMES)[number]
  readonly findings: readonly RegisterFinding[]
  readonly checkedAt: Instant
}

/** How many findings are reported. */
export const FINDINGS_MAX = 20
const DETAIL_LENGTH_MAX = 300

export interface RegistrationsOnFile {
  readonly identity: RegisteredIdentity
  /** The operator's identity; null if it is not registered, or if the operator's own entry is checked. */
  readonly own: RegisteredIdentity | null
  readonly registrations: readonly Registration[]
}

/** `record` null: the register has no party with this identifier. */
export function findDrift(record: RegisterRecord | null, onFile: RegistrationsOnFile): readonly RegisterFinding[] {
  if (record === null || !record.identifiers.includes(onFile.identity.identifier))
    return [finding('not_registered', `the register knows no ${onFile.identity.identifier}`)]
  const found = [
    ...roleDrift(record, onFile),
    ...onFile.registrations.flatMap((registration) => registrationDrift(record, registration, onFile.own)),
  ]
  return found.slice(0, FINDINGS_MAX)
}

function roleDrift(
  { services }: RegisterRecord,
  { identity, own, registrations }: RegistrationsOnFile,
): readonly RegisterFinding[] {
  if (identity.isIntermediary && !services.some(({ isIntermediary }) => isIntermediary))
    return [finding('not_an_intermediary', 'none of its services is registered as acting for others')]
  // With certificates, the service of each certificate is checked below.
  if (own?.isIntermediary !== true || registrations.length > 0) return []
  if (services.some(({ intermediaries }) => intermediaries.includes(own.identifier))) return []
  return [finding('intermediary_not_named', `none of its services names ${own.identifier}`)]
}

function registrationDrift(
  { services }: RegisterRecord,
  { intendedUse, certificate }: Registration,
  own: RegisteredIdentity | null,
): readonly RegisterFinding[] {
  const fitting = services.filter(({ id }) => certificate.serviceId === null || id === certificate.serviceId)
  const service = fitting.find(({ intendedUses }) => intendedUses.some(({ id }) => id === intendedUse))
  const use = service?.intendedUses.find(({ id }) => id === intendedUse)
  if (service === undefined || use === undefined)
    return [finding('intended_use_missing', `'${intendedUse}' is not in the register`)]
  const isOurs = own === null || service.intermediaries.includes(own.identifier)
  return [
    ...(use.isRevoked ? [finding('intended_use_revoked', `'${intendedUse}' was revoked`)] : []),
    ...(certificate.intermediary !== null && !isOurs
      ? [finding('intermediary_not_named', `the service of '${intendedUse}' no longer names ${own.identifier}`)]
      : []),
    ...claimsDrift(use, certificate.credentials),
  ]
}

function claimsDrift(
  { id, credentials }: RegisterUse,
  onFile: readonly RegisteredCredential[],
): readonly RegisterFinding[] {
  const [registered, certified] = [pathsOf(credentials), pathsOf(onFile)]
  const gone = [...certified].filter((path) => !registered.has(path))
  const come = [...registered].filter((path) => !certified.has(path))
  if (gone.length === 0 && come.length === 0) return []
  const parts = [
    ...(gone.length === 0 ? [] : [`no longer registered: ${shown(gone)}`]),
    ...(come.length === 0 ? [] : [`registered and not in the certificate: ${shown(come)}`]),
  ]
  return [finding('claims_differ', `'${id}': ${parts.join('; ')}`)]
}

const SHOWN_MAX = 3
const shown = (paths: readonly string[]) =>
  `${paths.slice(0, SHOWN_MAX).join(', ')}${paths.length > SHOWN_MAX ? ` and ${paths.length - SHOWN_MAX} more` : ''}`

/** Returns a text for each path of each type, and for each type without paths. */
function pathsOf(credentials: readonly RegisteredCredential[]): ReadonlySet<string> {
  return new Set(
    credentials.flatMap(({ format, types, paths }) =>
      types.flatMap((type) => [
        `${format}:${type}`,
        ...paths.map((path) => `${format}:${type} ${JSON.stringify(path)}`),
      ]),
    ),
  )
}

export function finding(code: RegisterFinding['code'], detail: string): RegisterFinding {
  return { code, detail: detail.replace(/[\p{Cc}\p{Cs}]/gu, ' ').slice(0, DETAIL_LENGTH_MAX) }
}

export function renderRegisterCheck(result: RegisterCheck) {
  return {
    outcome: result.outcome,
    findings: result.findings.map(({ code, detail }) => ({ code, detail })),
    looked_at: result.checkedAt,
  }
}
