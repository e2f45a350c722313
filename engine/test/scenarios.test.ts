// Tests that the engine reaches the verdict that each scenario of the test wallet expects.

import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import {
  answerRequest,
  certificateBytes,
  createIssuer,
  crlUri,
  generateKey,
  type IssuerState,
  issuerAnchors,
  issuerCrl,
  parseDcql,
  SCENARIO_NAMES,
  SCENARIOS,
  type ScenarioName,
  statusListCwt,
  statusListJwt,
  statusListUri,
  TYPE,
  thumbprint,
  type VerifierRequest,
} from '../../wallet/src/index.ts'
import { createChainCache, parseQuery, readResponse, type StatusAnswer, verifyPresentation } from '../src/index.ts'

const now = 1_790_000_000
const issuer = createIssuer({ base: 'https://issuer.example/sandbox', now })
const encryptionKey = generateKey()
const privateKey = createPrivateKey({ key: { ...encryptionKey }, format: 'jwk' })

const MDL = 'org.iso.18013.5.1'
const QUERIES = {
  'PID as SD-JWT': {
    id: 'a',
    format: 'dc+sd-jwt',
    meta: { vct_values: [TYPE.pidSdJwt] },
    claims: [{ path: ['family_name'] }, { path: ['nationalities', null] }],
  },
  'PID as mdoc': {
    id: 'a',
    format: 'mso_mdoc',
    meta: { doctype_value: TYPE.pidMdoc },
    claims: [{ path: [TYPE.pidMdoc, 'family_name'] }, { path: [TYPE.pidMdoc, 'nationality'] }],
  },
  mDL: {
    id: 'a',
    format: 'mso_mdoc',
    meta: { doctype_value: TYPE.mdl },
    claims: [{ path: [MDL, 'family_name'] }, { path: [MDL, 'issuing_country'] }],
  },
  'EU age proof': {
    id: 'a',
    format: 'mso_mdoc',
    meta: { doctype_value: TYPE.ageProof },
    claims: [{ path: [TYPE.ageProof, 'age_over_18'] }],
  },
}

for (const [credential, query] of Object.entries(QUERIES)) {
  for (const scenario of SCENARIO_NAMES) {
    for (const encrypted of [true, false]) {
      test(`${credential}, ${scenario}, ${encrypted ? 'encrypted' : 'in clear'}`, async () => {
        assert.deepEqual(await conclude({ credentials: [query] }, scenario, encrypted), SCENARIOS[scenario].expected)
      })
    }
  }
}

async function conclude(query: object, scenario: ScenarioName, encrypted: boolean) {
  const request = requestFor(query, encrypted)
  let body = ''
  const fetch = async (_: unknown, init?: RequestInit) => {
    body = String(init?.body)
    return Response.json({})
  }
  await answerRequest(request, { fetch, now, issuer, scenario })
  const encryption = encrypted ? { privateKey, kid: 'key-1', thumbprint: thumbprint(encryptionKey) } : null
  const response = readResponse(Buffer.from(body), { encryption, state: request.state })
  if (response.kind === 'wallet_error') {
    assert.equal(response.code, 'access_denied')
    return { status: 'failed', code: 'wallet_declined' }
  }
  assert.equal(response.kind, 'presentation')
  if (response.kind !== 'presentation') return null
  const { clientId, nonce, responseUri } = request
  const expected = {
    query: parseQuery(query),
    channel: { kind: 'redirect', clientId, responseUri } as const,
    nonce,
    encryption,
    requestedAt: now - 30,
    now,
    skewSeconds: 60,
  }
  const verdict = await verifyPresentation(response.vpToken, expected, trustIn(issuer))
  return verdict.outcome === 'accepted' ? { status: 'completed' } : { status: 'failed', code: verdict.code }
}

function requestFor(query: object, encrypted: boolean): VerifierRequest {
  return {
    clientId: 'x509_san_dns:verifier.example',
    nonce: 'mVtjU6HzEm2Yk7QxJp1oR4sWcLdA9bNf',
    state: 'c3RhdGUtMDEyMzQ1Njc4OWFiY2RlZg',
    responseUri: 'https://verifier.example/wallet/response/ver_1',
    responseMode: encrypted ? 'direct_post.jwt' : 'direct_post',
    encryption: encrypted ? { key: encryptionKey, kid: 'key-1', enc: 'A256GCM' } : null,
    query: parseDcql(query),
    transaction: [],
    verifier: { subject: 'CN=Example verifier', issuer: 'CN=Access authority', names: '' },
    certificate: new X509Certificate(certificateBytes(issuer.sdJwt.signer)),
    verifierInfo: undefined,
  }
}

function trustIn(state: IssuerState) {
  const served = new Map<string, StatusAnswer>([
    [statusListUri(state.base, 'jwt'), answer(Buffer.from(statusListJwt(state, now)), 'application/statuslist+jwt')],
    [statusListUri(state.base, 'cwt'), answer(statusListCwt(state, now), 'application/statuslist+cwt')],
    [crlUri(state.base), answer(issuerCrl(state, now), 'application/pkix-crl')],
  ])
  const fetchStatus = async ({ uri }: { readonly uri: string }): Promise<StatusAnswer> =>
    served.get(uri) ?? { outcome: 'unavailable', reason: 'nothing is served there' }
  return {
    anchors: issuerAnchors(state),
    statusPolicy: 'require',
    fetchStatus,
    cache: createChainCache(100),
    haip: true,
  } as const
}

function answer(bytes: Uint8Array, contentType: string): StatusAnswer {
  return { outcome: 'fetched', bytes, contentType, stale: false }
}
