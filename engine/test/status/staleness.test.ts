// Tests old and missing lists: a credential that a list revoked stays revoked, and "valid" in an old list is not enough.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import type { StatusReference } from '../../src/examination.ts'
import type { FetchedList, StatusAnswer } from '../../src/expected.ts'
import { parseCertificate } from '../../src/trust/certificate.ts'
import { verifyPresentation } from '../../src/verify.ts'
import * as sdJwt from '../sdjwt/mint-presentation.ts'
import { authority, establish, type JwtPlan, mintCrl, mintCwt, mintJwt, NOW, pack, URI } from './mint-status.ts'

const MEDIA = 'application/statuslist+jwt'
const listed = (status: number) => deflateSync(pack({ 3: status }, 2))

function stale(bytes: Uint8Array, contentType: string): StatusAnswer {
  return { outcome: 'fetched', bytes, contentType, stale: true }
}

async function outcomes(reference: StatusReference, answer: StatusAnswer) {
  const [own, signer] = await establish({ references: [reference], answer })
  return reference.kind === 'crl' ? signer : own
}

const inJwt: StatusReference = {
  kind: 'list',
  source: { uri: URI, kind: 'status_list_jwt', format: 'dc+sd-jwt' },
  index: 3,
  certificate: null,
}
const inCwt: StatusReference = { ...inJwt, source: { uri: URI, kind: 'status_list_cwt', format: 'mso_mdoc' } }
const inCrl: StatusReference = {
  kind: 'crl',
  source: { uri: 'http://a.example/crl', kind: 'crl', format: 'mso_mdoc' },
  serial: Buffer.from('4d2a', 'hex'),
  authority: parseCertificate(authority.der),
}

for (const [status, outcome] of [
  [0, 'unknown'],
  [1, 'revoked'],
  [2, 'suspended'],
  [3, 'invalid'],
] as const) {
  test(`an expired list with the status ${status} is ${outcome}`, async () => {
    const list = { bits: 2, lst: listed(status) }
    const jwt = mintJwt({ list: { bits: 2, lst: list.lst.toString('base64url') } })
    assert.equal((await outcomes(inJwt, stale(jwt, MEDIA)))?.outcome, outcome)
    const cwt = mintCwt({ claims: new Map([[65533, list]]) })
    assert.equal((await outcomes(inCwt, stale(cwt, 'application/statuslist+cwt')))?.outcome, outcome)
  })
}

for (const [status, outcome] of [
  [0, 'unknown'],
  [1, 'revoked'],
  [2, 'suspended'],
  [3, 'invalid'],
] as const) {
  test(`after junk in place of a list with the status ${status}, the status is ${outcome}, and the junk is not cached`, async () => {
    const lst = listed(status)
    const cases: [StatusReference, Uint8Array, string][] = [
      [inJwt, mintJwt({ list: { bits: 2, lst: lst.toString('base64url') } }), MEDIA],
      [inCwt, mintCwt({ claims: new Map([[65533, { bits: 2, lst }]]) }), 'application/statuslist+cwt'],
    ]
    for (const [reference, bytes, contentType] of cases) {
      let relied = 0
      const markVerified = () => {
        relied += 1
      }
      const before = { bytes, contentType }
      const clean: FetchedList = { ...before, bytes: reference === inJwt ? mintJwt() : mintCwt() }
      const junk = { outcome: 'fetched', bytes: Buffer.from('a.b.c'), contentType, stale: false } as const
      assert.equal((await outcomes(reference, { ...junk, earlier: [before], markVerified }))?.outcome, outcome)
      // A later list that this credential cannot use does not hide the earlier list.
      assert.equal((await outcomes(reference, { ...junk, earlier: [junk, before], markVerified }))?.outcome, outcome)
      assert.equal((await outcomes(reference, { ...junk, earlier: [clean, before], markVerified }))?.outcome, 'unknown')
      assert.equal((await outcomes(reference, { ...junk, earlier: [], markVerified }))?.outcome, 'unknown')
      assert.equal((await outcomes(reference, { ...junk, earlier: [junk], markVerified }))?.outcome, 'unknown')
      assert.equal(relied, 0)
      const good = { ...junk, bytes, earlier: [junk], markVerified }
      assert.equal((await outcomes(reference, good))?.outcome, status === 0 ? 'valid' : outcome)
      assert.equal(relied, 1)
    }
  })
}

test('after a newer list that this credential cannot use, the list that the host serves now decides', async () => {
  for (const [status, outcome] of [
    [0, 'valid'],
    [1, 'revoked'],
  ] as const) {
    let kept = 0
    let replaced = 0
    const lst = listed(status).toString('base64url')
    const served = { bytes: mintJwt({ list: { bits: 2, lst } }), contentType: MEDIA }
    const foreign = { outcome: 'fetched', bytes: Buffer.from('a.b.c'), contentType: MEDIA, stale: false } as const
    const found = await outcomes(inJwt, {
      ...foreign,
      markVerified: () => (kept += 1),
      earlier: [{ ...served, markVerified: () => (replaced += 1) }],
    })
    assert.deepEqual([found?.outcome, kept, replaced], [outcome, 0, 1])
    assert.deepEqual(found?.list?.bytes, served.bytes)
  }
})

test('reports that a list is out of date', async () => {
  assert.match((await outcomes(inJwt, stale(mintJwt(), MEDIA)))?.detail ?? '', /out of date/)
})

test('an expired revocation list still revokes certificates, but its "valid" does not count', async () => {
  assert.equal((await outcomes(inCrl, stale(mintCrl(), '')))?.outcome, 'unknown')
  const revoked = mintCrl({ revoked: [{ serial: Buffer.from('4d2a', 'hex') }] })
  assert.equal((await outcomes(inCrl, stale(revoked, '')))?.outcome, 'revoked')
})

const DAY = 86_400
const SKEW = 60
for (const [title, claims, outcome] of [
  ['of a day ago', { iat: NOW - DAY - SKEW + 1 }, 'valid'],
  ['of more than a day ago', { iat: NOW - DAY - SKEW }, 'unknown'],
  ['that is older than its short time to live', { iat: NOW - 3600, ttl: 60 }, 'valid'],
  ['of more than a day ago with a short time to live', { iat: NOW - DAY - SKEW, ttl: 60 }, 'unknown'],
  ['within its long time to live', { iat: NOW - 3 * DAY, ttl: 3 * DAY }, 'valid'],
  ['past its long time to live', { iat: NOW - 3 * DAY - SKEW, ttl: 3 * DAY }, 'unknown'],
  ['of 1970', { iat: 1, ttl: 60 }, 'unknown'],
] as const) {
  test(`a list without an expiry ${title} makes the status ${outcome}`, async () => {
    const plan: JwtPlan = { claims: { exp: undefined, ttl: undefined, ...claims } }
    const answer = { outcome: 'fetched', bytes: mintJwt(plan), contentType: MEDIA, stale: false } as const
    assert.equal((await outcomes(inJwt, answer))?.outcome, outcome)
  })
}

test('only lists without an expiry have an age limit', async () => {
  const bytes = mintJwt({ claims: { iat: NOW - 30 * DAY } })
  const answer = { outcome: 'fetched', bytes, contentType: MEDIA, stale: false } as const
  assert.equal((await outcomes(inJwt, answer))?.outcome, 'valid')
})

for (const [policy, outcome] of [
  ['prefer', 'accepted'],
  ['require', 'rejected'],
] as const) {
  test(`if fetching throws, the policy ${policy} decides: ${outcome}`, async () => {
    const status = { status_list: { idx: 3, uri: URI } }
    const presented = sdJwt.mintPresentation({ payload: (payload) => ({ ...payload, status }) })
    for (const fetchStatus of [
      () => Promise.reject(new Error('the network is gone')),
      () => {
        throw new Error('the network is gone')
      },
    ]) {
      const trust = { ...sdJwt.trust, statusPolicy: policy, fetchStatus }
      const verdict = await verifyPresentation({ identity: [presented] }, sdJwt.expected, trust)
      assert.equal(verdict.outcome, outcome)
      const check = verdict.credentials[0]?.checks.find((entry) => entry.check === 'not_revoked')
      assert.equal(check?.status, policy === 'prefer' ? 'warning' : 'fail')
      assert.equal(verdict.outcome === 'rejected' ? verdict.code : 'status_unavailable', 'status_unavailable')
    }
  })
}
