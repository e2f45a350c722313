// Records every route as it is added, for 405 responses, the OpenAPI document and tests.

import type { RouteOptions } from 'fastify'
import { Refusal } from '../errors.ts'
import type { Access } from './access.ts'

export interface KnownRoute {
  readonly method: string
  /** The pattern of Fastify: /v1/verifications/:id */
  readonly url: string
  readonly access: Access
  readonly schema: RouteSchema
}

export interface RouteSchema {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly hide?: boolean
  readonly body?: object
  readonly params?: object
  readonly querystring?: object
  readonly headers?: object
  readonly consumes?: readonly string[]
  readonly response?: Readonly<Record<string, object>>
}

export interface RouteTable {
  readonly routes: readonly KnownRoute[]
  add(route: RouteOptions): void
  /** 405 with the allowed methods if the address exists, otherwise 404. */
  refusalFor(url: string): Refusal
}

export function createRouteTable(): RouteTable {
  const routes: KnownRoute[] = []
  const patterns = new Map<string, RegExp>()
  /** Routes that the framework adds for each GET. They are not ours. */
  const heads = new Set<string>()
  return {
    routes,
    add(route) {
      const { access } = (route.config ?? {}) as { access?: Access }
      if (access === undefined) throw new Error(`bug: the route ${route.url} does not say who may use it`)
      for (const method of [route.method].flat()) {
        if (method === 'HEAD') {
          heads.add(route.url)
          continue
        }
        routes.push({ method, url: route.url, access, schema: (route.schema ?? {}) as RouteSchema })
      }
      patterns.set(route.url, toPattern(route.url))
    },
    refusalFor(url) {
      const path = url.split('?', 1)[0] ?? ''
      const matching = routes.filter((route) => patterns.get(route.url)?.test(path))
      // An exact route wins over a parameter: DELETE /v1/devices/:id does not mean a device named `enroll`.
      const exact = matching.filter((route) => route.url === path)
      const allow = (exact.length > 0 ? exact : matching).flatMap(({ method, url }) =>
        method === 'GET' && heads.has(url) ? [method, 'HEAD'] : [method],
      )
      return allow.length === 0 ? new Refusal('not_found') : new Refusal('method_not_allowed', { allow })
    },
  }
}

function toPattern(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('/')
  return new RegExp(`^${source}$`)
}
