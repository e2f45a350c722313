// A wallet of foreign libraries: @openid4vc/openid4vp, dcql and jose.

import { createHash, X509Certificate } from 'node:crypto'
import type { CallbackContext, Jwk } from '@openid4vc/oauth2'
import {
  isOpenid4vpAuthorizationRequestDcApi,
  Openid4vpClient,
  type ResolvedOpenid4vpAuthorizationRequest,
  type WalletMetadata,
} from '@openid4vc/openid4vp'
import type { HeldCredential } from '@vidimus/wallet'
import { DcqlQuery } from 'dcql'
import { base64url, CompactEncrypt, calculateJwkThumbprint, compactVerify, importJWK, importX509 } from 'jose'
import { asDcqlCredential, type ChosenClaims, type LibraryBinding, present } from './library-holder.ts'

export interface LibraryWallet {
  readonly credentials: readonly HeldCredential[]
  readonly fetch: typeof globalThis.fetch
  /** Unix seconds. */
  readonly now: number
  /** The capabilities that it announces. */
  readonly metadata?: WalletMetadata & Record<string, unknown>
  /** 0.4.6 posts the members of its metadata as separate parameters; OpenID4VP 5.10 requires them in `wallet_metadata`. */
  readonly posts?: 'wallet_metadata' | 'as 0.4.6 does'
}

/** What a dishonest wallet does differently. */
export interface Dishonesty {
  readonly binding?: (honest: LibraryBinding) => LibraryBinding
  /** Chooses which of the query ids the wallet answers. */
  readonly answers?: (ids: readonly string[]) => readonly string[]
}

type Resolved = ResolvedOpenid4vpAuthorizationRequest

/** Follows a link (OpenID4VP 5), and answers to the address in the request. */
export async function answerLink(link: string, wallet: LibraryWallet, dishonest: Dishonesty = {}): Promise<Response> {
  const { client, resolved } = await resolveLink(link, wallet)
  const { payload, jarm } = await respondTo(client, resolved, wallet, dishonest)
  const { response } = await client.submitOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: { response_uri: redirectOf(resolved).responseUri },
    authorizationResponsePayload: payload,
    ...(jarm === undefined ? {} : { jarm }),
  })
  return response
}

export async function resolveLink(link: string, wallet: LibraryWallet) {
  const client = clientOf(wallet)
  const { params } = client.parseOpenid4vpAuthorizationRequest({ authorizationRequest: link })
  const { metadata } = wallet
  const resolved = await client.resolveOpenId4vpAuthorizationRequest({
    authorizationRequestPayload: params,
    ...(metadata === undefined ? {} : { wallet: { metadata } }),
  })
  return { client, resolved }
}

/** Answers one request of an offer through the browser's API: what the page of this origin gets. */
export async function answerOffer(
  request: { readonly protocol: string; readonly data: object },
  origin: string,
  wallet: LibraryWallet,
  dishonest: Dishonesty = {},
): Promise<{ readonly protocol: string; readonly data: object }> {
  const client = clientOf(wallet)
  const { params } = client.parseOpenid4vpAuthorizationRequest({
    authorizationRequest: request.data as Record<string, unknown>,
  })
  const resolved = await client.resolveOpenId4vpAuthorizationRequest({ authorizationRequestPayload: params, origin })
  const { payload, jarm } = await respondTo(client, resolved, wallet, dishonest, origin)
  return { protocol: request.protocol, data: jarm === undefined ? payload : { response: jarm.responseJwt } }
}

async function respondTo(
  client: Openid4vpClient,
  resolved: Resolved,
  wallet: LibraryWallet,
  dishonest: Dishonesty,
  origin?: string,
) {
  const { authorizationRequestPayload: request } = resolved
  const isEncrypted = request.response_mode?.endsWith('.jwt') === true
  const chosen = choose(resolved, wallet.credentials)
  const ids = chosen.map(({ id }) => id)
  const answered = dishonest.answers?.(ids) ?? ids
  const vpToken: Record<string, [string]> = {}
  for (const { id, credential, claims } of chosen) {
    if (!answered.includes(id)) continue
    const agreed = (resolved.transactionData ?? [])
      .filter(({ transactionData }) => transactionData.credential_ids.find((one) => ids.includes(one)) === id)
      .map(({ encoded, transactionData }) => ({
        text: encoded,
        type: transactionData.type,
        hasAlgorithm: transactionData.transaction_data_hashes_alg !== undefined,
      }))
    const honest: LibraryBinding = {
      channel: origin === undefined ? { kind: 'redirect', ...redirectOf(resolved) } : { kind: 'dc_api', origin },
      nonce: request.nonce,
      thumbprint: isEncrypted ? await thumbprintOf(resolved) : undefined,
      now: wallet.now,
      agreed,
    }
    vpToken[id] = [await present(credential, claims, dishonest.binding?.(honest) ?? honest)]
  }
  const { authorizationResponsePayload: payload, jarm } = await client.createOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: request,
    authorizationResponsePayload: { vp_token: vpToken },
    ...(origin === undefined ? {} : { origin }),
    ...(isEncrypted ? { jarm: { encryption: { nonce: 'a nonce of the wallet' }, serverMetadata: ENCRYPTION } } : {}),
  })
  return { payload, jarm }
}

const ENCRYPTION = {
  authorization_signing_alg_values_supported: ['ES256'],
  authorization_encryption_alg_values_supported: ['ECDH-ES'],
  authorization_encryption_enc_values_supported: ['A256GCM', 'A128GCM'],
}

function redirectOf({ client, authorizationRequestPayload: request }: Resolved) {
  if (isOpenid4vpAuthorizationRequestDcApi(request) || request.response_uri === undefined)
    throw new Error('the request names no address for the answer')
  return { clientId: client.effective, responseUri: request.response_uri }
}

interface Chosen {
  readonly id: string
  readonly credential: HeldCredential
  readonly claims: ChosenClaims
}

/** Returns the first option of each required set that dcql finds among the credentials; without sets, every query. */
function choose({ dcql }: Resolved, credentials: readonly HeldCredential[]): readonly Chosen[] {
  const query = DcqlQuery.parse(dcql?.query as DcqlQuery.Input)
  DcqlQuery.validate(query)
  const result = DcqlQuery.query(query, credentials.map(asDcqlCredential))
  if (!result.can_be_satisfied) throw new Error('dcql finds no credential for the query')
  const sets = result.credential_sets?.filter(({ required }) => required)
  const ids =
    sets?.flatMap(({ matching_options: options }) => options?.[0] ?? []) ?? query.credentials.map(({ id }) => id)
  return [...new Set(ids)].map((id) => {
    const match = result.credential_matches[id]
    if (match?.success !== true) throw new Error(`dcql finds no credential for ${id}`)
    const [{ input_credential_index: index, claims }] = match.valid_credentials
    const credential = credentials[index]
    if (credential === undefined) throw new Error(`dcql names a credential that the wallet does not have for ${id}`)
    return { id, credential, claims: claims.valid_claim_sets[0].output as ChosenClaims }
  })
}

async function thumbprintOf({ authorizationRequestPayload: request }: Resolved): Promise<Uint8Array> {
  const [key] = request.client_metadata?.jwks?.keys ?? []
  if (key === undefined) throw new Error('the request names no key for the answer')
  return base64url.decode(await calculateJwkThumbprint(key as object))
}

function clientOf(wallet: LibraryWallet): Openid4vpClient {
  return new Openid4vpClient({ callbacks: callbacksOf(wallet) })
}

const unused = () => {
  throw new Error('a wallet does not need this')
}

function callbacksOf(wallet: LibraryWallet): CallbackContext {
  return {
    fetch: fetchWithMetadata(wallet),
    hash: (data, algorithm) => new Uint8Array(createHash(algorithm.replace('-', '')).update(data).digest()),
    verifyJwt: async (signer, { compact }) => {
      if (signer.method !== 'x5c') return { verified: false }
      const [leaf = ''] = signer.x5c
      const certificate = new X509Certificate(Buffer.from(leaf, 'base64'))
      await compactVerify(compact, await importX509(certificate.toString(), signer.alg))
      return { verified: true, signerJwk: certificate.publicKey.export({ format: 'jwk' }) as Jwk }
    },
    getX509CertificateMetadata: (text) => {
      const names = new X509Certificate(Buffer.from(text, 'base64')).subjectAltName?.split(', ') ?? []
      const of = (kind: string) => names.filter((name) => name.startsWith(kind)).map((name) => name.slice(kind.length))
      return { sanDnsNames: of('DNS:'), sanUriNames: of('URI:') }
    },
    encryptJwe: async ({ publicJwk, alg, enc, apu, apv }, data) => {
      const key = await importJWK(publicJwk as object, alg)
      const { kid } = publicJwk
      const encrypting = new CompactEncrypt(new TextEncoder().encode(data))
        .setProtectedHeader({ alg, enc, ...(kid === undefined ? {} : { kid }) })
        .setKeyManagementParameters({
          ...(apu === undefined ? {} : { apu: base64url.decode(apu) }),
          ...(apv === undefined ? {} : { apv: base64url.decode(apv) }),
        })
      return { jwe: await encrypting.encrypt(key), encryptionJwk: publicJwk }
    },
    // 0.4.6 cannot decrypt any: it reads the parts of a JWE as those of a JWT.
    decryptJwe: unused,
    signJwt: unused,
    generateRandom: unused,
    clientAuthentication: unused,
  }
}

function fetchWithMetadata({ fetch, metadata, posts = 'wallet_metadata' }: LibraryWallet): typeof globalThis.fetch {
  if (metadata === undefined || posts !== 'wallet_metadata') return fetch
  const body = new URLSearchParams({ wallet_metadata: JSON.stringify(metadata) }).toString()
  return (url, init) => fetch(url, String(url).includes('/wallet/request/') ? { ...init, body } : init)
}
