// Tests the test wallet against published vectors.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decoder } from 'cbor-x'
import fc from 'fast-check'
import { mdocTrial } from '../mutations/mdoc/mdoc-trial.ts'
import { sdJwtTrial } from '../mutations/sd-jwt/sd-jwt-trial.ts'
import { CLIENT_ID, createWorld, RESPONSE_URI, type Trial } from '../mutations/world.ts'
import type { CborValue } from '../src/encoding/cbor.ts'
import { dateTime, embedded, encodeCbor, fullDate, mapOf } from '../src/encoding/cbor.ts'
import { statusListJwt } from '../src/issuer.ts'
import { thumbprint } from '../src/keys.ts'
import { sessionTranscript } from '../src/mdoc.ts'
import { certificateBytes } from '../src/pki.ts'
import { packStatuses } from '../src/status-list.ts'
import { mdocObjections, verifySdJwt } from './oracle.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'DxiH5Q4Yx3UrukE2lWCErq8N8bqC9CHLLrAwLz5BmE0',
  y: 'XtLM4-3h5o3HUH0MHVJV0kyq0iBlrBwlh8qEDMZ4-Pc',
} as const

const HANDOVER = {
  clientId: 'x509_san_dns:example.com',
  nonce: 'exc7gBkxjx1rdc9udRrveKvSsJIq80avlXeLHhGwqtA',
  responseUri: 'https://example.com/response',
}

test('computes the transcript of OpenID4VP B.2.6.1', () => {
  assert.equal(hex(thumbprint(KEY)), '4283ec927ae0f208daaa2d026a814f2b22dca52cf85ffa8f3f8626c6bd669047')
  assert.equal(
    hex(sessionTranscript({ ...HANDOVER, thumbprint: thumbprint(KEY) })),
    '83f6f682714f70656e494434565048616e646f7665725820048bc053c00442af9b8eed494cefdd9d95240d254b046b11b68013722aad38ac',
  )
  assert.equal(
    hex(sessionTranscript({ ...HANDOVER, thumbprint: null })),
    '83f6f682714f70656e494434565048616e646f7665725820c672b54a2facfb3284965c5be838a8cd1f96f7de36ede3470b1d5de2c57d7719',
  )
})

test('a status list is packed like the example of the Token Status List draft', () => {
  const statuses = Object.fromEntries([1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1].entries())
  assert.equal(Buffer.from(packStatuses({ bits: 1, size: 16, statuses })).toString('base64url'), 'eNrbuRgAAhcBXQ')
})

test('cbor-x reads what the writer writes', () => {
  const scalar = fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 }), fc.string(), fc.boolean(), fc.constant(null))
  const value = fc.letrec<{ value: CborValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.array(tie('value')),
      fc.dictionary(fc.string(), tie('value')).map(mapOf),
    ),
  })).value
  // Reads maps as Map, because cbor-x changes the name __proto__ in objects.
  const decoder = new Decoder({ mapsAsObjects: false })
  fc.assert(
    fc.property(value, (input) => assert.deepEqual(decoder.decode(encodeCbor(input)), input)),
    { numRuns: 300 },
  )
})

test('writes tags and heads byte for byte', () => {
  assert.equal(hex(encodeCbor(embedded(new Map()))), 'd81841a0')
  assert.equal(hex(encodeCbor(dateTime(0))), 'c074313937302d30312d30315430303a30303a30305a')
  assert.equal(hex(encodeCbor(fullDate('1990-07-14'))), 'd903ec6a313939302d30372d3134')
  assert.equal(
    hex(encodeCbor([23, 24, 256, 65_536, 2 ** 32, -1, -25])),
    '871718181901001a000100001b0000000100000000203818',
  )
})

const world = createWorld()

function presentedIn(trial: Trial, id: string): string {
  return String((trial.vpToken as { [id: string]: string[] })[id]?.[0])
}

const questionOf = ({ expectations }: Trial) => ({ ...expectations, clientId: CLIENT_ID, responseUri: RESPONSE_URI })

test('the libraries accept the valid presentations that the mutations change', async () => {
  const [sdJwt, mdoc] = [sdJwtTrial(world), mdocTrial(world)]
  const keys = {
    issuer: world.issuer.sdJwt.signer.key,
    holder: world.holderKey,
    statusList: statusListJwt(world.issuer, world.now),
  }
  const payload = (await verifySdJwt(presentedIn(sdJwt, 'pid'), keys, questionOf(sdJwt))) as {
    readonly family_name: string
  }
  assert.equal(payload.family_name, 'Specimen')
  assert.deepEqual(
    await mdocObjections(presentedIn(mdoc, 'mdl'), certificateBytes(world.issuer.mdoc.authority), questionOf(mdoc)),
    [],
  )
})
