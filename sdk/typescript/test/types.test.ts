import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { it } from 'node:test'
import { testService } from '../../../service/test/harness/service.ts'
import { TYPES_FILE } from '../../../tools/generate-sdk-types.ts'
import { renderTypes } from '../../../tools/sdk-types/render-types.ts'

it('the types are those of the service, and written anew after a change of its routes', async () => {
  const service = await testService()
  const document = (await service.call('GET', '/openapi.json')).json
  assert.equal(
    renderTypes(document),
    await readFile(TYPES_FILE, 'utf8'),
    'run "node tools/generate-sdk-types.ts" and commit what it writes',
  )
})

it('a schema of a kind the generator does not know stops it', () => {
  const operation = (schema: object) => ({
    operationId: 'x',
    parameters: [],
    responses: { 200: { description: '', content: { 'application/json': { schema } } } },
  })
  const document = (schema: object) => ({ paths: { '/v1/x': { get: operation(schema) } }, components: { schemas: {} } })
  assert.match(renderTypes(document({ type: 'integer' })), /answer: number/)
  assert.throws(() => renderTypes(document({ type: 'date' })), /type date is new here/)
  assert.throws(() => renderTypes(document({ $ref: '#/components/schemas/Absent' })), /no schema Absent/)
})
