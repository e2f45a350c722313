// Generates the OpenAPI documents from the schemas that the server validates with.

import { refusals } from '../../../core/http/envelope-schema.ts'
import { INTERNAL_ERROR, PROBLEMS } from '../../../platform/http/problems.ts'
import type { KnownRoute } from '../../../platform/http/route-table.ts'
import { ANSWER_EXAMPLES, EXAMPLES_OF_OPERATIONS, REQUEST_EXAMPLES } from './examples.ts'
import { headersOf } from './headers.ts'
import { LINKS } from './links.ts'
import { lift } from './shape.ts'
import type { OpenApiDocument, OpenApiOperation } from './types.ts'
import { webhooksOf } from './webhooks.ts'

/** The version of spec 9. */
const API_VERSION = '0.1.0'

export function openApiDocument(routes: readonly KnownRoute[], baseUrl: string): OpenApiDocument {
  const info = {
    title: 'Vidimus',
    description: 'Request verified claims from a digital identity wallet and receive the result.',
  }
  const document = documentOf(
    routes.filter(({ schema }) => schema.hide !== true),
    { info, baseUrl },
  )
  const schemas = { ...document.components.schemas }
  const webhooks = webhooksOf(schemas)
  return { ...document, tags: TAGS, webhooks, components: { ...document.components, schemas } }
}

const TAGS = [
  { name: 'Verifications', description: 'Create, read and erase verifications' },
  { name: 'Links', description: 'Addresses that create a verification when a person opens them' },
  { name: 'Devices', description: 'Tills and other devices of a merchant' },
  { name: 'Templates', description: 'Questions that can be asked by their key' },
  { name: 'Usage', description: 'Created verifications per day, and the quota' },
  { name: 'Universal OID4VP', description: 'Verifications through the Universal OID4VP API 0.1.0' },
  { name: 'Wallet', description: 'Calls of wallets and browsers; merchants do not need them' },
  { name: 'OpenID provider', description: 'Sign in with a wallet: OpenID Connect' },
  { name: 'Log', description: 'The public log of receipts, and its keys' },
  { name: 'Webhooks', description: 'What is posted to your address' },
]

/** Returns the dashboard's API, for the generated types and the tests. It is not published. */
export function dashboardDocument(routes: readonly KnownRoute[]): OpenApiDocument {
  const info = { title: 'Vidimus dashboard', description: 'The routes of the dashboard.' }
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
      : {
          requestBody: {
            required: true,
            content: contentOf(consumes, lift(schema.body, schemas), REQUEST_EXAMPLES[schema.operationId ?? '']),
          },
        }),
    responses: responsesOf(route, schemas),
  }
}

/** Notes on a response schema, in addition to its shape. */
interface AnswerNotes {
  readonly $id?: string
  readonly description?: string
  readonly produces?: readonly string[]
  /** The headers of this response, by name. */
  readonly sends?: Readonly<Record<string, object>>
}

function responsesOf({ schema, access }: KnownRoute, schemas: Record<string, object>): OpenApiOperation['responses'] {
  const { operationId = '', response = {} } = schema
  const all = { ...(schema.body === undefined ? {} : OF_BODIES), ...response }
  return Object.fromEntries(
    Object.entries(all).map(([status, answer]) => {
      const { description, produces, sends, $id } = answer as AnswerNotes
      const isSuccess = status.startsWith('2')
      const own = isSuccess ? EXAMPLES_OF_OPERATIONS[operationId] : errorExample(description)
      const example = own ?? ANSWER_EXAMPLES[$id ?? '']
      return [
        status,
        {
          description: description ?? 'Success',
          content: contentOf(produces ?? ['application/json'], lift(answer, schemas), example),
          headers: { ...headersOf(status, access.kind === 'key'), ...sends },
          ...(isSuccess && LINKS[operationId] !== undefined ? { links: LINKS[operationId] } : {}),
        },
      ]
    }),
  )
}

/** The refusals of every route with a body. */
const OF_BODIES = Object.fromEntries(
  Object.entries(refusals('payload_too_large', 'unsupported_media_type')).filter(([status]) =>
    ['413', '415'].includes(status),
  ),
)

/** Returns the example for the first error code in the description. */
function errorExample(description: string | undefined): object | undefined {
  const [, code = ''] = /^`([a-z_]+)`/.exec(description ?? '') ?? []
  const known: Readonly<Record<string, { readonly message: string }>> = {
    ...PROBLEMS,
    [INTERNAL_ERROR.code]: INTERNAL_ERROR,
  }
  const message = known[code]?.message
  return message === undefined ? undefined : { error: { code, message } }
}

function contentOf(types: readonly string[], schema: object, example?: unknown): Record<string, object> {
  return Object.fromEntries(types.map((type) => [type, { schema, ...(example === undefined ? {} : { example }) }]))
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
    schema: lift(property, {}),
    ...('description' in property ? { description: property.description } : {}),
  }))
}
