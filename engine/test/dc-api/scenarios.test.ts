// Tests that the engine reaches the verdict that each scenario of the test wallet expects (docs/protocol/dc-api.md).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  answerDcApi,
  MISBEHAVIOUR_NAMES,
  MISBEHAVIOURS,
  type Misbehaviour,
  NoMatchingCredential,
  SCENARIO_NAMES,
  SCENARIOS,
  TYPE,
} from '../../../wallet/src/index.ts'
import { type DcApiProtocol, parseQuery } from '../../src/index.ts'
import { annexCData, encryptionInfo, issuer, judgeAnswer, NOW, type Offered, ORIGIN, offerFor } from './verifier.ts'

const MDL = 'org.iso.18013.5.1'
const PID = {
  id: 'pid',
  format: 'dc+sd-jwt',
  meta: { vct_values: [TYPE.pidSdJwt] },
  claims: [{ path: ['family_name'] }, { path: ['nationalities', null] }],
}
const LICENCE = {
  id: 'mdl',
  format: 'mso_mdoc',
  meta: { doctype_value: TYPE.mdl },
  claims: [{ path: [MDL, 'family_name'] }, { path: [MDL, 'issuing_country'] }],
}
const AGE = {
  id: 'age',
  format: 'mso_mdoc',
  meta: { doctype_value: TYPE.ageProof },
  claims: [{ path: [TYPE.ageProof, 'age_over_18'] }],
}

const ROADS: readonly { readonly protocol: DcApiProtocol; readonly query: typeof PID | typeof LICENCE }[] = [
  { protocol: 'openid4vp-v1-signed', query: PID },
  { protocol: 'openid4vp-v1-signed', query: LICENCE },
  { protocol: 'openid4vp-v1-unsigned', query: PID },
  { protocol: 'openid4vp-v1-multisigned', query: LICENCE },
  { protocol: 'org-iso-mdoc', query: LICENCE },
]

const options = { origin: ORIGIN, now: NOW, issuer }

for (const { protocol, query } of ROADS) {
  for (const scenario of SCENARIO_NAMES) {
    for (const encrypted of protocol === 'org-iso-mdoc' ? [true] : [true, false]) {
      test(`${protocol}, ${query.format}, ${scenario}, ${encrypted ? 'encrypted' : 'in clear'}`, async () => {
        const offered = await offerFor({ query: { credentials: [query] }, protocols: [protocol], encrypted })
        const answering = answerDcApi(offered, { ...options, scenario })
        if (SCENARIOS[scenario].declines && protocol === 'org-iso-mdoc') {
          await assert.rejects(answering, NoMatchingCredential)
          return
        }
        assert.deepEqual(await concluded(offered, await answering), SCENARIOS[scenario].expected)
      })
    }
  }
}

for (const name of MISBEHAVIOUR_NAMES) {
  const misbehaviour: Misbehaviour = MISBEHAVIOURS[name]
  const roads = ROADS.filter(({ protocol, query }) => {
    const by = protocol === 'org-iso-mdoc' ? 'org-iso-mdoc' : 'openid4vp'
    if (misbehaviour.by !== 'either' && misbehaviour.by !== by) return false
    return misbehaviour.format === undefined || misbehaviour.format === query.format
  })
  for (const { protocol, query } of roads) {
    test(`${misbehaviour.case} ${misbehaviour.title}: ${protocol}, ${query.format}`, async () => {
      const offered = await offerFor({ query: { credentials: [query] }, protocols: [protocol] })
      const outcome = await judgeAnswer(offered, await answerDcApi(offered, { ...options, misbehaviour: name }))
      if (misbehaviour.expected === 'refused') {
        assert.equal(outcome.kind, 'malformed')
        return
      }
      assert.ok(outcome.kind === 'verdict' && outcome.verdict.outcome === 'rejected', JSON.stringify(outcome))
      assert.equal(outcome.verdict.code, misbehaviour.expected)
    })
  }
}

test('D22: rejects an Annex C document of an untrusted issuer', async () => {
  const offered = await offerFor({ query: { credentials: [LICENCE] }, protocols: ['org-iso-mdoc'] })
  const answer = await answerDcApi(offered, { ...options, scenario: 'untrusted' })
  assert.deepEqual(await concluded(offered, answer), { status: 'failed', code: 'issuer_untrusted' })
})

test('each document in an Annex C answer satisfies the query of its type', async () => {
  const offered = await offerFor({ query: { credentials: [AGE, LICENCE] }, protocols: ['org-iso-mdoc'] })
  const outcome = await judgeAnswer(offered, await answerDcApi(offered, options))
  assert.ok(outcome.kind === 'verdict' && outcome.verdict.outcome === 'accepted', JSON.stringify(outcome))
  const concluded = outcome.verdict.credentials.map(({ queryId, doctypeOrVct, claims }) => ({
    queryId,
    doctypeOrVct,
    claims,
  }))
  assert.deepEqual(JSON.parse(JSON.stringify(concluded)), [
    { queryId: 'age', doctypeOrVct: TYPE.ageProof, claims: { [TYPE.ageProof]: { age_over_18: true } } },
    {
      queryId: 'mdl',
      doctypeOrVct: TYPE.mdl,
      claims: { [MDL]: { family_name: 'Specimen', issuing_country: 'DE' } },
    },
  ])
})

test('one document satisfies a query with alternatives', async () => {
  const query = { credentials: [PID, LICENCE, AGE], credential_sets: [{ options: [['pid'], ['mdl'], ['age']] }] }
  const offered = await offerFor({ query, protocols: ['openid4vp-v1-signed', 'org-iso-mdoc'] })
  for (const protocols of [['org-iso-mdoc'], ['openid4vp-v1-signed']]) {
    const answer = await answerDcApi(offered, { ...options, protocols })
    assert.deepEqual([answer.protocol], protocols)
    assert.deepEqual(await concluded(offered, answer), { status: 'completed' })
  }
})

test('every origin of a verification is accepted, and no other origin', async () => {
  const origins = ['https://frame.example', 'https://top.example']
  // A reader signs for one origin only, so this request is unsigned.
  const query = parseQuery({ credentials: [LICENCE] })
  const data = await annexCData({ query, encryptionInfo, origin: ORIGIN, readers: [] })
  for (const road of ROADS) {
    for (const origin of [...origins, ORIGIN]) {
      const offered = await offerFor({ query: { credentials: [road.query] }, protocols: [road.protocol], origins })
      const requests = road.protocol === 'org-iso-mdoc' ? [{ protocol: 'org-iso-mdoc', data }] : offered.requests
      const answering = answerDcApi({ requests }, { ...options, origin, readerAuth: 'optional' })
      if (origin === ORIGIN && road.protocol.endsWith('signed') && road.protocol !== 'openid4vp-v1-unsigned') {
        await assert.rejects(answering, /origin_unexpected/)
        continue
      }
      const conclusion = (await concluded(offered, await answering)) as { readonly status?: string }
      assert.equal(conclusion.status === 'completed', origin !== ORIGIN, `${road.protocol} ${origin}`)
    }
  }
})

async function concluded(offered: Offered, answer: unknown): Promise<unknown> {
  const outcome = await judgeAnswer(offered, answer)
  if (outcome.kind === 'wallet_error') {
    assert.equal(outcome.code, 'access_denied')
    return { status: 'failed', code: 'wallet_declined' }
  }
  if (outcome.kind === 'malformed') return outcome
  const { verdict } = outcome
  return verdict.outcome === 'accepted' ? { status: 'completed' } : { status: 'failed', code: verdict.code }
}
