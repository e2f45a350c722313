// The two cookies of a sign-in: that this browser began it, sent nowhere but where it ends; and, where a client wants that, what
// this browser answered a moment ago. Lax, because browsers come back from wallets and from clients as from any other site.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { isClientId } from '../../domain/ids.ts'
import { issuerPath } from '../../domain/oidc/issuer.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { onlyCookie } from '../dashboard/sign-in/session-cookie.ts'
import { isHttps } from '../transport-security.ts'

type Needs = Pick<Deps, 'config'>

interface Cookie {
  readonly value: string
  readonly path: string
  readonly seconds: number
}

const beganName = (deps: Needs) => `${prefixOf(deps)}vidimus-sign-in`
/** Each client's own: two of a tenant do not overwrite each other's. */
const rememberedName = (deps: Needs, clientId: string) => `${prefixOf(deps)}vidimus-known-${clientId}`
const prefixOf = (deps: Needs) => (isHttps(deps) ? '__Secure-' : '')

export const browserSecretOf = (deps: Needs, request: FastifyRequest) => onlyCookie(request, beganName(deps))

export function rememberedOf(deps: Needs, request: FastifyRequest, clientId: string): string | null {
  return isClientId(clientId) ? onlyCookie(request, rememberedName(deps, clientId)) : null
}

export function setBrowserSecret(deps: Needs, reply: FastifyReply, given: Cookie): void {
  addCookie(deps, reply, beganName(deps), given)
}

export function clearBrowserSecret(deps: Needs, reply: FastifyReply, path: string): void {
  addCookie(deps, reply, beganName(deps), { value: '', path, seconds: 0 })
}

export function setRemembered(
  deps: Needs,
  reply: FastifyReply,
  given: { readonly realm: Realm; readonly clientId: string; readonly value: string; readonly seconds: number },
): void {
  const { realm, clientId, value, seconds } = given
  addCookie(deps, reply, rememberedName(deps, clientId), { value, seconds, path: `${issuerPath(realm)}/authorize` })
}

function addCookie(deps: Needs, reply: FastifyReply, name: string, { value, path, seconds }: Cookie): void {
  const secure = isHttps(deps) ? '; Secure' : ''
  // Fastify gathers headers of this name instead of replacing them.
  reply.header('Set-Cookie', `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`)
}
