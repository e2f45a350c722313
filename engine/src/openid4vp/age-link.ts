// The link of the EU age profile: a whole request by value, unsigned, whose answer is not encrypted (`av://`, client identifier
// prefix `redirect_uri:`). It binds an answer to its address alone, so it may ask for nothing but an age.

import { AGE_DOCTYPE } from '../formats/mdoc/name.ts'
import { isMdocQuery } from '../formats/mdoc/query.ts'
import type { JsonObject } from '../verdict.ts'
import type { CredentialQuery, DcqlQuery } from './dcql.ts'
import { clientMetadata, requireRandom } from './request.ts'
import { wireQuery } from './wire-query.ts'

/** The part of a query that the link may carry: age attestations, and of these flags of an age. Null where there is none. */
export function ageQueryOf({ credentials }: DcqlQuery): DcqlQuery | null {
  const [asked, ...others] = credentials.filter(
    (credential) => isMdocQuery(credential) && credential.meta.doctype_value === AGE_DOCTYPE,
  )
  return asked === undefined || others.length > 0 || !asksAgeAlone(asked) ? null : { credentials: [asked] }
}

function asksAgeAlone({ claims, multiple }: CredentialQuery): boolean {
  if (claims === undefined || multiple === true) return false
  return claims.every(
    ({ path: [nameSpace, element] }) => nameSpace === AGE_DOCTYPE && /^age_over_\d{1,3}$/.test(String(element)),
  )
}

/** OpenID4VP §5.9.3: the verifier is the address that the answer goes to, and nothing vouches for it. */
export const unsignedClientId = (responseUri: string) => `redirect_uri:${responseUri}`

export interface AgeLink {
  readonly responseUri: string
  readonly nonce: string
  readonly state: string
  /** As `ageQueryOf` makes it. */
  readonly query: DcqlQuery
}

/** What the link says, parameter by parameter. */
export function describeAgeLink({ responseUri, nonce, state, query }: AgeLink): JsonObject {
  requireRandom(nonce)
  requireRandom(state)
  if (ageQueryOf(query)?.credentials.length !== query.credentials.length)
    throw new Error('bug: a link that asks for more than an age')
  return {
    client_id: unsignedClientId(responseUri),
    response_type: 'vp_token',
    response_mode: 'direct_post',
    response_uri: responseUri,
    nonce,
    state,
    dcql_query: wireQuery(query),
    // OpenID4VP §5.1: required where the wallet cannot know the formats otherwise. Annex A.5 of the age profile (1.0.8) does not name
    // it, and A.3 leaves optional parameters optional.
    client_metadata: clientMetadata(query, null),
  }
}

export function ageLink(link: AgeLink): string {
  const texts = Object.entries(describeAgeLink(link)).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  // Wallets read %20, and not every one a plus.
  return `av://?${new URLSearchParams(texts).toString().replaceAll('+', '%20')}`
}
