// Sets and reads the cookies of sessions, of provider round trips, of access links and of known browsers.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../../../deps.ts'
import { onlyCookie } from '../../../../platform/http/cookie.ts'
import { isHttps } from '../../../../platform/http/transport-security.ts'
import { ROUND_MS } from '../../domain/oidc.ts'
import { ACCESS_LINK_MS, BROWSER_MS, SESSION_SECONDS_MAX } from '../../domain/session.ts'

type Needs = Pick<Deps, 'config'>

export const tokenOf = (deps: Needs, request: FastifyRequest) => onlyCookie(request, cookieName(deps))
export const roundTokenOf = (deps: Needs, request: FastifyRequest) => onlyCookie(request, roundName(deps))

export const lostTokenOf = (deps: Needs, request: FastifyRequest) => onlyCookie(request, lostName(deps))

export function setLost(deps: Needs, reply: FastifyReply, token: string): void {
  reply.header('Set-Cookie', cookie(deps, lostName(deps), { value: token, seconds: ACCESS_LINK_MS / 1000 }))
}

export const browserTokenOf = (deps: Needs, request: FastifyRequest) => onlyCookie(request, browserName(deps))

/** Sets the cookie that recognizes the browser at its next sign-in. The cookie grants no access. */
export function setBrowser(deps: Needs, reply: FastifyReply, token: string): void {
  reply.header('Set-Cookie', cookie(deps, browserName(deps), { value: token, seconds: BROWSER_MS / 1000 }))
}

export function setSession(deps: Needs, reply: FastifyReply, token: string): void {
  reply.header('Set-Cookie', cookie(deps, cookieName(deps), { value: token, seconds: SESSION_SECONDS_MAX }))
}

export function setRound(deps: Needs, reply: FastifyReply, token: string): void {
  reply.header('Set-Cookie', cookie(deps, roundName(deps), { value: token, seconds: ROUND_MS / 1000 }))
}

export function clearRound(deps: Needs, reply: FastifyReply): void {
  reply.header('Set-Cookie', cookie(deps, roundName(deps), { value: '', seconds: 0 }))
}

export function clearSession(deps: Needs, reply: FastifyReply): void {
  reply.header('Set-Cookie', cookie(deps, cookieName(deps), { value: '', seconds: 0 }))
  reply.header('Clear-Site-Data', '"cache"')
}

function cookie(deps: Needs, name: string, { value, seconds }: { value: string; seconds: number }): string {
  const secure = isHttps(deps) ? '; Secure' : ''
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}

const cookieName = (deps: Needs) => (isHttps(deps) ? '__Host-vidimus' : 'vidimus')
const browserName = (deps: Needs) => `${cookieName(deps)}-browser`
const lostName = (deps: Needs) => `${cookieName(deps)}-lost`
const roundName = (deps: Needs) => `${cookieName(deps)}-oidc`
