// Holds an answer against what describes it: the OpenAPI document the application itself serves, or the document of the
// dashboard's routes, which is published nowhere.

import assert from 'node:assert/strict'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import type { App } from '../../src/http/app.ts'
import { dashboardDocument } from '../../src/http/openapi/document.ts'
import type { OpenApiDocument } from '../../src/http/openapi/types.ts'
import type { Answer } from './answer.ts'

export type AnswerCheck = (method: string, path: string, answer: Answer) => void

export async function createAnswerCheck(app: App): Promise<AnswerCheck> {
  const documents: Record<string, OpenApiDocument> = {
    openapi: JSON.parse((await app.inject('/openapi.json')).payload),
    // As a reader would get it, like the other.
    dashboard: JSON.parse(JSON.stringify(dashboardDocument(app.knownRoutes))),
  }
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats.default(ajv)
  for (const [name, document] of Object.entries(documents)) ajv.addSchema(document, name)
  const patterns = Object.entries(documents).flatMap(([name, { paths }]) =>
    Object.entries(paths).map(([path, methods]) => ({
      name,
      path,
      methods,
      expression: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`),
    })),
  )
  return (method, url, answer) => {
    // An answer to HEAD has no body to hold against anything.
    if (method === 'HEAD') return
    assert.match(String(answer.headers['request-id']), /^req_[0-9A-Za-z]{20}$/)
    const [plain = ''] = url.split('?')
    const verb = method.toLowerCase()
    // Where an address fits two patterns, the one without a parameter is the framework's choice too.
    const known = patterns.filter(({ expression, methods }) => expression.test(plain) && methods[verb] !== undefined)
    const exact = known.find(({ path }) => path === plain) ?? known.sort(byFewerParameters)[0]
    const operation = exact?.methods[verb]
    if (exact === undefined || operation === undefined) {
      if (answer.status >= 400) assertEnvelope(answer)
      return
    }
    const response = operation.responses[String(answer.status)]
    // What is no request of any route is not listed with each; between the dashboard and us no refusal is.
    const isUnlisted = answer.status === 400 || exact.name === 'dashboard'
    if (response === undefined && answer.status >= 400 && isUnlisted) return assertEnvelope(answer)
    assert.ok(
      response !== undefined,
      `${method} ${exact.path} answered ${answer.status}, which its description lacks: ${answer.text}`,
    )
    const [type] = Object.keys(response.content ?? {})
    if (type !== 'application/json') return
    const pointer = ['paths', exact.path, verb, 'responses', String(answer.status), 'content', type, 'schema']
    const reference = `${exact.name}#/${pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`
    const validate = ajv.getSchema(reference) ?? ajv.compile({ $ref: reference })
    assert.ok(
      validate(answer.json),
      `${method} ${exact.path} ${answer.status}: ${ajv.errorsText(validate.errors)}\n${answer.text}`,
    )
  }
}

const byFewerParameters = (a: { path: string }, b: { path: string }) =>
  a.path.split('{').length - b.path.split('{').length

function assertEnvelope(answer: Answer): void {
  assert.equal(typeof answer.json?.error?.code, 'string', answer.text)
  assert.deepEqual(Object.keys(answer.json.error).sort(), ['code', 'message'])
}
