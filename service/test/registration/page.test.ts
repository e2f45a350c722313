// Tests that the hosted page shows the purpose from the certificate, as text, and links the privacy policy.

import assert from 'node:assert/strict'
import test from 'node:test'
import { addTo, registerTenant, testRegistrar } from '../harness/registrar.ts'
import { testService } from '../harness/service.ts'
import { create } from '../wallet/verifications.ts'

const service = await testService()
const registrar = await testRegistrar(service)
const QUERY = {
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: [{ path: ['family_name'] }],
    },
  ],
}

async function pageOf(claims: object, language = 'en', body: object = {}): Promise<string> {
  const realm = { tenantId: await service.tenant(), environment: 'test' } as const
  await registerTenant(service, registrar, realm)
  assert.equal((await addTo(service, realm, registrar.certify(claims))).outcome, 'added')
  const created = await create(service, await service.key(realm.tenantId), { query: QUERY, ...body })
  return (await service.call('GET', `/verify/${created.id}?lang=${language}`)).text
}

test("the registered purpose is in the language of the page, beside the merchant's own", async () => {
  const english = await pageOf({}, 'en', { purpose: 'For your order' })
  assert.ok(english.includes('<strong>Registered purpose:</strong> To check that you are old enough'))
  assert.ok(english.includes('For your order'))
  assert.ok(english.includes('<a href="https://shop.example/privacy" rel="noopener noreferrer" target="_blank">'))
  assert.ok((await pageOf({}, 'de')).includes('<strong>Registrierter Zweck:</strong> Um Ihr Alter zu prüfen'))
  const french = await pageOf({ purpose: [{ lang: 'fr-FR', value: 'Pour vérifier' }] }, 'de')
  assert.ok(french.includes('Pour vérifier'))
})

test('nothing of a certificate is markup on the page, and only https addresses are links', async () => {
  const hostile = await pageOf({
    purpose: [{ lang: 'en', value: '<script>alert(1)</script>' }],
    privacy_policy: 'https://shop.example/"onmouseover="alert(1)',
  })
  assert.ok(hostile.includes('script&#62;alert(1)'))
  assert.ok(!hostile.includes('<script>alert'))
  assert.ok(!hostile.includes('"onmouseover'))
  assert.ok(!(await pageOf({ privacy_policy: 'javascript:alert(1)' })).includes('javascript:'))
})
