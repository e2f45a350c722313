// What do we ask the wallet? The request object of OpenID4VP §5: its header, its claims, its signature, and the URI
// that leads to it. Built from plain parameters; keys, nonces and times are the caller's.

import { type KeyObject, sign } from 'node:crypto'
import { SIGNATURE_ALGORITHMS } from '../algorithms.ts'
import { ascii, encodeBase64, encodeBase64url, encodeUtf8 } from '../bytes.ts'
import { askedFormatOf, CREDENTIAL_FORMATS, proofsFor } from '../formats/table.ts'
import { algorithmOfKey, thumbprintOf } from '../jose.ts'
import type { Json, JsonObject } from '../verdict.ts'
import type { DcqlQuery } from './dcql.ts'
import { CONTENT_ENCRYPTION_NAMES } from './jwe.ts'
import { wireQuery } from './wire-query.ts'

export interface RequestParameters {
  /** With its prefix, as `clientIdOf` makes it. */
  readonly clientId: string
  readonly responseUri: string
  readonly nonce: string
  readonly state: string | null
  readonly query: DcqlQuery
  /** As `encryptionKeyOf` makes it; null asks for the response in clear (direct_post). */
  readonly encryptionJwk: JsonObject | null
  /** Unix seconds. */
  readonly issuedAt: number
  readonly expiresAt: number
  /** Echoed verbatim; null when the wallet did not POST one. */
  readonly walletNonce: string | null
  /** The texts that the holder is to agree to, as they are frozen; absent: none. */
  readonly transaction?: readonly string[]
  /** As `registrationInfo` returns it; absent: the request says nothing about the verifier but its certificate. */
  readonly verifierInfo?: VerifierInfo
}

/** ETSI TS 119 472-2: one registration certificate, for all that is asked. */
export const registrationInfo = (certificate: string): VerifierInfo => [
  { format: 'registration_cert', data: certificate },
]

export type VerifierInfo = readonly JsonObject[]

/** OpenID4VP §5.8: the audience of a request to a wallet we know nothing of. */
export const STATIC_DISCOVERY_AUDIENCE = 'https://self-issued.me/v2'

// §5.2: what may stand in a nonce and a state; shorter than 128 bits in base64url is a bug of ours.
const RANDOM = /^[A-Za-z0-9._~-]{22,128}$/

/** The claims of the request object. Throws on parameters that would make a request unsafe or unanswerable. */
export function requestClaims(parameters: RequestParameters): JsonObject {
  const { clientId, responseUri, nonce, state, issuedAt, expiresAt } = parameters
  requireRandom(nonce)
  if (state !== null) requireRandom(state)
  requireLifetime(issuedAt, expiresAt)
  requireOwnHost(clientId, responseUri)
  return describeRequest(parameters)
}

/** The same for people to read later: not validated and not signed. */
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

/** §5.1: an array that is never empty, or no member at all. */
export const transactionData = (texts: readonly string[] = []): JsonObject =>
  texts.length === 0 ? {} : { transaction_data: texts }

export function requireRandom(text: string): void {
  if (!RANDOM.test(text)) throw new Error('bug: a weak or ill-formed nonce or state')
}

export function requireLifetime(issuedAt: number, expiresAt: number): void {
  if (!(expiresAt > issuedAt)) throw new Error('bug: a request that is over before it begins')
}

/** §5: `typ` is what keeps a request object from passing for any other JWT. Certificates leaf first, without the anchor. */
export function requestHeader(chain: readonly Uint8Array[], signingKey: KeyObject): JsonObject {
  return { alg: algorithmOf(signingKey), typ: 'oauth-authz-req+jwt', x5c: chain.map(encodeBase64) }
}

/** Signs a compact JWS; the header's `alg` must be the one of the key. */
export function signCompact(header: JsonObject, claims: JsonObject, privateKey: KeyObject): string {
  const algorithm = algorithmOf(privateKey)
  if (header.alg !== algorithm) throw new Error('bug: the header names another algorithm than the key has')
  const input = `${encodeJson(header)}.${encodeJson(claims)}`
  const signature = sign(SIGNATURE_ALGORITHMS[algorithm].hash, ascii(input), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
  })
  return `${input}.${encodeBase64url(signature)}`
}

export interface WalletLink {
  readonly clientId: string
  readonly requestUri: string
  /** The wallet's scheme or universal link; default `openid4vp://`. */
  readonly base?: string
}

/** §5.10: only what leads to the request object; everything else would be ignored or distrusted. */
export function walletUri({ clientId, requestUri, base = 'openid4vp://' }: WalletLink): string {
  const query = `client_id=${encodeURIComponent(clientId)}&request_uri=${encodeURIComponent(requestUri)}&request_uri_method=post`
  return `${base}${base.includes('?') ? '&' : '?'}${query}`
}

export interface EncryptionKey {
  /** For client_metadata.jwks. */
  readonly jwk: JsonObject
  /** The base64url of the thumbprint, so that a key and its name cannot come apart. */
  readonly kid: string
  /** For the transcript of an mdoc. */
  readonly thumbprint: Uint8Array
}

/** Describes a P-256 public key for a response to be encrypted to. One key for one request (HAIP §5.1). */
export function encryptionKeyOf(publicKey: KeyObject): EncryptionKey {
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' })
  if (kty !== 'EC' || crv !== 'P-256' || x === undefined || y === undefined)
    throw new Error('bug: an encryption key is on P-256')
  return encryptionKeyOfPoint({ x, y })
}

/** The same from the coordinates (base64url), for a caller that has no use for a key object. */
export function encryptionKeyOfPoint({ x, y }: { readonly x: string; readonly y: string }): EncryptionKey {
  const point = { kty: 'EC', crv: 'P-256', x, y }
  const thumbprint = thumbprintOf(point)
  if (thumbprint === null) throw new Error('bug: a P-256 key without a thumbprint')
  const kid = encodeBase64url(thumbprint)
  return { jwk: { ...point, use: 'enc', alg: 'ECDH-ES', kid }, kid, thumbprint }
}

/** §5.1: nothing but keys, encryptions and formats; names and logos are the certificate's business. */
export function clientMetadata(query: DcqlQuery, encryptionJwk: JsonObject | null): JsonObject {
  const asked = new Set(query.credentials.map(({ format }) => format))
  const proofs = query.credentials.flatMap(proofsFor)
  return {
    ...(encryptionJwk !== null && {
      jwks: { keys: [encryptionJwk] },
      encrypted_response_enc_values_supported: CONTENT_ENCRYPTION_NAMES,
    }),
    vp_formats_supported: {
      ...Object.fromEntries(
        CREDENTIAL_FORMATS.filter((format) => asked.has(format)).map((format) => [
          format,
          askedFormatOf(format).vpFormats,
        ]),
      ),
      ...Object.fromEntries(proofs.map(({ format, record }) => [format, record.vpFormats])),
    },
  }
}

/** §5.9.3: under x509_san_dns a wallet sends its answer only to the host the certificate names. */
function requireOwnHost(clientId: string, responseUri: string): void {
  const prefix = 'x509_san_dns:'
  if (clientId.startsWith(prefix) && clientId.slice(prefix.length) !== new URL(responseUri).hostname) {
    throw new Error('bug: the response_uri is not on the host that the client_id names')
  }
}

/** What a key of ours signs with, and what it hashes first. */
export function signingAlgorithmOf(privateKey: KeyObject): {
  readonly algorithm: keyof typeof SIGNATURE_ALGORITHMS
  readonly hash: string | null
} {
  const algorithm = algorithmOf(privateKey)
  return { algorithm, hash: SIGNATURE_ALGORITHMS[algorithm].hash }
}

function algorithmOf(privateKey: KeyObject): keyof typeof SIGNATURE_ALGORITHMS {
  const algorithm = algorithmOfKey(privateKey)
  if (algorithm === null) throw new Error('bug: a signing key without a signature algorithm')
  return algorithm
}

function encodeJson(value: Json): string {
  return encodeBase64url(encodeUtf8(JSON.stringify(value)))
}
