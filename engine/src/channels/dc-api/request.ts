// Builds OpenID4VP requests for the Digital Credentials API (Annex A). Signed requests list their allowed origins.

import type { DcqlQuery } from '../../openid4vp/dcql.ts'
import {
  clientMetadata,
  type RequestSigner,
  requestHeader,
  requireLifetime,
  requireRandom,
  STATIC_DISCOVERY_AUDIENCE,
  signCompact,
  transactionData,
  type VerifierInfo,
} from '../../openid4vp/request.ts'
import { wireQuery } from '../../openid4vp/wire-query.ts'
import type { JsonObject } from '../../verdict.ts'
import { requireOrigins } from '../origin.ts'

export interface DcApiRequest {
  readonly nonce: string
  readonly query: DcqlQuery
  /** From `encryptionKeyOf`; null asks for an unencrypted response (dc_api). */
  readonly encryptionJwk: JsonObject | null
  /** The frozen texts that the holder is asked to agree to; absent: none. */
  readonly transaction?: readonly string[]
  /** From `registrationInfo`; absent: none. In a multisigned request, each signer has its own. */
  readonly verifierInfo?: VerifierInfo
}

export interface SignedDcApiRequest extends DcApiRequest {
  /** With its prefix, from `clientIdOf`. */
  readonly clientId: string
  readonly expectedOrigins: readonly string[]
  /** Unix seconds. */
  readonly issuedAt: number
  readonly expiresAt: number
}

/** `data` of `openid4vp-v1-unsigned`. A.2: without client_id and expected_origins, which wallets ignore here. */
export function unsignedDcApiRequest(request: DcApiRequest): JsonObject {
  const { nonce, query, encryptionJwk, transaction, verifierInfo } = request
  requireRandom(nonce)
  return {
    response_type: 'vp_token',
    response_mode: encryptionJwk === null ? 'dc_api' : 'dc_api.jwt',
    nonce,
    client_metadata: clientMetadata(query, encryptionJwk),
    dcql_query: wireQuery(query),
    ...transactionData(transaction),
    ...(verifierInfo !== undefined && { verifier_info: verifierInfo }),
  }
}

/**
 * Returns the claims of `openid4vp-v1-signed`; its `data` is `{ request }` with the JWS of `requestHeader` and
 * `signCompact`.
 */
export function signedDcApiClaims({ clientId, ...request }: SignedDcApiRequest): JsonObject {
  if (clientId === '') throw new Error('bug: a signed request without client_id')
  return { ...sharedClaims(request), client_id: clientId }
}

export interface DcApiSigner {
  readonly clientId: string
  /** Leaf first, without the anchor. */
  readonly chain: readonly Uint8Array[]
  readonly key: RequestSigner
  /** Members for this client_id only, such as a registration certificate. */
  readonly verifierInfo?: VerifierInfo
}

/**
 * `request` of `openid4vp-v1-multisigned`: a JWS in general JSON form (RFC 7515 §7.2.1). A.3.2.2: members that differ
 * between signers are in each signer's protected header.
 */
export async function multisignedDcApiRequest(
  request: Omit<SignedDcApiRequest, 'clientId' | 'verifierInfo'>,
  signers: readonly DcApiSigner[],
): Promise<JsonObject> {
  if (signers.length === 0) throw new Error('bug: a multisigned request has no signer')
  const claims = sharedClaims(request)
  const jwss = await Promise.all(signers.map((signer) => signCompact(headerOf(signer), claims, signer.key)))
  const signed = jwss.map((jws) => jws.split('.'))
  const [[, payload = ''] = []] = signed
  return {
    payload,
    signatures: signed.map(([header = '', , signature = '']) => ({ protected: header, signature })),
  }
}

function headerOf({ clientId, chain, key, verifierInfo }: DcApiSigner): JsonObject {
  if (clientId === '') throw new Error('bug: a signed request without client_id')
  const header = { ...requestHeader(chain, key), client_id: clientId }
  return verifierInfo === undefined ? header : { ...header, verifier_info: verifierInfo }
}

function sharedClaims(request: Omit<SignedDcApiRequest, 'clientId'>): JsonObject {
  const { expectedOrigins, issuedAt, expiresAt } = request
  requireOrigins(expectedOrigins)
  requireLifetime(issuedAt, expiresAt)
  return {
    aud: STATIC_DISCOVERY_AUDIENCE,
    ...unsignedDcApiRequest(request),
    expected_origins: expectedOrigins,
    iat: issuedAt,
    exp: expiresAt,
  }
}
