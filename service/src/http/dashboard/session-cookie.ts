// The cookie that a signed-in browser carries. Over https its name binds it to this host (RFC 6265bis §4.1.3.2).

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { SESSION_SECONDS_MAX } from '../../domain/dashboard-session.ts'

type Needs = Pick<Deps, 'config'>

/** null: none, or more than one, of which somebody else may have planted the other. */
export function tokenOf(deps: Needs, request: FastifyRequest): string | null {
  const name = cookieName(deps)
  const found = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
  return found.length === 1 ? (found[0] ?? '').slice(name.length + 1) : null
}

export function setSession(deps: Needs, reply: FastifyReply, token: string): void {
  reply.header('Set-Cookie', cookie(deps, token, SESSION_SECONDS_MAX))
}

export function clearSession(deps: Needs, reply: FastifyReply): void {
  reply.header('Set-Cookie', cookie(deps, '', 0))
  reply.header('Clear-Site-Data', '"cache"')
}

function cookie(deps: Needs, value: string, maxAge: number): string {
  const secure = isHttps(deps) ? '; Secure' : ''
  return `${cookieName(deps)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`
}

const cookieName = (deps: Needs) => (isHttps(deps) ? '__Host-vidimus' : 'vidimus')
export const isHttps = (deps: Needs) => deps.config.baseUrl.startsWith('https:')
