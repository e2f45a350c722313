// Checks an OpenID4VP request of the Digital Credentials API (Annex A) as a conformant wallet does.

import type { X509Certificate } from 'node:crypto'
import type { DcqlQuery } from '../dcql.ts'
import { parseDcql } from '../dcql.ts'
import { isObject, member } from '../encoding/json.ts'
import type { ContentEncryption, ResponseEncryption } from '../metadata.ts'
import { checkClientMetadata } from '../metadata.ts'
import { demand, RequestRefused } from '../refusal.ts'
import type { Claims } from '../request.ts'
import { checkClientId, checkNonce, checkTimes, FORBIDDEN, verifySignature } from '../request.ts'
import type { TransactionRequest } from '../transaction.ts'
import { readTransactionData } from '../transaction.ts'

export interface OpenId4VpOffer {
  readonly protocol: string
  /** null if the request is unsigned. */
  readonly clientId: string | null
  readonly nonce: string
  readonly encryption: ResponseEncryption | null
  readonly responseMode: 'dc_api' | 'dc_api.jwt'
  readonly query: DcqlQuery
  /** The transaction data for the holder. */
  readonly transaction: readonly TransactionRequest[]
  /** The verifier's name in its certificate. */
  readonly verifier: string | null
  readonly certificate: X509Certificate | null
  /** The value in the request; undefined if it is absent. */
  readonly verifierInfo: unknown
}

export interface OfferExpectation {
  /** The origin of the page that asks, as the platform reports it. */
  readonly origin: string
  readonly now: number
  readonly trusted: readonly Uint8Array[]
  readonly preferredEnc?: ContentEncryption
}

export async function readOpenId4VpOffer(
  protocol: string,
  data: unknown,
  expected: OfferExpectation,
): Promise<OpenId4VpOffer> {
  demand(isObject(data), 'offer_invalid', 'data is an object')
  const { claims, clientId, verifier, certificate, verifierInfo } = await readSigned(protocol, data, expected)
  checkParameters(claims, expected.now)
  const mode = member(claims, 'response_mode')
  demand(mode === 'dc_api' || mode === 'dc_api.jwt', 'response_mode_invalid', String(mode))
  const query = member(claims, 'dcql_query')
  demand(isObject(query), 'dcql_query_missing', 'OpenID4VP 5.1')
  const parsed = parseDcql(query)
  return {
    protocol,
    clientId,
    nonce: checkNonce(claims),
    encryption: checkClientMetadata(member(claims, 'client_metadata'), {
      mode,
      preferredEnc: expected.preferredEnc ?? 'A256GCM',
    }),
    responseMode: mode,
    query: parsed,
    transaction: readTransactionData(
      claims,
      parsed.credentials.map(({ id }) => id),
    ),
    verifier,
    certificate,
    verifierInfo,
  }
}

interface Signed {
  readonly claims: Claims
  readonly clientId: string | null
  readonly verifier: string | null
  readonly certificate: X509Certificate | null
  readonly verifierInfo: unknown
}

async function readSigned(protocol: string, data: Claims, expected: OfferExpectation): Promise<Signed> {
  // A.2: in an unsigned request client_id and expected_origins prove nothing.
  if (protocol === 'openid4vp-v1-unsigned')
    return { claims: data, clientId: null, verifier: null, certificate: null, verifierInfo: undefined }
  const request = member(data, 'request')
  const signed =
    protocol === 'openid4vp-v1-signed' ? await readCompact(request, expected) : await readGeneral(request, expected)
  checkOrigin(signed.claims, expected.origin)
  demand(member(signed.claims, 'aud') === 'https://self-issued.me/v2', 'aud_invalid', 'OpenID4VP 5.8')
  return signed
}

async function readCompact(request: unknown, expected: OfferExpectation): Promise<Signed> {
  demand(typeof request === 'string', 'offer_invalid', 'request is a compact JWS')
  const { leaf, claims } = await verifySignature(request, expected)
  const clientId = member(claims, 'client_id')
  demand(typeof clientId === 'string', 'client_id_missing', 'OpenID4VP A.3.1')
  const verifierInfo = member(claims, 'verifier_info')
  return { claims, clientId: checkClientId(clientId, leaf), verifier: leaf.subject, certificate: leaf, verifierInfo }
}

/** A.3.2.2: one signature that the wallet can verify is enough; client_id and verifier_info are only in its header. */
async function readGeneral(request: unknown, expected: OfferExpectation): Promise<Signed> {
  const payload = member(request, 'payload')
  const signatures = member(request, 'signatures')
  const isGeneral = typeof payload === 'string' && Array.isArray(signatures) && signatures.length > 0
  demand(isGeneral, 'multisigned_invalid', 'payload and signatures')
  let last: RequestRefused | null = null
  for (const entry of signatures) {
    const compact = `${String(member(entry, 'protected'))}.${payload}.${String(member(entry, 'signature'))}`
    try {
      const { leaf, claims, header } = await verifySignature(compact, expected)
      const clientId = member(header, 'client_id')
      demand(typeof clientId === 'string', 'client_id_missing', 'OpenID4VP A.3.2.2')
      demand(member(claims, 'client_id') === undefined, 'multisigned_invalid', 'client_id in the payload')
      const verifierInfo = member(header, 'verifier_info')
      const checked = checkClientId(clientId, leaf)
      return { claims, clientId: checked, verifier: leaf.subject, certificate: leaf, verifierInfo }
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error
      last = error
    }
  }
  throw last ?? new RequestRefused('multisigned_invalid', 'no signature')
}

/** A.2: origins are compared exactly. */
function checkOrigin(claims: Claims, origin: string): void {
  const origins = member(claims, 'expected_origins')
  demand(Array.isArray(origins) && origins.length > 0, 'expected_origins_missing', 'OpenID4VP A.2')
  demand(origins.includes(origin), 'origin_unexpected', 'the request is for other pages')
}

function checkParameters(claims: Claims, now: number): void {
  for (const name of [...FORBIDDEN, 'response_uri', 'redirect_uri', 'state'])
    demand(member(claims, name) === undefined, 'parameter_forbidden', name)
  demand(member(claims, 'response_type') === 'vp_token', 'response_type_invalid', 'OpenID4VP 5.1')
  checkTimes(claims, now)
}
