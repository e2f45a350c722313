// Builds the link of the EU age profile (`av://`): an unsigned request with an unencrypted answer.

import { AGE_DOCTYPE } from '../formats/mdoc/name.ts'
import { isMdocQuery } from '../formats/mdoc/query.ts'
import type { JsonObject } from '../verdict.ts'
import type { CredentialQuery, DcqlQuery } from './dcql.ts'
import { clientMetadata, requireRandom } from './request.ts'
import { wireQuery } from './wire-query.ts'

/**
 * Returns the part of a query that the link may carry: age flags of age attestations; null: none. Only the address
 * binds the answer, so the link may ask for nothing but an age.
 */
export function ageQueryOf({ credentials }: DcqlQuery): DcqlQuery | null {
  const [ageQuery, ...others] = credentials.filter(
    (credential) => isMdocQuery(credential) && credential.meta.doctype_value === AGE_DOCTYPE,
  )
  return ageQuery === undefined || others.length > 0 || !asksAgeAlone(ageQuery) ? null : { credentials: [ageQuery] }
}

function asksAgeAlone({ claims, multiple }: CredentialQuery): boolean {
  if (claims === undefined || multiple === true) return false
  return claims.every(
    ({ path: [nameSpace, element] }) => nameSpace === AGE_DOCTYPE && /^age_over_\d{1,3}$/.test(String(element)),
  )
}

/** OpenID4VP §5.9.3: only the address of the answer identifies the verifier, and nothing proves who owns it. */
export const unsignedClientId = (responseUri: string) => `redirect_uri:${responseUri}`

export interface AgeLink {
  readonly responseUri: string
  readonly nonce: string
  readonly state: string
  /** From `ageQueryOf`. */
  readonly query: DcqlQuery
}

/** Returns the parameters of the link. */
export function describeAgeLink({ responseUri, nonce, state, query }: AgeLink): JsonObject {
  requireRandom(nonce)
  requireRandom(state)
  if (ageQueryOf(query)?.credentials.length !== query.credentials.length)
    throw new Error('bug: the link asks for more than an age')
  return {
    client_id: unsignedClientId(responseUri),
    response_type: 'vp_token',
    response_mode: 'direct_post',
    response_uri: responseUri,
    nonce,
    state,
    dcql_query: wireQuery(query),
    // OpenID4VP §5.1 requires this if the wallet does not know the formats. Annex A.5 of the age profile (1.0.8) does
    // not mention it, but A.3 allows optional parameters.
    client_metadata: clientMetadata(query, null),
  }
}

export function ageLink(link: AgeLink): string {
  const texts = Object.entries(describeAgeLink(link)).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  // Every wallet decodes `%20`, but not every wallet decodes a plus.
  return `av://?${new URLSearchParams(texts).toString().replaceAll('+', '%20')}`
}
