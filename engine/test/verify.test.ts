// Tests the whole verification: one verdict over everything that was presented.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DcqlQuery } from '../src/openid4vp/dcql.ts'
import type { Anchor } from '../src/trust/anchor.ts'
import { verifyPresentation } from '../src/verify.ts'
import { acceptance, asking, expected, identity, licence, presentLicence, rejection, trust } from './judgement.ts'
import { MDL_SPACE, mintMdoc } from './mdoc/mint-mdoc.ts'
import * as sdJwt from './sdjwt/mint-presentation.ts'
import { NOW } from './trust/mint-pki.ts'

const { mintPresentation, VCT } = sdJwt

test('accepts a genuine presentation, with only the requested claims', async () => {
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
  // Both say Erika: that is not a conflict.
  assert.ok(credentials.every(({ checks }) => checks.every(({ check }) => check !== 'claim_conflict')))
})

test('warns on the later credential if two credentials have different values under the same name', async () => {
  const both = asking({ credentials: [licence, identity] })
  const differing = { identity: [mintPresentation({ concealed: { given_name: 'Max' } })], licence: [presentLicence()] }
  const [first, second] = await acceptance(differing, { expected: both })
  assert.ok(!first?.checks.some(({ check }) => check === 'claim_conflict'))
  assert.deepEqual(
    second?.checks.filter(({ check }) => check === 'claim_conflict').map(({ status }) => status),
    ['warning'],
  )
})

test('rejects a response if one presentation fails, even an optional one', async () => {
  const optional = asking({
    credentials: [licence, identity],
    credential_sets: [{ options: [['identity']] }, { options: [['licence']], required: false }],
  })
  await acceptance({ identity: [mintPresentation()] }, { expected: optional })
  const verdict = await rejection({ identity: [mintPresentation()], licence: [mintMdoc()] }, { expected: optional })
  assert.equal(verdict.code, 'holder_binding_invalid')
  assert.equal(verdict.credentials.length, 2)
})

test('rejects with the code of the first fault', async () => {
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

test('distinguishes an untrusted issuer from an invalid signature', async () => {
  const noAnchors: readonly Anchor[] = []
  const untrusted = await rejection({ identity: [mintPresentation()] }, { trust: { anchors: noAnchors } })
  assert.equal(untrusted.code, 'issuer_untrusted')
  assert.deepEqual([untrusted.credentials[0]?.trusted, untrusted.credentials[0]?.signatureValid], [false, true])
  const untrue = await rejection({ identity: [mintPresentation({ signWith: sdJwt.holder.privateKey })] })
  assert.equal(untrue.code, 'credential_invalid')
  assert.deepEqual([untrue.credentials[0]?.trusted, untrue.credentials[0]?.signatureValid], [false, false])
})

test('reports neither type nor issuer of an SD-JWT whose signature is invalid', async () => {
  const forged = mintPresentation({ signWith: sdJwt.holder.privateKey })
  const changed = mintPresentation({ disclosures: () => [sdJwt.disclosure('given_name', 'Eve')] })
  for (const presentation of [forged, changed]) {
    const [credential] = (await rejection({ identity: [presentation] })).credentials
    assert.deepEqual(
      [credential?.doctypeOrVct, credential?.issuer, credential?.trusted, credential?.format],
      ['', {}, false, 'dc+sd-jwt'],
    )
  }
})

test('reports neither type nor issuer of an mdoc whose signature is invalid', async () => {
  const forged = mintMdoc({ issuerAuthParts: (parts) => [...parts.slice(0, 3), Buffer.alloc(64, 1)] })
  const [credential] = (await rejection({ licence: [forged] }, { expected: asking({ credentials: [licence] }) }))
    .credentials
  assert.deepEqual(
    [credential?.doctypeOrVct, credential?.issuer, credential?.trusted, credential?.signatureValid],
    ['', {}, false, false],
  )
})

test('names neither an untrusted issuer nor what it signed, because anyone can sign anything', async () => {
  const [credential] = (await rejection({ identity: [mintPresentation()] }, { trust: { anchors: [] } })).credentials
  assert.deepEqual(
    [credential?.doctypeOrVct, credential?.issuer, credential?.trusted, credential?.signatureValid],
    ['', {}, false, true],
  )
})

for (const vct of ['urn:x\n', 'urn:\u001b[31m', 'urn:\u202eabc', 'urn:\u2028', '\u0000']) {
  test(`a type that could manipulate a display is refused: ${JSON.stringify(vct)}`, async () => {
    const verdict = await rejection({ identity: [mintPresentation({ payload: (usual) => ({ ...usual, vct }) })] })
    assert.equal(verdict.credentials[0]?.doctypeOrVct, '')
    assert.deepEqual(sdJwt.failedChecks(verdict.credentials[0] ?? { checks: [] }), ['well_formed'])
  })
}

test('a credential that matches the query by `aka_vcts` is reported with its own `vct`', async () => {
  const german = mintPresentation({ payload: (usual) => ({ ...usual, vct: 'urn:example:own', aka_vcts: [VCT] }) })
  const anchors = [{ ...sdJwt.anchor, types: ['dc+sd-jwt:urn:example:own', `dc+sd-jwt:${VCT}`] as const }]
  const [credential] = await acceptance({ identity: [german] }, { trust: { anchors } })
  assert.equal(credential?.doctypeOrVct, 'urn:example:own')
})

test('a changed disclosure invalidates the signature', async () => {
  const verdict = await rejection({
    identity: [mintPresentation({ disclosures: () => [sdJwt.disclosure('given_name', 'Eve')] })],
  })
  assert.equal(verdict.credentials[0]?.signatureValid, false)
})

test("throws a bug if the caller's expectations are empty or invalid", async () => {
  const token = { identity: [mintPresentation()] }
  const empty: DcqlQuery = { credentials: [] }
  for (const changes of [
    { nonce: '' },
    { channel: { kind: 'redirect', clientId: '', responseUri: 'https://verifier.example/' } as const },
    { channel: { kind: 'redirect', clientId: 'x509_hash:x', responseUri: '' } as const },
    { channel: { kind: 'dc_api', origins: [] } as const },
    { channel: { kind: 'dc_api', origins: ['https://shop.example', ''] } as const },
    { channel: { kind: 'dc_api', origins: ['https://shop.example/'] } as const },
    { channel: { kind: 'annex_c', origins: [], encryptionInfo: 'gg' } as const },
    { channel: { kind: 'annex_c', origins: ['https://shop.example'], encryptionInfo: '' } as const },
    { query: empty },
    { now: Number.NaN },
    { skewSeconds: Number.POSITIVE_INFINITY },
    { requestedAt: -1 },
  ]) {
    await assert.rejects(verifyPresentation(token, { ...expected, ...changes }, trust), /^Error: bug: /)
  }
})
