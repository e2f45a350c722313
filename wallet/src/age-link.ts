// A link of the EU age profile, read and answered as the age app does: the whole request stands in it, nobody signed it, and the
// holder shows an age attestation or nothing.

import { chooseCredentials } from './choose.ts'
import type { HeldCredential } from './credential.ts'
import { parseDcql } from './dcql.ts'
import { presentCredential } from './present.ts'
import { demand } from './refusal.ts'
import { type Answer, formBody, post } from './respond.ts'
import { isSecure } from './wallet-uri.ts'

const PARAMETERS = ['client_id', 'response_type', 'response_mode', 'response_uri', 'nonce', 'state', 'dcql_query']
const AGE_PROOF = 'eu.europa.ec.av.1'

export interface AgeRequest {
  readonly clientId: string
  readonly responseUri: string
  readonly nonce: string
  readonly state: string
  readonly query: ReturnType<typeof parseDcql>
}

export function parseAgeLink(text: string): AgeRequest {
  demand(text.startsWith('av://?'), 'wallet_uri_invalid', 'a link begins with av:')
  const parameters = new URLSearchParams(text.slice('av://?'.length))
  for (const name of new Set(parameters.keys())) {
    demand(PARAMETERS.includes(name), 'outer_parameter_unexpected', name)
    demand(parameters.getAll(name).length === 1, 'parameter_repeated', name)
  }
  const said = (name: string) => parameters.get(name) ?? ''
  const responseUri = said('response_uri')
  demand(isSecure(responseUri), 'request_uri_insecure', 'https without a fragment is expected')
  demand(said('client_id') === `redirect_uri:${responseUri}`, 'client_id_mismatch', 'OpenID4VP 5.9.3')
  demand(said('response_mode') === 'direct_post', 'response_mode_invalid', said('response_mode'))
  const query = parseDcql(JSON.parse(said('dcql_query')))
  const isAge = query.credentials.every(({ types, claims }) =>
    [
      types.join() === AGE_PROOF,
      claims.length > 0,
      claims.every(({ path }) => /^age_over_\d+$/.test(String(path[1]))),
    ].every(Boolean),
  )
  demand(isAge, 'dcql_query_invalid', 'an age is asked for, and nothing else')
  return { clientId: said('client_id'), responseUri, nonce: said('nonce'), state: said('state'), query }
}

export async function answerAgeLink(
  text: string,
  {
    held,
    now,
    fetch,
  }: { readonly held: readonly HeldCredential[]; readonly now: number; readonly fetch: typeof globalThis.fetch },
): Promise<Answer> {
  const request = parseAgeLink(text)
  const binding = { ...request, encryptionKey: null, now, deviceAuth: 'signature' } as const
  const vpToken = Object.fromEntries(
    chooseCredentials(request.query, held).map(({ queryId, credential, paths }) => [
      queryId,
      [presentCredential(credential, paths, binding)],
    ]),
  )
  return post(request.responseUri, await formBody({ state: request.state, encryption: null }, { vpToken }), fetch)
}
