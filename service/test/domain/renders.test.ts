// Tests the JSON of nouns for command line and dashboard: members in snake_case, and no internal data.

import assert from 'node:assert/strict'
import test from 'node:test'
import { renderVerdict } from '../../src/features/audit/domain/verdict.ts'
import {
  type AnchorView,
  renderAnchor,
  renderTrustList,
  type TrustList,
} from '../../src/features/trust/domain/anchor.ts'
import { type CertificateView, renderCertificate } from '../../src/features/trust/domain/certificate.ts'

const BYTES = new Uint8Array([0x30, 0x03, 1, 2, 3])
const owner = { tenantId: null, environment: 'test' as const }
const list: TrustList = {
  ...owner,
  id: 'tl_1',
  byOwner: false,
  kind: 'vical',
  providers: 'mdoc',
  source: 'https://lists.example/vical',
  signerChain: [],
  signer: BYTES,
  signerAuthority: BYTES,
  types: ['mso_mdoc:*'],
  createdAt: '2027-01-01T00:00:00.000000Z',
  issuer: 'CN=List',
  sequence: 7,
  issuedAt: null,
  nextUpdateAt: '2027-02-01T00:00:00.000000Z',
  loadedAt: null,
  attemptedAt: null,
  failure: 'it does not answer',
  mismatched: false,
  otherIssues: {},
}
const anchor: AnchorView = {
  ...owner,
  id: 'anc_1',
  kind: 'ca',
  profile: 'generic',
  types: ['dc+sd-jwt:*'],
  certificate: BYTES,
  listId: 'tl_1',
  createdAt: '2027-01-01T00:00:00.000000Z',
  keySha256: '00',
  subject: 'CN=Root',
  validUntil: null,
}
const certificate: CertificateView = {
  ...owner,
  tenantId: 'ten_1',
  id: 'crt_1',
  purpose: 'openid4vp',
  serviceId: null,
  provenance: 'generated',
  createdAt: '2027-01-01T00:00:00.000000Z',
  installedAt: null,
  retiredAt: null,
  state: 'current',
  subject: 'CN=Us',
  issuer: 'CN=Us too',
  hosts: ['verify.example.com'],
  clientId: 'x509_hash:abc',
  validUntil: null,
}

const RENDERED = {
  list: renderTrustList(list),
  anchor: renderAnchor(anchor),
  certificate: renderCertificate(certificate),
  verdict: renderVerdict({ outcome: 'whole', entries: 3, detailsErased: 1, checkpoints: 0, head: Buffer.from(BYTES) }),
}

for (const [noun, rendered] of Object.entries(RENDERED)) {
  test(`the JSON of ${noun} has members in snake_case and no bytes`, () => {
    for (const [name, value] of Object.entries(rendered)) {
      assert.match(name, /^[a-z][a-z_]*$/)
      assert.ok(!ArrayBuffer.isView(value), `${name} is bytes`)
    }
  })
}

test('a list does not show its signer; anchors and certificates show their owner and provenance', () => {
  assert.deepEqual(
    Object.keys(RENDERED.list).filter((name) => name.startsWith('signer')),
    [],
  )
  const { own, from_list } = RENDERED.anchor
  assert.deepEqual({ own, from_list }, { own: false, from_list: true })
  assert.equal(RENDERED.certificate.own, true)
})

test('the head of a whole chain is hex, not a list of numbers', () => {
  assert.deepEqual(RENDERED.verdict, {
    outcome: 'whole',
    entries: 3,
    details_erased: 1,
    checkpoints: 0,
    head: '3003010203',
  })
})
