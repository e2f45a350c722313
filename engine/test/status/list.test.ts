// Tests token status lists in both forms: which statuses they give, and when they give none.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import type { StatusReference } from '../../src/examination.ts'
import type { StatusSource } from '../../src/expected.ts'
import { statusAt } from '../../src/status/list.ts'
import { Tagged } from '../mdoc/mint-mdoc.ts'
import { extension } from '../trust/mint-certificate.ts'
import { mintSigner } from '../trust/mint-pki.ts'
import {
  anchor,
  authority,
  type CwtPlan,
  establish,
  issuer,
  type JwtPlan,
  mintCwt,
  mintJwt,
  NOW,
  pack,
  type Situation,
  stranger,
  URI,
} from './mint-status.ts'

const index = 37

for (const [bits, count] of [
  [1, 2],
  [2, 4],
  [4, 16],
  [8, 16],
] as const) {
  for (let status = 0; status < count; status++) {
    const outcome = ['valid', 'revoked', 'suspended'][status] ?? 'invalid'
    test(`status ${status} in ${bits} bits is ${outcome}, in JWT and in CWT`, async () => {
      const packed = pack({ [index]: status, [index - 1]: count - 1, [index + 1]: count - 1 }, bits, 64)
      const compressed = deflateSync(packed)
      assert.equal(await inJwt({ list: { bits, lst: compressed.toString('base64url') } }), outcome)
      assert.equal(await inCwt({ claims: new Map([[65533, { bits, lst: compressed }]]) }), outcome)
    })
  }
}

test('reads statuses from the least significant bits on', () => {
  // Token Status List §4.1, the example of the specification.
  const bytes = Buffer.of(0xb9, 0xa3)
  const statuses = Array.from({ length: 16 }, (_, position) => statusAt(bytes, 1, position))
  assert.deepEqual(statuses, [1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1])
  assert.deepEqual(
    [0, 1, 2, 3].map((position) => statusAt(Buffer.of(0xc9), 2, position)),
    [1, 2, 0, 3],
  )
})

test('an index outside the list rejects the credential instead of an unknown status', async () => {
  assert.equal(await inJwt({}, { index: 127 }), 'valid')
  for (const outside of [128, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]) {
    assert.equal(await inJwt({}, { index: outside }), 'invalid')
    assert.equal(await inCwt({}, { index: outside }), 'invalid')
  }
  for (const wrong of [-1, 1.5, Number.NaN]) assert.equal(statusAt(Buffer.of(0), 1, wrong), null)
})

const bomb = deflateSync(Buffer.alloc(16 * 1024 * 1024 + 1))
const lists: [string, { bits: unknown; compressed: Uint8Array }][] = [
  ['of three bits', { bits: 3, compressed: deflateSync(pack({})) }],
  ['of zero bits', { bits: 0, compressed: deflateSync(pack({})) }],
  ['of bits that are text', { bits: '1', compressed: deflateSync(pack({})) }],
  ['that unpacks to more than 16 MiB', { bits: 1, compressed: bomb }],
  ['in raw deflate', { bits: 1, compressed: deflateRawSync(pack({})) }],
  ['in gzip', { bits: 1, compressed: gzipSync(pack({})) }],
  ['that is truncated', { bits: 1, compressed: deflateSync(pack({})).subarray(0, -3) }],
  ['with bytes after it', { bits: 1, compressed: Buffer.concat([deflateSync(pack({})), Buffer.alloc(1)]) }],
  ['that is empty', { bits: 1, compressed: Buffer.alloc(0) }],
]
for (const [title, { bits, compressed }] of lists) {
  test(`a list ${title} gives no status`, async () => {
    assert.equal(await inJwt({ list: { bits, lst: Buffer.from(compressed).toString('base64url') } }), 'unknown')
    assert.equal(await inCwt({ claims: new Map([[65533, { bits, lst: compressed }]]) }), 'unknown')
  })
}

test('accepts a list of 16 MiB', async () => {
  const lst = deflateSync(Buffer.alloc(16 * 1024 * 1024)).toString('base64url')
  assert.equal(await inJwt({ list: { lst } }, { index: 2 ** 27 - 1 }), 'valid')
})

const claims: [string, Record<string, unknown>][] = [
  ['of another address', { sub: `${URI}/` }],
  ['without a subject', { sub: undefined }],
  ['that has expired', { exp: NOW - 60 }],
  ['with an expiry that is text', { exp: String(NOW + 3600) }],
  ['issued in the future', { iat: NOW + 61 }],
  ['without a time of issue', { iat: undefined }],
  ['with a time of issue that is text', { iat: String(NOW) }],
  ['with a time to live of zero', { ttl: 0 }],
  ['with a negative time to live', { ttl: -5 }],
]
const LABELS: Readonly<Record<string, number>> = { sub: 2, exp: 4, iat: 6, ttl: 65534 }
for (const [title, change] of claims) {
  test(`a token ${title} gives no status`, async () => {
    assert.equal(await inJwt({ claims: change }), 'unknown')
    const labelled = Object.entries(change).map(([name, value]): [number, unknown] => [LABELS[name] ?? 0, value])
    assert.equal(await inCwt({ claims: new Map(labelled) }), 'unknown')
  })
}

test('a JWT may have no expiry, a CWT must have one', async () => {
  assert.equal(await inJwt({ claims: { exp: undefined, ttl: undefined } }), 'valid')
  assert.equal(await inCwt({ claims: new Map([[4, undefined]]) }), 'unknown')
})

const tokens: [string, JwtPlan][] = [
  ['of another type', { header: { typ: 'JWT' } }],
  ['without a type', { header: { typ: undefined } }],
  ['with the algorithm none', { header: { alg: 'none' } }],
  ['with another algorithm than its key', { header: { alg: 'ES384' } }],
  ['with critical headers', { header: { crit: ['exp'], exp: NOW } }],
  ['with a spoiled signature', { spoil: true }],
  ['signed by a stranger of the same name', { by: stranger }],
  ['with a chain of strangers and the signature of another', { by: stranger, header: { x5c: [base64(issuer.der)] } }],
  ['with an empty chain', { header: { x5c: [] } }],
  ['with a chain that is text', { header: { x5c: base64(issuer.der) } }],
  ['with a chain in base64url', { header: { x5c: [`${base64(issuer.der)}-`] } }],
  ['with the anchor in its chain', { header: { x5c: [base64(issuer.der), base64(authority.der)] } }],
  ['without a chain under HAIP', { header: { x5c: undefined } }],
  ['without a status list', { claims: { status_list: undefined } }],
  ['with a status list that is a list', { claims: { status_list: [] } }],
  ['with a list that is not base64url', { list: { lst: '!' } }],
  ['without a list', { list: { lst: undefined } }],
]
for (const [title, plan] of tokens) {
  test(`a JWT ${title} gives no status`, async () => assert.equal(await inJwt(plan), 'unknown'))
}

test('a JWT without a chain may be signed by the signer of the credential itself, except under HAIP', async () => {
  const situation = { trust: { haip: false } }
  assert.equal(await inJwt({ header: { x5c: undefined } }, situation), 'valid')
  assert.equal(await inJwt({ header: { x5c: undefined }, by: stranger }, situation), 'unknown')
  assert.equal(await inJwt({ header: { x5c: undefined }, by: mintSigner(authority) }, situation), 'unknown')
})

test('a signer under an anchor for the type may sign the list; a signer under an anchor for other types may not', async () => {
  const other = mintSigner(authority, { extensions: [extension.purposes(['2a030405'])] })
  assert.equal(await inJwt({ by: other }), 'valid')
  assert.equal(
    await inJwt({ by: other }, { trust: { anchors: [{ ...anchor, types: ['dc+sd-jwt:urn:other'] }] } }),
    'unknown',
  )
  assert.equal(await inJwt({}, { trust: { anchors: [] } }), 'unknown')
})

test('bytes that are not a token give no status', async () => {
  for (const bytes of ['', 'a.b.c', '{}', '\ufeffa.b.c']) {
    const [outcome] = await establish({ references: [jwtReference()], answer: Buffer.from(bytes), contentType: JWT })
    assert.equal(outcome?.outcome, 'unknown')
  }
})

const cwts: [string, CwtPlan][] = [
  ['of another type', { type: 'application/cwt' }],
  ['of the type of identifier lists', { type: 'application/identifierlist+cwt' }],
  ['without a type', { headers: new Map([[16, undefined]]) }],
  ['without its tag', { wrap: (parts) => parts }],
  ['under the CWT tag', { wrap: (parts) => new Tagged(61, new Tagged(18, parts)) }],
  ['that is a MAC', { wrap: (parts) => new Tagged(17, parts) }],
  ['with a detached payload', { wrap: ([a, b, , d]) => new Tagged(18, [a, b, null, d]) }],
  ['with another payload', { wrap: ([a, b, , d]) => new Tagged(18, [a, b, Buffer.of(0xa0), d]) }],
  ['signed by a stranger of the same name', { by: stranger }],
  ['with the certificate of another', { by: stranger, headers: new Map([[33, issuer.der]]) }],
  ['with a malformed chain', { headers: new Map<number, unknown>([[33, 'text']]) }],
  ['with an unknown algorithm', { headers: new Map([[1, -999]]) }],
  ['without a status list', { claims: new Map([[65533, undefined]]) }],
]
for (const [title, plan] of cwts) {
  test(`a CWT ${title} gives no status`, async () => assert.equal(await inCwt(plan), 'unknown'))
}

test('a CWT may have the short type, and no chain if the signer of the credential signed it', async () => {
  assert.equal(await inCwt({ type: 'statuslist+cwt' }), 'valid')
  assert.equal(await inCwt({ headers: new Map([[33, undefined]]) }), 'valid')
  assert.equal(await inCwt({ headers: new Map([[33, undefined]]), by: stranger }), 'unknown')
})

test('if the credential names a certificate, a list in CWT form must be signed with it', async () => {
  const certificate = stranger.der
  assert.equal(await inCwt({ by: stranger }, { certificate }), 'valid')
  assert.equal(await inCwt({}, { certificate }), 'unknown')
  assert.equal(await inCwt({}, { certificate: authority.der }), 'valid')
  assert.equal(await inCwt({}, { certificate: Buffer.of(1) }), 'unknown')
})

test('a list with another content type gives no status', async () => {
  for (const contentType of ['application/json', '', 'text/plain', 'application/statuslist+cwt', `${JWT}x`]) {
    assert.equal(await inJwt({}, { contentType }), 'unknown')
  }
  assert.equal(await inJwt({}, { contentType: `${JWT.toUpperCase()}; charset=utf-8` }), 'valid')
})

test('the status is unknown if the list cannot be fetched', async () => {
  const outcomes = await establish({
    references: [jwtReference()],
    answer: { outcome: 'unavailable', reason: 'timeout' },
  })
  assert.deepEqual(
    outcomes.map(({ outcome }) => outcome),
    ['unknown', 'none'],
  )
})

test('a credential without a status list has no status, and nothing is fetched', async () => {
  const requests: StatusSource[] = []
  const outcomes = await establish({ references: [], answer: mintJwt(), requests })
  assert.deepEqual(
    outcomes.map(({ check, outcome }) => [check, outcome]),
    [
      ['not_revoked', 'none'],
      ['signer_not_revoked', 'none'],
    ],
  )
  assert.deepEqual(requests, [])
})

test('nothing is fetched for a credential that failed, or from an address that is not valid', async () => {
  const requests: StatusSource[] = []
  const failure = { code: 'credential_invalid', message: 'spoiled' } as const
  const base = { answer: mintJwt(), contentType: JWT, requests }
  const outcomes = [
    await establish({ ...base, references: [jwtReference()], examination: { failure } }),
    await establish({ ...base, references: [jwtReference()], examination: { signer: null } }),
    await establish({ ...base, references: [jwtReference({ uri: 'file:///etc/passwd' })] }),
  ]
  assert.deepEqual(
    outcomes.map(([own]) => own?.outcome),
    ['unknown', 'unknown', 'unknown'],
  )
  assert.deepEqual(requests, [])
})

test('the worse status counts if a credential names two mechanisms', async () => {
  const revoked = deflateSync(pack({ [index]: 1 })).toString('base64url')
  const references = [jwtReference({ index: 1 }), jwtReference({ index })]
  for (const order of [references, references.toReversed()]) {
    const [own] = await establish({ references: order, answer: mintJwt({ list: { lst: revoked } }), contentType: JWT })
    assert.equal(own?.outcome, 'revoked')
  }
})

const JWT = 'application/statuslist+jwt'
const CWT = 'application/statuslist+cwt'

interface Change extends Partial<Situation> {
  readonly index?: number
  readonly certificate?: Uint8Array
}

function jwtReference(change: { uri?: string; index?: number } = {}): StatusReference {
  const source = { uri: change.uri ?? URI, kind: 'status_list_jwt', format: 'dc+sd-jwt' } as const
  return { kind: 'list', source, index: change.index ?? index, certificate: null }
}

async function inJwt(plan: JwtPlan, change: Change = {}): Promise<string | undefined> {
  const references = [jwtReference({ index: change.index ?? index })]
  const [own] = await establish({ references, answer: mintJwt(plan), contentType: JWT, ...change })
  return own?.outcome
}

async function inCwt(plan: CwtPlan, change: Change = {}): Promise<string | undefined> {
  const source = { uri: URI, kind: 'status_list_cwt', format: 'mso_mdoc' } as const
  const reference: StatusReference = {
    kind: 'list',
    source,
    index: change.index ?? index,
    certificate: change.certificate ?? null,
  }
  const [own] = await establish({ references: [reference], answer: mintCwt(plan), contentType: CWT, ...change })
  return own?.outcome
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}
