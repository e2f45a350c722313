// Every built-in template, answered in both formats over real HTTP: the outputs asked for, and nothing beyond them.

import assert from 'node:assert/strict'
import test from 'node:test'
import { listBuiltInTemplates } from '../../src/core/templates/domain/question.ts'
import { listeningService } from '../harness/listening.ts'
import { testWallet } from '../harness/wallet.ts'
import { create, read } from './verifications.ts'

const service = await listeningService()
const wallet = await testWallet(service)
const key = await service.key(await service.tenant())
/** What the sandbox's invented person answers. */
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
      const made = await create(service, key, { template: template.key })
      const presented = await wallet.present(made.wallet_uri, 'good', { formats: [format], fetch: globalThis.fetch })
      assert.equal(presented.status, 200)
      const result = await read(service, key, made.id)
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

test('claims of two credentials: the union in the order of the query, the first of a name, a warning on the second', async () => {
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
  const made = await create(service, key, { query })
  await wallet.present(made.wallet_uri)
  const result = await read(service, key, made.id)
  assert.deepEqual(result.claims, { nationality: 'DE', family_name: 'Specimen' })
  assert.deepEqual(result.credentials[1].claims, { nationality: ['DE', 'FR'], family_name: 'Specimen' })
  const findings = result.credentials.map(({ findings: found }: { findings: { check: string }[] }) =>
    found.map(({ check }) => check),
  )
  assert.deepEqual(findings, [[], ['claim_conflict']])
})

test('an explicit query of an SD-JWT gives its members as they are nested, and only those asked for', async () => {
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
  const made = await create(service, key, { query })
  await wallet.present(made.wallet_uri, 'over_disclosing')
  const result = await read(service, key, made.id)
  assert.deepEqual(result.claims, { address: { locality: 'Musterstadt' }, nationalities: ['DE', 'FR'] })
  assert.deepEqual(result.credentials[0].claims, result.claims)
})
