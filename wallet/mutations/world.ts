// Builds the issuer, the holder, the request and the valid trials that each mutation changes.

import { annexCTranscript, dcApiTranscript } from '../src/dc-api/transcript.ts'
import { encodeCbor, mapOf } from '../src/encoding/cbor.ts'
import { coseKey } from '../src/encoding/cose.ts'
import type { Json, JsonObject } from '../src/encoding/json.ts'
import type { IssuerState } from '../src/issuer.ts'
import {
  createIssuer,
  crlUri,
  issuerAnchors,
  issuerCrl,
  statusListCwt,
  statusListJwt,
  statusListUri,
  TYPE,
} from '../src/issuer.ts'
import type { PrivateJwk, PublicJwk } from '../src/keys.ts'
import { generateKey, thumbprint, toBase64url } from '../src/keys.ts'
import type { Handover } from '../src/mdoc.ts'
import { sessionTranscript } from '../src/mdoc.ts'
import { STATUS } from '../src/status-list.ts'

export interface Anchor {
  readonly kind: 'ca' | 'pinned' | 'exact'
  readonly certificate: Uint8Array
  readonly types: readonly (`dc+sd-jwt:${string}` | `mso_mdoc:${string}`)[]
  readonly profile: 'iso-mdl' | 'generic'
}

export type StatusAnswer =
  | { readonly outcome: 'fetched'; readonly bytes: Uint8Array; readonly contentType: string; readonly stale: boolean }
  | { readonly outcome: 'unavailable'; readonly reason: string }

/** The channel that the verifier uses. */
export type Channel =
  | { readonly kind: 'redirect'; readonly clientId: string; readonly responseUri: string }
  | { readonly kind: 'dc_api'; readonly origins: readonly string[] }
  | { readonly kind: 'annex_c'; readonly origins: readonly string[]; readonly encryptionInfo: string }

/** The verifier's request, from its own records. */
export interface Expectations {
  readonly channel: Channel
  readonly nonce: string
  readonly state: string | null
  readonly responseMode: 'direct_post' | 'direct_post.jwt'
  /** The response-encryption key pair; null for direct_post. */
  readonly encryptionKey: PrivateJwk | null
  readonly kid: string
  /** The key pair of Annex C. */
  readonly hpkeKey: PrivateJwk
  readonly requestedAt: number
  readonly now: number
  readonly skewSeconds: number
  /** DCQL in its wire form. */
  readonly query: JsonObject
  /** Transaction data as it was sent; absent: none. */
  readonly transaction?: readonly string[]
}

/** A wallet's response, with what a verifier needs to judge it. */
export interface Trial {
  /** The presentations as a parsed vp_token; null if the mutation changes the form body. */
  readonly vpToken: Json
  /** The form body as it arrives; null if the envelope does not matter. */
  readonly body: string | null
  readonly expectations: Expectations
  readonly anchors: readonly Anchor[]
  readonly statusPolicy: 'require' | 'prefer'
  readonly haip: boolean
  /** The content at an address; everything else is unavailable. */
  readonly status: ReadonlyMap<string, StatusAnswer>
}

export interface World {
  readonly issuer: IssuerState
  readonly holderKey: PrivateJwk
  /** The key of another issuer. */
  readonly otherKey: PrivateJwk
  readonly encryptionKey: PrivateJwk
  readonly hpkeKey: PrivateJwk
  readonly channel: Channel
  readonly now: number
}

export const NOW = 1_790_000_000
export const DAY = 86_400
export const KID = 'response-key-1'
export const NONCE = 'mVtjU6HzEm2Yk7QxJp1oR4sWcLdA9bNf'
export const CLIENT_ID = 'x509_hash:Uvo3HtuIxuhC92rShpgqcT3YXwrqRxWEviRiA0OZszk'
export const RESPONSE_URI = 'https://verifier.example/wallet/response/ver_1'
export const STATE = 'c3RhdGUtMDEyMzQ1Njc4OWFiY2RlZg'

/** The page's origin, if the request goes through the Digital Credentials API. */
export const ORIGIN = 'https://shop.example'

export function createWorld(kind: Channel['kind'] = 'redirect'): World {
  const base = createIssuer({ base: 'https://issuer.example/sandbox', now: NOW })
  const issuer = { ...base, statuses: { ...base.statuses, [RESERVED_INDEX]: STATUS.applicationSpecific } }
  const [holderKey, otherKey, encryptionKey, hpkeKey] = [generateKey(), generateKey(), generateKey(), generateKey()]
  return { issuer, holderKey, otherKey, encryptionKey, hpkeKey, channel: channelOf(kind, hpkeKey), now: NOW }
}

function channelOf(kind: Channel['kind'], hpkeKey: PrivateJwk): Channel {
  if (kind === 'redirect') return { kind, clientId: CLIENT_ID, responseUri: RESPONSE_URI }
  if (kind === 'dc_api') return { kind, origins: [ORIGIN] }
  return { kind, origins: [ORIGIN], encryptionInfo: encryptionInfoOf(hpkeKey) }
}

export function encryptionInfoOf(key: PublicJwk): string {
  const info = ['dcapi', mapOf({ nonce: new Uint8Array(16).fill(7), recipientPublicKey: coseKey(key) })]
  return toBase64url(encodeCbor(info))
}

/** The audience in a key binding JWT. */
export function audienceOf({ channel }: Pick<World, 'channel'>): string {
  return channel.kind === 'redirect' ? channel.clientId : `origin:${ORIGIN}`
}

/** An index with a status that not every verifier knows. */
export const RESERVED_INDEX = 3

export const SD_JWT_QUERY: JsonObject = {
  id: 'pid',
  format: 'dc+sd-jwt',
  meta: { vct_values: [TYPE.pidSdJwt] },
  claims: [
    { path: ['family_name'] },
    { path: ['given_name'] },
    { path: ['birthdate'] },
    { path: ['address', 'country'] },
    { path: ['nationalities', null] },
    { path: ['age_equal_or_over', '18'] },
  ],
}

export const MDL_NAMESPACE = 'org.iso.18013.5.1'

export const MDL_QUERY: JsonObject = {
  id: 'mdl',
  format: 'mso_mdoc',
  meta: { doctype_value: TYPE.mdl },
  claims: ['family_name', 'given_name', 'birth_date', 'portrait', 'driving_privileges', 'age_over_18'].map(
    (element) => ({
      path: [MDL_NAMESPACE, element],
    }),
  ),
}

export function expectationsFor(world: World, query: JsonObject): Expectations {
  return {
    channel: world.channel,
    nonce: NONCE,
    state: null,
    responseMode: 'direct_post.jwt',
    encryptionKey: world.encryptionKey,
    kid: KID,
    hpkeKey: world.hpkeKey,
    requestedAt: NOW - 60,
    now: NOW,
    skewSeconds: 60,
    query,
  }
}

/** A trial with this vp_token in which everything else is valid. */
export function trialOf(world: World, vpToken: Json, query: JsonObject): Trial {
  return {
    vpToken,
    body: null,
    expectations: expectationsFor(world, query),
    anchors: issuerAnchors(world.issuer),
    statusPolicy: 'require',
    haip: false,
    status: soundStatus(world),
  }
}

export function soundStatus(world: World): ReadonlyMap<string, StatusAnswer> {
  const { issuer, now } = world
  return new Map([
    [statusListUri(issuer.base, 'jwt'), fetched(Buffer.from(statusListJwt(issuer, now)), 'application/statuslist+jwt')],
    [statusListUri(issuer.base, 'cwt'), fetched(statusListCwt(issuer, now), 'application/statuslist+cwt')],
    [crlUri(issuer.base), fetched(issuerCrl(issuer, now), 'application/pkix-crl')],
  ])
}

export function fetched(bytes: Uint8Array, contentType: string): StatusAnswer {
  return { outcome: 'fetched', bytes: new Uint8Array(bytes), contentType, stale: false }
}

/** Returns the transcript that the holder's device signs. */
export function transcriptFor(expectations: Expectations): Uint8Array {
  const { channel, nonce, encryptionKey } = expectations
  if (channel.kind === 'redirect') return sessionTranscript(handoverFor(expectations))
  if (channel.kind === 'annex_c') return annexCTranscript(channel.encryptionInfo, ORIGIN)
  const key = encryptionKey === null ? null : thumbprint(encryptionKey)
  return dcApiTranscript({ origin: ORIGIN, nonce, thumbprint: key })
}

/** The handover of the redirect flow. */
export function handoverFor({ nonce, encryptionKey }: Expectations): Handover {
  return {
    clientId: CLIENT_ID,
    nonce,
    responseUri: RESPONSE_URI,
    thumbprint: encryptionKey === null ? null : thumbprint(encryptionKey as PublicJwk),
  }
}
