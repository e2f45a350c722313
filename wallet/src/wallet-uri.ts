// Parses the link that opens a wallet: openid4vp://?client_id&request_uri&request_uri_method (OpenID4VP 5.7, 5.10).

import { demand } from './refusal.ts'

export interface WalletUri {
  readonly clientId: string
  readonly requestUri: string
  readonly method: 'get' | 'post'
}

const PARAMETERS = ['client_id', 'request_uri', 'request_uri_method']

export function parseWalletUri(text: string, schemes: readonly string[] = ['openid4vp:', 'haip-vp:']): WalletUri {
  const scheme = /^([a-z][a-z0-9+.-]*:)/i.exec(text)?.[1]?.toLowerCase()
  demand(
    scheme !== undefined && schemes.includes(scheme),
    'wallet_uri_invalid',
    `a link begins with ${schemes.join(' or ')}`,
  )
  const mark = text.indexOf('?')
  demand(mark >= 0 && !text.includes('#'), 'wallet_uri_invalid', 'a query and no fragment are expected')
  const parameters = new URLSearchParams(text.slice(mark + 1))
  for (const name of new Set(parameters.keys())) {
    demand(PARAMETERS.includes(name), 'outer_parameter_unexpected', name)
    demand(parameters.getAll(name).length === 1, 'parameter_repeated', name)
  }
  const clientId = parameters.get('client_id')
  const requestUri = parameters.get('request_uri')
  const method = parameters.get('request_uri_method') ?? 'get'
  demand(clientId !== null && clientId !== '', 'client_id_missing', 'OpenID4VP 5.10.1')
  demand(requestUri !== null && requestUri !== '', 'request_uri_missing', 'a request by reference is expected')
  // OpenID4VP 5.10: the values are case-sensitive.
  demand(method === 'get' || method === 'post', 'request_uri_method_invalid', method)
  demand(isSecure(requestUri), 'request_uri_insecure', 'https without a fragment is expected')
  return { clientId, requestUri, method }
}

/** https everywhere; plain http only for the local machine, for development. */
export function isSecure(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.hash !== '' || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
