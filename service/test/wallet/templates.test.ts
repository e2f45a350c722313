// Tests every built-in template, answered in both formats over real HTTP: the requested outputs, and nothing else.

import assert from 'node:assert/strict'
import test from 'node:test'
import { generateKey, issue } from '@vidimus/wallet'
import { listBuiltInTemplates } from '../../src/core/templates/domain/question.ts'
import { listeningService } from '../harness/listening.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read, respond, validBody } from './verifications.ts'

const service = await listeningService()
const wallet = await testWallet(service)
const key = await service.key(await service.tenant())
/** The answers of the sandbox's invented person. */
const ANSWERS: Record<string, unknown> = {
  age_over_16: true,
  age_over_18: true,
  age_over_21: true,
  given_name: 'Vida',
  family_name: 'Specimen',
  birth_date: '1990-07-14',
  nationalities: undefined,
  document_number: 'VDS000001',
  issuing_country: 'DE',
}

for (const template of listBuiltInTemplates()) {
  const formats = [...new Set(template.query.credentials.map(({ format }) => format))]
  for (const format of formats) {
    test(`${template.key} (${format})`, async () => {
      const created = await create(service, key, { template: template.key })
      const presented = await wallet.present(created.wallet_uri, 'good', { formats: [format], fetch: globalThis.fetch })
      assert.equal(presented.status, 200)
      const result = await read(service, key, created.id)
      assert.equal(result.status, 'completed', JSON.stringify(result.error))
      assert.deepEqual(Object.keys(result.claims), Object.keys(template.outputs ?? {}))
      for (const [name, value] of Object.entries(result.claims)) {
        if (ANSWERS[name] !== undefined) assert.deepEqual(value, ANSWERS[name], name)
      }
      const [credential] = result.credentials
      assert.equal(credential.format, format)
      assert.ok(credential.trusted && credential.signature_valid && credential.holder_binding_valid)
      assert.deepEqual(
        credential.findings.filter(({ status }: { status: string }) => status === 'fail'),
        [],
      )
      if (template.key.startsWith('age_over_')) {
        assert.deepEqual(credential.claims, { [template.key]: true })
        assert.doesNotMatch(JSON.stringify(result), /1990-07/)
      }
    })
  }
}

test('mdoc is among the formats of every template, and SD-JWT wherever such a credential exists', () => {
  for (const { key: name, query } of listBuiltInTemplates()) {
    const formats = query.credentials.map(({ format }) => format)
    assert.ok(formats.includes('mso_mdoc'), name)
    // EU driving licences are never SD-JWT.
    assert.equal(formats.includes('dc+sd-jwt'), name !== 'driving_licence', name)
  }
})

test('claims of two credentials are joined in the order of the query: if a name repeats, the first claim counts and the second gets a warning', async () => {
  const query = {
    credentials: [
      {
        id: 'licence',
        format: 'mso_mdoc',
        meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
        claims: [{ path: ['org.iso.18013.5.1', 'nationality'] }],
      },
      {
        id: 'pid',
        format: 'mso_mdoc',
        meta: { doctype_value: 'eu.europa.ec.eudi.pid.1' },
        claims: [
          { path: ['eu.europa.ec.eudi.pid.1', 'nationality'] },
          { path: ['eu.europa.ec.eudi.pid.1', 'family_name'] },
        ],
      },
    ],
  }
  const created = await create(service, key, { query })
  await wallet.present(created.wallet_uri)
  const result = await read(service, key, created.id)
  assert.deepEqual(result.claims, { nationality: 'DE', family_name: 'Specimen' })
  assert.deepEqual(result.credentials[1].claims, { nationality: ['DE', 'FR'], family_name: 'Specimen' })
  const findings = result.credentials.map(({ findings: found }: { findings: { check: string }[] }) =>
    found.map(({ check }) => check),
  )
  assert.deepEqual(findings, [[], ['claim_conflict']])
})

test('an explicit query of an SD-JWT returns its members as they are nested, and only requested ones', async () => {
  const query = {
    credentials: [
      {
        id: 'pid',
        format: 'dc+sd-jwt',
        meta: { vct_values: ['urn:eudi:pid:1'] },
        claims: [{ path: ['address', 'locality'] }, { path: ['nationalities', null] }],
      },
    ],
  }
  const created = await create(service, key, { query })
  await wallet.present(created.wallet_uri, 'over_disclosing')
  const result = await read(service, key, created.id)
  assert.deepEqual(result.claims, { address: { locality: 'Musterstadt' }, nationalities: ['DE', 'FR'] })
  assert.deepEqual(result.credentials[0].claims, result.claims)
})

/** PIDs as public sources describe them (docs/templates.md): the claims that they lack compared with the sandbox's. */
const AGES_SD = ['age_equal_or_over']
const AGES_MDOC = [12, 14, 16, 18, 21, 25, 60, 62, 65, 68].map((age) => `age_over_${age}`)
const ADDRESS_MDOC = ['address', 'street', 'house_number', 'postal_code', 'city', 'state', 'country'].map(
  (part) => `resident_${part}`,
)
const PIDS: Record<string, { lacks: readonly string[]; cannot: readonly string[] }> = {
  'only what the rulebook requires': {
    lacks: [...AGES_SD, ...AGES_MDOC, 'address', ...ADDRESS_MDOC, 'place_of_birth.locality', 'picture', 'portrait'],
    cannot: ['address', 'portrait', 'driving_licence'],
  },
  German: {
    lacks: [
      ...['place_of_birth.country', 'address.formatted', 'address.house_number', 'address.region', 'picture'],
      ...['resident_address', 'resident_house_number', 'resident_state', 'portrait'],
    ],
    cannot: ['portrait', 'driving_licence'],
  },
  Italian: {
    lacks: [...AGES_SD, ...AGES_MDOC, 'address', ...ADDRESS_MDOC],
    cannot: ['address', 'driving_licence'],
  },
  'with a town as its address': {
    lacks: ['formatted', 'street_address', 'house_number', 'postal_code', 'region', 'country']
      .map((part) => `address.${part}`)
      .concat(ADDRESS_MDOC.filter((part) => part !== 'resident_city')),
    cannot: ['driving_licence'],
  },
}

for (const [name, { lacks, cannot }] of Object.entries(PIDS)) {
  for (const kind of ['pid_sd_jwt', 'pid_mdoc'] as const) {
    test(`a PID answers every template for which it has the claims: ${name}, ${kind}`, async () => {
      const { issuer, now } = wallet.options
      const options = { holderKey: generateKey(), now, without: lacks }
      const credentials = [issue(issuer, kind, options)]
      for (const { key: template } of listBuiltInTemplates()) {
        if (cannot.includes(template)) continue
        const created = await create(service, key, { template })
        await respond(
          service,
          created.id,
          await validBody(wallet, await wallet.request(created.wallet_uri), { credentials }),
        )
        const result = await read(service, key, created.id)
        assert.equal(result.status, 'completed', `${template}: ${JSON.stringify(result.error)}`)
      }
    })
  }
}

test('a house number follows its street, in both formats', async () => {
  const { issuer, now } = wallet.options
  for (const kind of ['pid_sd_jwt', 'pid_mdoc'] as const) {
    const created = await create(service, key, { template: 'address' })
    const credentials = [issue(issuer, kind, { holderKey: generateKey(), now })]
    await respond(
      service,
      created.id,
      await validBody(wallet, await wallet.request(created.wallet_uri), { credentials }),
    )
    assert.equal((await read(service, key, created.id)).claims.address.street_address, 'Beispielweg 1', kind)
  }
})
