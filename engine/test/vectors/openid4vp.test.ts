// Tests the examples of OpenID4VP 1.0: its encrypted response and its queries.

import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { test } from 'node:test'
import { parseQuery } from '../../src/openid4vp/dcql.ts'
import { InvalidQuery } from '../../src/openid4vp/fields.ts'
import { decryptJwe } from '../../src/openid4vp/jwe.ts'
import { readResponse } from '../../src/openid4vp/response.ts'
import type { JsonObject } from '../../src/verdict.ts'
import { readVectorFolder, readVectors } from './vector-files.ts'

interface EncryptedResponse {
  readonly jwe: string
  readonly private_jwk: Record<'kty' | 'crv' | 'x' | 'y' | 'd' | 'kid', string>
  readonly payload: JsonObject
}

test('the encrypted response of section 8.3 is read', () => {
  const vector = readVectors('openid4vp-1.0/encrypted-response.json') as EncryptedResponse | null
  if (vector === null) return
  const { kid, ...jwk } = vector.private_jwk
  const key = { privateKey: createPrivateKey({ format: 'jwk', key: jwk }), kid }
  assert.deepEqual(JSON.parse(Buffer.from(decryptJwe(vector.jwe, key)).toString()), vector.payload)
  const response = readResponse(Buffer.from(`response=${vector.jwe}`), { encryption: key, state: null })
  assert.deepEqual(JSON.parse(JSON.stringify(response)), { kind: 'presentation', vpToken: vector.payload.vp_token })
  assert.throws(() => decryptJwe(vector.jwe, { ...key, kid: 'other' }))
})

for (const { name, vector } of readVectorFolder('openid4vp-1.0/examples/query_lang')) {
  test(`the query ${name} is valid and unchanged`, () => assert.deepEqual(parseQuery(vector), vector))
}

/** Queries for unsupported formats; each must be refused for that reason. */
for (const name of ['dcql_jwt_vc.json', 'dcql_ldp_vc.json']) {
  test(`the query ${name} is refused for its format`, () => {
    const vector = readVectors(`openid4vp-1.0/examples/request/${name}`)
    if (vector === null) return
    assert.throws(
      () => parseQuery(vector),
      (error) => error instanceof InvalidQuery && error.path === 'credentials[0].format',
    )
  })
}
