// Records what wallets that fetched the request object got, for the diagnostics and the client id of an answer.

import { hash } from 'node:crypto'
import type { DeclaredList, MissingSupport } from '@vidimus/engine'
import type { Instant } from '../../../platform/world.ts'
import type { RealmRow } from '../../tenants/domain/realm.ts'

/** Limited, because strangers can fetch with any metadata. The first request of each client id is always stored. */
export const SENT_REQUESTS_MAX = 4

/** One fetch. Fetches that differ only in time and signature are stored once. */
export interface SentRequest {
  readonly at: Instant
  /** The hash of the signed request object, base64url; null if we can send nothing that this wallet supports. */
  readonly sha256: string | null
  /** If nothing was sent, the verification's own client id. */
  readonly clientId: string
  /** Ids of credential queries, and of the proofs that replace them, that were not sent to this wallet. */
  readonly leftOut: readonly string[]
  /** The curve of the wallet's key; null: the request object was not encrypted. */
  readonly encryptedTo: string | null
  readonly missing: readonly MissingSupport[]
  /** null: the wallet sent no metadata. */
  readonly declared: readonly DeclaredList[] | null
}

export const servedRequestsSealContext = ({ tenantId, environment, id }: RealmRow) =>
  `verifications.served_requests|${tenantId}|${environment}|${id}`

/** Whether `request_fetched_at` and `request_sha256` describe this fetch completely. */
export const isPlain = ({ leftOut, encryptedTo, missing, declared }: SentRequest): boolean =>
  leftOut.length === 0 && encryptedTo === null && missing.length === 0 && declared === null

/** Whether the request is new and there is room for it. */
export function isNewAmong(known: readonly SentRequest[], sent: SentRequest): boolean {
  const isFirstOfItsId = !known.some(({ clientId }) => clientId === sent.clientId)
  return (
    isFirstOfItsId || (known.length < SENT_REQUESTS_MAX && !known.some((one) => variantOf(one) === variantOf(sent)))
  )
}

/** Has no names of members, because the store returns them in another order. */
const variantOf = ({ sha256, clientId, leftOut, encryptedTo, missing, declared }: SentRequest) =>
  JSON.stringify([
    sha256 !== null,
    clientId,
    leftOut,
    encryptedTo,
    missing.map(({ member, anyOf }) => [member, anyOf]),
    declared?.map(({ member, values, others }) => [member, values, others]) ?? null,
  ])

interface Stated {
  readonly clientId: string
  readonly stateParameter: string
}

/** The `state` of a request under this client id. The wallet's answer repeats it, which identifies the request. */
export function stateUnder({ clientId, stateParameter }: Stated, used: string): string {
  return used === clientId ? stateParameter : `${stateParameter}.${hash('sha256', used, 'base64url').slice(0, 22)}`
}

/** The client ids of sent requests, without the verification's own. */
export function otherClientIds({ clientId }: Stated, sent: readonly SentRequest[]): readonly string[] {
  return [...new Set(sent.map((one) => one.clientId))].filter((one) => one !== clientId)
}

export function renderSentRequest({ at, sha256, clientId, leftOut, encryptedTo, missing, declared }: SentRequest) {
  return {
    at,
    client_id: clientId,
    request_sha256: sha256,
    left_out: [...leftOut],
    encrypted_to: encryptedTo,
    missing: missing.map(({ member, anyOf }) => ({ member, any_of: [...anyOf] })),
    declared: declared?.map(({ member, values, others }) => ({ member, values: [...values], others })) ?? null,
  }
}
