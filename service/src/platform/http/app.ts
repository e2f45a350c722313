// The type that every route file takes: fastify with TypeBox schemas.

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
    /** A stream: not counted among the requests in progress; its route bounds it. */
    longLived?: boolean
  }
  interface FastifyInstance {
    /** Every route with its schemas, for code that documents or checks them. */
    knownRoutes: readonly KnownRoute[]
    draining: {
      hasBegun(): boolean
      /**
       * Keeps serving and announces the stop; resolves once no more requests arrive, or when clients had the time to
       * notice.
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
