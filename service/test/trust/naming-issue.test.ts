// Tests what is found about the authority of a credential's issuer: the published list that named it, and its mark.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import test from 'node:test'
import type { SoleType, VouchedType } from '@vidimus/engine'
import type { TrustAnchor } from '../../src/core/ports/trust.ts'
import { findNamingIssue, prepareNaming } from '../../src/core/verifications/domain/trust-list.ts'
import { credentialFacts } from '../../src/features/transparency/domain/receipt/credential-facts.ts'
import { atOnce } from '../../src/platform/event-loop/slices.ts'

const certificate = Buffer.from('a certificate')
const fingerprint = hash('sha256', certificate, 'base64url')
const mdl = { format: 'mso_mdoc', type: 'org.iso.18013.5.1.mDL' } as const

let reads = 0
let certificateReads = 0
const listed = (uri: string | null, types: readonly VouchedType[], sole?: SoleType): TrustAnchor => ({
  kind: 'ca',
  profile: 'generic',
  get certificate() {
    certificateReads += 1
    return certificate
  },
  get types() {
    reads += 1
    return types
  },
  ...(sole && { sole }),
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

test('the mark of an anchor is found for each proof without hashing certificates again', () => {
  const marked = (uri: string | null, docType: string) =>
    listed(uri, [`mso_mdoc:${docType}`], { docType, nameSpace: docType, withoutStatus: true })
  const anchors = [marked(null, 'org.example.1'), marked('list', 'org.example.2'), listed('list', ['mso_mdoc:*'])]
  const signer = { certificate, anchor: certificate, fingerprint: 'f', anchorFingerprint: fingerprint }
  const evidence = { queryId: 'age', checks: [], signer, status: null, lists: [] }
  const markOf = (type: string, format: 'mso_mdoc' | 'mso_mdoc_zk' = 'mso_mdoc_zk') =>
    credentialFacts(evidence, { format, type }, { anchors, statusPolicy: 'prefer' }).sole_type?.doc_type
  atOnce(prepareNaming(anchors))
  certificateReads = 0
  assert.equal(markOf('org.example.1'), 'org.example.1')
  assert.equal(markOf('org.example.2'), 'org.example.2')
  assert.equal(markOf('org.example.3'), undefined)
  assert.equal(markOf('org.example.1', 'mso_mdoc'), undefined)
  assert.equal(certificateReads, 0)
})
