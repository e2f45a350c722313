// Machine-readable descriptions, made from the very schemas the server validates with.

import type { KnownRoute } from '../route-table.ts'
import type { OpenApiDocument, OpenApiOperation } from './types.ts'

/** Spec 9. */
const API_VERSION = '0.1.0'

export function openApiDocument(routes: readonly KnownRoute[], baseUrl: string): OpenApiDocument {
  const info = {
    title: 'Vidimus',
    description: 'Request verified claims from a digital identity wallet and receive the result.',
  }
  return documentOf(
    routes.filter(({ schema }) => schema.hide !== true),
    { info, baseUrl },
  )
}

/** Between the service and its own pages: for the generated types and the tests, published nowhere. */
export function dashboardDocument(routes: readonly KnownRoute[]): OpenApiDocument {
  const info = { title: 'Vidimus dashboard', description: 'What the dashboard is answered.' }
  return documentOf(
    routes.filter(({ access }) => access.kind === 'dashboard' && access.permission !== null),
    { info, baseUrl: '/' },
  )
}

function documentOf(
  routes: readonly KnownRoute[],
  {
    info,
    baseUrl,
  }: { readonly info: { readonly title: string; readonly description: string }; readonly baseUrl: string },
): OpenApiDocument {
  const schemas: Record<string, object> = {}
  const paths: Record<string, Record<string, OpenApiOperation>> = {}
  for (const route of routes) {
    const path = route.url.replace(/:([A-Za-z_]+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: { ...info, version: API_VERSION },
    servers: [{ url: baseUrl }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key or a device access token' },
      },
    },
  }
}

function operationOf(route: KnownRoute, schemas: Record<string, object>): OpenApiOperation {
  const { schema, access } = route
  const consumes = schema.consumes ?? ['application/json']
  return {
    ...(schema.operationId === undefined ? {} : { operationId: schema.operationId }),
    ...(schema.summary === undefined ? {} : { summary: schema.summary }),
    description: [schema.description, access.kind === 'key' ? `Scope: \`${access.scope}\`.` : undefined]
      .filter(Boolean)
      .join('\n\n'),
    ...(schema.tags === undefined ? {} : { tags: schema.tags }),
    security: access.kind === 'key' ? [{ bearer: [] }] : [],
    parameters: [
      ...parametersOf('path', schema.params),
      ...parametersOf('query', schema.querystring),
      ...parametersOf('header', schema.headers),
    ],
    ...(schema.body === undefined
      ? {}
      : { requestBody: { required: true, content: contentOf(consumes, lift(schema.body, schemas)) } }),
    responses: responsesOf(schema.response ?? {}, schemas),
  }
}

/** What a schema of an answer says beside its shape. */
interface AnswerNotes {
  readonly description?: string
  readonly produces?: readonly string[]
  /** Headers of this answer, by name. */
  readonly sends?: Readonly<Record<string, object>>
}

function responsesOf(
  response: Readonly<Record<string, object>>,
  schemas: Record<string, object>,
): OpenApiOperation['responses'] {
  return Object.fromEntries(
    Object.entries(response).map(([status, schema]) => {
      const { description, produces, sends } = schema as AnswerNotes
      const headers = {
        'Request-Id': { schema: { type: 'string' }, description: 'Names this exchange in logs' },
        ...sends,
      }
      return [
        status,
        {
          description: description ?? 'Success',
          content: contentOf(produces ?? ['application/json'], lift(schema, schemas)),
          headers,
        },
      ]
    }),
  )
}

function contentOf(types: readonly string[], schema: object): Record<string, object> {
  return Object.fromEntries(types.map((type) => [type, { schema }]))
}

function parametersOf(location: string, schema: object | undefined): object[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, object>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    schema: property,
    ...('description' in property ? { description: property.description } : {}),
  }))
}

/** Schemas that have a name are written once, under components, and referred to. */
function lift(schema: unknown, schemas: Record<string, object>): object {
  const { $id, ...rest } = schema as { $id?: string } & Record<string, unknown>
  const body: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(rest)) {
    if (name !== 'produces' && name !== 'sends') body[name] = liftWithin(value, schemas)
  }
  if ($id === undefined) return body
  schemas[$id] ??= body
  return { $ref: `#/components/schemas/${$id}` }
}

function liftWithin(value: unknown, schemas: Record<string, object>): unknown {
  if (Array.isArray(value)) return value.map((item) => liftWithin(item, schemas))
  return typeof value === 'object' && value !== null ? lift(value, schemas) : value
}
