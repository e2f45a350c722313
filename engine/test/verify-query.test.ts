// Tests verification against the query: credentials and claims that are missing, too many, or presented for another query.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Expected } from '../src/expected-answer.ts'
import type { Json } from '../src/verdict.ts'
import { acceptance, asking, identity, licence, presentLicence, rejection } from './judgement.ts'
import * as sdJwt from './sdjwt/mint-presentation.ts'
import { extension, keyUsage } from './trust/mint-certificate.ts'
import { mintAuthority, mintSigner, NOW } from './trust/mint-pki.ts'

const { mintPresentation } = sdJwt

test('if one of several presentations for a query fails, the whole response is rejected', async () => {
  const multiple = asking({ credentials: [{ ...identity, multiple: true }] })
  const another = mintPresentation({ payload: (payload) => ({ ...payload, iat: NOW - 7200 }) })
  assert.equal((await acceptance({ identity: [mintPresentation(), another] }, { expected: multiple })).length, 2)
  const stripped = mintPresentation({ bindingJwt: () => '' })
  assert.equal(
    (await rejection({ identity: [mintPresentation(), stripped] }, { expected: multiple })).code,
    'holder_binding_invalid',
  )
})

test('ignores a genuine credential that no satisfied option needs', async () => {
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

test('of two satisfied options only the first counts', async () => {
  const token = { identity: [mintPresentation()], licence: [presentLicence()] }
  for (const options of [
    [['identity'], ['licence']],
    [['licence'], ['identity']],
  ]) {
    const query = asking({ credentials: [identity, licence], credential_sets: [{ options }] })
    const credentials = await acceptance(token, { expected: query })
    assert.deepEqual(
      credentials.map(({ queryId, checks }) => [queryId, checks.some(({ check }) => check === 'claim_conflict')]),
      [[options[0]?.[0], false]],
    )
    const all = await acceptance(token, { expected: { ...query, alternatives: 'every' } })
    assert.equal(all.length, 2)
  }
})

test('rejects a response in which no presentation counts', async () => {
  const query = asking({
    credentials: [identity, licence],
    credential_sets: [{ options: [['identity', 'licence']], required: false }],
  })
  assert.equal((await rejection({ identity: [mintPresentation()] }, { expected: query })).code, 'query_not_satisfied')
})

test('rejects a response that leaves out a required credential', async () => {
  const both = asking({ credentials: [licence, identity] })
  const verdict = await rejection({ identity: [mintPresentation()] }, { expected: both })
  assert.equal(verdict.code, 'query_not_satisfied')
  assert.equal(verdict.credentials[0]?.trusted, true)
})

test('rejects a vp_token that does not match our query', async () => {
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

test('the format comes from the query and is never guessed', async () => {
  const both = asking({ credentials: [licence, identity] })
  const swapped = await rejection({ identity: [presentLicence()], licence: [mintPresentation()] }, { expected: both })
  assert.equal(swapped.code, 'credential_invalid')
  assert.ok(swapped.credentials.every(({ checks }) => checks.length === 1 && checks[0]?.check === 'well_formed'))
})

test('rejects a credential that lacks a requested claim or value', async () => {
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

test("the credential's authority must be a requested one", async () => {
  const keyId = Buffer.alloc(20, 0x33)
  const authority = mintAuthority({
    subject: { CN: 'Authority with an identifier' },
    extensions: [extension.authority(), extension.keyUsage(keyUsage.authority), extension.subjectKeyId(keyId)],
  })
  const trust = { anchors: [{ ...sdJwt.anchor, certificate: authority.der }] }
  const signer = mintSigner(authority, {
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
  await acceptance({ identity: [presented] }, { expected: under(keyId), trust })
  const verdict = await rejection({ identity: [presented] }, { expected: under(Buffer.alloc(20, 0x44)), trust })
  assert.deepEqual(
    verdict.credentials[0]?.checks.filter(({ status }) => status === 'fail').map(({ check }) => check),
    ['authority_requested'],
  )
  // A certificate without the extension does not meet such a requirement.
  await rejection({ identity: [mintPresentation()] }, { expected: under(keyId) })
})
