// Tests that withheld claims change neither the meaning of others nor the number of credentials.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Verdict } from '../src/judged-presentation.ts'
import type { ClaimsPath } from '../src/openid4vp/credential-query.ts'
import { parseQuery } from '../src/openid4vp/dcql.ts'
import { createChainCache } from '../src/trust/cache.ts'
import type { Json } from '../src/verdict.ts'
import { verifyPresentation } from '../src/verify.ts'
import { MDL, MDL_SPACE, anchor as mdlAnchor, mintMdoc } from './mdoc/mint-mdoc.ts'
import {
  anchor,
  CLIENT_ID,
  digest,
  disclosure,
  elementDisclosure,
  expected,
  type Members,
  mintPresentation,
  NONCE,
  RESPONSE_URI,
  trust,
  VCT,
} from './sdjwt/mint-presentation.ts'
import { NOW } from './trust/mint-pki.ts'

interface Asked {
  readonly path: ClaimsPath
  readonly values?: readonly Json[]
}

function judge(presentations: readonly string[], claims: readonly Asked[], multiple = false): Promise<Verdict> {
  const query = parseQuery({
    credentials: [{ id: 'q', format: 'dc+sd-jwt', meta: { vct_values: [VCT] }, claims, multiple }],
  })
  return verifyPresentation({ q: presentations }, { ...expected, query }, { ...trust, cache: createChainCache(9) })
}

/** Presents signed claims with some disclosures. Returns the resulting claims; null if the query is not answered. */
async function answer(signed: Members, disclosures: readonly string[], ...claims: readonly Asked[]): Promise<unknown> {
  const presented = mintPresentation({
    concealed: {},
    payload: (payload) => ({ ...payload, ...signed }),
    disclosures: () => [...disclosures],
  })
  const verdict = await judge([presented], claims)
  if (verdict.outcome === 'accepted') return JSON.parse(JSON.stringify(verdict.credentials[0]?.claims))
  assert.equal(verdict.code, 'query_not_satisfied')
  return null
}

const street = disclosure('street_address', 'Invented Road 1')
const shell = disclosure('address', { _sd: [digest(street)] })
const national = elementDisclosure('UT')
const hidden = { '...': digest(national) }

test('a claim whose parts are all withheld is not an answer; with any part disclosed it is an answer', async () => {
  const address = { path: ['address'] }
  assert.equal(await answer({ _sd: [digest(shell)] }, [shell], address), null)
  assert.deepEqual(await answer({ _sd: [digest(shell)] }, [shell, street], address), {
    address: { street_address: 'Invented Road 1' },
  })
  assert.equal(await answer({ nationalities: [hidden] }, [], { path: ['nationalities'] }), null)
  assert.deepEqual(await answer({ nationalities: [hidden] }, [national], { path: ['nationalities'] }), {
    nationalities: ['UT'],
  })
})

test('nested objects and lists whose parts are all withheld are not an answer', async () => {
  const empty = { _sd: [digest(street)] }
  assert.equal(await answer({ a: { b: [empty] } }, [], { path: ['a'] }), null)
  assert.equal(await answer({ a: { b: [empty] } }, [], { path: ['a', 'b'] }), null)
  assert.equal(await answer({ a: [empty] }, [], { path: ['a', null] }), null)
  assert.equal(await answer({ a: [[hidden]] }, [], { path: ['a', 0] }), null)
  assert.deepEqual(await answer({ a: [empty, { year: 2010 }] }, [], { path: ['a', null] }), { a: [{}, { year: 2010 }] })
})

test('a value that the issuer signed empty is an answer', async () => {
  const claims = { object: {}, array: [], digestless: { _sd: [] }, around: { inner: [] } }
  for (const name of Object.keys(claims)) {
    assert.notEqual(await answer(claims, [], { path: [name] }), null, name)
  }
  assert.deepEqual(await answer({ a: { kept: {}, _sd: [digest(street)] } }, [], { path: ['a'] }), { a: { kept: {} } })
})

const student = elementDisclosure('student')
const doctor = elementDisclosure('doctor')
const roles = { roles: [{ '...': digest(student) }, { '...': digest(doctor) }, 'guest'] }

test('an index counts the elements as the issuer signed them, whichever are withheld', async () => {
  assert.equal(await answer(roles, [doctor], { path: ['roles', 0], values: ['doctor'] }), null)
  assert.equal(await answer(roles, [doctor], { path: ['roles', 0] }), null)
  assert.deepEqual(await answer(roles, [doctor], { path: ['roles', 1], values: ['doctor'] }), { roles: ['doctor'] })
  assert.deepEqual(await answer(roles, [doctor], { path: ['roles', 2] }), { roles: ['guest'] })
  assert.deepEqual(await answer(roles, [student, doctor], { path: ['roles', 0] }), { roles: ['student'] })
  assert.deepEqual(await answer(roles, [], { path: ['roles', 2] }), { roles: ['guest'] })
  assert.equal(await answer(roles, [student, doctor], { path: ['roles', 3] }), null)
  assert.deepEqual(await answer(roles, [doctor], { path: ['roles', null] }), { roles: ['doctor', 'guest'] })
})

test('an index counts the signed elements at every depth', async () => {
  const row = elementDisclosure([{ '...': digest(student) }, 'second'])
  const claims = { rows: [hidden, { '...': digest(row) }] }
  assert.deepEqual(await answer(claims, [row], { path: ['rows', 1, 1] }), { rows: [['second']] })
  assert.equal(await answer(claims, [row], { path: ['rows', 1, 0] }), null)
  assert.equal(await answer(claims, [row], { path: ['rows', 0, 1] }), null)
})

test('one credential presented twice counts once, even if the two presentations differ', async () => {
  const name = [{ path: ['given_name'] }]
  const first = mintPresentation()
  const again = mintPresentation({ disclosures: (all) => all.slice(0, 1), binding: (b) => ({ ...b, iat: NOW - 4 }) })
  assert.notEqual(first.split('~')[0], again.split('~')[0])
  assert.equal((await judge([again], name, true)).outcome, 'accepted')
  for (const repeated of [
    [first, first],
    [first, again],
  ]) {
    const verdict = await judge(repeated, name, true)
    assert.equal(verdict.outcome === 'rejected' && verdict.code, 'query_not_satisfied')
  }
  const other = mintPresentation({ payload: (payload) => ({ ...payload, iat: NOW - 7200 }) })
  assert.equal((await judge([first, other], name, true)).outcome, 'accepted')
})

test('one mdoc does not count as two for one query, and may answer two queries', async () => {
  const transcript = { clientId: CLIENT_ID, nonce: NONCE, responseUri: RESPONSE_URI, thumbprint: null }
  const licence = { format: 'mso_mdoc', meta: { doctype_value: MDL }, claims: [{ path: [MDL_SPACE, 'given_name'] }] }
  const credentials = [{ ...licence, id: 'a', multiple: true }]
  const anchors = [anchor, mdlAnchor]
  const mdoc = mintMdoc({ transcript })
  const twice = await verifyPresentation(
    { a: [mdoc, mdoc] },
    { ...expected, query: parseQuery({ credentials }) },
    { ...trust, anchors },
  )
  assert.equal(twice.outcome === 'rejected' && twice.code, 'query_not_satisfied')
  const both = { ...expected, query: parseQuery({ credentials: [...credentials, { ...licence, id: 'b' }] }) }
  assert.equal((await verifyPresentation({ a: [mdoc], b: [mdoc] }, both, { ...trust, anchors })).outcome, 'accepted')
})
