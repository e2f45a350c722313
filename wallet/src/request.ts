// Fetches a request object and checks it like a conformant wallet (docs/protocol/request.md).

import { randomBytes, X509Certificate } from 'node:crypto'
import { compactVerify, decodeProtectedHeader, importX509 } from 'jose'
import type { DcqlQuery } from './dcql.ts'
import { parseDcql } from './dcql.ts'
import { isObject, member } from './encoding/json.ts'
import { sha256, toBase64url } from './keys.ts'
import type { ContentEncryption, ResponseEncryption } from './metadata.ts'
import { checkClientMetadata } from './metadata.ts'
import { demand, RequestRefused } from './refusal.ts'
import type { TransactionRequest } from './transaction.ts'
import { readTransactionData } from './transaction.ts'
import { isSecure, parseWalletUri } from './wallet-uri.ts'

export interface VerifierRequest {
  readonly clientId: string
  readonly nonce: string
  readonly state: string | null
  readonly responseUri: string
  readonly responseMode: 'direct_post' | 'direct_post.jwt'
  readonly encryption: ResponseEncryption | null
  readonly query: DcqlQuery
  /** The transaction data for the holder. */
  readonly transaction: readonly TransactionRequest[]
  /** The verifier's name in its certificate. */
  readonly verifier: { readonly subject: string; readonly issuer: string; readonly names: string }
  readonly certificate: X509Certificate
  /** The value in the request; undefined if it is absent. */
  readonly verifierInfo: unknown
}

export interface FetchOptions {
  readonly fetch: typeof globalThis.fetch
  readonly now: number
  /** Access authorities that the wallet knows. Without authorities it checks only the chain itself. */
  readonly trustedVerifiers?: readonly Uint8Array[]
  /** Replaces the method in the link: a wallet that cannot POST uses GET. */
  readonly method?: 'get' | 'post'
  readonly preferredEnc?: ContentEncryption
}

export async function fetchRequest(walletUri: string, options: FetchOptions): Promise<VerifierRequest> {
  const link = parseWalletUri(walletUri)
  const method = options.method ?? link.method
  const walletNonce = method === 'post' ? randomBytes(16).toString('base64url') : null
  const compact = await download(link.requestUri, walletNonce, options.fetch)
  return verifyRequestObject(compact, {
    clientId: link.clientId,
    walletNonce,
    now: options.now,
    trusted: options.trustedVerifiers ?? [],
    ...(options.preferredEnc === undefined ? {} : { preferredEnc: options.preferredEnc }),
  })
}

async function download(uri: string, walletNonce: string | null, fetch: FetchOptions['fetch']): Promise<string> {
  const accept = { accept: 'application/oauth-authz-req+jwt' }
  const response = await (walletNonce === null
    ? fetch(uri, { headers: accept, redirect: 'manual' })
    : fetch(uri, {
        method: 'POST',
        headers: { ...accept, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ wallet_nonce: walletNonce }).toString(),
        redirect: 'manual',
      }))
  demand(response.status === 200, 'request_unavailable', `HTTP ${response.status}`)
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  demand(type === 'application/oauth-authz-req+jwt', 'request_content_type_invalid', type ?? 'none')
  return (await response.text()).trim()
}

interface RequestExpectation {
  /** client_id of the link. */
  readonly clientId: string
  /** The wallet's POST parameters; null if it used GET. */
  readonly walletNonce: string | null
  readonly now: number
  readonly trusted: readonly Uint8Array[]
  readonly preferredEnc?: ContentEncryption
}

export async function verifyRequestObject(compact: string, expected: RequestExpectation): Promise<VerifierRequest> {
  const { leaf, claims } = await verifySignature(compact, expected)
  const clientId = checkClient(claims, leaf, expected)
  const responseUri = checkParameters(claims, expected)
  const responseMode = member(claims, 'response_mode')
  demand(
    responseMode === 'direct_post' || responseMode === 'direct_post.jwt',
    'response_mode_invalid',
    String(responseMode),
  )
  if (clientId.startsWith('x509_san_dns:')) {
    // OpenID4VP 5.9.3: unless the client is trusted in another way, the answer must go to the host in client_id.
    const host = clientId.slice('x509_san_dns:'.length)
    demand(new URL(responseUri).hostname === host, 'response_uri_foreign', 'its host is not the client id')
  }
  const query = member(claims, 'dcql_query')
  demand(isObject(query), 'dcql_query_missing', 'OpenID4VP 5.1')
  const parsed = parseDcql(query)
  return {
    clientId,
    nonce: checkNonce(claims),
    state: checkState(claims),
    responseUri,
    responseMode,
    encryption: checkClientMetadata(member(claims, 'client_metadata'), {
      mode: responseMode,
      preferredEnc: expected.preferredEnc ?? 'A256GCM',
    }),
    query: parsed,
    transaction: readTransactionData(
      claims,
      parsed.credentials.map(({ id }) => id),
    ),
    verifier: { subject: leaf.subject, issuer: leaf.issuer, names: leaf.subjectAltName ?? '' },
    certificate: leaf,
    verifierInfo: member(claims, 'verifier_info'),
  }
}

export type Claims = { readonly [name: string]: unknown }

type SignerExpectation = Pick<RequestExpectation, 'now' | 'trusted'>

/** Verifies the request: the leaf certificate signed it, and its chain is valid. */
export async function verifySignature(
  compact: string,
  expected: SignerExpectation,
): Promise<{ leaf: X509Certificate; claims: Claims; header: Claims }> {
  const header = headerOf(compact)
  demand(header.typ === 'oauth-authz-req+jwt', 'typ_invalid', String(header.typ))
  const alg = header.alg
  demand(alg === 'ES256' || alg === 'ES384' || alg === 'ES512', 'alg_not_allowed', String(alg))
  demand(!('crit' in header), 'crit_not_understood', 'no extension is understood')
  const leaf = checkChain(header.x5c, expected)
  try {
    const verified = await compactVerify(compact, await importX509(leaf.toString(), alg), { algorithms: [alg] })
    const claims: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(verified.payload))
    demand(isObject(claims), 'request_not_a_jws', 'the payload is not an object')
    return { leaf, claims, header }
  } catch (error) {
    if (error instanceof RequestRefused) throw error
    throw new RequestRefused('signature_invalid', 'the leaf certificate did not sign this')
  }
}

function headerOf(compact: string): Claims {
  try {
    return { ...decodeProtectedHeader(compact) }
  } catch {
    throw new RequestRefused('request_not_a_jws', 'the header cannot be read')
  }
}

function checkChain(x5c: unknown, expected: SignerExpectation): X509Certificate {
  demand(Array.isArray(x5c) && x5c.length > 0, 'x5c_missing', 'OpenID4VP 5.9.3')
  return checkCertificates(x5c.map(readCertificate), expected)
}

/** Checks that the chain is in order, valid now, without its anchor, and under a known authority if the wallet knows any. Returns the leaf. */
export function checkCertificates(chain: readonly X509Certificate[], expected: SignerExpectation): X509Certificate {
  const [leaf] = chain
  demand(leaf !== undefined, 'x5c_missing', 'OpenID4VP 5.9.3')
  demand(!isSelfSigned(leaf), 'leaf_self_signed', 'HAIP 5')
  demand(!chain.some(isSelfSigned), 'x5c_contains_anchor', 'HAIP 5')
  for (const certificate of chain) {
    const from = certificate.validFromDate.getTime() / 1000
    const until = certificate.validToDate.getTime() / 1000
    demand(from <= expected.now && expected.now <= until, 'certificate_not_valid_now', certificate.subject)
  }
  for (const [index, certificate] of chain.entries()) {
    const above = chain[index + 1]
    demand(above === undefined || isIssuedBy(certificate, above), 'chain_broken', certificate.subject)
  }
  const top = chain.at(-1)
  const anchors = expected.trusted.map((der) => new X509Certificate(der))
  const isTrusted = anchors.length === 0 || (top !== undefined && anchors.some((anchor) => isIssuedBy(top, anchor)))
  demand(isTrusted, 'certificate_untrusted', leaf.subject)
  return leaf
}

function readCertificate(text: unknown): X509Certificate {
  // RFC 7515 4.1.6: standard base64 with padding, not the url-safe alphabet.
  const isBase64 = typeof text === 'string' && /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0
  demand(isBase64, 'x5c_invalid', 'standard base64 is expected')
  try {
    return new X509Certificate(Buffer.from(text, 'base64'))
  } catch {
    throw new RequestRefused('x5c_invalid', 'not a certificate')
  }
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.subject === certificate.issuer && certificate.verify(certificate.publicKey)
}

function isIssuedBy(certificate: X509Certificate, above: X509Certificate): boolean {
  return above.ca && certificate.checkIssued(above) && certificate.verify(above.publicKey)
}

function checkClient(claims: Claims, leaf: X509Certificate, expected: RequestExpectation): string {
  const clientId = member(claims, 'client_id')
  demand(
    typeof clientId === 'string' && clientId === expected.clientId,
    'client_id_mismatch',
    'link and request object differ',
  )
  return checkClientId(clientId, leaf)
}

/** The certificate must contain the name. */
export function checkClientId(clientId: string, leaf: X509Certificate): string {
  const [prefix] = clientId.split(':', 1)
  const original = clientId.slice((prefix ?? '').length + 1)
  if (prefix === 'x509_hash') {
    demand(original === toBase64url(sha256(leaf.raw)), 'x509_hash_mismatch', 'not the hash of the leaf certificate')
    return clientId
  }
  demand(prefix === 'x509_san_dns', 'client_id_prefix_unsupported', prefix ?? '')
  const names = (leaf.subjectAltName ?? '').split(', ')
  demand(names.includes(`DNS:${original}`), 'san_dns_mismatch', 'the certificate does not carry that name')
  return clientId
}

export const FORBIDDEN = [
  'request',
  'request_uri',
  'request_uri_method',
  'presentation_definition',
  'client_id_scheme',
  'scope',
]

/** Checks what does not depend on the response mode; returns the checked response_uri. */
function checkParameters(claims: Claims, expected: RequestExpectation): string {
  for (const name of FORBIDDEN) demand(member(claims, name) === undefined, 'parameter_forbidden', name)
  demand(member(claims, 'aud') === 'https://self-issued.me/v2', 'aud_invalid', 'OpenID4VP 5.8')
  demand(member(claims, 'response_type') === 'vp_token', 'response_type_invalid', 'OpenID4VP 5.1')
  demand(member(claims, 'redirect_uri') === undefined, 'redirect_uri_present', 'OpenID4VP 8.2')
  const responseUri = member(claims, 'response_uri')
  demand(typeof responseUri === 'string' && isSecure(responseUri), 'response_uri_invalid', 'https is expected')
  checkTimes(claims, expected.now)
  const echoed = member(claims, 'wallet_nonce')
  if (expected.walletNonce === null) demand(echoed === undefined, 'wallet_nonce_unexpected', 'none was sent')
  else demand(echoed === expected.walletNonce, 'wallet_nonce_not_echoed', 'OpenID4VP 5.10')
  return responseUri
}

export function checkTimes(claims: Claims, now: number): void {
  const skewSeconds = 60
  const [issued, expires] = [member(claims, 'iat'), member(claims, 'exp')]
  if (expires !== undefined)
    demand(typeof expires === 'number' && expires > now - skewSeconds, 'request_expired', 'exp')
  if (issued !== undefined)
    demand(typeof issued === 'number' && issued <= now + skewSeconds, 'request_issued_in_future', 'iat')
}

const URL_SAFE = /^[A-Za-z0-9._~-]+$/

export function checkNonce(claims: Claims): string {
  const nonce = member(claims, 'nonce')
  demand(typeof nonce === 'string' && nonce !== '', 'nonce_missing', 'OpenID4VP 5.2')
  demand(URL_SAFE.test(nonce) && nonce.length <= 512, 'nonce_invalid', 'only URL-safe characters')
  // 128 bits in the densest permitted alphabet take 22 characters.
  demand(nonce.length >= 22, 'nonce_too_short', 'at least 128 bits')
  return nonce
}

function checkState(claims: Claims): string | null {
  const state = member(claims, 'state')
  if (state === undefined) return null
  demand(typeof state === 'string' && URL_SAFE.test(state), 'state_invalid', 'only URL-safe characters')
  return state
}
