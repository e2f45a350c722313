// Tests the linter's findings for access certificates of relying parties, for a good certificate and for each fault.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRegistrationCertificate } from '../../src/registration/certificate.ts'
import { lintAccessCertificate } from '../../src/trust/access-certificate.ts'
import { CLAIMS, mintRegistration } from '../registration/mint-registration.ts'
import { type CertificatePlan, extension, extensionOf, keyUsage, oid, sequence, tlv } from './mint-certificate.ts'
import { type ExtensionPlan, mintAuthority, mintSigner, NOW } from './mint-pki.ts'

const authority = mintAuthority({ subject: { CN: 'Invented Access Authority', C: 'UT' } })
const uris = (...names: string[]) =>
  extensionOf('551d11', false, sequence(...names.map((name) => tlv(0x86, Buffer.from(name)))))
const policies = (...hex: string[]) => extensionOf('551d20', false, sequence(...hex.map((one) => sequence(oid(one)))))

const OWN_URI = 'https://register.example/wrp/VATUT-UT123456789/services/shop-1'
const GOOD: ExtensionPlan = {
  keyUsage: extension.keyUsage(keyUsage.nonRepudiation),
  // 0.4.0.194118.1.2
  policies: policies('04008bec460102'),
  timestamps: extensionOf('2b06010401d679020402', false, tlv(0x04, Buffer.alloc(4))),
  names: uris('https://vidimus.example/contact', OWN_URI),
}

function leafWith(changes: ExtensionPlan = {}, plan: CertificatePlan = {}): Uint8Array {
  const extensions = Object.values({ ...GOOD, ...changes }).filter((one) => one !== null)
  const subject = { CN: 'Corner Shop Online', C: 'UT', organizationIdentifier: 'NTRUT-9' }
  return mintSigner(authority, { subject, extensions, ...plan }).der
}

function registered(change: object = {}) {
  const reading = readRegistrationCertificate(mintRegistration({ claims: { ...CLAIMS, ...change } }))
  if (reading.outcome === 'refused') throw new Error(reading.detail)
  return reading.certificate
}

const lint = (leaf: Uint8Array, registration: ReturnType<typeof registered> | null = null) =>
  lintAccessCertificate(leaf, { now: NOW, registration }).map(({ level, check }) => `${level} ${check}`)

test('a complete certificate whose only key usage is nonRepudiation has no findings', () => {
  assert.deepEqual(lint(leafWith(), registered()), [])
})

test('each fault has its finding', () => {
  const policy = (hex: string) => ({ policies: policies(hex) })
  const cases: readonly [string, Uint8Array][] = [
    ['warning policy', leafWith({ policies: null })],
    ['warning policy', leafWith(policy('04008bec460105'))],
    ['problem organization_identifier', leafWith({}, { subject: { CN: 'Corner Shop', C: 'UT' } })],
    ['warning transparency', leafWith({ timestamps: null })],
    ['info service_uri', leafWith({ names: uris('https://vidimus.example/contact') })],
    ['info service_uri', leafWith({ names: null })],
    ['warning key_usage', leafWith({ keyUsage: null })],
    ['info key_usage', leafWith({ keyUsage: extension.keyUsage(keyUsage.digitalSignature) })],
    ['problem key_usage', leafWith({ keyUsage: extension.keyUsage(keyUsage.keyAgreement) })],
    ['problem days_left', leafWith({}, { notAfter: '20260228000000Z' })],
    ['problem days_left', leafWith({}, { notBefore: '20260401000000Z' })],
    ['warning days_left', leafWith({}, { notAfter: '20260320000000Z' })],
  ]
  for (const [finding, leaf] of cases) assert.deepEqual(lint(leaf), [finding])
  assert.deepEqual(lint(Buffer.from('no certificate')), ['problem readable'])
  const person = { CN: 'Corner Shop', C: 'UT', serialNumber: 'TINUT-1' }
  assert.deepEqual(lint(leafWith({}, { subject: person })), [])
})

test('an access certificate must match the registration certificate that is sent with it', () => {
  const leaf = leafWith()
  const own = leafWith({}, { subject: { CN: 'Shop', C: 'UT', organizationIdentifier: CLAIMS.sub } })
  const problem = ['problem registration']
  assert.deepEqual(lint(leaf, registered({ intermediary: { sub: { id: 'NTRUT-8' } } })), problem)
  assert.deepEqual(lint(leaf, registered({ sub: 'VATUT-UT000000000' })), problem)
  assert.deepEqual(lint(leaf, registered({ srv_id: 'shop-2' })), problem)
  assert.deepEqual(lint(leaf, registered({ intermediary: undefined })), problem)
  assert.deepEqual(lint(leafWith({ names: uris('https://x.example/services/shop-1') }), registered()), problem)
  assert.deepEqual(lint(own, registered({ intermediary: undefined })), [])
  assert.deepEqual(lint(own, registered({ intermediary: undefined, srv_id: 'shop-2' })), problem)
  assert.deepEqual(lint(own, registered()), problem)
})
