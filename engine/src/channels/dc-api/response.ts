// Reads the answer of a browser's Digital Credentials API (OpenID4VP Annex A, ISO 18013-7 Annex C).

import { decodeUtf8, Malformed } from '../../bytes.ts'
import type { DeviceDocuments } from '../../formats/mdoc/device-response.ts'
import type { Recipient } from '../../hpke.ts'
import { isJsonObject, member, parseJsonObject } from '../../json.ts'
import { type Budget, LIMITS, newBudget, OVERSPENT, spendReceived } from '../../limits.ts'
import type { DecryptionKey } from '../../openid4vp/jwe.ts'
import { decryptParameters, interpretParameters, type WalletResponse } from '../../openid4vp/response.ts'
import type { Json, JsonObject } from '../../verdict.ts'
import type { AnnexCChannel } from '../annex-c/channel.ts'
import { openAnnexC } from '../annex-c/response.ts'
import { requireOrigins } from '../origin.ts'
import type { DcApiChannel } from './channel.ts'
import { type DcApiProtocol, ISO_PROTOCOL } from './protocols.ts'

/** The stored offer of a verification. */
export interface DcApiOffer {
  readonly protocols: readonly DcApiProtocol[]
  /** The origins of pages that may have asked. */
  readonly origins: readonly string[]
  /** The key of `client_metadata.jwks`; null if we asked for an unencrypted response (dc_api). */
  readonly encryption: DecryptionKey | null
  /** The separate key of Annex C; null if Annex C was not offered. */
  readonly annexC: AnnexCKey | null
}

/** A P-256 key pair. `encryptionInfo` contains its public key. */
export interface AnnexCKey extends Recipient {
  /** The exact text that was sent. */
  readonly encryptionInfo: string
}

export type DcApiResponse =
  | {
      readonly kind: 'presentation'
      /** The input for `verifyPresentation` on this channel. */
      readonly presented: JsonObject | DeviceDocuments
      readonly channel: DcApiChannel | AnnexCChannel
    }
  | Exclude<WalletResponse, { kind: 'presentation' }>

/**
 * Reads the JSON that the page posts. Never throws, because the sender is not trusted. Accepts only an offered protocol
 * in the requested mode. The whole response shares the budget.
 */
export function readDcApiResponse(body: Uint8Array, offer: DcApiOffer, budget: Budget = newBudget()): DcApiResponse {
  requireOrigins(offer.origins)
  try {
    return readAnswer(parseBody(body, budget), offer, budget)
  } catch (error) {
    if (error instanceof Malformed) return { kind: 'malformed', detail: error.message }
    throw error
  }
}

function parseBody(body: Uint8Array, budget: Budget): JsonObject {
  if (body.length > LIMITS.bodyBytes) throw new Malformed('the answer is too large')
  if (!spendReceived(budget, body.length)) throw new Malformed(OVERSPENT)
  const text = decodeUtf8(body)
  if (text === null) throw new Malformed('the answer is not UTF-8 text')
  return parseJsonObject(text, budget)
}

function readAnswer(answer: JsonObject, offer: DcApiOffer, budget: Budget): DcApiResponse {
  const protocol = offer.protocols.find((offered) => offered === member(answer, 'protocol'))
  if (protocol === undefined) throw new Malformed('the answer is of a protocol that was not offered')
  const data = member(answer, 'data')
  if (!isJsonObject(data)) throw new Malformed('the answer has no data object')
  if (protocol === ISO_PROTOCOL) return readIsoAnswer(data, offer, budget)
  const response = readOpenId4VpAnswer(data, offer.encryption, budget)
  if (response.kind !== 'presentation') return response
  return { kind: 'presentation', presented: response.vpToken, channel: { kind: 'dc_api', origins: offer.origins } }
}

/** OpenID4VP A.4. The answer has no state, because it returns to the page that asked. */
function readOpenId4VpAnswer(data: JsonObject, encryption: DecryptionKey | null, budget: Budget): WalletResponse {
  const response = member(data, 'response')
  const vpToken = member(data, 'vp_token')
  const clear = {
    vp_token: vpToken,
    state: undefined,
    error: member(data, 'error'),
    error_description: member(data, 'error_description'),
  }
  if (encryption === null) {
    if (response !== undefined)
      throw new Malformed('the response is encrypted, but an unencrypted response was requested')
    return interpretParameters(clear, null)
  }
  if (vpToken !== undefined) throw new Malformed('the vp_token is unencrypted, but an encrypted response was requested')
  // A.4: a wallet may send an error unencrypted, but nothing else.
  if (response === undefined) return interpretParameters(clear, null)
  if (clear.error !== undefined) throw new Malformed('the response is both an error and an encrypted response')
  if (typeof response !== 'string') throw new Malformed('the response is not a compact JWE')
  return interpretParameters(decryptParameters(response, encryption, budget), null)
}

function readIsoAnswer(data: JsonObject, { annexC, origins }: DcApiOffer, budget: Budget): DcApiResponse {
  if (annexC === null) throw new Malformed('the answer is of a protocol that was not offered')
  const text = responseText(member(data, 'response'), member(data, 'Response'))
  const { origin, documents } = openAnnexC(text, { ...annexC, origins }, budget)
  // ISO 18013-5 §10.3: a device reports errors by a status, or by errors in place of documents.
  if (documents.documents.length + documents.proved.length === 0) return { kind: 'wallet_error', code: 'no_documents' }
  const channel = { kind: 'annex_c', origins: [origin], encryptionInfo: annexC.encryptionInfo } as const
  return { kind: 'presentation', presented: documents, channel }
}

/** ISO 18013-7 writes the name with a capital letter; wallets write it without. Accepts exactly one of the two. */
function responseText(small: Json | undefined, capital: Json | undefined): string {
  const text = small ?? capital
  if (typeof text !== 'string' || (small !== undefined && capital !== undefined))
    throw new Malformed('the answer has no response text')
  return text
}
