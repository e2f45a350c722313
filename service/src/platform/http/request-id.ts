// Chooses the id of a request in logs and responses: our own, or the one that a trusted proxy set.

import type { IncomingMessage } from 'node:http'
import type { Deps } from '../../deps.ts'
import { newRequestId } from '../ids.ts'
import { isTrustedProxy } from './address.ts'

/** Accepts only random hex, with or without dashes. So the log gets nothing that identifies a person. */
const OF_A_PROXY = /^[0-9a-f](?:-?[0-9a-f]){15,63}$/i

export function requestIdOf(
  deps: Pick<Deps, 'random'> & { readonly config: Pick<Deps['config'], 'trustedProxies'> },
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
): string {
  const header = request.headers['x-request-id']
  const isBelieved = typeof header === 'string' && OF_A_PROXY.test(header)
  if (isBelieved && isTrustedProxy(deps, request.socket.remoteAddress ?? '')) return header
  return newRequestId(deps.random)
}
