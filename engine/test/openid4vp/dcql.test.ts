// Tests that a query is valid in every part, or refused with the path of the problem.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseQuery } from '../../src/openid4vp/dcql.ts'
import { InvalidQuery } from '../../src/openid4vp/fields.ts'

type Members = Record<string, unknown>

const pid: Members = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:example:pid'] } }
const mdl: Members = { id: 'mdl', format: 'mso_mdoc', meta: { doctype_value: 'org.iso.18013.5.1.mDL' } }
const named = [
  { id: 'a', path: ['given_name'] },
  { id: 'b', path: ['address', 'locality'] },
]

test('returns a query with all its members', () => {
  const query = {
    credentials: [
      {
        ...pid,
        multiple: true,
        require_cryptographic_holder_binding: true,
        trusted_authorities: [{ type: 'aki', values: ['s9tIpPmhxdiuNkHMEWNpYim8S8Y'] }],
        claims: [
          ...named,
          { id: 'c', path: ['nationalities', null], values: ['UT', 7, true] },
          { id: 'd', path: ['list', 3, 'x'] },
        ],
        claim_sets: [['a', 'b'], ['c']],
      },
      { ...mdl, claims: [{ path: ['org.iso.18013.5.1', 'portrait'], intent_to_retain: false }] },
    ],
    credential_sets: [
      { options: [['pid'], ['mdl']], required: true, purpose: 'To open an account' },
      { options: [['pid', 'mdl']], required: false },
    ],
  }
  assert.deepEqual(parseQuery(query), query)
})

test('ignores inherited members and returns a plain value', () => {
  const tricky = Object.assign(Object.create({ credential_sets: 'inherited' }), { credentials: [pid] })
  assert.deepEqual(parseQuery(tricky), { credentials: [pid] })
})

const one = (changes: Members): Members => ({ credentials: [{ ...pid, ...changes }] })
const claims = (...list: unknown[]): Members => one({ claims: list })
const sets = (...list: unknown[]): Members => ({ credentials: [pid, mdl], credential_sets: list })

/** Returns a query for a hundred claims, each of which is in `count` claim sets. */
function inSets(count: number, name = 'c'): Members {
  const ids = Array.from({ length: 100 }, (_, i) => `c${i}`)
  return { claims: ids.map((id) => ({ id, path: [`${name}${id}`] })), claim_sets: Array(count).fill(ids) }
}

/** Returns a query for twenty credentials, each of which is in all twenty options of `count` credential sets. */
function inOptions(count: number): Members {
  const credentials = Array.from({ length: 20 }, (_, i) => ({ ...pid, id: `q${i}` }))
  const options = Array(20).fill(credentials.map(({ id }) => id))
  return { credentials, credential_sets: Array(count).fill({ options }) }
}

test('a query may list many claims, sets and options', () => {
  for (const query of [one(inSets(30)), one(inSets(10, 'x'.repeat(200))), inOptions(7)])
    assert.doesNotThrow(() => parseQuery(query))
})

/** A query with `count` values in total: the query, its list, six credentials of 7 each, and 554 claims that share the rest. */
function withValues(count: number): Members {
  const left = count - 2 - 6 * 7
  const claimOf = (i: number) => {
    const parts = Math.floor(left / 554) - 2 + (i < left % 554 ? 1 : 0)
    return { path: ['a', ...new Array(parts - 2).fill(0), i] }
  }
  const all = Array.from({ length: 554 }, (_, i) => claimOf(i))
  return {
    credentials: Array.from({ length: 6 }, (_, c) => ({
      ...pid,
      id: `c${c}`,
      claims: all.slice(c * 100, (c + 1) * 100),
    })),
  }
}

test('the total number of values is limited', () => {
  assert.deepEqual(parseQuery(withValues(10_000)), withValues(10_000))
})

const FAULTS: readonly (readonly [string, unknown, string])[] = [
  ['is not an object', [], ''],
  ['is null', null, ''],
  ['asks for nothing', {}, 'credentials'],
  ['has an empty list of credentials', { credentials: [] }, 'credentials'],
  ['has credentials that are not a list', { credentials: { 0: pid } }, 'credentials'],
  ['has a credential that is not an object', { credentials: ['pid'] }, 'credentials[0]'],
  ['has an unknown member', { credentials: [pid], presentation_definition: {} }, 'presentation_definition'],
  [
    'has too many credentials',
    { credentials: Array.from({ length: 21 }, (_, i) => ({ ...pid, id: `c${i}` })) },
    'credentials',
  ],
  ['has a credential without id', { credentials: [{ ...pid, id: undefined }] }, 'credentials[0].id'],
  ['has an empty id', one({ id: '' }), 'credentials[0].id'],
  ['has an id with a dot', one({ id: 'a.b' }), 'credentials[0].id'],
  ['has an id with a line break', one({ id: 'a\n' }), 'credentials[0].id'],
  ['has an id that is too long', one({ id: 'a'.repeat(65) }), 'credentials[0].id'],
  ['has an id that is a number', one({ id: 1 }), 'credentials[0].id'],
  ['repeats an id', { credentials: [pid, mdl, pid] }, 'credentials[2].id'],
  ['has no format', { credentials: [{ id: 'a', meta: {} }] }, 'credentials[0].format'],
  ['has another format', one({ format: 'jwt_vc_json' }), 'credentials[0].format'],
  ['has the format of a draft', one({ format: 'vc+sd-jwt' }), 'credentials[0].format'],
  ['has no meta', { credentials: [{ id: 'a', format: 'mso_mdoc' }] }, 'credentials[0].meta'],
  ['has an empty meta', one({ meta: {} }), 'credentials[0].meta.vct_values'],
  ['has an empty list of vct_values', one({ meta: { vct_values: [] } }), 'credentials[0].meta.vct_values'],
  ['has a vct that is not a string', one({ meta: { vct_values: ['a', 1] } }), 'credentials[0].meta.vct_values[1]'],
  ['has one vct instead of a list', one({ meta: { vct_values: 'a' } }), 'credentials[0].meta.vct_values'],
  [
    'has a doctype for an SD-JWT',
    one({ meta: { vct_values: ['a'], doctype_value: 'b' } }),
    'credentials[0].meta.doctype_value',
  ],
  [
    'has vct_values for an mdoc',
    { credentials: [{ ...mdl, meta: { vct_values: ['a'] } }] },
    'credentials[0].meta.vct_values',
  ],
  [
    'has a list of doctypes',
    { credentials: [{ ...mdl, meta: { doctype_value: ['a'] } }] },
    'credentials[0].meta.doctype_value',
  ],
  ['has a multiple that is not a boolean', one({ multiple: 'true' }), 'credentials[0].multiple'],
  [
    'requires no holder binding',
    one({ require_cryptographic_holder_binding: false }),
    'credentials[0].require_cryptographic_holder_binding',
  ],
  ['has an unknown member in a credential', one({ claim: [] }), 'credentials[0].claim'],
  ['has a member __proto__', JSON.parse('{"credentials":[{"__proto__":{},"id":"a"}]}'), 'credentials[0].__proto__'],
  ['has an empty list of authorities', one({ trusted_authorities: [] }), 'credentials[0].trusted_authorities'],
  [
    'names an authority we cannot check',
    one({ trusted_authorities: [{ type: 'etsi_tl', values: ['https://a.example'] }] }),
    'credentials[0].trusted_authorities[0].type',
  ],
  [
    'names an authority without values',
    one({ trusted_authorities: [{ type: 'aki', values: [] }] }),
    'credentials[0].trusted_authorities[0].values',
  ],
  [
    'names a key identifier in standard base64',
    one({ trusted_authorities: [{ type: 'aki', values: ['AA=='] }] }),
    'credentials[0].trusted_authorities[0].values[0]',
  ],
  ['has an empty list of claims', claims(), 'credentials[0].claims'],
  ['has a claim without path', claims({ id: 'a' }), 'credentials[0].claims[0].path'],
  ['has an empty path', claims({ path: ['a'] }, { path: [] }), 'credentials[0].claims[1].path'],
  ['has a path that is a string', claims({ path: 'a' }), 'credentials[0].claims[0].path'],
  ['has a path that begins with an index', claims({ path: [0] }), 'credentials[0].claims[0].path[0]'],
  ['has a path that begins with null', claims({ path: [null, 'a'] }), 'credentials[0].claims[0].path[0]'],
  ['has a negative index', claims({ path: ['a', -1] }), 'credentials[0].claims[0].path[1]'],
  ['has a fractional index', claims({ path: ['a', 1.5] }), 'credentials[0].claims[0].path[1]'],
  ['has an index that is true', claims({ path: ['a', true] }), 'credentials[0].claims[0].path[1]'],
  ['has an empty name in a path', claims({ path: ['a', ''] }), 'credentials[0].claims[0].path[1]'],
  ['has a path that is too long', claims({ path: Array(17).fill('a') }), 'credentials[0].claims[0].path'],
  ['has a claim id with a space', claims({ id: 'a b', path: ['a'] }), 'credentials[0].claims[0].id'],
  ['repeats a claim id', claims({ id: 'a', path: ['a'] }, { id: 'a', path: ['b'] }), 'credentials[0].claims[1].id'],
  [
    'asks for a claim twice',
    claims({ path: ['a', 'b'] }, { path: ['a'] }, { path: ['a', 'b'] }),
    'credentials[0].claims[2].path',
  ],
  [
    'asks for every element and one of them',
    claims({ path: ['a', null, 'x'] }, { path: ['a', 0, 'x'] }),
    'credentials[0].claims[1].path',
  ],
  [
    'asks for one element and every one',
    claims({ path: ['a', 3] }, { path: ['a', null] }),
    'credentials[0].claims[1].path',
  ],
  ['has half a character in a name', claims({ path: ['\ud800'] }), 'credentials[0].claims[0].path[0]'],
  ['has an empty list of values', claims({ path: ['a'], values: [] }), 'credentials[0].claims[0].values'],
  ['has a fractional value', claims({ path: ['a'], values: [1.5] }), 'credentials[0].claims[0].values[0]'],
  ['has a value that is null', claims({ path: ['a'], values: ['x', null] }), 'credentials[0].claims[0].values[1]'],
  [
    'has a value beyond the safe integers',
    claims({ path: ['a'], values: [2 ** 53] }),
    'credentials[0].claims[0].values[0]',
  ],
  ['misspells values', claims({ path: ['a'], value: ['x'] }), 'credentials[0].claims[0].value'],
  [
    'has intent_to_retain for an SD-JWT',
    claims({ path: ['a'], intent_to_retain: true }),
    'credentials[0].claims[0].intent_to_retain',
  ],
  [
    'has an mdoc path of one part',
    { credentials: [{ ...mdl, claims: [{ path: ['a'] }] }] },
    'credentials[0].claims[0].path',
  ],
  [
    'has an mdoc path of three parts',
    { credentials: [{ ...mdl, claims: [{ path: ['a', 'b', 'c'] }] }] },
    'credentials[0].claims[0].path',
  ],
  [
    'has an index in an mdoc path',
    { credentials: [{ ...mdl, claims: [{ path: ['a', 0] }] }] },
    'credentials[0].claims[0].path[1]',
  ],
  [
    'has a draft mdoc claim',
    { credentials: [{ ...mdl, claims: [{ namespace: 'a', claim_name: 'b' }] }] },
    'credentials[0].claims[0].namespace',
  ],
  [
    'has too many claims',
    claims(...Array.from({ length: 101 }, (_, i) => ({ path: [`c${i}`] }))),
    'credentials[0].claims',
  ],
  ['has too many values in total, although no kind has too many', withValues(10_001), ''],
  ['has too many values of an unknown kind', { credentials: [pid], surplus: new Array(10_000).fill([]) }, ''],
  ['has claim_sets without claims', one({ claim_sets: [['a']] }), 'credentials[0].claim_sets'],
  ['has an empty list of claim sets', one({ claims: named, claim_sets: [] }), 'credentials[0].claim_sets'],
  ['has an empty claim set', one({ claims: named, claim_sets: [['a'], []] }), 'credentials[0].claim_sets[1]'],
  [
    'has claim_sets over a claim without id',
    one({ claims: [...named, { path: ['x'] }], claim_sets: [['a']] }),
    'credentials[0].claims[2].id',
  ],
  [
    'names an unknown claim in a claim set',
    one({ claims: named, claim_sets: [['a', 'z']] }),
    'credentials[0].claim_sets[0][1]',
  ],
  [
    'names a claim twice in a claim set',
    one({ claims: named, claim_sets: [['a', 'a']] }),
    'credentials[0].claim_sets[0][1]',
  ],
  ['lists claims in too many claim sets', one(inSets(31)), 'credentials'],
  ['lists long claims in several claim sets', one(inSets(30, 'x'.repeat(90))), 'credentials'],
  ['lists credentials in too many options', inOptions(8), 'credentials'],
  ['has an empty list of credential sets', sets(), 'credential_sets'],
  ['has a credential set without options', sets({ required: true }), 'credential_sets[0].options'],
  ['has an empty option', sets({ options: [['pid'], []] }), 'credential_sets[0].options[1]'],
  ['names an unknown credential', sets({ options: [['pid'], ['mdl', 'visa']] }), 'credential_sets[0].options[1][1]'],
  [
    'names a credential twice in an option',
    sets({ options: [['pid', 'mdl', 'pid']] }),
    'credential_sets[0].options[0][2]',
  ],
  [
    'has a required that is not a boolean',
    sets({ options: [['pid'], ['mdl']], required: 1 }),
    'credential_sets[0].required',
  ],
  [
    'has a purpose that is too long',
    sets({ options: [['pid'], ['mdl']], purpose: 'a'.repeat(301) }),
    'credential_sets[0].purpose',
  ],
  ['has a credential that no set names', sets({ options: [['pid']] }), 'credentials[1]'],
]

for (const [title, query, path] of FAULTS) {
  test(`refuses a query that ${title}`, () => {
    assert.throws(
      () => parseQuery(query),
      (error) => {
        assert.ok(error instanceof InvalidQuery)
        assert.equal(error.path, path)
        assert.ok(error.message.startsWith(path))
        return true
      },
    )
  })
}

test('accepts paths to different elements and different members as different claims', () => {
  const paths = [['a', 0], ['a', 1], ['b', null], ['b', 'x'], ['c', 'x'], ['c', 'y'], ['c'], ['d', 0], ['d', '0']]
  assert.doesNotThrow(() => parseQuery(claims(...paths.map((path) => ({ path })))))
})

test('names the supported formats', () => {
  assert.throws(
    () => parseQuery(one({ format: 'ldp_vc' })),
    /credentials\[0\]\.format: only the formats "dc\+sd-jwt" and "mso_mdoc" are supported/,
  )
})

test('does not repeat an unreadable name in the message', () => {
  assert.throws(() => parseQuery({ credentials: [pid], '\u0007\u202e': 1 }), /^InvalidQuery: \?\?:/)
})
