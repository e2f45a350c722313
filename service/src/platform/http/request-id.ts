// What a request is called in logs and answers: a name of ours, or the one that a trusted proxy gave it.

import type { IncomingMessage } from 'node:http'
import type { Deps } from '../../deps.ts'
import { newRequestId } from '../ids.ts'
import { isTrustedProxy } from './address.ts'

/** As proxies make them: random, in hex, with or without dashes. Nothing that a person could be named by gets into the log. */
const OF_A_PROXY = /^[0-9a-f](?:-?[0-9a-f]){15,63}$/i

export function requestIdOf(
  deps: Pick<Deps, 'random'> & { readonly config: Pick<Deps['config'], 'trustedProxies'> },
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
): string {
  const given = request.headers['x-request-id']
  const isBelieved = typeof given === 'string' && OF_A_PROXY.test(given)
  if (isBelieved && isTrustedProxy(deps, request.socket.remoteAddress ?? '')) return given
  return newRequestId(deps.random)
}
