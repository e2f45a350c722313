// Builds the schema of a dashboard route from the table of bodies and the route's path.

import { Type } from 'typebox'
import { type AnswerSchema, DASHBOARD, type DashboardRoute } from '../../../../../wire/dashboard.ts'
import { Line } from '../../../../../wire/parts.ts'

const Id = Line(200)
export const RealmParams = Type.Object({ tenant: Id, environment: Id })
const RealmAndId = Type.Object({ tenant: Id, environment: Id, id: Id })
const RealmAndKey = Type.Object({ tenant: Id, environment: Id, key: Id })

type ParamsOf<R> = R extends `${string}:key${string}`
  ? { readonly params: typeof RealmAndKey }
  : R extends `${string}:id${string}`
    ? { readonly params: typeof RealmAndId }
    : R extends `${string}@${string}`
      ? { readonly params: typeof RealmParams }
      : unknown
type RequestOf<R extends DashboardRoute> = (typeof DASHBOARD)[R] extends { readonly body: infer B }
  ? { readonly body: B }
  : unknown
type ResponseOf<R extends DashboardRoute> = (typeof DASHBOARD)[R] extends { readonly created: unknown }
  ? { readonly response: { readonly 201: AnswerSchema<R> } }
  : { readonly response: { readonly 200: AnswerSchema<R> } }
type RouteSchema<R extends DashboardRoute> = { readonly hide: true } & ParamsOf<R> & RequestOf<R> & ResponseOf<R>

export function schemaOf<R extends DashboardRoute>(route: R): RouteSchema<R> {
  const bodies = DASHBOARD[route]
  const schema = {
    hide: true,
    ...paramsOf(route),
    ...('body' in bodies ? { body: bodies.body } : {}),
    response: 'created' in bodies ? { 201: bodies.created } : { 200: bodies.answer },
  }
  // The compiler cannot narrow the schema by the route's name.
  return schema as unknown as RouteSchema<R>
}

function paramsOf(route: string): object {
  if (route.includes(':key')) return { params: RealmAndKey }
  if (route.includes(':id')) return { params: RealmAndId }
  return route.includes('@') ? { params: RealmParams } : {}
}
