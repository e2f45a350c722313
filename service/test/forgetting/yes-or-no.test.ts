// Tests that neither the length of stored ciphertext nor a finding says yes or no.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey, issue, issueAll, PERSON } from '@vidimus/wallet'
import { encryptToToken } from '../../src/features/oidc/domain/tokens.ts'
import { padJson } from '../../src/platform/seal/pad-json.ts'
import { testService } from '../harness/service.ts'
import { person } from '../harness/staff.ts'
import { create } from '../wallet/verifications.ts'
import { addMerchantKey } from './merchant-keys.ts'
import { merchant, present } from './merchants.ts'

const service = await testService()

const ADULT = { birthDate: '1990-07-14', givenName: 'Anna', familyName: 'Amsel' }
const MINOR = { birthDate: '2015-12-30', givenName: 'Christopher', familyName: 'Exemplar-Ersatz' }
const AGE = ['age_equal_or_over', '18']
const QUERY = {
  credentials: [{ id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: AGE }] }],
}

for (const [title, body, hasKey] of [
  ['a template', { template: 'age_over_18' }, false],
  ['a template and a result key', { template: 'age_over_18' }, true],
  ['a query', { query: QUERY }, false],
  ['a query and a result key', { query: QUERY }, true],
] as const)
  test(`the sealed result of ${title} has one length, whatever the answer`, async () => {
    const of = await merchant(service, { content: 'keep' })
    if (hasKey) await addMerchantKey(service, of.realm)
    const lengths = await Promise.all(
      [ADULT, MINOR].map(async (person) => {
        const created = await create(service, of.key, body)
        await present(service, created, (issuer, now) =>
          issueAll(issuer, { holderKey: generateKey(), now, person: { ...PERSON, ...person } }),
        )
        const { claims } = await of.read(created.id)
        const { sealed } = await of.stored(created.id)
        const text = JSON.stringify(claims)
        if (!hasKey) assert.ok(text.includes(String(person === ADULT)), text)
        return [sealed?.length, hasKey ? text.length : 0]
      }),
    )
    assert.deepEqual(lengths[0], lengths[1])
  })

test('a viewer does not see that a claim has another value in another credential; an admin does', async () => {
  const [licence, pid] = ['org.iso.18013.5.1', 'eu.europa.ec.eudi.pid.1']
  const queryFor = (id: string, space: string, doctype = space) => {
    const claims = [{ path: [space, 'age_over_18'] }]
    return { id, format: 'mso_mdoc', meta: { doctype_value: doctype }, claims }
  }
  const query = { credentials: [queryFor('pid', pid), queryFor('licence', licence, `${licence}.mDL`)] }
  const of = await merchant(service, { content: 'keep' })
  const created = await create(service, of.key, { query })
  await present(service, created, (issuer, now) =>
    [['pid_mdoc', ADULT] as const, ['mdl', MINOR] as const].map(([kind, { birthDate }]) =>
      issue(issuer, kind, { holderKey: generateKey(), now, person: { ...PERSON, birthDate } }),
    ),
  )
  for (const [role, isShown] of [
    ['viewer', false],
    ['admin', true],
  ] as const) {
    const { json } = await (await person(service, of.realm.tenantId, role)).call('GET', `@/verifications/${created.id}`)
    assert.equal(JSON.stringify(json.credentials).includes('claim_conflict'), isShown, role)
  }
})

test('userinfo for a token has one length, whatever the answer', () => {
  const lengthOf = (isAdult: boolean) =>
    encryptToToken(
      { sub: 'x', age_over_18: isAdult },
      { token: 'AAAA', id: 'oas_1', random: (bytes) => new Uint8Array(bytes) },
    ).length
  assert.equal(lengthOf(true), lengthOf(false))
})

test('yes takes as much space as no, also where a step ends between them', () => {
  for (let length = 0; length < 300; length += 1) {
    const padded = (age: boolean, verdict: 'yes' | 'no') =>
      padJson(JSON.stringify({ text: 'é'.repeat(length), age, again: age, verdict })).length
    assert.equal(padded(true, 'yes'), padded(false, 'no'))
    assert.equal(padded(true, 'yes') % 128, 0)
  }
  const result = { claims: { name: 'Erika', is: true }, verdict: 'no' }
  assert.deepEqual(JSON.parse(padJson(JSON.stringify(result)).toString()), result)
})
