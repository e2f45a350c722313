// Shared by tests of whole verdicts: a query for an identity and a licence, and the verdict on an answer.

import assert from 'node:assert/strict'
import type { Trust } from '../src/expected.ts'
import type { Expected } from '../src/expected-answer.ts'
import type { Verdict } from '../src/judged-presentation.ts'
import { parseQuery } from '../src/openid4vp/dcql.ts'
import { createChainCache } from '../src/trust/cache.ts'
import type { Json } from '../src/verdict.ts'
import { verifyPresentation } from '../src/verify.ts'
import { MDL, MDL_SPACE, type MdocPlan, anchor as mdlAnchor, mintMdoc } from './mdoc/mint-mdoc.ts'
import * as sdJwt from './sdjwt/mint-presentation.ts'

const { CLIENT_ID, NONCE, RESPONSE_URI, VCT } = sdJwt

export const identity = {
  id: 'identity',
  format: 'dc+sd-jwt',
  meta: { vct_values: [VCT] },
  claims: [{ path: ['given_name'] }],
}
export const licence = {
  id: 'licence',
  format: 'mso_mdoc',
  meta: { doctype_value: MDL },
  claims: [{ path: [MDL_SPACE, 'given_name'] }, { path: [MDL_SPACE, 'portrait'] }],
}

export const expected: Expected = {
  ...sdJwt.expected,
  query: parseQuery({ credentials: [identity] }),
  encryption: null,
}
export const trust: Trust = { ...sdJwt.trust, anchors: [sdJwt.anchor, mdlAnchor], cache: createChainCache(100) }

export function asking(query: object): Expected {
  return { ...expected, query: parseQuery(query) }
}

export function presentLicence(plan: MdocPlan = {}): string {
  return mintMdoc({
    ...plan,
    transcript: { clientId: CLIENT_ID, nonce: NONCE, responseUri: RESPONSE_URI, thumbprint: null },
  })
}

export async function rejection(
  token: Json,
  situation: { expected?: Expected; trust?: Partial<Trust> } = {},
): Promise<Extract<Verdict, { outcome: 'rejected' }>> {
  const verdict = await verifyPresentation(token, situation.expected ?? expected, { ...trust, ...situation.trust })
  assert.equal(verdict.outcome, 'rejected')
  // No rejection may contain data of the holder.
  assert.doesNotMatch(JSON.stringify(verdict), /Erika|Exemplar|Mustermann|1990|"claims"/)
  return verdict as Extract<Verdict, { outcome: 'rejected' }>
}

export async function acceptance(token: Json, situation: { expected?: Expected; trust?: Partial<Trust> } = {}) {
  const verdict = await verifyPresentation(token, situation.expected ?? expected, { ...trust, ...situation.trust })
  assert.equal(verdict.outcome, 'accepted', JSON.stringify(verdict))
  return (verdict as Extract<Verdict, { outcome: 'accepted' }>).credentials
}
