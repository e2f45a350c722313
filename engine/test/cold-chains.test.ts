// Tests that an honest response stays within its budget with an empty cache and issuers under RSA authorities.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import type { StatusAnswer, Trust } from '../src/expected.ts'
import { LIMITS, newBudget, VERIFICATION } from '../src/limits.ts'
import { parseQuery } from '../src/openid4vp/dcql.ts'
import { readList } from '../src/status/content.ts'
import { createChainCache } from '../src/trust/cache.ts'
import { verifyPresentation } from '../src/verify.ts'
import { trust } from './judgement.ts'
import * as sdJwt from './sdjwt/mint-presentation.ts'
import { mintJwt } from './status/mint-status.ts'
import { mintAuthority, mintSigner } from './trust/mint-pki.ts'

const ISSUERS = 5
const rsa = generateKeyPairSync('rsa', { modulusLength: 4096 })
const base64 = (...certificates: readonly { readonly der: Uint8Array }[]) =>
  certificates.map(({ der }) => Buffer.from(der).toString('base64'))

/**
 * Returns a trusted authority, an authority for credentials and one for lists below it, and a signer below each of the
 * two.
 */
function newIssuer(at: number) {
  const uri = `https://issuer${at}.example/lists/1`
  const root = mintAuthority({ subject: { CN: `Root ${at}`, C: 'UT' }, key: rsa })
  const below = (CN: string, serial: number) => {
    const between = mintAuthority(
      { subject: { CN: `${CN} of ${at}`, C: 'UT' }, key: rsa, serial: Buffer.of(serial) },
      root,
    )
    return { signer: mintSigner(between, { subject: { CN: `Signer of ${CN} ${at}`, C: 'UT' } }), between }
  }
  const [own, ofList] = [below('Credentials', 2), below('Lists', 3)]
  const presented = sdJwt.mintPresentation({
    header: (header) => ({ ...header, x5c: base64(own.signer, own.between) }),
    signWith: own.signer.privateKey,
    payload: (payload) => ({ ...payload, status: { status_list: { idx: 5, uri } } }),
  })
  const bytes = mintJwt({
    by: ofList.signer,
    header: { x5c: base64(ofList.signer, ofList.between) },
    claims: { sub: uri },
  })
  const content = readList(bytes, 'status_list_jwt')
  assert.ok(content !== null)
  const answer: StatusAnswer = {
    outcome: 'fetched',
    bytes,
    content,
    contentType: 'application/statuslist+jwt',
    stale: false,
  }
  return { uri, presented, answer, anchor: { ...sdJwt.anchor, certificate: root.der } }
}

test('five credentials under RSA-4096, each with its own chain and list, are verified with an empty cache', async () => {
  const issuers = Array.from({ length: ISSUERS }, (_, at) => newIssuer(at))
  const answers = new Map(issuers.map(({ uri, answer }) => [uri, answer]))
  const cold: Trust = {
    ...trust,
    anchors: issuers.map(({ anchor }) => anchor),
    statusPolicy: 'require',
    haip: false,
    cache: createChainCache(100),
    fetchStatus: async ({ uri }) => answers.get(uri) ?? { outcome: 'unavailable', reason: 'nothing is served' },
  }
  const meta = { vct_values: [sdJwt.VCT] }
  const query = parseQuery({
    credentials: [{ id: 'identity', format: 'dc+sd-jwt', multiple: true, meta, claims: [{ path: ['given_name'] }] }],
  })
  const token = { identity: issuers.map(({ presented }) => presented) }
  const judge = async () => {
    const budget = newBudget()
    const verdict = await verifyPresentation(token, { ...sdJwt.expected, query }, cold, budget)
    assert.equal(verdict.outcome, 'accepted', JSON.stringify(verdict))
    return LIMITS.work - budget.work.left
  }
  const first = await judge()
  assert.ok(first < 0.8 * LIMITS.work, `${first}: capacity for longer chains`)
  // Four certificates of each issuer, each parsed and verified with RSA.
  assert.ok(first - (await judge()) > 4 * ISSUERS * 2 * VERIFICATION)
})
