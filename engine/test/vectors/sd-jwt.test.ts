// Tests the examples of RFC 9901, SD-JWT VC and OpenID4VP, and the cases of sd-jwt-js: each gives the published claims.

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { SDJwtInstance } from '@sd-jwt/core'
import { Malformed } from '../../src/bytes.ts'
import { CheckLog } from '../../src/examination.ts'
import { discloseClaims } from '../../src/formats/sd-jwt/disclosures.ts'
import { checkKeyBinding } from '../../src/formats/sd-jwt/key-binding.ts'
import { parseSdJwt, type SdJwt } from '../../src/formats/sd-jwt/parse.ts'
import { readPublicJwk, verifyWithStated } from '../../src/jose.ts'
import { newBudget } from '../../src/limits.ts'
import type { JsonObject } from '../../src/verdict.ts'
import { expected, query } from '../sdjwt/mint-presentation.ts'
import { listVectors, readVectorFolder, readVectors } from './vector-files.ts'

interface Examples {
  readonly issuer_key: JsonObject
  readonly holder_key: JsonObject
  readonly kb_nonce: string
  readonly examples: readonly { readonly text_line: number; readonly kind: string; readonly sd_jwt: string }[]
}

const VERIFIER = 'https://verifier.example.org'

for (const folder of ['sd-jwt-rfc9901', 'sd-jwt-vc']) {
  const vectors = readVectors(`${folder}/examples.json`) as Examples | null
  for (const { text_line, kind, sd_jwt } of vectors?.examples ?? []) {
    test(`${folder}, line ${text_line}: ${kind}`, () => {
      const sdJwt = parseSdJwt(sd_jwt)
      assertIssued(sdJwt, vectors?.issuer_key)
      const { claims } = discloseClaims(sdJwt.issuerJwt.payload, sdJwt.disclosures)
      assert.doesNotMatch(JSON.stringify(claims), /"_sd|"\.\.\."/)
      assert.equal(sdJwt.keyBindingJwt !== null, kind === 'SD-JWT+KB')
      if (kind === 'SD-JWT+KB') assertBound(sdJwt, vectors?.kb_nonce)
      assertFragile(sdJwt)
    })
  }
}

function assertIssued(sdJwt: SdJwt, jwk: JsonObject | undefined): void {
  const { kty, crv, x, y } = jwk ?? {}
  const key = readPublicJwk({ kty: kty ?? '', crv: crv ?? '', x: x ?? '', y: y ?? '' })
  assert.ok(key !== null && verifyWithStated(key, sdJwt.issuerJwt))
}

function assertBound(sdJwt: SdJwt, nonce = ''): void {
  const issuedAt = Number(sdJwt.keyBindingJwt?.payload.iat)
  const clientId = String(sdJwt.keyBindingJwt?.payload.aud)
  const channel = { kind: 'redirect', clientId, responseUri: 'https://verifier.example/response' } as const
  const log = new CheckLog()
  const expectations = { ...expected, channel, requestedAt: issuedAt - 10, now: issuedAt + 10 }
  checkKeyBinding(sdJwt, { query, expected: { ...expectations, nonce }, budget: newBudget() }, log)
  assert.deepEqual(
    log.checks.map(({ status }) => status),
    ['pass', 'pass', 'pass', 'pass', 'pass'],
  )
  const replayed = new CheckLog()
  checkKeyBinding(sdJwt, { query, expected: { ...expectations, nonce: `${nonce}0` }, budget: newBudget() }, replayed)
  assert.notEqual(replayed.failure, null)
}

/** Asserts that no disclosure can be repeated or changed. */
function assertFragile({ issuerJwt: { payload }, disclosures }: SdJwt): void {
  for (const [i, disclosure] of disclosures.entries()) {
    const changed = Buffer.from(Buffer.from(disclosure, 'base64url').toString().replace(/.$/, ' ]')).toString(
      'base64url',
    )
    assert.throws(() => discloseClaims(payload, [...disclosures, disclosure]))
    assert.throws(() => discloseClaims(payload, disclosures.with(i, changed)))
  }
}

test('verifies the example of OpenID4VP for a presentation with key binding', () => {
  const contents = readVectors('openid4vp-1.0/examples/sd_jwt_vcld/01/verified_contents.json')
  const rfc = readVectors('sd-jwt-rfc9901/examples.json') as Examples | null
  if (contents === null || rfc === null) return
  const file = new URL(
    '../../../../shared/vectors/openid4vp-1.0/examples/sd_jwt_vcld/01/sd_jwt_presentation.txt',
    import.meta.url,
  )
  const sdJwt = parseSdJwt(readFileSync(file, 'utf8').replaceAll(/\s/g, ''))
  // This example uses the keys of the examples of RFC 9901.
  assertIssued(sdJwt, rfc.issuer_key)
  assertBound(sdJwt, rfc.kb_nonce)
  assert.equal(sdJwt.keyBindingJwt?.payload.aud, VERIFIER)
  const claims = JSON.parse(JSON.stringify(discloseClaims(sdJwt.issuerJwt.payload, sdJwt.disclosures).claims))
  assert.deepEqual(claims, contents)
})

interface TestCase {
  readonly claims: Record<string, unknown>
  readonly disclosureFrame: Parameters<typeof library.issue>[1]
  readonly presentationFrames: Record<string, boolean>
  readonly presentedClaims: Record<string, unknown>
}

const CASES = 'sd-jwt-testcases/packages/core/test'
/** RFC 9901 §7.1 keeps an object without disclosed members as an empty object; this case drops it. */
const OTHER_RESULT = 'array_none_disclosed.json'
/** Files that no test here reads, with the reason. */
const NOT_READ: Readonly<Record<string, RegExp>> = {
  'text of a licence': /\/LICENSE$/,
  'input of a generator, whose results are the examples of RFC 9901': /\/sd-jwt-python\/.+\.yml$/,
}

const library = new SDJwtInstance({
  signer: () => 'AAAA',
  signAlg: 'ES256',
  hasher: (text, alg) =>
    createHash(alg.replace('-', ''))
      .update(typeof text === 'string' ? text : Buffer.from(text))
      .digest(),
  hashAlg: 'sha-256',
  saltGenerator: () => randomBytes(16).toString('base64url'),
})

for (const { name, vector } of readVectorFolder(CASES)) {
  test(`sd-jwt-js ${name}`, async () => {
    const { claims, disclosureFrame, presentationFrames, presentedClaims } = vector as TestCase
    const issued = await library.issue(claims, disclosureFrame)
    const sdJwt = parseSdJwt(await library.present(issued, presentationFrames))
    const disclosed = JSON.parse(JSON.stringify(discloseClaims(sdJwt.issuerJwt.payload, sdJwt.disclosures).claims))
    if (name === OTHER_RESULT) assert.notDeepEqual(presentedClaims, { is_over: {} }, 'the exception is not needed')
    assert.deepEqual(disclosed, name === OTHER_RESULT ? { is_over: {} } : presentedClaims)
  })
}

test('refuses the flattened and the general JSON serialization of a presentation: HAIP §6.1 requires the compact one', () => {
  const { examples = [] } = (readVectors('sd-jwt-rfc9901/examples.json') as Examples | null) ?? {}
  for (const { sd_jwt } of examples) {
    const [jwt = '', ...disclosures] = parseSdJwt(sd_jwt).covered.split('~').slice(0, -1)
    const [encoded, payload, signature] = jwt.split('.')
    const signed = { protected: encoded, signature, header: { disclosures } }
    for (const serialized of [
      { payload, ...signed },
      { payload, signatures: [signed] },
    ])
      for (const end of ['', '~']) assert.throws(() => parseSdJwt(JSON.stringify(serialized) + end), Malformed)
  }
})

test('every published file is read by a test above, or listed here with a reason', () => {
  const read = ['sd-jwt-rfc9901/examples.json', 'sd-jwt-vc/examples.json']
  for (const { name } of readVectorFolder(CASES)) read.push(`${CASES}/${name}`)
  const files = ['sd-jwt-rfc9901', 'sd-jwt-vc', 'sd-jwt-testcases'].flatMap((folder) => listVectors(folder))
  const left = files.filter((file) => !read.includes(file))
  const patterns = Object.values(NOT_READ)
  assert.deepEqual(
    left.filter((file) => !patterns.some((pattern) => pattern.test(file))),
    [],
  )
  if (files.length > 0)
    for (const pattern of patterns)
      assert.ok(
        left.some((file) => pattern.test(file)),
        `${pattern}`,
      )
})
