// Sets and reads the cookie of the browser that a verification belongs to, with one secret per verification.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { cookiesOf, onlyCookie } from '../../../platform/http/cookie.ts'
import { isHttps } from '../../../platform/http/transport-security.ts'
import { hashOf } from '../../../platform/one-time-secret.ts'

type Needs = Pick<Deps, 'config'>

interface RequestAndReply {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Limits cookies per browser, because request headers are limited. Above this number, the oldest cookie is removed. */
const COOKIES_MAX = 12
const NAME_LENGTH = 12

const prefixOf = (deps: Needs) => (isHttps(deps) ? '__Host-vidimus-at-' : 'vidimus-at-')
/** The end of the id distinguishes a browser's own verifications well enough: only the secret must be unguessable. */
const nameOf = (deps: Needs, verificationId: string) => `${prefixOf(deps)}${verificationId.slice(-NAME_LENGTH)}`

/** null if the browser has no secret for this verification. */
export function browserSecretOf(deps: Needs, request: FastifyRequest, verificationId: string): string | null {
  return onlyCookie(request, nameOf(deps, verificationId))
}

/** The hash of that secret, for comparison; null also if the secret is malformed. */
export function browserHashOf(deps: Needs, request: FastifyRequest, verificationId: string): Buffer | null {
  const secret = browserSecretOf(deps, request, verificationId)
  return secret === null ? null : hashOf('browser', secret)
}

/** The hashes of all secrets that the browser has, up to the limit. */
export function allBrowserHashesOf(deps: Needs, request: FastifyRequest): Buffer[] {
  const prefix = prefixOf(deps)
  const names = namesIn(request).filter((name) => name.startsWith(prefix))
  return names.slice(-COOKIES_MAX).flatMap((name) => {
    const secret = onlyCookie(request, name)
    return (secret === null ? null : hashOf('browser', secret)) ?? []
  })
}

/** Sets the cookie in the form that the browser will send. */
export function setBrowserSecret(
  deps: Needs,
  { request, reply }: RequestAndReply,
  cookie: { readonly verificationId: string; readonly secret: string; readonly seconds: number },
): string {
  const name = nameOf(deps, cookie.verificationId)
  removeOldest(deps, { request, reply }, name)
  add(deps, reply, name, cookie.secret, cookie.seconds)
  return `${name}=${cookie.secret}`
}

/**
 * Removes cookies that /authorize could not: a browser sends no Lax cookie with a form that another site posts. The
 * hosted page comes next and receives all cookies.
 */
export function removeSurplusSecrets(deps: Needs, at: RequestAndReply, verificationId: string): void {
  removeOldest(deps, at, nameOf(deps, verificationId))
}

/** Leaves room for the cookie of this name. Browsers send the oldest first (RFC 6265 §5.4). */
function removeOldest(deps: Needs, { request, reply }: RequestAndReply, kept: string): void {
  const names = namesIn(request).filter((name) => name.startsWith(prefixOf(deps)) && name !== kept)
  for (const name of names.slice(0, Math.max(0, names.length - COOKIES_MAX + 1))) add(deps, reply, name, '', 0)
}

export function clearBrowserSecret(deps: Needs, reply: FastifyReply, verificationId: string): void {
  add(deps, reply, nameOf(deps, verificationId), '', 0)
}

const namesIn = (request: FastifyRequest) => cookiesOf(request).map((pair) => pair.split('=')[0] ?? '')

function add(deps: Needs, reply: FastifyReply, name: string, value: string, seconds: number): void {
  const secure = isHttps(deps) ? '; Secure' : ''
  // Fastify appends headers of this name instead of replacing them.
  reply.header('Set-Cookie', `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`)
}
