// Defines the type that every route file takes: fastify with TypeBox schemas.

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'

import type { Access } from './access.ts'
import type { KnownRoute } from './route-table.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** A stream, which does not count among the requests in progress. Its route limits it. */
    longLived?: boolean
  }
  interface FastifyInstance {
    /** Every route with its schemas, for code that documents or checks them. */
    knownRoutes: readonly KnownRoute[]
    draining: {
      hasBegun(): boolean
      /**
       * Announces the stop and keeps serving. Resolves once no more requests arrive, or at the latest after a few
       * seconds.
       */
      begin(): Promise<void>
    }
  }
  interface FastifySchema {
    operationId?: string
    summary?: string
    description?: string
    tags?: readonly string[]
    /** Not in the OpenAPI document. */
    hide?: boolean
    consumes?: readonly string[]
  }
}

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>
