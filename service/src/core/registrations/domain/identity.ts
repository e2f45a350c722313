// Defines the registered relying parties: a tenant in one of its environments, and the operator, which may act for tenants.

import type { RegistrationCertificate } from '@vidimus/engine'
import { REGISTRY_URI_LENGTH_MAX, TRADE_NAME_LENGTH_MAX } from '../../../../../wire/values/registration.ts'
import type { Instant } from '../../../platform/world.ts'
import { type RegistrationProblem, registrationProblem } from './problem.ts'

export interface RegisteredIdentity {
  /** As the register writes it: `VATDE-…`, `NTRDE-…`, `LEIXG-…`. */
  readonly identifier: string
  readonly tradeName: string
  /** The register's public API; null if unknown. */
  readonly registryUri: string | null
  /** Only the operator: registered as an intermediary. */
  readonly isIntermediary: boolean
  readonly changedAt: Instant
}

/** Control characters, and characters that break or reverse a line: with them, an operator would see another text. */
const MISLEADING = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** Why these values cannot be an identity; null if they can. */
export function identityFault(
  identity: Pick<RegisteredIdentity, 'identifier' | 'tradeName' | 'registryUri'>,
): RegistrationProblem | null {
  const { identifier, tradeName, registryUri } = identity
  if (!/^[\x21-\x7e]{1,200}$/.test(identifier))
    return registrationProblem('identifier', 'the identifier must be 1 to 200 ASCII characters without spaces')
  if (tradeName.trim() === '' || tradeName.length > TRADE_NAME_LENGTH_MAX || MISLEADING.test(tradeName))
    return registrationProblem('trade_name', 'the trade name must be a line of 1 to 200 characters')
  if (registryUri === null) return null
  const url = URL.parse(registryUri)
  const isPlain = /^[\x21-\x7e]+$/.test(registryUri)
  const fits =
    isPlain && url?.protocol === 'https:' && url.username === '' && registryUri.length <= REGISTRY_URI_LENGTH_MAX
  return fits ? null : registrationProblem('registry', 'the address of the register must be an https address')
}

/** The tenant, and the operator that may act for it. */
export interface Parties {
  /** null: the tenant has not set its identity. */
  readonly identity: RegisteredIdentity | null
  /** The operator's own identity; null: the operator is not registered. */
  readonly own: RegisteredIdentity | null
}

/** Why this service may not send a certificate for this tenant; null if it may. */
export function subjectFault(
  { subject, intermediary }: Pick<RegistrationCertificate, 'subject' | 'intermediary'>,
  { identity, own }: Parties,
): RegistrationProblem | null {
  if (identity === null)
    return registrationProblem('identity_unknown', 'the registered identity of the tenant is not known')
  const { identifier } = identity
  if (!subject.includes(identifier))
    return registrationProblem('about_another', `it is not about the tenant, ${identifier}`, identifier)
  const isForItself = own?.identifier === identifier
  if (intermediary === null)
    return own?.isIntermediary === true && !isForItself
      ? registrationProblem('intermediary_missing', 'it does not name this service’s operator as intermediary')
      : null
  if (own === null)
    return registrationProblem(
      'operator_unknown',
      "it names an intermediary, and the operator's own registration is not known",
    )
  return intermediary.ids.includes(own.identifier)
    ? null
    : registrationProblem('other_intermediary', 'it names another intermediary than this service’s operator')
}

export function renderIdentity(identity: RegisteredIdentity) {
  return {
    identifier: identity.identifier,
    trade_name: identity.tradeName,
    registry_uri: identity.registryUri,
    is_intermediary: identity.isIntermediary,
    changed_at: identity.changedAt,
  }
}
