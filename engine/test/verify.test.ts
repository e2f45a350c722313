// The whole argument: one verdict over everything that was presented.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Anchor, Expected, StatusAnswer, Trust } from '../src/expected.ts'
import { type DcqlQuery, parseQuery } from '../src/openid4vp/dcql.ts'
import { createChainCache } from '../src/trust/cache.ts'
import type { Json, Verdict } from '../src/verdict.ts'
import { verifyPresentation } from '../src/verify.ts'
import { MDL, MDL_SPACE, anchor as mdlAnchor, mintMdoc } from './mdoc/mint-mdoc.ts'
import * as sdJwt from './sdjwt/mint-presentation.ts'
import { extension, keyUsage } from './trust/mint-certificate.ts'
import { mintSigner, NOW } from './trust/mint-pki.ts'

const { CLIENT_ID, mintPresentation, NONCE, VCT } = sdJwt

const identity = {
  id: 'identity',
  format: 'dc+sd-jwt',
  meta: { vct_values: [VCT] },
  claims: [{ path: ['given_name'] }],
}
const licence = {
  id: 'licence',
  format: 'mso_mdoc',
  meta: { doctype_value: MDL },
  claims: [{ path: [MDL_SPACE, 'given_name'] }, { path: [MDL_SPACE, 'portrait'] }],
}

const expected: Expected = {
  ...sdJwt.expected,
  query: parseQuery({ credentials: [identity] }),
  encryption: null,
}
const trust: Trust = { ...sdJwt.trust, anchors: [sdJwt.anchor, mdlAnchor], cache: createChainCache(100) }

function asking(query: object): Expected {
  return { ...expected, query: parseQuery(query) }
}

function presentLicence(): string {
  return mintMdoc({
    transcript: { clientId: CLIENT_ID, nonce: NONCE, responseUri: expected.responseUri, thumbprint: null },
  })
}

async function rejection(
  token: Json,
  situation: { expected?: Expected; trust?: Partial<Trust> } = {},
): Promise<Extract<Verdict, { outcome: 'rejected' }>> {
  const verdict = await verifyPresentation(token, situation.expected ?? expected, { ...trust, ...situation.trust })
  assert.equal(verdict.outcome, 'rejected')
  // Whatever was wrong, nothing of the holder is in the verdict.
  assert.doesNotMatch(JSON.stringify(verdict), /Erika|Exemplar|Mustermann|1990|"claims"/)
  return verdict as Extract<Verdict, { outcome: 'rejected' }>
}

async function acceptance(token: Json, situation: { expected?: Expected; trust?: Partial<Trust> } = {}) {
  const verdict = await verifyPresentation(token, situation.expected ?? expected, { ...trust, ...situation.trust })
  assert.equal(verdict.outcome, 'accepted', JSON.stringify(verdict))
  return (verdict as Extract<Verdict, { outcome: 'accepted' }>).credentials
}

test('accepts a genuine presentation, with the claims that were asked for and no other', async () => {
  const [credential, ...more] = await acceptance({ identity: [mintPresentation()] })
  assert.equal(more.length, 0)
  assert.equal(JSON.stringify(credential?.claims), '{"given_name":"Erika"}')
  assert.equal(credential?.queryId, 'identity')
  assert.equal(credential?.doctypeOrVct, VCT)
  assert.deepEqual(
    [credential?.trusted, credential?.signatureValid, credential?.holderBindingValid],
    [true, true, true],
  )
})

test('accepts both formats in one response', async () => {
  const both = asking({ credentials: [licence, identity] })
  const credentials = await acceptance(
    { identity: [mintPresentation()], licence: [presentLicence()] },
    { expected: both },
  )
  assert.deepEqual(
    credentials.map(({ queryId }) => queryId),
    ['licence', 'identity'],
  )
  assert.equal(
    JSON.stringify(credentials[0]?.claims),
    JSON.stringify({ [MDL_SPACE]: { given_name: 'Erika', portrait: Buffer.alloc(40, 0xff).toString('base64url') } }),
  )
  // Both say Erika: that is no conflict.
  assert.ok(credentials.every(({ checks }) => checks.every(({ check }) => check !== 'claim_conflict')))
})

test('warns of another value under the same name, on the later credential', async () => {
  const both = asking({ credentials: [licence, identity] })
  const differing = { identity: [mintPresentation({ concealed: { given_name: 'Max' } })], licence: [presentLicence()] }
  const [first, second] = await acceptance(differing, { expected: both })
  assert.ok(!first?.checks.some(({ check }) => check === 'claim_conflict'))
  assert.deepEqual(
    second?.checks.filter(({ check }) => check === 'claim_conflict').map(({ status }) => status),
    ['warning'],
  )
})

test('one presentation that fails fails the whole, also where it was optional', async () => {
  const optional = asking({
    credentials: [licence, identity],
    credential_sets: [{ options: [['identity']] }, { options: [['licence']], required: false }],
  })
  await acceptance({ identity: [mintPresentation()] }, { expected: optional })
  const verdict = await rejection({ identity: [mintPresentation()], licence: [mintMdoc()] }, { expected: optional })
  assert.equal(verdict.code, 'holder_binding_invalid')
  assert.equal(verdict.credentials.length, 2)
})

test('one of several presentations for one query that fails fails the whole', async () => {
  const multiple = asking({ credentials: [{ ...identity, multiple: true }] })
  const another = mintPresentation({ payload: (payload) => ({ ...payload, iat: NOW - 7200 }) })
  assert.equal((await acceptance({ identity: [mintPresentation(), another] }, { expected: multiple })).length, 2)
  const stripped = mintPresentation({ bindingJwt: () => '' })
  assert.equal(
    (await rejection({ identity: [mintPresentation(), stripped] }, { expected: multiple })).code,
    'holder_binding_invalid',
  )
})

test('what belongs to no satisfied option is genuine but dropped', async () => {
  const query = asking({
    credentials: [identity, { ...identity, id: 'again', multiple: true }, licence],
    credential_sets: [{ options: [['identity']] }, { options: [['again', 'licence']], required: false }],
  })
  const credentials = await acceptance(
    { identity: [mintPresentation()], again: [mintPresentation()] },
    { expected: query },
  )
  assert.deepEqual(
    credentials.map(({ queryId }) => queryId),
    ['identity'],
  )
})

test('nothing that counts is not a success', async () => {
  const query = asking({
    credentials: [identity, licence],
    credential_sets: [{ options: [['identity', 'licence']], required: false }],
  })
  assert.equal((await rejection({ identity: [mintPresentation()] }, { expected: query })).code, 'query_not_satisfied')
})

test('rejects a response that leaves out what was required', async () => {
  const both = asking({ credentials: [licence, identity] })
  const verdict = await rejection({ identity: [mintPresentation()] }, { expected: both })
  assert.equal(verdict.code, 'query_not_satisfied')
  assert.equal(verdict.credentials[0]?.trusted, true)
})

test('rejects a vp_token that is none of our query', async () => {
  for (const token of [
    null,
    [],
    'x',
    {},
    { other: ['x'] },
    { identity: mintPresentation() },
    { identity: [] },
    { identity: [mintPresentation(), mintPresentation()] },
  ] as Json[]) {
    const verdict = await rejection(token)
    assert.equal(verdict.code, 'query_not_satisfied')
    assert.deepEqual(verdict.credentials, [])
  }
})

test("a format is the query's, never guessed", async () => {
  const both = asking({ credentials: [licence, identity] })
  const swapped = await rejection({ identity: [presentLicence()], licence: [mintPresentation()] }, { expected: both })
  assert.equal(swapped.code, 'credential_invalid')
  assert.ok(swapped.credentials.every(({ checks }) => checks.length === 1 && checks[0]?.check === 'well_formed'))
})

test('rejects a credential that lacks a claim or a value that was asked for', async () => {
  const lacking = asking({
    credentials: [{ ...identity, claims: [{ path: ['given_name'] }, { path: ['nationality'] }] }],
  })
  const other = asking({ credentials: [{ ...identity, claims: [{ path: ['given_name'], values: ['Max'] }] }] })
  for (const situation of [lacking, other]) {
    const verdict = await rejection({ identity: [mintPresentation()] }, { expected: situation })
    assert.equal(verdict.code, 'query_not_satisfied')
    assert.deepEqual(
      verdict.credentials[0]?.checks.filter(({ status }) => status === 'fail').map(({ check }) => check),
      ['query_answered'],
    )
  }
})

test("an authority that was asked for must be the credential's", async () => {
  const keyId = Buffer.alloc(20, 0x33)
  const signer = mintSigner(sdJwt.authority, {
    extensions: [
      extension.noAuthority(),
      extension.keyUsage(keyUsage.digitalSignature),
      extension.authorityKeyId(keyId),
    ],
  })
  const presented = mintPresentation({
    header: (header) => ({ ...header, x5c: [sdJwt.base64(signer.der)] }),
    signWith: signer.privateKey,
  })
  const under = (id: Buffer): Expected =>
    asking({
      credentials: [
        {
          ...identity,
          trusted_authorities: [
            { type: 'aki', values: ['AAAA'] },
            { type: 'aki', values: [id.toString('base64url')] },
          ],
        },
      ],
    })
  await acceptance({ identity: [presented] }, { expected: under(keyId) })
  const verdict = await rejection({ identity: [presented] }, { expected: under(Buffer.alloc(20, 0x44)) })
  assert.deepEqual(
    verdict.credentials[0]?.checks.filter(({ status }) => status === 'fail').map(({ check }) => check),
    ['authority_requested'],
  )
  // A certificate without the extension answers no such demand.
  await rejection({ identity: [mintPresentation()] }, { expected: under(keyId) })
})

const status = { status_list: { idx: 0, uri: 'https://status.example/1' } }
const withStatus = mintPresentation({ payload: (payload) => ({ ...payload, status }) })
const endless = mintPresentation({ payload: ({ exp: _, ...payload }) => payload })

test('a status that cannot be established rejects where it is required and warns where it is preferred', async () => {
  const rejected = await rejection({ identity: [withStatus] }, { trust: { statusPolicy: 'require' } })
  assert.equal(rejected.code, 'status_unavailable')
  const [warned] = await acceptance({ identity: [withStatus] }, { trust: { statusPolicy: 'prefer' } })
  assert.equal(warned?.checks.find(({ check }) => check === 'not_revoked')?.status, 'warning')
})

test('a credential without status is accepted if it ends by itself or the status is only preferred', async () => {
  const [credential] = await acceptance({ identity: [mintPresentation()] }, { trust: { statusPolicy: 'require' } })
  const check = credential?.checks.find(({ check }) => check === 'not_revoked')
  assert.deepEqual(check, { check: 'not_revoked', status: 'skipped', detail: 'the credential names no status' })
  await acceptance({ identity: [endless] }, { trust: { statusPolicy: 'prefer' } })
  assert.equal(
    (await rejection({ identity: [endless] }, { trust: { statusPolicy: 'require' } })).code,
    'status_unavailable',
  )
})

test('nobody is asked about a credential that already failed', async () => {
  let asked = 0
  const fetchStatus = (): Promise<StatusAnswer> => {
    asked += 1
    return Promise.resolve({ outcome: 'unavailable', reason: 'counted' })
  }
  const payload = (members: sdJwt.Members): sdJwt.Members => ({ ...members, status })
  const both = asking({ credentials: [identity, { ...identity, id: 'second' }] })
  await rejection(
    { identity: [mintPresentation({ payload, bindWith: sdJwt.signer.privateKey })] },
    { trust: { fetchStatus } },
  )
  await rejection(
    { identity: [withStatus], second: [mintPresentation({ bindingJwt: () => '' })] },
    { expected: both, trust: { fetchStatus } },
  )
  await rejection({ identity: [withStatus] }, { expected: both, trust: { fetchStatus } })
  assert.equal(asked, 0)
  await acceptance({ identity: [withStatus] }, { trust: { fetchStatus } })
  assert.equal(asked, 1)
})

test('the first fault names the rejection', async () => {
  const expired = mintPresentation({
    payload: (payload) => ({ ...payload, exp: NOW - 3600 }),
    binding: (claims) => ({ ...claims, nonce: 'x' }),
  })
  const verdict = await rejection({ identity: [expired] })
  assert.equal(verdict.code, 'credential_expired')
  assert.deepEqual(
    [
      verdict.credentials[0]?.trusted,
      verdict.credentials[0]?.signatureValid,
      verdict.credentials[0]?.holderBindingValid,
    ],
    [true, true, false],
  )
})

test('an untrusted issuer is told from an untrue signature', async () => {
  const nobody: readonly Anchor[] = []
  const untrusted = await rejection({ identity: [mintPresentation()] }, { trust: { anchors: nobody } })
  assert.equal(untrusted.code, 'issuer_untrusted')
  assert.deepEqual([untrusted.credentials[0]?.trusted, untrusted.credentials[0]?.signatureValid], [false, true])
  const untrue = await rejection({ identity: [mintPresentation({ signWith: sdJwt.holder.privateKey })] })
  assert.equal(untrue.code, 'credential_invalid')
  assert.deepEqual([untrue.credentials[0]?.trusted, untrue.credentials[0]?.signatureValid], [true, false])
})

test('a changed disclosure is not a valid signature', async () => {
  const verdict = await rejection({
    identity: [mintPresentation({ disclosures: () => [sdJwt.disclosure('given_name', 'Eve')] })],
  })
  assert.equal(verdict.credentials[0]?.signatureValid, false)
})

test('a demand that demands nothing is our fault', async () => {
  const token = { identity: [mintPresentation()] }
  const empty: DcqlQuery = { credentials: [] }
  for (const changes of [
    { nonce: '' },
    { clientId: '' },
    { responseUri: '' },
    { query: empty },
    { now: Number.NaN },
    { skewSeconds: Number.POSITIVE_INFINITY },
    { requestedAt: -1 },
  ]) {
    await assert.rejects(verifyPresentation(token, { ...expected, ...changes }, trust), /^Error: bug: /)
  }
})
