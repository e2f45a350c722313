// Tests that a disclosure counts only where the issuer signed its digest, and only once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Malformed } from '../../src/bytes.ts'
import { discloseClaims } from '../../src/formats/sd-jwt/disclosures.ts'
import { parseJsonObject } from '../../src/json.ts'
import {
  digest,
  disclosure,
  elementDisclosure,
  encode,
  examine,
  failedChecks,
  type Members,
  mintPresentation,
} from './mint-presentation.ts'

function disclosed(payload: Members, ...disclosures: readonly string[]): unknown {
  const { claims } = discloseClaims(parseJsonObject(JSON.stringify(payload)), disclosures)
  return JSON.parse(JSON.stringify(claims))
}

const name = disclosure('given_name', 'Erika')
const other = disclosure('family_name', 'Exemplar')

test('puts claims in their places, at every depth, and removes all digests', () => {
  const street = disclosure('street_address', 'Musterweg 1')
  const address = disclosure('address', { _sd: [digest(street), 'decoy-1'], country: 'UT' })
  const nationality = elementDisclosure('UT')
  const payload = {
    _sd_alg: 'sha-256',
    _sd: ['decoy-2', digest(address), digest(name)],
    plain: [1, { '...': digest(nationality) }, { '...': 'decoy-3' }, [{ '...': 'decoy-4' }], { a: null }],
  }
  assert.deepEqual(disclosed(payload, nationality, street, name, address), {
    plain: [1, 'UT', [], { a: null }],
    address: { country: 'UT', street_address: 'Musterweg 1' },
    given_name: 'Erika',
  })
})

test('a withheld claim leaves no trace in the claims', () => {
  assert.deepEqual(disclosed({ _sd: [digest(name)], list: [{ '...': digest(other) }], empty: { _sd: [] } }), {
    list: [],
    empty: {},
  })
})

test('a decoy inside a claim that must not be selectively disclosable does no harm', () => {
  assert.deepEqual(disclosed({ cnf: { _sd: ['decoy-1'], list: [{ '...': 'decoy-2' }] } }), { cnf: { list: [] } })
})

test('null, false and empty values are disclosed as they are', () => {
  const values = { a: null, b: false, c: 0, d: '', e: [], f: {} }
  const all = Object.entries(values).map(([key, value]) => disclosure(key, value))
  assert.deepEqual(disclosed({ _sd: all.map(digest) }, ...all), values)
  const element = elementDisclosure(null)
  assert.deepEqual(disclosed({ list: [{ '...': digest(element) }] }, element), { list: [null] })
})

test('hashes with the algorithm that the issuer named, if it is accepted', async () => {
  const { createHash } = await import('node:crypto')
  for (const [alg, hash] of [
    ['sha-384', 'sha384'],
    ['sha-512', 'sha512'],
    ['sha3-256', 'sha3-256'],
    ['sha3-384', 'sha3-384'],
    ['sha3-512', 'sha3-512'],
  ] as const) {
    const digestBy = createHash(hash).update(name).digest('base64url')
    assert.deepEqual(disclosed({ _sd_alg: alg, _sd: [digestBy] }, name), { given_name: 'Erika' })
  }
  for (const alg of [
    'md5',
    'sha-1',
    'sha-256-32',
    'SHA-256',
    'sha256',
    '',
    null,
    256,
    ['sha-256'],
    'constructor',
    'sha3-224',
    'shake128',
  ]) {
    assert.throws(() => disclosed({ _sd_alg: alg, _sd: [digest(name)] }, name), Malformed, String(alg))
  }
})

test('the digest is over the received text, not over its decoded value', () => {
  const spaced = Buffer.from('["salt-given_name", "given_name", "Erika"]').toString('base64url')
  assert.notEqual(spaced, name)
  assert.deepEqual(disclosed({ _sd: [digest(spaced)] }, spaced), { given_name: 'Erika' })
  assert.throws(() => disclosed({ _sd: [digest(name)] }, spaced), Malformed)
})

const bytes = (...values: number[]): string => Buffer.from(values).toString('base64url')
const child = disclosure('child', 1)
const parent = disclosure('parent', { _sd: [digest(child)] })

const REFUSED: Readonly<Record<string, readonly [Members, ...string[]]>> = {
  'a changed value': [{ _sd: [digest(name)] }, disclosure('given_name', 'Erik')],
  'an unreferenced disclosure': [{ _sd: [digest(name)] }, name, other],
  'a repeated disclosure': [{ _sd: [digest(name)] }, name, name],
  'a digest twice in one object': [{ _sd: [digest(name), digest(name)] }, name],
  'a decoy twice': [{ _sd: ['decoy', 'decoy'] }],
  'a digest at two levels': [{ _sd: [digest(name)], a: { _sd: [digest(name)] } }, name],
  'a digest in an object and an array': [{ _sd: [digest(name)], a: [{ '...': digest(name) }] }, name],
  'a digest repeated inside a disclosed value': [{ _sd: [digest(parent), digest(child)] }, parent, child],
  'a child without its parent': [{ _sd: [digest(parent)] }, child],
  'a claim named _sd': [{ _sd: [digest(disclosure('_sd', ['x']))] }, disclosure('_sd', ['x'])],
  'a claim named ...': [{ _sd: [digest(disclosure('...', 'x'))] }, disclosure('...', 'x')],
  'a claim named _sd_alg': [{ _sd: [digest(disclosure('_sd_alg', 'md5'))] }, disclosure('_sd_alg', 'md5')],
  'a name that is already there in clear': [{ given_name: 'Erik', _sd: [digest(name)] }, name],
  'two disclosures of one name': [
    { _sd: [digest(name), digest(encode(['2', 'given_name', 'Erik']))] },
    name,
    encode(['2', 'given_name', 'Erik']),
  ],
  'a claim where an element is meant': [{ list: [{ '...': digest(name) }] }, name],
  'an element where a claim is meant': [{ _sd: [digest(elementDisclosure(1))] }, elementDisclosure(1)],
  'a disclosure of one part': [{ _sd: [digest(encode(['salt']))] }, encode(['salt'])],
  'a disclosure of four parts': [{ _sd: [digest(encode(['salt', 'a', 1, 2]))] }, encode(['salt', 'a', 1, 2])],
  'a disclosure that is an object': [{ _sd: [digest(encode({ 0: 'salt' }))] }, encode({ 0: 'salt' })],
  'a salt that is not a string': [{ _sd: [digest(encode([1, 'a', 1]))] }, encode([1, 'a', 1])],
  'a name that is not a string': [{ _sd: [digest(encode(['salt', 1, 1]))] }, encode(['salt', 1, 1])],
  padding: [{ _sd: [digest(`${name}=`)] }, `${name}=`],
  'standard base64': [{ _sd: [digest('WyJhIiwi/iJd')] }, 'WyJhIiwi/iJd'],
  'invalid UTF-8': [{ _sd: [digest(bytes(0x5b, 0xff, 0x5d))] }, bytes(0x5b, 0xff, 0x5d)],
  'duplicate members in a value': [
    { _sd: [digest(Buffer.from('["s","a",{"b":1,"b":2}]').toString('base64url'))] },
    Buffer.from('["s","a",{"b":1,"b":2}]').toString('base64url'),
  ],
  'digests that are not an array': [{ _sd: digest(name) }, name],
  'digests that are an object': [{ _sd: { 0: digest(name) } }],
  'a digest that is not a string': [{ _sd: [1] }],
  'an element digest with another member': [{ list: [{ '...': 'decoy', x: 1 }] }],
  'an element digest that is not a string': [{ list: [{ '...': 1 }] }],
  'an element digest outside an array': [{ a: { '...': 'decoy' } }],
  'an element digest at the top': [{ '...': 'decoy' }],
  'an algorithm in a nested object': [{ a: { _sd_alg: 'sha-256' } }],
  'an algorithm in an array': [{ a: [{ _sd_alg: 'sha-256' }] }],
  'digests of the wrong kind in a disclosed value': [
    { _sd: [digest(disclosure('a', { _sd: 1 }))] },
    disclosure('a', { _sd: 1 }),
  ],
}
for (const [title, [payload, ...disclosures]] of Object.entries(REFUSED)) {
  test(`refuses ${title}`, () => assert.throws(() => disclosed(payload, ...disclosures), Malformed))
}

for (const claim of ['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'status', 'aka_vcts']) {
  test(`refuses ${claim} in a disclosure, whole or in part`, () => {
    const whole = disclosure(claim, 'x')
    const part = disclosure('part', 'x')
    assert.throws(() => disclosed({ _sd: [digest(whole)] }, whole), Malformed)
    assert.throws(() => disclosed({ [claim]: { _sd: [digest(part)] } }, part), Malformed)
    assert.throws(
      () => disclosed({ [claim]: { a: [{ '...': digest(elementDisclosure(1)) }] } }, elementDisclosure(1)),
      Malformed,
    )
    // These names have their meaning only at the top level.
    assert.deepEqual(disclosed({ a: { _sd: [digest(whole)] } }, whole), { a: { [claim]: 'x' } })
  })
}

test('accepts iat in a disclosure, and checks it as usual', () => {
  const plan = (iat: number) => ({
    concealed: { iat, given_name: 'Erika' },
    payload: ({ iat: _, ...payload }: Members) => payload,
  })
  assert.equal(examine(mintPresentation(plan(0))).failure, null)
  assert.deepEqual(failedChecks(examine(mintPresentation(plan(4_000_000_000)))), ['within_validity'])
})

test('no claim name reaches a prototype', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']
  const all = names.map((claim) => disclosure(claim, { polluted: true }))
  const { claims } = discloseClaims(parseJsonObject(JSON.stringify({ _sd: all.map(digest) })), all)
  assert.deepEqual(Object.keys(claims), names)
  assert.equal(Reflect.get({}, 'polluted'), undefined)
  assert.equal('polluted' in claims, false)
})

test('nesting through disclosures is limited like nesting in one text', () => {
  const chain = (levels: number): { digest: string; disclosures: string[] } => {
    const disclosures: string[] = []
    let value: unknown = 1
    for (let i = 0; i < levels; i++) {
      const link = encode([`${i}`, 'a', value])
      disclosures.push(link)
      value = { _sd: [digest(link)] }
    }
    return { digest: digest(disclosures.at(-1) ?? ''), disclosures }
  }
  const shallow = chain(31)
  assert.ok(disclosed({ _sd: [shallow.digest] }, ...shallow.disclosures))
  const deep = chain(40)
  assert.throws(() => disclosed({ _sd: [deep.digest] }, ...deep.disclosures), Malformed)
})

test('an invalid disclosure fails the presentation with its own check', () => {
  const spoilt = mintPresentation({ disclosures: ([first = '', ...rest]) => [first, first, ...rest] })
  const examination = examine(spoilt)
  assert.deepEqual(failedChecks(examination), ['disclosures_valid'])
  assert.equal(examination.failure?.code, 'credential_invalid')
})
