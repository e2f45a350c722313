// Tests long lists without their signer's certificate: each is verified once per key, and only while the response has budget.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import type { Trust } from '../../src/expected.ts'
import { LIMITS, newBudget, PRICES, VERIFICATION } from '../../src/limits.ts'
import { parseQuery } from '../../src/openid4vp/dcql.ts'
import { readList } from '../../src/status/content.ts'
import { createChainCache } from '../../src/trust/cache.ts'
import { verifyPresentation } from '../../src/verify.ts'
import { date, expected, MDL, MDL_SPACE, mintMdoc, NOW } from '../mdoc/mint-mdoc.ts'
import { extension, extensionOf, type Minted, tlv } from '../trust/mint-certificate.ts'
import { mintAuthority, mintSigner } from '../trust/mint-pki.ts'
import { mintCwt } from './mint-status.ts'

const URI = 'https://issuer.example/lists/1'
const KIND = 'identifier_list_cwt'
const contentType = 'application/identifierlist+cwt'
const keyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const keyOfFirst = keyPair()
const authority = mintAuthority({ subject: { CN: 'Authority of a merchant', C: 'UT' } })
const signers = [keyOfFirst, keyPair(), keyPair()].map((key, at) =>
  mintSigner(authority, { serial: Buffer.of(at + 1), key }),
)
const renewed = mintSigner(authority, { serial: Buffer.of(9), key: keyOfFirst })
const claims = [{ path: [MDL_SPACE, 'given_name'] }]
const meta = { doctype_value: MDL }
const query = parseQuery({ credentials: [{ id: 'licence', format: 'mso_mdoc', multiple: true, meta, claims }] })
const [first, second, third] = signers
assert.ok(first !== undefined && second !== undefined && third !== undefined)

const identifiers = new Map(
  Array.from({ length: 18_000 }, (_, at) => {
    const id = Buffer.alloc(LIMITS.statusIdBytes)
    id.writeUInt32BE(at)
    return [id, new Map()] as const
  }),
)
const listClaims = new Map<number, unknown>([
  [2, URI],
  [65533, undefined],
  [65530, { identifiers }],
])
/** About 4.7 MB, which are copied for each verification. The budget of a response allows two, not three. */
const long = mintCwt({ by: first, headers: new Map([[33, undefined]]), type: contentType, claims: listClaims })

function documentOf(signer: Minted, at: number): string {
  const validityInfo = { signed: date(NOW - 3600 - at), validFrom: date(NOW - 3600), validUntil: date(NOW + 86_400) }
  const status = { identifier_list: { id: Buffer.from('cafe', 'hex'), uri: URI } }
  return mintMdoc({ signer, mso: (members) => ({ ...members, validityInfo, status }) })
}

const trusting = (cache: Trust['cache']) =>
  ({
    anchors: [{ kind: 'ca', certificate: authority.der, types: [`mso_mdoc:${MDL}`], profile: 'generic' }],
    statusPolicy: 'prefer',
    haip: false,
    cache,
  }) as const

/** The service caches the content of a list, and the engine its findings about it. */
function holder(bytes: Buffer = long) {
  const content = readList(bytes, KIND)
  assert.ok(content !== null)
  const trust: Trust = {
    ...trusting(createChainCache(100)),
    fetchStatus: async () => ({ outcome: 'fetched', bytes, content, contentType, stale: false }),
  }
  return async (by: readonly Minted[]) => {
    const budget = newBudget()
    const verdict = await verifyPresentation({ licence: by.map(documentOf) }, { ...expected, query }, trust, budget)
    return {
      outcome: verdict.outcome === 'rejected' ? verdict.code : verdict.outcome,
      work: LIMITS.work - budget.work.left,
      own: verdict.credentials.map(({ checks }) => checks.find(({ check }) => check === 'not_revoked')),
    }
  }
}

/** The cost of one verification of the list. */
const PRICE = PRICES.handover + (long.length / PRICES.copiedBytes) * VERIFICATION

for (const [kind, type, mechanism] of [
  ['status_list_cwt', 'application/statuslist+cwt', { status_list: { idx: 5, uri: URI } }],
  ['identifier_list_cwt', contentType, { identifier_list: { id: Buffer.of(7), uri: URI } }],
] as const)
  test(`verifies a list of the largest size without a certificate, with an empty cache: ${kind}`, async () => {
    const padding = [70_000, Buffer.alloc(LIMITS.oneListBytes - 3_000)] as const
    const none = [65530, { identifiers: new Map() }] as const
    const claims = new Map<number, unknown>([[2, URI], padding, ...(kind === KIND ? [none] : [])])
    const bytes = mintCwt({ by: first, headers: new Map([[33, undefined]]), type, claims })
    assert.ok(bytes.length > LIMITS.oneListBytes - 3_000 && bytes.length <= LIMITS.oneListBytes, `${bytes.length}`)
    const content = readList(bytes, kind)
    assert.ok(content !== null)
    const trust: Trust = {
      ...trusting(createChainCache(100)),
      statusPolicy: 'require',
      fetchStatus: async () => ({ outcome: 'fetched', bytes, content, contentType: type, stale: false }),
    }
    const one = mintMdoc({ signer: first, mso: (members) => ({ ...members, status: mechanism }) })
    const verdict = await verifyPresentation({ licence: [one] }, { ...expected, query }, trust, newBudget())
    assert.equal(verdict.outcome, 'accepted', JSON.stringify(verdict))
    const forged = mintMdoc({ signer: second, mso: (members) => ({ ...members, status: mechanism }) })
    const refused = await verifyPresentation({ licence: [forged] }, { ...expected, query }, trust, newBudget())
    assert.equal(refused.outcome, 'rejected', 'another key has not signed it')
  })

test('many credentials of one signer need one verification', async () => {
  const present = holder()
  const ten = Array.from({ length: 10 }, () => first)
  const { outcome, work, own } = await present(ten)
  assert.equal(outcome, 'accepted')
  assert.ok(own.every((check) => check?.status === 'pass'))
  const again = await present(ten)
  // The certificate is not parsed and verified again either.
  assert.ok(work - again.work > PRICE && work - again.work < PRICE + 4 * VERIFICATION, `${work} and ${again.work}`)
})

test('a renewed certificate of the same key needs no verification', async () => {
  const present = holder()
  await present([first])
  const { outcome, work } = await present([renewed])
  assert.equal(outcome, 'accepted')
  assert.ok(work < PRICE, `${work}`)
})

test('each key spends budget on the bytes of the list; a response beyond its budget is refused under every policy', async () => {
  const present = holder()
  const two = await present([first, second])
  assert.equal(two.outcome, 'accepted')
  assert.ok(two.work > 2 * PRICE, `${two.work}`)
  const refused = await holder()([first, second, third])
  assert.equal(refused.outcome, 'status_unavailable')
  assert.match(refused.own[2]?.detail ?? '', /more signed bytes than one response may use/)
  // Signatures that were verified before cost nothing.
  const again = await present([first, second, third])
  assert.equal(again.outcome, 'accepted')
  assert.ok(again.work > PRICE && again.work < 2 * PRICE, `${again.work}`)
})

test('hashing the certificates in a list costs work for each credential that names the list', async () => {
  const padding = extensionOf('2a0304', false, tlv(4, Buffer.alloc(30_000)))
  const by = mintSigner(authority, { extensions: [extension.noAuthority(), padding] })
  const claims = new Map(listClaims).set(65530, { identifiers: new Map() })
  const short = mintCwt({ by, headers: new Map([[33, [by.der]]]), type: contentType, claims })
  const present = holder(short)
  await present([first])
  const workOf = async (count: number) => {
    const { outcome, work } = await present(Array.from({ length: count }, () => first))
    assert.equal(outcome, 'accepted')
    return work
  }
  const hashing = (by.der.length / PRICES.hashedBytes) * VERIFICATION
  const one = await workOf(1)
  // Each credential also has two signatures, of issuer and device.
  assert.ok((await workOf(5)) - one > 4 * (hashing + 2 * VERIFICATION), `${one}`)
})
