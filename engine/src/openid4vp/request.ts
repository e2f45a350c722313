// Builds and signs the request object of OpenID4VP §5, and its URI. The caller provides keys, nonces and times.

import type { KeyObject } from 'node:crypto'
import { type JwsAlgorithm, SIGNATURE_ALGORITHMS } from '../algorithms.ts'
import { ascii, encodeBase64, encodeBase64url, encodeUtf8 } from '../bytes.ts'
import { CREDENTIAL_FORMATS, proofsFor, queriedFormatOf } from '../formats/table.ts'
import { thumbprintOf } from '../jose.ts'
import type { Json, JsonObject } from '../verdict.ts'
import type { DcqlQuery } from './dcql.ts'
import { CONTENT_ENCRYPTION_NAMES } from './jwe.ts'
import { wireQuery } from './wire-query.ts'

export interface RequestParameters {
  /** With its prefix, from `clientIdOf`. */
  readonly clientId: string
  readonly responseUri: string
  readonly nonce: string
  readonly state: string | null
  readonly query: DcqlQuery
  /** From `encryptionKeyOf`; null asks for an unencrypted response (direct_post). */
  readonly encryptionJwk: JsonObject | null
  /** Unix seconds. */
  readonly issuedAt: number
  readonly expiresAt: number
  /** Sent back to the wallet unchanged; null if the wallet sent none by POST. */
  readonly walletNonce: string | null
  /** The frozen texts that the holder is asked to agree to; absent: none. */
  readonly transaction?: readonly string[]
  /** From `registrationInfo`; absent: only the certificate describes the verifier. */
  readonly verifierInfo?: VerifierInfo
}

/** ETSI TS 119 472-2: one registration certificate covers the whole query. */
export const registrationInfo = (certificate: string): VerifierInfo => [
  { format: 'registration_cert', data: certificate },
]

export type VerifierInfo = readonly JsonObject[]

/** OpenID4VP §5.8: the audience of a request to an unknown wallet. */
export const STATIC_DISCOVERY_AUDIENCE = 'https://self-issued.me/v2'

// §5.2: the characters of a nonce or state. 22 characters of base64url have 128 bits.
const RANDOM = /^[A-Za-z0-9._~-]{22,128}$/

/** Builds the claims of the request object. Throws if the request would be unsafe or could not be answered. */
export function requestClaims(parameters: RequestParameters): JsonObject {
  const { clientId, responseUri, nonce, state, issuedAt, expiresAt } = parameters
  requireRandom(nonce)
  if (state !== null) requireRandom(state)
  requireLifetime(issuedAt, expiresAt)
  requireOwnHost(clientId, responseUri)
  return describeRequest(parameters)
}

/** Builds the same claims for people to read later. Does not validate or sign them. */
export function describeRequest(parameters: RequestParameters): JsonObject {
  const { clientId, responseUri, nonce, state, query, encryptionJwk, issuedAt, expiresAt, walletNonce } = parameters
  const { transaction, verifierInfo } = parameters
  return {
    aud: STATIC_DISCOVERY_AUDIENCE,
    client_id: clientId,
    response_type: 'vp_token',
    response_mode: encryptionJwk === null ? 'direct_post' : 'direct_post.jwt',
    response_uri: responseUri,
    nonce,
    ...(state !== null && { state }),
    iat: issuedAt,
    exp: expiresAt,
    client_metadata: clientMetadata(query, encryptionJwk),
    dcql_query: wireQuery(query),
    ...transactionData(transaction),
    ...(verifierInfo !== undefined && { verifier_info: verifierInfo }),
    ...(walletNonce !== null && { wallet_nonce: walletNonce }),
  }
}

/** §5.1: the array is never empty, so the member is absent without texts. */
export const transactionData = (texts: readonly string[] = []): JsonObject =>
  texts.length === 0 ? {} : { transaction_data: texts }

export function requireRandom(text: string): void {
  if (!RANDOM.test(text)) throw new Error('bug: a nonce or state is weak or malformed')
}

export function requireLifetime(issuedAt: number, expiresAt: number): void {
  if (!(expiresAt > issuedAt)) throw new Error('bug: a request expires before it is issued')
}

/** §5: `typ` prevents confusion with other JWTs. The chain begins with the leaf and omits the anchor. */
export function requestHeader(
  chain: readonly Uint8Array[],
  { algorithm }: Pick<RequestSigner, 'algorithm'>,
): JsonObject {
  return { alg: algorithm, typ: 'oauth-authz-req+jwt', x5c: chain.map(encodeBase64) }
}

/** Signs requests. The caller has the key, or a connection to where it is. */
export interface RequestSigner {
  readonly algorithm: JwsAlgorithm
  /** Signs the bytes. The signature is r‖s for algorithms that have both. */
  sign(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>
}

/** Signs a compact JWS. The header's `alg` must be the key's algorithm. */
export async function signCompact(header: JsonObject, claims: JsonObject, signer: RequestSigner): Promise<string> {
  const { algorithm } = signer
  if (header.alg !== algorithm) throw new Error('bug: the header does not name the algorithm of the key')
  const input = `${encodeJson(header)}.${encodeJson(claims)}`
  const signature = await signer.sign(ascii(input))
  if (signature.length !== SIGNATURE_ALGORITHMS[algorithm].signatureBytes)
    throw new Error('bug: a signature of another algorithm')
  return `${input}.${encodeBase64url(signature)}`
}

export interface WalletLink {
  readonly clientId: string
  readonly requestUri: string
  /** The wallet's scheme or universal link; default `openid4vp://`. */
  readonly base?: string
}

/** §5.10: only the parameters that lead to the request object. Wallets ignore or distrust others. */
export function walletUri({ clientId, requestUri, base = 'openid4vp://' }: WalletLink): string {
  const query = `client_id=${encodeURIComponent(clientId)}&request_uri=${encodeURIComponent(requestUri)}&request_uri_method=post`
  return `${base}${base.includes('?') ? '&' : '?'}${query}`
}

export interface EncryptionKey {
  /** For client_metadata.jwks. */
  readonly jwk: JsonObject
  /** The thumbprint in base64url, so that the `kid` always matches the key. */
  readonly kid: string
  /** For the transcript of an mdoc. */
  readonly thumbprint: Uint8Array
}

/** Describes the P-256 public key for a wallet's response. Each request has its own key (HAIP §5.1). */
export function encryptionKeyOf(publicKey: KeyObject): EncryptionKey {
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' })
  if (kty !== 'EC' || crv !== 'P-256' || x === undefined || y === undefined)
    throw new Error('bug: an encryption key is not on P-256')
  return encryptionKeyOfPoint({ x, y })
}

/** Describes a key by its coordinates (base64url), for a caller without a key object. */
export function encryptionKeyOfPoint({ x, y }: { readonly x: string; readonly y: string }): EncryptionKey {
  const point = { kty: 'EC', crv: 'P-256', x, y }
  const thumbprint = thumbprintOf(point)
  if (thumbprint === null) throw new Error('bug: a P-256 key has no thumbprint')
  const kid = encodeBase64url(thumbprint)
  return { jwk: { ...point, use: 'enc', alg: 'ECDH-ES', kid }, kid, thumbprint }
}

/** §5.1: only keys, encryptions and formats. The name of the verifier is in the certificate. */
export function clientMetadata(query: DcqlQuery, encryptionJwk: JsonObject | null): JsonObject {
  const formats = new Set(query.credentials.map(({ format }) => format))
  const proofs = query.credentials.flatMap(proofsFor)
  return {
    ...(encryptionJwk !== null && {
      jwks: { keys: [encryptionJwk] },
      encrypted_response_enc_values_supported: CONTENT_ENCRYPTION_NAMES,
    }),
    vp_formats_supported: {
      ...Object.fromEntries(
        CREDENTIAL_FORMATS.filter((format) => formats.has(format)).map((format) => [
          format,
          queriedFormatOf(format).vpFormats,
        ]),
      ),
      ...Object.fromEntries(proofs.map(({ format, record }) => [format, record.vpFormats])),
    },
  }
}

/** §5.9.3: with x509_san_dns, a wallet answers only to the host in the certificate. */
function requireOwnHost(clientId: string, responseUri: string): void {
  const prefix = 'x509_san_dns:'
  if (clientId.startsWith(prefix) && clientId.slice(prefix.length) !== new URL(responseUri).hostname) {
    throw new Error('bug: the response_uri is not on the host that the client_id names')
  }
}

function encodeJson(value: Json): string {
  return encodeBase64url(encodeUtf8(JSON.stringify(value)))
}
