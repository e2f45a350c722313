// Tests the OpenAPI document: enums, valid examples, refusals, retry headers and webhooks.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { EVENT_TYPES } from '../../src/features/webhooks/domain/event.ts'
import { createAnswerCheck } from '../harness/answers.ts'
import { testService } from '../harness/service.ts'

const service = await testService()
const document = (await service.call('GET', '/openapi.json')).json
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(document, 'openapi')

interface Media {
  readonly schema: object
  readonly example?: unknown
}
interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly requestBody?: { readonly content: Record<string, Media> }
  readonly responses: Record<
    string,
    { readonly content: Record<string, Media>; readonly headers: object; readonly links?: object }
  >
}
const operations: [string, Operation][] = Object.entries(
  document.paths as Record<string, Record<string, Operation>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, one]): [string, Operation] => [`${method} ${path}`, one]),
)

function requireExample(name: string, { schema, example }: Media): void {
  assert.notEqual(example, undefined, `${name} has no example`)
  const rooted = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components'))
  const validate = ajv.compile(rooted)
  assert.ok(validate(example), `${name}: ${ajv.errorsText(validate.errors)}`)
}

test('every body has a valid example', () => {
  for (const [name, { requestBody, responses }] of operations) {
    for (const media of Object.values(requestBody?.content ?? {})) requireExample(name, media)
    for (const [status, { content }] of Object.entries(responses))
      if (status !== '204') for (const media of Object.values(content)) requireExample(`${name} ${status}`, media)
  }
  assert.deepEqual(Object.keys(document.webhooks), EVENT_TYPES)
  for (const [name, { post }] of Object.entries(document.webhooks as Record<string, { post: Operation }>))
    for (const media of Object.values(post.requestBody?.content ?? {})) requireExample(name, media)
})

test('choices are enums: no schema is a union of constants', () => {
  assert.doesNotMatch(JSON.stringify(document), /"anyOf":\[\{[^[\]]*"const":/)
  assert.deepEqual(document.components.schemas.VerificationState.enum, ['pending', 'completed', 'failed', 'expired'])
})

test('every route lists its refusals of bodies and the headers for retries', () => {
  for (const [name, { requestBody, responses }] of operations) {
    if (requestBody !== undefined)
      for (const status of ['413', '415']) assert.ok(responses[status], `${name} ${status}`)
    for (const status of ['429', '503'])
      if (responses[status] !== undefined) assert.ok('Retry-After' in responses[status].headers, `${name} ${status}`)
  }
  const { responses } = document.paths['/v1/verifications'].post
  for (const header of ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Idempotent-Replayed'])
    assert.ok(header in responses['201'].headers, header)
})

test('schema and service require exactly one of template and query', async () => {
  const key = await service.key(await service.tenant())
  const { schema } = document.paths['/v1/verifications'].post.requestBody.content['application/json']
  const validate = ajv.compile(schema)
  const query = {
    credentials: [
      { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['x'] }] },
    ],
  }
  for (const [body, isValid] of [
    [{ template: 'age_over_18' }, true],
    [{ query }, true],
    [{}, false],
    [{ template: 'age_over_18', query }, false],
  ] as const) {
    assert.equal(validate(body), isValid)
    assert.equal((await service.call('POST', '/v1/verifications', { key, body })).status, isValid ? 201 : 400)
  }
})

test('tags are described, operations are named once, and links lead to operations', () => {
  const tags = document.tags.map(({ name }: { name: string }) => name)
  const names = operations.map(([, { operationId }]) => operationId)
  assert.equal(new Set(names).size, operations.length)
  for (const [name, { tags: own, responses }] of operations) {
    for (const tag of own) assert.ok(tags.includes(tag), `${name}: ${tag}`)
    for (const { links = {} } of Object.values(responses))
      for (const target of Object.keys(links)) assert.ok(names.includes(target), `${name}: ${target}`)
  }
})

test('an address lists only its own methods', async () => {
  const answer = await service.call('PUT', '/v1/devices/enroll')
  assert.deepEqual([answer.status, answer.headers.allow], [405, 'POST'])
})

test('every answer in tests is compared with the document: an undeclared refusal of a body fails', async () => {
  const check = await createAnswerCheck(service.app)
  const json = { error: { code: 'payload_too_large', message: 'Too large.' } }
  const answerOf = (status: number) => ({
    status,
    headers: { 'request-id': `req_${'a'.repeat(20)}` },
    text: JSON.stringify(json),
    json,
  })
  for (const status of [413, 415]) {
    check('POST', '/v1/verifications', answerOf(status))
    assert.throws(() => check('GET', '/v1/verifications', answerOf(status)), /which its description lacks/)
  }
})
