// Reads and answers a link of the EU age profile, as the age app does.

import { type DcqlQuery, parseDcql } from './dcql.ts'
import { demand } from './refusal.ts'
import { type Answered, type AskedRequest, answerAsked, type WalletOptions } from './wallet.ts'
import { isSecure } from './wallet-uri.ts'

const PARAMETERS = [
  'client_id',
  'response_type',
  'response_mode',
  'response_uri',
  'nonce',
  'state',
  'dcql_query',
  'client_metadata',
]
const AGE_PROOF = 'eu.europa.ec.av.1'

/** Whether a link begins like a link of this profile. */
export const isAgeLink = (text: string): boolean => /^av:/i.test(text)

export function parseAgeLink(text: string): AskedRequest {
  demand(text.startsWith('av://?'), 'wallet_uri_invalid', 'a link begins with av:')
  const parameters = new URLSearchParams(text.slice('av://?'.length))
  for (const name of new Set(parameters.keys())) {
    demand(PARAMETERS.includes(name), 'outer_parameter_unexpected', name)
    demand(parameters.getAll(name).length === 1, 'parameter_repeated', name)
  }
  const parameter = (name: string) => parameters.get(name) ?? ''
  const [responseUri, nonce, state, clientId] = ['response_uri', 'nonce', 'state', 'client_id'].map(parameter)
  demand(
    responseUri !== undefined && isSecure(responseUri),
    'request_uri_insecure',
    'https without a fragment is expected',
  )
  demand(clientId === `redirect_uri:${responseUri}`, 'client_id_mismatch', 'OpenID4VP 5.9.3')
  demand(parameter('response_type') === 'vp_token', 'response_type_invalid', parameter('response_type'))
  demand(parameter('response_mode') === 'direct_post', 'response_mode_invalid', parameter('response_mode'))
  demand(nonce !== undefined && nonce !== '' && state !== undefined && state !== '', 'nonce_missing', 'or the state')
  const query = readQuery(parameter('dcql_query'))
  demand(query.credentials.every(asksAgeAlone), 'dcql_query_invalid', 'an age is asked for, and nothing else')
  const plain = { responseMode: 'direct_post', encryption: null, transaction: [] } as const
  return { clientId, responseUri, nonce, state, query, ...plain }
}

function readQuery(text: string): DcqlQuery {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    demand(false, 'dcql_query_invalid', 'JSON is expected')
  }
  return parseDcql(value)
}

function asksAgeAlone({ types, claims }: DcqlQuery['credentials'][number]): boolean {
  const isFlag = ({ path }: { readonly path: readonly unknown[] }) => /^age_over_\d+$/.test(String(path[1]))
  return types.join() === AGE_PROOF && claims.length > 0 && claims.every(isFlag)
}

export async function answerAgeLink(text: string, options: WalletOptions): Promise<Answered> {
  return answerAsked(parseAgeLink(text), options)
}
