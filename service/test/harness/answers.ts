// Compares an answer with the OpenAPI document of its routes, public or of the dashboard.

import assert from 'node:assert/strict'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { dashboardDocument, openApiDocument } from '../../src/features/docs/openapi/document.ts'
import type { OpenApiDocument } from '../../src/features/docs/openapi/types.ts'
import type { App } from '../../src/platform/http/app.ts'
import type { Answer } from './answer.ts'

export type AnswerCheck = (method: string, path: string, answer: Answer) => void

/** A test file uses few routes, often of one kind, so each document is read at its first use. */
export function createAnswerCheck(app: App): AnswerCheck {
  const described = new Map<string, Described>()
  return (method, url, answer) => {
    // An answer to HEAD has no body to compare.
    if (method === 'HEAD') return
    assert.match(String(answer.headers['request-id']), /^req_[0-9A-Za-z]{20}$/)
    const [plain = ''] = url.split('?')
    const verb = method.toLowerCase()
    const name = plain.startsWith(DASHBOARD) ? 'dashboard' : 'openapi'
    const read = described.get(name) ?? readDescription(app, name)
    described.set(name, read)
    const { ajv, description } = read
    // If an address matches two patterns, the framework also chooses the one without a parameter.
    const fitting = description.filter(
      ({ expression, methods }) => expression.test(plain) && methods[verb] !== undefined,
    )
    const exact = fitting.find(({ path }) => path === plain) ?? fitting.sort(byFewerParameters)[0]
    const operation = exact?.methods[verb]
    if (exact === undefined || operation === undefined) {
      if (answer.status >= 400) assertEnvelope(answer)
      return
    }
    const response = operation.responses[String(answer.status)]
    // A refusal that no route causes is not listed with each route; in the dashboard none is.
    const isUnlisted = answer.status === 400 || name === 'dashboard'
    if (response === undefined && answer.status >= 400 && isUnlisted) return assertEnvelope(answer)
    assert.ok(
      response !== undefined,
      `${method} ${exact.path} answered ${answer.status}, which its description lacks: ${answer.text}`,
    )
    const [type] = Object.keys(response.content ?? {})
    if (type !== 'application/json') return
    const pointer = ['paths', exact.path, verb, 'responses', String(answer.status), 'content', type, 'schema']
    const reference = `${name}#/${pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`
    const validate = ajv.getSchema(reference) ?? ajv.compile({ $ref: reference })
    assert.ok(
      validate(answer.json),
      `${method} ${exact.path} ${answer.status}: ${ajv.errorsText(validate.errors)}\n${answer.text}`,
    )
  }
}

interface Described {
  readonly ajv: Ajv
  readonly description: readonly {
    readonly path: string
    readonly methods: OpenApiDocument['paths'][string]
    readonly expression: RegExp
  }[]
}

/** The document of the dashboard describes everything below this path, and nothing else. */
const DASHBOARD = '/dashboard/'

/** Documents by their set of routes. Most services of a process have the same set, so it is compiled once. */
const known = new Map<string, Described>()

function readDescription(app: App, name: 'openapi' | 'dashboard'): Described {
  const routes = name + JSON.stringify(app.knownRoutes)
  const described = known.get(routes) ?? describe(name, app)
  known.set(routes, described)
  return described
}

function describe(name: 'openapi' | 'dashboard', app: App): Described {
  // Checks only answers, because the documents have their own tests.
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false })
  addFormats.default(ajv)
  const described = name === 'openapi' ? openApiDocument(app.knownRoutes, '/') : dashboardDocument(app.knownRoutes)
  // The document as readers get it.
  const document: OpenApiDocument = JSON.parse(JSON.stringify(described))
  ajv.addSchema(document, name)
  const description = Object.entries(document.paths).map(([path, methods]) => {
    assert.equal(path.startsWith(DASHBOARD), name === 'dashboard', path)
    return { path, methods, expression: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`) }
  })
  return { ajv, description }
}

const byFewerParameters = (a: { path: string }, b: { path: string }) =>
  a.path.split('{').length - b.path.split('{').length

function assertEnvelope(answer: Answer): void {
  assert.equal(typeof answer.json?.error?.code, 'string', answer.text)
  assert.deepEqual(Object.keys(answer.json.error).sort(), ['code', 'message'])
}
