// Tests which published list is returned as the one that named the authority of a credential's issuer.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import test from 'node:test'
import type { VouchedType } from '@vidimus/engine'
import type { TrustAnchor } from '../../src/core/ports/trust.ts'
import { findNamingIssue, prepareNaming } from '../../src/core/verifications/domain/trust-list.ts'
import { atOnce } from '../../src/platform/slices.ts'

const certificate = Buffer.from('a certificate')
const fingerprint = hash('sha256', certificate, 'base64url')
const mdl = { format: 'mso_mdoc', type: 'org.iso.18013.5.1.mDL' } as const

let reads = 0
const listed = (uri: string | null, types: readonly VouchedType[]): TrustAnchor => ({
  kind: 'ca',
  profile: 'generic',
  certificate,
  get types() {
    reads += 1
    return types
  },
  ...(uri === null ? {} : { issue: { uri, sequence: 1, sha256: null } }),
})

test('the first list that names the certificate for the type, or for all types of its format, is returned', () => {
  const anchors = [
    listed(null, ['mso_mdoc:org.iso.18013.5.1.mDL']),
    listed('pid', ['dc+sd-jwt:*']),
    listed('mdl', ['mso_mdoc:org.iso.18013.5.1.mDL']),
    listed('another', ['mso_mdoc:org.iso.18013.5.1.mDL']),
  ]
  const uriOf = (kind: Parameters<typeof findNamingIssue>[1], of = fingerprint) =>
    findNamingIssue(of, kind, anchors)?.uri ?? null
  assert.equal(uriOf(mdl), 'mdl')
  assert.equal(uriOf({ ...mdl, format: 'mso_mdoc_zk' }), 'mdl')
  assert.equal(uriOf({ format: 'dc+sd-jwt', type: 'urn:eudi:pid:1' }), 'pid')
  assert.equal(uriOf({ ...mdl, type: 'org.example.club' }), null)
  assert.equal(uriOf(mdl, 'of another certificate'), null)
})

test('a certificate that many entries name is found without reading them again', () => {
  const anchors = Array.from({ length: 2_500 }, (_, at) => listed('many', [`mso_mdoc:org.example.${at}`]))
  atOnce(prepareNaming(anchors))
  reads = 0
  assert.equal(findNamingIssue(fingerprint, mdl, anchors), null)
  assert.equal(findNamingIssue(fingerprint, { ...mdl, type: 'org.example.2499' }, anchors)?.uri, 'many')
  assert.equal(reads, 0)
})
