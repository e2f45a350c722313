// Builds the unsigned link of the EU age profile, if the tenant allows it. It requests only an age.

import {
  ageLink,
  ageQueryOf,
  type DcqlQuery,
  describeAgeLink,
  type JsonObject,
  unsignedClientId,
} from '@vidimus/engine'
import type { Deps } from '../../../../deps.ts'
import { builtInTemplate } from '../../../templates/domain/question.ts'
import { effectiveSettings } from '../../../tenants/domain/settings.ts'
import { responseUriOf } from '../../domain/verification.ts'
import type { WalletVerification } from './wallet-verification.ts'

export interface AgeAsking {
  readonly query: DcqlQuery
  readonly clientId: string
  /** Differs from the signed request's state, to show which request was answered. */
  readonly state: string
  readonly uri: string
  /** The content of the link, parameter by parameter. */
  readonly parameters: JsonObject
}

const AGE_TEMPLATE = /^age_over_\d{1,3}$/

/** null if the link may not be used now. It cannot carry a transaction, so its answer would confirm none. */
export function ageAskingOf({ config }: Pick<Deps, 'config'>, verification: WalletVerification): AgeAsking | null {
  const { settings, sealedTransaction } = verification
  const isAllowed = sealedTransaction === null && effectiveSettings(settings, config.haip).ageLink
  return isAllowed ? ageLinkOf(config, verification) : null
}

/** Returns the same link each time, even if settings changed. null if no tenant may use it for this query. */
export function ageLinkOf(
  { baseUrl }: Pick<Deps['config'], 'baseUrl'>,
  verification: WalletVerification,
): AgeAsking | null {
  const { template, id, nonce, stateParameter } = verification
  if (template === null || !AGE_TEMPLATE.test(template) || builtInTemplate(template) === null) return null
  const query = ageQueryOf(verification.query)
  if (query === null) return null
  const responseUri = responseUriOf(verification.movedFrom ?? baseUrl, id)
  const state = `${stateParameter}.av`
  const link = { responseUri, nonce, state, query }
  return {
    query,
    state,
    clientId: unsignedClientId(responseUri),
    uri: ageLink(link),
    parameters: describeAgeLink(link),
  }
}
