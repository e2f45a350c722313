// Tests the registration certificate in requests through the browser: signed, multisigned, unsigned and ISO.

import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import test from 'node:test'
import { generateKey, mintAuthority, mintSigner } from '@vidimus/wallet'
import { authorityKeyId, basicConstraints, certificateBytes, keyUsage, subjectKeyId } from '../../../wallet/src/pki.ts'
import { changeSettings } from '../../src/core/tenants/usecases/manage-settings.ts'
import { installCertificate } from '../../src/features/trust/usecases/manage-certificates.ts'
import { fetchOffer } from '../harness/dc-api.ts'
import { addTo, registerTenant, testRegistrar } from '../harness/registrar.ts'
import { OPERATOR, testService } from '../harness/service.ts'
import { create, decode } from '../wallet/verifications.ts'

const service = await testService()
const registrar = await testRegistrar(service)
const realm = { tenantId: await service.tenant(), environment: 'test' } as const
const key = await service.key(realm.tenantId)
await registerTenant(service, registrar, realm)
const jwt = registrar.certify()
assert.equal((await addTo(service, realm, jwt)).outcome, 'added')
const INFO = [{ format: 'registration_cert', data: jwt }]

const QUERY = {
  credentials: [
    {
      id: 'mdl',
      format: 'mso_mdoc',
      meta: { doctype_value: 'org.iso.18013.5.1.mDL' },
      claims: [{ path: ['org.iso.18013.5.1', 'family_name'] }],
    },
  ],
}

async function installForGoogle(): Promise<void> {
  const now = Math.floor(service.clock.now() / 1000)
  const period = { notBefore: now - 1000, notAfter: now + 86_400 }
  const authority = mintAuthority({ commonName: 'Google CA' }, period)
  const subjectKey = generateKey()
  const hash = {
    oid: '1.3.6.1.4.1.11129.10.1',
    critical: false,
    value: Buffer.concat([Buffer.of(4, 32), Buffer.alloc(32)]),
  }
  const extensions = [
    basicConstraints(false),
    keyUsage('digitalSignature'),
    subjectKeyId(subjectKey),
    authorityKeyId(authority.key),
    hash,
  ]
  const leaf = mintSigner(authority, { commonName: 'Merchant' }, { ...period, subjectKey, extensions })
  const privateKey = createPrivateKey({ key: { ...subjectKey }, format: 'jwk' }).export({
    format: 'der',
    type: 'pkcs8',
  })
  const installed = await installCertificate(service.deps, {
    owner: realm,
    purpose: 'google',
    chain: [certificateBytes(leaf)],
    privateKey,
    actor: OPERATOR,
  })
  assert.equal(installed.outcome, 'installed', JSON.stringify(installed))
}

test('each protocol has the registration certificate in its place, and nowhere else', async () => {
  await installForGoogle()
  await changeSettings(service.deps, {
    tenantId: realm.tenantId,
    change: { dcApiUnsignedInTest: true },
    actor: OPERATOR,
  })
  const created = await create(service, key, { query: QUERY })
  const { requests } = (await fetchOffer(service, created.id)).json
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of the requests
  const data = (protocol: string): any => requests.find((one: { protocol: string }) => one.protocol === protocol)?.data
  const { claims } = decode(data('openid4vp-v1-signed').request)
  assert.deepEqual(claims.verifier_info, INFO)
  assert.deepEqual(data('openid4vp-v1-unsigned').verifier_info, INFO)
  const several = data('openid4vp-v1-multisigned').request
  const parsed = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString())
  assert.equal('verifier_info' in parsed(several.payload), false)
  assert.deepEqual(
    several.signatures.map((one: { protected: string }) => parsed(one.protected).verifier_info),
    [INFO, undefined],
  )
  // Searches for the text key that is followed by a byte string.
  const device = Buffer.from(data('org-iso-mdoc').deviceRequest, 'base64url')
  const at = device.indexOf('euWrprc')
  assert.ok(at > 0)
  assert.equal(device.subarray(at + 7, at + 8).toString('hex'), '59')
  assert.equal(device.indexOf(jwt, at), at + 10)
})
