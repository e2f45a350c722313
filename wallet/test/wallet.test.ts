// Tests that the test wallet answers requests in both formats, and chooses what it discloses.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answersTo, chooseCredentials } from '../src/choose.ts'
import { parseDcql } from '../src/dcql.ts'
import { createIssuer, issueAll, statusListJwt, TYPE } from '../src/issuer.ts'
import { generateKey } from '../src/keys.ts'
import { certificateBytes } from '../src/pki.ts'
import { NoMatchingCredential } from '../src/refusal.ts'
import { SCENARIO_NAMES } from '../src/scenarios.ts'
import { presentFromLink } from '../src/wallet.ts'
import { mdocObjections, verifySdJwt } from './oracle.ts'
import { decrypt, encryptionKey, hashId, link, now, requestClaims, responseUri, verifierFetch } from './verifier.ts'

const issuer = createIssuer({ base: 'https://issuer.example/sandbox', now })
const holderKey = generateKey()
const nonce = String(requestClaims().nonce)
const credentials = issueAll(issuer, { holderKey, now })

const BOTH = {
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt',
      meta: { vct_values: [TYPE.pidSdJwt] },
      claims: [{ path: ['family_name'] }, { path: ['nationalities', null] }],
    },
    {
      id: 'mdl',
      format: 'mso_mdoc',
      meta: { doctype_value: TYPE.mdl },
      claims: [{ path: ['org.iso.18013.5.1', 'age_over_18'] }],
    },
  ],
}

for (const mode of ['direct_post', 'direct_post.jwt'] as const) {
  for (const clientId of [hashId, 'x509_san_dns:verifier.example']) {
    test(`${mode} to ${clientId.split(':')[0]}: both formats arrive and the libraries accept them`, async () => {
      const claims = requestClaims({ response_mode: mode, client_id: clientId, dcql_query: BOTH })
      const { fetch, forms } = verifierFetch(claims)
      const answer = await presentFromLink(link(clientId), { fetch, now, issuer, holderKey })
      assert.equal(answer.status, 200)
      assert.equal(answer.redirectUri, 'https://shop.example/done#response_code=1')
      const form = forms[0] ?? new URLSearchParams()
      const { vp_token: token, state } =
        mode === 'direct_post'
          ? { vp_token: JSON.parse(form.get('vp_token') ?? '') as Record<string, string[]>, state: form.get('state') }
          : await decrypt(form.get('response') ?? '')
      assert.equal(state, 'state-0123456789')
      const question = {
        clientId,
        nonce,
        responseUri,
        encryptionKey: mode === 'direct_post' ? null : encryptionKey,
        now,
      }
      const keys = { issuer: issuer.sdJwt.signer.key, holder: holderKey, statusList: statusListJwt(issuer, now) }
      const payload = (await verifySdJwt(token.pid?.[0] ?? '', keys, question)) as Record<string, unknown>
      assert.deepEqual(payload.nationalities, ['DE', 'FR'])
      assert.equal('given_name' in payload, false)
      assert.deepEqual(
        await mdocObjections(token.mdl?.[0] ?? '', certificateBytes(issuer.mdoc.authority), question),
        [],
      )
    })
  }
}

test('declining posts only access_denied', async () => {
  const { fetch, forms } = verifierFetch(requestClaims())
  await presentFromLink(link(), { fetch, now, issuer, scenario: 'declined' })
  assert.deepEqual(Object.fromEntries(forms[0] ?? []), { error: 'access_denied', state: 'state-0123456789' })
})

test('the holder chooses an option of a set or skips an optional set; the least disclosing option is the default', () => {
  const claims = (...names: string[]) => names.map((name) => ({ path: ['org.iso.18013.5.1', name] }))
  const licence = { format: 'mso_mdoc', meta: { doctype_value: TYPE.mdl } }
  const query = parseDcql({
    credentials: [
      { id: 'much', ...licence, claims: claims('given_name', 'family_name') },
      { id: 'little', ...licence, claims: claims('age_over_18') },
      { id: 'none', ...licence, claims: claims('organ_donor') },
    ],
    credential_sets: [{ options: [['much'], ['little'], ['none']] }, { options: [['much']], required: false }],
  })
  const chosen = (...picks: [number, number | null][]) =>
    chooseCredentials(query, credentials, new Map(picks)).map(({ queryId }) => queryId)
  assert.deepEqual(chosen(), ['little', 'much'])
  assert.deepEqual(chosen([0, 0], [1, null]), ['much'])
  assert.deepEqual(chosen([0, 1], [1, null]), ['little'])
  for (const at of [2, 3, Number.NaN, null])
    assert.throws(() => chosen([0, at]), NoMatchingCredential, 'it presents another option instead')
  assert.deepEqual(
    answersTo(query, credentials).map(({ options }) => options.map(({ at }) => at)),
    [[1, 0], [0]],
  )
})

test('declines a query that it cannot answer completely', async () => {
  const query = {
    credentials: [...BOTH.credentials, { id: 'x', format: 'dc+sd-jwt', meta: { vct_values: ['urn:unknown'] } }],
  }
  const { fetch, forms } = verifierFetch(requestClaims({ dcql_query: query }))
  await presentFromLink(link(), { fetch, now, issuer })
  assert.equal(forms[0]?.get('error'), 'access_denied')
})

for (const scenario of SCENARIO_NAMES.filter((name) => name !== 'declined')) {
  test(`scenario ${scenario} posts a response in both formats`, async () => {
    const { fetch, forms } = verifierFetch(requestClaims({ dcql_query: BOTH }))
    await presentFromLink(link(), { fetch, now, issuer, scenario })
    const { vp_token: token } = await decrypt(forms[0]?.get('response') ?? '')
    assert.deepEqual(Object.keys(token), ['pid', 'mdl'])
  })
}

test('discloses the first claim set that it can satisfy completely', () => {
  const query = parseDcql({
    credentials: [
      {
        id: 'mdl',
        format: 'mso_mdoc',
        meta: { doctype_value: TYPE.mdl },
        claims: [
          { id: 'a', path: ['org.iso.18013.5.1', 'age_over_17'] },
          { id: 'b', path: ['org.iso.18013.5.1', 'age_over_18'], values: [true] },
          { id: 'c', path: ['org.iso.18013.5.1', 'birth_date'] },
        ],
        claim_sets: [['a'], ['b'], ['c']],
      },
    ],
  })
  assert.deepEqual(chooseCredentials(query, credentials)[0]?.paths, [['org.iso.18013.5.1', 'age_over_18']])
})

test('chooses the option that discloses least, and skips optional sets that it cannot satisfy', () => {
  const query = parseDcql({
    credentials: [
      {
        id: 'much',
        format: 'dc+sd-jwt',
        meta: { vct_values: [TYPE.pidSdJwt] },
        claims: [{ path: ['family_name'] }, { path: ['birthdate'] }],
      },
      {
        id: 'little',
        format: 'mso_mdoc',
        meta: { doctype_value: TYPE.ageProof },
        claims: [{ path: [TYPE.ageProof, 'age_over_18'] }],
      },
      { id: 'none', format: 'dc+sd-jwt', meta: { vct_values: ['urn:unknown'] } },
    ],
    credential_sets: [{ options: [['much'], ['little']] }, { options: [['none']], required: false }],
  })
  assert.deepEqual(
    chooseCredentials(query, credentials).map((choice) => choice.queryId),
    ['little'],
  )
})

test('presents nothing if values or trusted authorities do not match', () => {
  const base = { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: [TYPE.pidSdJwt] } }
  const wrongValue = parseDcql({ credentials: [{ ...base, claims: [{ path: ['family_name'], values: ['Other'] }] }] })
  const wrongAuthority = parseDcql({
    credentials: [{ ...base, trusted_authorities: [{ type: 'aki', values: ['AAAA'] }] }],
  })
  for (const query of [wrongValue, wrongAuthority])
    assert.throws(() => chooseCredentials(query, credentials), NoMatchingCredential)
})
