// Tests that every certificate below the anchor may be revoked, and only by its own issuer.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import type { Trust } from '../../src/expected.ts'
import type { Anchor } from '../../src/trust/anchor.ts'
import { createChainCache } from '../../src/trust/cache.ts'
import type { CheckStatus } from '../../src/verdict.ts'
import { verifyPresentation } from '../../src/verify.ts'
import { anchor, base64, expected, mintPresentation, trust } from '../sdjwt/mint-presentation.ts'
import { mintCrl } from '../status/mint-status.ts'
import { extension, keyUsage, type Minted } from './mint-certificate.ts'
import { mintAuthority, mintSigner } from './mint-pki.ts'

const ROOT_CRL = 'https://root.example/crl'
const OWN_CRL = 'https://intermediate.example/crl'
const SERIAL = { intermediate: Buffer.of(0x11), leaf: Buffer.of(0x22) }

const authority = [extension.authority(), extension.keyUsage(keyUsage.authority)]
const signing = [extension.noAuthority(), extension.keyUsage(keyUsage.digitalSignature)]
const root = mintAuthority({ subject: { CN: 'Invented Root' } })
const intermediate = mintAuthority(
  {
    subject: { CN: 'Invented Intermediate' },
    serial: SERIAL.intermediate,
    extensions: [...authority, extension.crlAt(ROOT_CRL)],
  },
  root,
)
const leaf = mintSigner(intermediate, {
  serial: SERIAL.leaf,
  extensions: [...signing, extension.crlAt(OWN_CRL)],
})
const nameless = mintSigner(intermediate, { serial: SERIAL.leaf, extensions: signing })

interface Situation {
  readonly anchors?: readonly Anchor[]
  readonly policy?: Trust['statusPolicy']
  readonly lists: Readonly<Record<string, Uint8Array>>
}

const byRoot: Anchor = { ...anchor, certificate: root.der }

async function judge(chain: readonly Minted[], { anchors = [byRoot], policy = 'require', lists }: Situation) {
  const [signer] = chain
  assert.ok(signer !== undefined)
  const presented = mintPresentation({
    header: (header) => ({ ...header, x5c: chain.map(({ der }) => base64(der)) }),
    signWith: signer.privateKey,
  })
  const requests: string[] = []
  const verdict = await verifyPresentation({ identity: [presented] }, expected, {
    ...trust,
    anchors,
    statusPolicy: policy,
    cache: createChainCache(20),
    fetchStatus: async ({ uri }) => {
      requests.push(uri)
      const bytes = lists[uri]
      if (bytes === undefined) return { outcome: 'unavailable', reason: 'nothing is served there' }
      return { outcome: 'fetched', bytes, contentType: 'application/pkix-crl', stale: false }
    },
  })
  const check = verdict.credentials[0]?.checks.find((entry) => entry.check === 'signer_not_revoked')
  const code = verdict.outcome === 'rejected' ? verdict.code : 'accepted'
  const [shown] = verdict.credentials
  const { trusted, issuer, doctypeOrVct } = shown ?? assert.fail('no credential is listed')
  const repeated = { trusted, issuer, type: doctypeOrVct }
  return { code, status: check?.status as CheckStatus, detail: check?.detail ?? '', asked: requests.sort(), repeated }
}

const empty = { [ROOT_CRL]: mintCrl({ by: root }), [OWN_CRL]: mintCrl({ by: intermediate }) }
const revoking = (by: Minted, serial: Uint8Array) => mintCrl({ by, revoked: [{ serial }] })

test('the list of every certificate below the anchor is checked', async () => {
  const judged = await judge([leaf, intermediate], { lists: empty })
  assert.deepEqual([judged.code, judged.status, judged.asked], ['accepted', 'pass', [OWN_CRL, ROOT_CRL]])
})

test('a revoked intermediate rejects, whether the signer names a list or not', async () => {
  const lists = { ...empty, [ROOT_CRL]: revoking(root, SERIAL.intermediate) }
  for (const signer of [leaf, nameless]) {
    const judged = await judge([signer, intermediate], { lists, policy: 'prefer' })
    assert.deepEqual([judged.code, judged.status], ['issuer_untrusted', 'fail'])
    assert.match(judged.detail, /revoked/)
  }
})

test('the verdict reports nothing that was signed under a revoked certificate', async () => {
  const nothing = { trusted: false, issuer: {}, type: '' }
  for (const lists of [
    { ...empty, [ROOT_CRL]: revoking(root, SERIAL.intermediate) },
    { ...empty, [OWN_CRL]: revoking(intermediate, SERIAL.leaf) },
  ])
    for (const policy of ['require', 'prefer'] as const)
      assert.deepEqual((await judge([leaf, intermediate], { lists, policy })).repeated, nothing)
  assert.equal((await judge([leaf, intermediate], { lists: empty })).repeated.trusted, true)
})

test("a list of one authority gives no status for another's certificates", async () => {
  const crossed = { [ROOT_CRL]: mintCrl({ by: intermediate }), [OWN_CRL]: mintCrl({ by: root }) }
  assert.equal((await judge([leaf, intermediate], { lists: crossed })).code, 'status_unavailable')
  const foreign = { ...empty, [ROOT_CRL]: revoking(root, SERIAL.leaf) }
  assert.equal((await judge([leaf, intermediate], { lists: foreign })).code, 'accepted')
})

test('if the list of an intermediate cannot be fetched, the policy decides', async () => {
  const lists = { [OWN_CRL]: empty[OWN_CRL] ?? Buffer.alloc(0) }
  assert.equal((await judge([leaf, intermediate], { lists })).code, 'status_unavailable')
  const judged = await judge([leaf, intermediate], { lists, policy: 'prefer' })
  assert.deepEqual([judged.code, judged.status], ['accepted', 'warning'])
})

test('if no certificate names a list, the log says so', async () => {
  const judged = await judge([mintSigner(root)], { lists: {} })
  assert.deepEqual([judged.code, judged.status, judged.asked], ['accepted', 'skipped', []])
  assert.match(judged.detail, /no certificate .* names a revocation list/)
})

const pinned: Anchor = { ...anchor, kind: 'pinned', certificate: leaf.der }
const elsewhere: Anchor = { ...anchor, certificate: intermediate.der, types: ['dc+sd-jwt:urn:other'] }

for (const [where, chain, anchors] of [
  ['among what was presented', [leaf, intermediate], [pinned]],
  ['among the anchors', [leaf], [pinned, elsewhere]],
] as const) {
  test(`a pinned signer is checked by its issuer's list, if the issuer is ${where}`, async () => {
    const fine = await judge(chain, { anchors, lists: empty })
    assert.deepEqual([fine.code, fine.status, fine.asked], ['accepted', 'pass', [OWN_CRL]])
    const lists = { [OWN_CRL]: revoking(intermediate, SERIAL.leaf) }
    assert.equal((await judge(chain, { anchors, lists, policy: 'prefer' })).code, 'issuer_untrusted')
  })
}

test('a pinned signer without its issuer cannot be checked, and the policy decides', async () => {
  const lists = { [OWN_CRL]: revoking(intermediate, SERIAL.leaf) }
  const preferred = await judge([leaf], { anchors: [pinned], lists, policy: 'prefer' })
  assert.deepEqual([preferred.code, preferred.status, preferred.asked], ['accepted', 'warning', []])
  assert.match(preferred.detail, /pinned/)
  assert.equal((await judge([leaf], { anchors: [pinned], lists })).code, 'status_unavailable')
})

test('the issuer of a pinned signer must have the right name and the right key', async () => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const [renamed, issuer] = ['Renamed', 'Issuer'].map((CN) => mintAuthority({ subject: { CN }, key }))
  assert.ok(renamed !== undefined && issuer !== undefined)
  const signer = mintSigner(issuer, { serial: SERIAL.leaf, extensions: [...signing, extension.crlAt(OWN_CRL)] })
  const anchors: Anchor[] = [{ ...anchor, kind: 'pinned', certificate: signer.der }]
  const lists = { [OWN_CRL]: revoking(issuer, SERIAL.leaf) }
  assert.equal((await judge([signer, renamed, issuer], { anchors, lists, policy: 'prefer' })).code, 'issuer_untrusted')
})
