// Rewrites targets that Fastify cannot route or decode, would parse for long, or have a NUL, before hooks see them.

import type { FastifyInstance } from 'fastify'
import { Refusal } from '../errors.ts'

/** No honest request has half of this. */
const QUERY_FIELDS_MAX = 64
/** No address of ours has half of this. The router decodes a path several times, and an unknown one is compared with all routes. */
const PATH_MAX = 2_048
/** Replaces a query with more fields. */
const TOO_MANY_FIELDS = 'too-many-fields'

/** The target of a request in the form that the router can look up. */
export function readableTarget(requested: string): string {
  const target = requested.startsWith('/') || requested === '*' ? requested : withoutAuthority(requested)
  const end = target.search(/[?#]/)
  const path = end === -1 ? target : target.slice(0, end)
  if (path.length > PATH_MAX) return '/address-too-long'
  const rest = hasFewFields(target, path.length) ? target.slice(path.length) : `?${TOO_MANY_FIELDS}`
  return isDecodable(path) ? path + rest : path.replaceAll('%', '%25') + rest
}

/**
 * Fastify reads the query into an object before any hook, also for requests that a budget refuses. A sender can choose
 * names with which a large object takes n² steps to build.
 */
function hasFewFields(target: string, from: number): boolean {
  let fields = 1
  for (let at = target.indexOf('&', from); at !== -1 && fields <= QUERY_FIELDS_MAX; at = target.indexOf('&', at + 1))
    fields += 1
  return fields <= QUERY_FIELDS_MAX
}

/** Refuses a query with too many fields, instead of reading only some of them. */
export function addQueryBound(app: FastifyInstance): void {
  app.addHook('onRequest', ({ query }, _reply, done) => {
    if (!Object.hasOwn(query as object, TOO_MANY_FIELDS)) return done()
    done(new Refusal('invalid_request', { message: `query: must have at most ${QUERY_FIELDS_MAX} fields.` }))
  })
}

/**
 * RFC 9112 §3.2.2: a request to a proxy names the whole URL. It is cut and not parsed: no budget has counted the request
 * yet, and parsing a long host of combining characters takes milliseconds.
 */
function withoutAuthority(address: string): string {
  const [scheme] = /^https?:\/\//i.exec(address) ?? []
  if (scheme === undefined) return '/no-address'
  const rest = address.slice(scheme.length)
  const end = rest.search(/[/?#]/)
  if (end === -1) return '/'
  return rest[end] === '/' ? rest.slice(end) : `/${rest.slice(end)}`
}

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true
  try {
    // PostgreSQL stores no NUL in a text: a statement with one fails.
    return !decodeURIComponent(path).includes('\0')
  } catch {
    return false
  }
}
