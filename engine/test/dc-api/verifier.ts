// Creates Digital Credentials API requests with the engine, and reads and judges the test wallet's answers.

import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import {
  certificateBytes,
  createIssuer,
  crlUri,
  type Identity,
  issuerAnchors,
  issuerCrl,
  mintAuthority,
  mintReader,
  mintSigner,
  type PrivateJwk,
  statusListCwt,
  statusListJwt,
  statusListUri,
} from '../../../wallet/src/index.ts'
import {
  type AnnexCInput,
  annexCRequest,
  clientIdOf,
  createChainCache,
  type DcApiOffer,
  type DcApiProtocol,
  type DcqlQuery,
  encryptionInfoOf,
  encryptionKeyOf,
  type JsonObject,
  multisignedDcApiRequest,
  newBudget,
  parseQuery,
  type ReaderSigner,
  readDcApiResponse,
  requestHeader,
  type StatusAnswer,
  signCompact,
  signedDcApiClaims,
  type Trust,
  unsignedDcApiRequest,
  verifyPresentation,
} from '../../src/index.ts'
import { pointOf } from '../points.ts'
import { signerOf } from '../request-signer.ts'

export const NOW = 1_790_000_000
export const ORIGIN = 'https://shop.example'
export const NONCE = 'mVtjU6HzEm2Yk7QxJp1oR4sWcLdA9bNf'
const period = { notBefore: NOW - 86_400, notAfter: NOW + 86_400 }

export const authority = mintAuthority({ commonName: 'Access authority' }, period)
export const access = mintSigner(authority, { commonName: 'Example verifier' }, { ...period, dns: 'verifier.example' })
export const reader = mintReader(authority, { commonName: 'Example reader' }, period)
export const issuer = createIssuer({ base: 'https://issuer.example/sandbox', now: NOW })

export const clientId = clientIdOf(certificateBytes(access), 'x509_hash')

export function privateKeyOf({ key }: { readonly key: PrivateJwk }): KeyObject {
  return createPrivateKey({ key: { ...key }, format: 'jwk' })
}

export function readerSigner(identity: Identity = reader): ReaderSigner {
  const key = privateKeyOf(identity)
  return {
    chain: [certificateBytes(identity)],
    algorithm: 'ES256',
    sign: (bytes) => sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }),
  }
}

const jwePair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const hpkePair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
export const encryptionKey = encryptionKeyOf(jwePair.publicKey)
const hpkePoint = pointOf(hpkePair.publicKey.export({ format: 'jwk' }))
export const encryptionInfo = encryptionInfoOf(Buffer.alloc(16, 7), hpkePoint)

export interface Asking {
  readonly query: object
  readonly protocols: readonly DcApiProtocol[]
  readonly encrypted?: boolean
  readonly origins?: readonly string[]
}

/** Returns `{ requests }` as the page gets it, and what the verifier stores. */
export async function offerFor(asking: Asking) {
  const query = parseQuery(asking.query)
  const { protocols, encrypted = true, origins = [ORIGIN] } = asking
  const requests = await Promise.all(
    protocols.map(async (protocol) => ({ protocol, data: await dataFor(protocol, query, { encrypted, origins }) })),
  )
  const encryption = encrypted
    ? { privateKey: jwePair.privateKey, kid: encryptionKey.kid, thumbprint: encryptionKey.thumbprint }
    : null
  const annexC = protocols.includes('org-iso-mdoc')
    ? { privateKey: hpkePair.privateKey, point: hpkePoint, encryptionInfo }
    : null
  const offer = { protocols, origins, encryption, annexC } satisfies DcApiOffer
  // The page passes on plain JSON.
  return { requests: JSON.parse(JSON.stringify(requests)) as JsonObject[], offer, query, encryption }
}

async function dataFor(
  protocol: DcApiProtocol,
  query: DcqlQuery,
  { encrypted, origins }: { readonly encrypted: boolean; readonly origins: readonly string[] },
) {
  const request = { nonce: NONCE, query, encryptionJwk: encrypted ? encryptionKey.jwk : null }
  const signed = { ...request, expectedOrigins: origins, issuedAt: NOW, expiresAt: NOW + 300 }
  const key = signerOf(privateKeyOf(access))
  const chain = [certificateBytes(access)]
  switch (protocol) {
    case 'openid4vp-v1-unsigned':
      return unsignedDcApiRequest(request)
    case 'openid4vp-v1-signed':
      return { request: await signCompact(requestHeader(chain, key), signedDcApiClaims({ ...signed, clientId }), key) }
    case 'openid4vp-v1-multisigned':
      return { request: await multisignedDcApiRequest(signed, [{ clientId, chain, key }]) }
    case 'org-iso-mdoc':
      return annexCData({ query, encryptionInfo, origin: origins[0] ?? '', readers: [readerSigner()] })
  }
}

export async function annexCData(input: AnnexCInput) {
  const request = await annexCRequest(input)
  if (request.outcome !== 'made') throw new Error(request.detail)
  return request.data
}

export type Offered = Awaited<ReturnType<typeof offerFor>>

/** Reads and judges `{ protocol, data }`, as a page posts it. */
export async function judgeAnswer({ offer, query, encryption }: Offered, answer: unknown, budget = newBudget()) {
  const response = readDcApiResponse(Buffer.from(JSON.stringify(answer)), offer, budget)
  if (response.kind !== 'presentation') return response
  const { channel, presented } = response
  const expected = { query, channel, nonce: NONCE, encryption, requestedAt: NOW - 30, now: NOW, skewSeconds: 60 }
  return { kind: 'verdict', verdict: await verifyPresentation(presented, expected, trust, budget) } as const
}

const served = new Map<string, StatusAnswer>([
  [statusListUri(issuer.base, 'jwt'), answer(Buffer.from(statusListJwt(issuer, NOW)), 'application/statuslist+jwt')],
  [statusListUri(issuer.base, 'cwt'), answer(statusListCwt(issuer, NOW), 'application/statuslist+cwt')],
  [crlUri(issuer.base), answer(issuerCrl(issuer, NOW), 'application/pkix-crl')],
])

export const trust: Trust = {
  anchors: issuerAnchors(issuer),
  statusPolicy: 'require',
  fetchStatus: async ({ uri }) => served.get(uri) ?? { outcome: 'unavailable', reason: 'nothing is served there' },
  cache: createChainCache(100),
  haip: true,
}

function answer(bytes: Uint8Array, contentType: string): StatusAnswer {
  return { outcome: 'fetched', bytes, contentType, stale: false }
}
