// Sets and reads the cookie with which a browser reuses its recent answer.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { onlyCookie } from '../../../platform/http/cookie.ts'
import { isHttps } from '../../../platform/http/transport-security.ts'
import { isClientId } from '../../../platform/ids.ts'

type Needs = Pick<Deps, 'config'>

/** One name per client, so that two clients of a tenant do not overwrite each other's cookie. */
const nameOf = (deps: Needs, clientId: string) => `${isHttps(deps) ? '__Host-' : ''}vidimus-known-${clientId}`

export function rememberedOf(deps: Needs, request: FastifyRequest, clientId: string): string | null {
  return isClientId(clientId) ? onlyCookie(request, nameOf(deps, clientId)) : null
}

/**
 * Lax, because clients are other sites. Over https the `__Host-` name binds the cookie to this host (RFC 6265bis
 * §4.1.3.2), so that a sibling domain cannot set it.
 */
export function setRemembered(
  deps: Needs,
  reply: FastifyReply,
  cookie: { readonly clientId: string; readonly value: string; readonly seconds: number },
): void {
  const { clientId, value, seconds } = cookie
  const secure = isHttps(deps) ? '; Secure' : ''
  // Fastify appends this header instead of replacing it.
  reply.header(
    'Set-Cookie',
    `${nameOf(deps, clientId)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`,
  )
}
