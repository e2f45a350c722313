// Tests credentials that fail before their revocation lists are checked: the result must not repeat data of a signer that may be revoked.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createChainCache } from '../../src/trust/cache.ts'
import { verifyPresentation } from '../../src/verify.ts'
import { anchor, base64, expected, mintPresentation, type Plan, trust, VCT } from '../sdjwt/mint-presentation.ts'
import { mintCrl } from '../status/mint-status.ts'
import { extension, keyUsage } from './mint-certificate.ts'
import { mintAuthority, mintSigner, NOW } from './mint-pki.ts'

const CRL = 'https://root.example/crl'
const SERIAL = Buffer.of(0x11)
const root = mintAuthority({ subject: { CN: 'Invented Root' } })
const NAME = { common_name: 'Call 0900-12345 to confirm your account', country: 'UT' }

async function judged(plan: Plan, namesList: boolean) {
  const authority = [extension.authority(), extension.keyUsage(keyUsage.authority)]
  const extensions = namesList ? [...authority, extension.crlAt(CRL)] : authority
  const intermediate = mintAuthority({ subject: { CN: 'Stolen Intermediate' }, serial: SERIAL, extensions }, root)
  const leaf = mintSigner(intermediate, { subject: { CN: NAME.common_name, C: NAME.country } })
  const x5c = [leaf, intermediate].map(({ der }) => base64(der))
  const presented = mintPresentation({ ...plan, header: (header) => ({ ...header, x5c }), signWith: leaf.privateKey })
  const bytes = mintCrl({ by: root, revoked: [{ serial: SERIAL }] })
  const verdict = await verifyPresentation({ identity: [presented] }, expected, {
    ...trust,
    anchors: [{ ...anchor, certificate: root.der }],
    statusPolicy: 'require',
    cache: createChainCache(20),
    fetchStatus: async () => ({ outcome: 'fetched', bytes, contentType: 'application/pkix-crl', stale: false }),
  })
  const [shown] = verdict.credentials
  assert.ok(verdict.outcome === 'rejected' && shown !== undefined)
  return { ...shown, code: verdict.code }
}

const PLANS: readonly (readonly [string, string, Plan])[] = [
  ['lacks a claim', 'query_not_satisfied', { concealed: { family_name: 'x' } }],
  ['has expired', 'credential_expired', { payload: (payload) => ({ ...payload, exp: NOW - 1000 }) }],
  ['is not bound to its holder', 'holder_binding_invalid', { bindingJwt: () => '' }],
]

for (const [title, code, plan] of PLANS) {
  test(`a credential that ${title} names no issuer if its signer's list was not checked`, async () => {
    const shown = await judged(plan, true)
    assert.deepEqual([shown.code, shown.trusted, shown.doctypeOrVct, shown.issuer], [code, false, '', {}])
    assert.equal(shown.trustEvidence.signer, null)
    assert.equal(shown.signatureValid, true)
  })

  test(`a credential that ${title} names its issuer if no certificate names a list`, async () => {
    const shown = await judged(plan, false)
    assert.deepEqual([shown.code, shown.trusted, shown.doctypeOrVct, shown.issuer], [code, true, VCT, NAME])
  })
}
