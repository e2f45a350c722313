// Tests diagnostics of a verification: the channel and the outcome of each check, and nothing of the content.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { RejectedCredential } from '@vidimus/engine'
import { answerAgeLink, formBody, type ScenarioName } from '@vidimus/wallet'
import { changeSettings } from '../../../src/core/tenants/usecases/manage-settings.ts'
import { checksOf } from '../../../src/core/verifications/domain/checks.ts'
import { openResult, sealResult } from '../../../src/core/verifications/store/sealed-results.ts'
import { merchant } from '../../forgetting/merchants.ts'
import { browserAnswer, fetchOffer, OWN_ORIGIN, postAnswer } from '../../harness/dc-api.ts'
import { assertRefused, OPERATOR, testService } from '../../harness/service.ts'
import { testWallet } from '../../harness/wallet.ts'
import { type Created, create, read, respond } from '../../wallet/verifications.ts'

const service = await testService()
const wallet = await testWallet(service)
const tenantId = await service.tenant()
await changeSettings(service.deps, { tenantId, change: { ageLink: true }, actor: OPERATOR })
const key = await service.key(tenantId)

interface Told {
  readonly id: string
  readonly status: string
  readonly channel: string | null
  readonly binding: string | null
  /** Fetched requests are tested in service/test/negotiation. Plain fetches are stored within about a second. */
  readonly requests?: readonly object[]
  readonly credentials:
    | readonly { query: string; format: string; checks: readonly { check: string; outcome: string }[] }[]
    | null
}

async function diagnosticsOf(id: string, owner = key): Promise<Told> {
  const answer = await service.call('GET', `/v1/verifications/${id}/diagnostics`, { key: owner })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

const outcomesOf = ({ credentials }: Told, index = 0) =>
  Object.fromEntries(credentials?.[index]?.checks.map(({ check, outcome }) => [check, outcome]) ?? [])

async function answered(scenario: ScenarioName = 'good', template = 'age_over_18', owner = key): Promise<Created> {
  const created = await create(service, owner, { template })
  await wallet.present(created.wallet_uri, scenario)
  return created
}

/** Answers by the browser's API, with only one protocol. */
async function answerInBrowser(protocol: string): Promise<Created> {
  const created = await create(service, key, { template: 'age_over_18' })
  const { requests } = (await fetchOffer(service, created.id, OWN_ORIGIN)).json
  const offer = { requests: requests.filter((one: { protocol: string }) => one.protocol === protocol) }
  const posted = await postAnswer(service, created.id, await browserAnswer(wallet, offer), OWN_ORIGIN)
  assert.equal(posted.status, 200, posted.text)
  return created
}

async function answerByAgeLink(): Promise<Created> {
  const created = await create(service, key, { template: 'age_over_18' })
  const page = await service.call('GET', `/verify/${created.id}`)
  const [, href = ''] = /data-age href="([^"]+)"/.exec(page.text) ?? []
  const link = href.replaceAll('&amp;', '&').replaceAll('&#38;', '&')
  assert.equal((await answerAgeLink(link, wallet.options)).status, 200)
  return created
}

for (const [channel, answer, binding] of [
  ['redirect', () => answered(), null],
  ['age_link', answerByAgeLink, null],
  ['dc_api', () => answerInBrowser('openid4vp-v1-signed'), 'browser_api'],
  ['annex_c', () => answerInBrowser('org-iso-mdoc'), 'browser_api'],
] as const)
  test(`an answer by ${channel} has its channel, and every check passed or was not applicable`, async () => {
    const { id } = await answer()
    const { requests: _, ...diagnostics } = await diagnosticsOf(id)
    assert.deepEqual(
      { ...diagnostics, credentials: diagnostics.credentials?.length },
      { id, status: 'completed', channel, binding, credentials: 1 },
    )
    const outcomes = outcomesOf(diagnostics)
    for (const check of [
      'well_formed',
      'issuer_trusted',
      'issuer_signature_valid',
      'bound_to_request',
      'query_answered',
    ])
      assert.equal(outcomes[check], 'passed', check)
    assert.ok(Object.keys(outcomes).includes('not_revoked') && Object.keys(outcomes).includes('signer_not_revoked'))
    assert.deepEqual(
      Object.entries(outcomes).filter(([, outcome]) => outcome !== 'passed' && outcome !== 'not_checked'),
      [],
    )
  })

test('a failed verification says which check failed, and which did not run', async () => {
  const diagnostics = await diagnosticsOf((await answered('tampered')).id)
  assert.equal(diagnostics.status, 'failed')
  assert.equal(diagnostics.channel, 'redirect')
  const outcomes = outcomesOf(diagnostics)
  assert.ok(Object.values(outcomes).includes('failed'), JSON.stringify(outcomes))
  assert.equal(outcomes.not_revoked, 'not_checked', 'no list is fetched for a forgery')
  assert.equal(outcomes.query_answered, 'not_checked')
})

test('an unparseable answer is listed, too: parsing is the check that failed', async () => {
  const created = await create(service, key, { template: 'age_over_18' })
  const request = await wallet.request(created.wallet_uri)
  const [query] = request.query.credentials
  assert.ok(query !== undefined)
  await respond(service, created.id, await formBody(request, { vpToken: { [query.id]: ['nothing'] } }))
  const diagnostics = await diagnosticsOf(created.id)
  assert.deepEqual((await read(service, key, created.id)).credentials, [], 'the result does not list it')
  assert.equal(diagnostics.credentials?.[0]?.query, query.id)
  const { well_formed: form, ...others } = outcomesOf(diagnostics)
  assert.equal(form, 'failed')
  assert.deepEqual(new Set(Object.values(others)), new Set(['not_checked']))
})

test('a holder who declines presents no credential', async () => {
  const diagnostics = await diagnosticsOf((await answered('declined')).id)
  assert.deepEqual([diagnostics.status, diagnostics.channel, diagnostics.credentials], ['failed', 'redirect', []])
})

test('a pending and an expired verification have no channel and no checks', async () => {
  const created = await create(service, key)
  const nothing = { id: created.id, channel: null, binding: null, requests: [], credentials: [] }
  assert.deepEqual(await diagnosticsOf(created.id), { ...nothing, status: 'pending' })
  await service.call('POST', `/v1/verifications/${created.id}/cancel`, { key })
  assert.deepEqual(await diagnosticsOf(created.id), { ...nothing, status: 'expired' })
})

test('diagnostics contain nothing of the content: no claim, no name of a claim, no type, no issuer', async () => {
  const created = await answered('good', 'identity')
  const result = await read(service, key, created.id)
  const text = JSON.stringify(await diagnosticsOf(created.id))
  const names = Object.keys(result.claims)
  const values = Object.values(result.claims).filter((value) => typeof value === 'string')
  assert.ok(names.length > 2 && values.length > 2)
  const [{ doctype_or_vct: type, issuer }] = result.credentials
  for (const word of [...names, ...values, type, issuer.common_name])
    assert.ok(!text.includes(String(word)), String(word))
})

test('the checks are forgotten with the content, and the channel stays; erasure leaves nothing', async () => {
  for (const [scenario, status] of [
    ['good', 'completed'],
    ['tampered', 'failed'],
  ] as const) {
    const { id } = await answered(scenario)
    assert.ok((await diagnosticsOf(id)).credentials !== null)
    assert.equal((await service.call('POST', `/v1/verifications/${id}/forget`, { key })).status, 200)
    const { requests: _, ...diagnostics } = await diagnosticsOf(id)
    assert.deepEqual(diagnostics, { id, status, channel: 'redirect', binding: null, credentials: null })
    assert.equal((await service.call('DELETE', `/v1/verifications/${id}`, { key })).status, 200)
    assertRefused(await service.call('GET', `/v1/verifications/${id}/diagnostics`, { key }), 404, 'session_not_found')
  }
})

test('if content is forwarded, checks of a failed verification are not even written', async () => {
  const one = await merchant(service, { content: 'forward' })
  const { id } = await answered('tampered', 'age_over_18', one.key)
  const diagnostics = await diagnosticsOf(id, one.key)
  assert.deepEqual([diagnostics.status, diagnostics.channel, diagnostics.credentials], ['failed', 'redirect', null])
})

test('reading diagnostics is not a read of the result', async () => {
  const { id } = await answered()
  await diagnosticsOf(id)
  await service.deps.readNotes.flush()
  const readAt = async () => {
    const [row] = await service.deps.db.query<{ at: string | null }>(
      {
        name: 'test_first_read',
        text: 'select first_read_at as at from verification_results where verification_id = $1',
      },
      [id],
    )
    return row?.at
  }
  assert.equal(await readAt(), null)
  await read(service, key, id)
  await service.deps.readNotes.flush()
  assert.notEqual(await readAt(), null)
})

test('diagnostics list a check that did not run as such, never hide a failure, and show no conflict of claims', () => {
  const credential: RejectedCredential = {
    ...{ queryId: 'pid', format: 'dc+sd-jwt', doctypeOrVct: '', issuer: {}, trusted: false, signatureValid: false },
    ...{ holderBindingValid: false, trustEvidence: { signer: null, status: null, lists: [] } },
    checks: [
      { check: 'well_formed', status: 'fail', detail: 'no' },
      { check: 'well_formed', status: 'pass' },
      { check: 'claim_conflict', status: 'warning' },
      { check: 'signer_not_revoked', status: 'warning' },
    ],
  }
  assert.deepEqual(checksOf(credential, ['well_formed', 'issuer_trusted', 'signer_not_revoked'], []), {
    query: 'pid',
    format: 'dc+sd-jwt',
    checks: { well_formed: 'failed', issuer_trusted: 'not_checked', signer_not_revoked: 'warning' },
  })
})

test('an answer that an earlier release accepted has neither channel nor checks', async () => {
  const { id } = await answered()
  const owner = { tenantId, environment: 'test', id } as const
  const [row] = await service.deps.db.query<{ sealed: Buffer }>(
    { name: 'test_sealed', text: 'select sealed from verification_results where verification_id = $1' },
    [id],
  )
  assert.ok(row !== undefined)
  const { checks: _, ...before } = openResult(service.deps.db, owner, row.sealed)
  await service.deps.db.query(
    {
      name: 'test_as_before',
      text: 'update verification_results set sealed = $2, answered_by = null where verification_id = $1',
    },
    [id, sealResult(service.deps.db, owner, before)],
  )
  const diagnostics = await diagnosticsOf(id)
  assert.deepEqual([diagnostics.status, diagnostics.channel, diagnostics.credentials], ['completed', null, null])
})
