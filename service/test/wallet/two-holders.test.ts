// Tests a response with genuine credentials of two people: the result is of one of them, never a mixture.

import assert from 'node:assert/strict'
import test from 'node:test'
import {
  type CredentialKind,
  chooseCredentials,
  formBody,
  generateKey,
  issue,
  presentCredential,
} from '@vidimus/wallet'
import { saveTemplate } from '../../src/core/templates/usecases/manage-templates.ts'
import { browserAnswer, fetchOffer, postAnswer } from '../harness/dc-api.ts'
import { ANNA, BERT, CHILD, type Person } from '../harness/people.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { testWallet } from '../harness/wallet.ts'
import { bindingOf, create, read, respond } from './verifications.ts'

const service = await testService()
const wallet = await testWallet(service)
const tenant = await service.tenant()
const key = await service.key(tenant)

const KINDS: Readonly<Record<string, CredentialKind>> = { pid_sd: 'pid_sd_jwt', mdl: 'mdl', age_proof: 'age_proof' }

/** Each person answers one credential query, with their own holder's key. */
async function answered(question: string | object, people: Readonly<Record<string, Person>>) {
  const created = await create(service, key, typeof question === 'string' ? { template: question } : question)
  const request = await wallet.request(created.wallet_uri)
  const { issuer, now } = wallet.options
  const binding = bindingOf(wallet, request)
  const vpToken: Record<string, string[]> = {}
  for (const [id, person] of Object.entries(people)) {
    const kind = KINDS[id]
    assert.ok(kind)
    const credentials = issue(issuer, kind, { holderKey: generateKey(), now, person })
    const query = { credentials: request.query.credentials.filter((one) => one.id === id), sets: null }
    const [choice] = chooseCredentials(query, [credentials])
    assert.ok(choice)
    vpToken[id] = [presentCredential(choice.credential, choice.paths, binding)]
  }
  const taken = await respond(service, created.id, await formBody(request, { vpToken }))
  assert.equal(taken.status, 200, taken.text)
  return read(service, key, created.id)
}

test('the identity comes from one credential, and the other is not stored', async () => {
  const result = await answered('identity_extended', { pid_sd: ANNA, mdl: BERT })
  assert.equal(result.status, 'completed', JSON.stringify(result))
  assert.equal(result.claims.given_name, 'Anna')
  assert.deepEqual(result.claims.birth_place, { locality: 'Aburg', country: 'AT' })
  assert.equal(result.credentials.length, 1)
  assert.doesNotMatch(JSON.stringify(result), /Bert|Beispiel|Bstadt/)
})

test('an age that one credential proves and another denies is denied', async () => {
  const result = await answered('age_over_18', { age_proof: ANNA, pid_sd: CHILD })
  assert.equal(result.status, 'completed', JSON.stringify(result))
  assert.deepEqual(result.claims, { age_over_18: false })
  assert.deepEqual(
    result.credentials.map(({ doctype_or_vct, claims }: { doctype_or_vct: string; claims: object }) => [
      doctype_or_vct,
      claims,
    ]),
    [['urn:eudi:pid:1', { age_over_18: false }]],
  )
})

test('an age is denied by a credential that answers no complete alternative, too', async () => {
  const flag = (credential: string, ...path: string[]) => ({ credential, path, age: 18 })
  const [adultPid, adultLicence, proof] = [
    flag('pid_sd', 'age_equal_or_over', '18'),
    flag('mdl', 'org.iso.18013.5.1', 'age_over_18'),
    flag('age_proof', 'eu.europa.ec.av.1', 'age_over_18'),
  ]
  const { pid_sd: pid, mdl: licence } = SEVERAL
  const askingFor = (one: object, { credential: id, path }: ReturnType<typeof flag>) => ({
    ...one,
    id,
    claims: [{ path }],
  })
  const saved = await saveTemplate(service.deps, {
    realm: { tenantId: tenant, environment: 'test' },
    key: 'adult_alternatives',
    document: {
      title: 'Adult',
      query: {
        credentials: [
          askingFor({ format: pid.format, meta: pid.meta }, adultPid),
          askingFor({ format: licence.format, meta: licence.meta }, adultLicence),
          askingFor({ format: licence.format, meta: { doctype_value: 'eu.europa.ec.av.1' } }, proof),
        ],
        credential_sets: [{ options: [['pid_sd'], ['mdl', 'age_proof']] }],
      },
      outputs: { adult: { age_over: 18, flags: [adultPid, adultLicence, proof] } },
    },
    actor: OPERATOR,
  })
  assert.equal(saved.outcome, 'created', JSON.stringify(saved))
  const result = await answered('adult_alternatives', { pid_sd: ANNA, mdl: CHILD })
  assert.equal(result.status, 'completed', JSON.stringify(result))
  assert.deepEqual(result.claims, { adult: false })
  assert.equal(result.credentials.length, 1)
  assert.equal((await answered('adult_alternatives', { pid_sd: ANNA, mdl: BERT })).claims.adult, true)
})

test('a credential is compared only with those that are kept', async () => {
  const sources = [
    { credential: 'mdl', path: ['org.iso.18013.5.1', 'given_name'] },
    { credential: 'pid_sd', path: ['given_name'] },
  ]
  const saved = await saveTemplate(service.deps, {
    realm: { tenantId: tenant, environment: 'test' },
    key: 'name_of_either',
    document: { title: 'Name', query: EITHER, outputs: { name: { value: sources } } },
    actor: OPERATOR,
  })
  assert.equal(saved.outcome, 'created', JSON.stringify(saved))
  const result = await answered('name_of_either', { pid_sd: ANNA, mdl: BERT })
  assert.equal(result.status, 'completed', JSON.stringify(result))
  assert.deepEqual(result.claims, { name: 'Bert' })
  assert.deepEqual(
    result.credentials.map((one: { format: string; findings: object[] }) => [one.format, one.findings]),
    [['mso_mdoc', []]],
  )
})

/** A query for either of two credentials with the same claim names. */
const EITHER = {
  credentials: [
    {
      id: 'pid_sd',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: [{ path: ['given_name'] }, { path: ['place_of_birth'] }],
    },
    {
      id: 'mdl',
      format: 'mso_mdoc',
      meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
      claims: [{ path: ['org.iso.18013.5.1', 'family_name'] }, { path: ['org.iso.18013.5.1', 'given_name'] }],
    },
  ],
  credential_sets: [{ options: [['mdl'], ['pid_sd']] }],
}

async function ownTemplate(): Promise<object> {
  const saved = await saveTemplate(service.deps, {
    realm: { tenantId: tenant, environment: 'test' },
    key: 'either',
    document: { title: 'Either', query: EITHER },
    actor: OPERATOR,
  })
  assert.equal(saved.outcome, 'created', JSON.stringify(saved))
  return { template: 'either' }
}

for (const [title, question] of [
  ["a merchant's own query", async () => ({ query: EITHER })],
  ["a tenant's template without outputs", ownTemplate],
] as const) {
  test(`of two alternatives of ${title} the first counts, and the other is not stored`, async () => {
    const result = await answered(await question(), { pid_sd: ANNA, mdl: BERT })
    assert.equal(result.status, 'completed', JSON.stringify(result))
    assert.deepEqual(result.claims, { family_name: 'Beispiel', given_name: 'Bert' })
    assert.deepEqual(
      result.credentials.map(({ format }: { format: string }) => format),
      ['mso_mdoc'],
    )
    assert.doesNotMatch(JSON.stringify(result), /Anna|Aburg|claim_conflict/)
  })
}

/** Several credentials of one kind, and either of two claim sets of each. */
const SEVERAL = {
  pid_sd: {
    id: 'pid_sd',
    format: 'dc+sd-jwt',
    meta: { vct_values: ['urn:eudi:pid:1'] },
    multiple: true,
    claims: [
      { id: 'given', path: ['given_name'] },
      { id: 'family', path: ['family_name'] },
      { id: 'born', path: ['birthdate'] },
    ],
    claim_sets: [
      ['family', 'given'],
      ['family', 'born'],
    ],
  },
  mdl: {
    id: 'mdl',
    format: 'mso_mdoc',
    meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
    multiple: true,
    claims: [
      { id: 'given', path: ['org.iso.18013.5.1', 'given_name'] },
      { id: 'family', path: ['org.iso.18013.5.1', 'family_name'] },
      { id: 'born', path: ['org.iso.18013.5.1', 'birth_date'] },
    ],
    claim_sets: [
      ['family', 'given'],
      ['family', 'born'],
    ],
  },
} as const

/** Each person shows one claim set for the one query, with their own key. */
async function answeredTogether(
  credentialQuery: (typeof SEVERAL)[keyof typeof SEVERAL],
  shown: readonly [Person, string[]][],
  question: object = { query: { credentials: [credentialQuery] } },
) {
  const created = await create(service, key, question)
  const request = await wallet.request(created.wallet_uri)
  const { issuer, now } = wallet.options
  const presentations = shown.map(([person, names]) => {
    const credentials = issue(issuer, KINDS[credentialQuery.id] ?? 'mdl', { holderKey: generateKey(), now, person })
    const paths = credentialQuery.claims.filter(({ id }) => names.includes(id)).map(({ path }) => [...path])
    return presentCredential(credentials, paths, bindingOf(wallet, request))
  })
  const taken = await respond(
    service,
    created.id,
    await formBody(request, { vpToken: { [credentialQuery.id]: presentations } }),
  )
  assert.equal(taken.status, 200, taken.text)
  return read(service, key, created.id)
}

for (const credentialQuery of Object.values(SEVERAL)) {
  test(`${credentialQuery.format}: never merges two claim sets of one query, even of one holder`, async () => {
    // Siblings, whom their common claims do not distinguish.
    const sister = { ...BERT, familyName: ANNA.familyName, givenName: 'Berta', birthDate: '2015-01-01' }
    const result = await answeredTogether(credentialQuery, [
      [sister, ['family', 'given']],
      [ANNA, ['family', 'born']],
    ])
    assert.equal(result.status, 'failed', JSON.stringify(result))
    assert.equal(result.error.code, 'claim_conflict')
    assert.equal(result.claims, undefined)
    assert.deepEqual(
      result.credentials.map(
        ({ claims, findings }: { claims: object; findings: { check: string; status: string }[] }) => [
          claims,
          findings.filter(({ check }) => check === 'claim_conflict').map(({ status }) => status),
        ],
      ),
      [
        [{}, []],
        [{}, ['fail']],
      ],
    )
    assert.doesNotMatch(JSON.stringify(result), /Berta|Muster|1980|2015/)
  })

  test(`${credentialQuery.format}: of several credentials with the same claims only the first fills the claims`, async () => {
    const result = await answeredTogether(credentialQuery, [
      [ANNA, ['family', 'given']],
      [BERT, ['family', 'given']],
    ])
    assert.equal(result.status, 'completed', JSON.stringify(result))
    assert.deepEqual(result.claims, { family_name: 'Muster', given_name: 'Anna' })
    assert.deepEqual(
      result.credentials.map(({ claims }: { claims: { given_name: string } }) => claims.given_name),
      ['Anna', 'Bert'],
    )
    assert.deepEqual(
      result.credentials.map(({ findings }: { findings: { check: string; status: string }[] }) =>
        findings.filter(({ check }) => check === 'claim_conflict').map(({ status }) => status),
      ),
      [[], ['warning']],
    )
  })

  test(`${credentialQuery.format}: outputs come from one presentation of a query, whatever claim sets the others disclose`, async () => {
    const outputsOf = (...names: string[]) =>
      Object.fromEntries(
        credentialQuery.claims
          .filter(({ id }) => names.includes(id))
          .map(({ id, path }) => [id, { value: [{ credential: credentialQuery.id, path }] }]),
      )
    const answeredFor = async (...names: string[]) => {
      const template = `${credentialQuery.id}_${names.join('_')}`
      const saved = await saveTemplate(service.deps, {
        realm: { tenantId: tenant, environment: 'test' },
        key: template,
        document: { title: 'One of several', query: { credentials: [credentialQuery] }, outputs: outputsOf(...names) },
        actor: OPERATOR,
      })
      assert.equal(saved.outcome, 'created', JSON.stringify(saved))
      const shown: [Person, string[]][] = [
        [BERT, ['family', 'born']],
        [ANNA, ['family', 'given']],
      ]
      return answeredTogether(credentialQuery, shown, { template })
    }
    const named = await answeredFor('family', 'given')
    assert.equal(named.status, 'completed', JSON.stringify(named))
    assert.deepEqual(named.claims, { given: 'Anna', family: 'Muster' })
    assert.equal(named.credentials.length, 2)
    // No presentation gives both.
    const mixed = await answeredFor('given', 'born')
    assert.deepEqual([mixed.status, mixed.error?.code], ['failed', 'query_not_satisfied'])
  })
}

const LICENCE = 'org.iso.18013.5.1'
const EU_PID = 'eu.europa.ec.eudi.pid.1'
const claimsOfMdocs = (...names: string[]) => ({
  credentials: [
    {
      id: 'pid',
      format: 'mso_mdoc',
      meta: { doctype_value: EU_PID },
      claims: names.map((n) => ({ path: [EU_PID, n] })),
    },
    {
      id: 'licence',
      format: 'mso_mdoc',
      meta: { doctype_value: `${LICENCE}.mDL` },
      claims: names.map((n) => ({ path: [LICENCE, n] })),
    },
  ],
})

/** A PID of one person and a licence of another, through the browser. */
async function answeredInBrowser(
  question: object,
  { pid, licence }: { readonly pid: Person; readonly licence: Person },
  change: { readonly protocols: readonly string[]; readonly reversesDocuments: boolean },
) {
  const created = await create(service, key, question)
  const { issuer, now } = wallet.options
  const credentials = [
    issue(issuer, 'pid_mdoc', { holderKey: generateKey(), now, person: pid }),
    issue(issuer, 'mdl', { holderKey: generateKey(), now, person: licence }),
  ]
  const offer = (await fetchOffer(service, created.id)).json
  const answer = await browserAnswer(wallet, offer, { ...change, credentials })
  const posted = await postAnswer(service, created.id, answer)
  assert.equal(posted.status, 200, posted.text)
  return read(service, key, created.id)
}

for (const protocol of ['openid4vp-v1-signed', 'org-iso-mdoc'])
  for (const reversesDocuments of [false, true])
    test(`${protocol}${reversesDocuments ? ', documents reversed' : ''}: the query's order decides whose claims are kept`, async () => {
      const change = { protocols: [protocol], reversesDocuments }
      const people = { pid: ANNA, licence: BERT }
      const result = await answeredInBrowser({ query: claimsOfMdocs('given_name', 'family_name') }, people, change)
      assert.deepEqual(result.claims, { given_name: 'Anna', family_name: 'Muster' })
      assert.deepEqual(
        result.credentials.map((one: { doctype_or_vct: string; findings: { check: string }[] }) => [
          one.doctype_or_vct,
          one.findings.map(({ check }) => check),
        ]),
        [
          [EU_PID, []],
          [`${LICENCE}.mDL`, ['claim_conflict']],
        ],
      )
    })

const AGE_OF_BOTH = claimsOfMdocs('age_over_18')
await saveTemplate(service.deps, {
  realm: { tenantId: tenant, environment: 'test' },
  key: 'age_of_both',
  actor: OPERATOR,
  document: { title: 'Age of both', query: AGE_OF_BOTH },
})
const verdictOf = async (id: string) =>
  (await service.call('GET', `/v1/verifications/${id}/verdict`, { key })).json.verdict

for (const [title, people, first, verdict] of [
  ['the first denies', { pid: CHILD, licence: ANNA }, false, 'no'],
  ['the second denies', { pid: ANNA, licence: CHILD }, true, 'no'],
  ['neither denies', { pid: ANNA, licence: BERT }, true, 'yes'],
] as const)
  test(`a template without outputs asks two credentials for an age, and ${title}: ${verdict}`, async () => {
    const change = { protocols: ['org-iso-mdoc'], reversesDocuments: false }
    const result = await answeredInBrowser({ template: 'age_of_both' }, people, change)
    assert.deepEqual(result.claims, { age_over_18: first })
    assert.deepEqual(
      result.credentials.flatMap((one: { findings: { check: string }[] }) => one.findings.map(({ check }) => check)),
      verdict === 'no' ? ['claim_conflict'] : [],
    )
    assert.equal(await verdictOf(result.id), verdict)
  })
