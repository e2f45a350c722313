// The fallback of the EU age profile: where a tenant allows it, a question for an age alone can also be asked by a link that nobody
// signs. Everything else is never asked so, and an answer to it counts for the age attestation alone.

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
import type { AskedVerification } from './asked-verification.ts'

export interface AgeAsking {
  readonly query: DcqlQuery
  readonly clientId: string
  /** Another than the signed request's: by it an answer says which of the two it is to. */
  readonly state: string
  readonly uri: string
  /** What stands in it, parameter by parameter. */
  readonly parameters: JsonObject
}

const AGE_TEMPLATE = /^age_over_\d{1,3}$/

/** Null where it may not be asked so now. */
export function ageAskingOf({ config }: Pick<Deps, 'config'>, asked: AskedVerification): AgeAsking | null {
  return effectiveSettings(asked.settings, config.haip).ageLink ? ageLinkOf(config, asked) : null
}

/** The same each time, whatever is set since; null where no tenant may ask for it so. */
export function ageLinkOf({ baseUrl }: Pick<Deps['config'], 'baseUrl'>, asked: AskedVerification): AgeAsking | null {
  const { template, id, nonce, stateParameter } = asked
  if (template === null || !AGE_TEMPLATE.test(template) || builtInTemplate(template) === null) return null
  const query = ageQueryOf(asked.query)
  if (query === null) return null
  const responseUri = responseUriOf(baseUrl, id)
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
