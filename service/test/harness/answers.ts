// Holds an answer against the OpenAPI document the application itself serves.

import assert from 'node:assert/strict'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import type { App } from '../../src/http/app.ts'
import type { OpenApiDocument } from '../../src/http/openapi/types.ts'
import type { Answer } from './answer.ts'

export type AnswerCheck = (method: string, path: string, answer: Answer) => void

export async function createAnswerCheck(app: App): Promise<AnswerCheck> {
  const document: OpenApiDocument = JSON.parse((await app.inject('/openapi.json')).payload)
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  const patterns = Object.keys(document.paths).map((path) => ({
    path,
    expression: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`),
  }))
  return (method, url, answer) => {
    // An answer to HEAD has no body to hold against anything.
    if (method === 'HEAD') return
    assert.match(String(answer.headers['request-id']), /^req_[0-9A-Za-z]{20}$/)
    const [plain = ''] = url.split('?')
    const exact =
      patterns.find(({ path }) => path === plain) ?? patterns.find(({ expression }) => expression.test(plain))
    const operation = exact === undefined ? undefined : document.paths[exact.path]?.[method.toLowerCase()]
    if (exact === undefined || operation === undefined) {
      if (answer.status >= 400) assertEnvelope(answer)
      return
    }
    const response = operation.responses[String(answer.status)]
    // What the framework refuses for every route is not listed with each.
    if (response === undefined && [400, 413, 415].includes(answer.status)) return assertEnvelope(answer)
    assert.ok(
      response !== undefined,
      `${method} ${exact.path} answered ${answer.status}, which its description lacks: ${answer.text}`,
    )
    const [type] = Object.keys(response.content ?? {})
    if (type !== 'application/json') return
    const pointer = [
      'paths',
      exact.path,
      method.toLowerCase(),
      'responses',
      String(answer.status),
      'content',
      type,
      'schema',
    ]
    const reference = `openapi#/${pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`
    const validate = ajv.getSchema(reference) ?? ajv.compile({ $ref: reference })
    assert.ok(
      validate(answer.json),
      `${method} ${exact.path} ${answer.status}: ${ajv.errorsText(validate.errors)}\n${answer.text}`,
    )
  }
}

function assertEnvelope(answer: Answer): void {
  assert.equal(typeof answer.json?.error?.code, 'string', answer.text)
  assert.deepEqual(Object.keys(answer.json.error).sort(), ['code', 'message'])
}
