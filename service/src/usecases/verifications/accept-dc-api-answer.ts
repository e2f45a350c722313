// A page posts what its browser got from a wallet, as it got it. What the wallet could not do ends nothing: the holder may try
// again, with this wallet or another.

import {
  type AnnexCKey,
  type DcApiOffer,
  type DcApiProtocol,
  encryptionKeyOfPoint,
  newBudget,
  readDcApiResponse,
} from '@vidimus/engine'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import { type OfferSecrets, openOffer, openOfferKey } from '../../domain/verification/sealed-offer.ts'
import { askingOrigin } from '../../domain/verification/verification.ts'
import type { AskedVerification, OfferedVerification, OpenedEncryption } from './asked-verification.ts'
import { conclude, inTurn, judge, type ResponseNeeds, type WalletReply } from './conclude-response.ts'

export interface DcApiAnswer {
  readonly asked: OfferedVerification
  /** `{ "protocol", "data" }`, JSON. */
  readonly body: Uint8Array
}

export async function acceptDcApiAnswer(deps: ResponseNeeds, answer: DcApiAnswer): Promise<WalletReply> {
  return inTurn(deps, answer.asked, () => acceptInTurn(deps, answer))
}

async function acceptInTurn(deps: ResponseNeeds, { asked, body }: DcApiAnswer): Promise<WalletReply> {
  // Nothing was offered, so nothing can have been answered.
  if (asked.offer === null) throw new Refusal('invalid_wallet_response')
  const offer = offerOf(deps, asked, openOffer(deps.sealer, asked, asked.offer))
  const budget = newBudget()
  const response = readDcApiResponse(body, offer, budget)
  if (response.kind === 'malformed') throw new Refusal('invalid_wallet_response')
  if (response.kind === 'wallet_error') return { redirectUri: null }
  const { channel, presented } = response
  // Annex C has its key in the channel, and no other.
  const encryption = channel.kind === 'annex_c' ? null : offer.encryption
  const offered = asked.offer.requests
  const judged = await judge(deps, { asked, channel, encryption, presented, offered, budget })
  return conclude(deps, { asked, ...judged, offered, isError: false, channel: channel.kind })
}

/** A key is opened when it is asked for: one protocol answers, and each has its own. */
function offerOf(
  { config }: Pick<Deps, 'config'>,
  asked: AskedVerification,
  secrets: OfferSecrets,
): DcApiOffer & { readonly encryption: OpenedEncryption | null } {
  let encryption: OpenedEncryption | null | undefined
  return {
    protocols: protocolsFor(asked, secrets),
    origins: [askingOrigin(asked, config.baseUrl)],
    get encryption() {
      encryption ??= openJweKey(asked, secrets)
      return encryption
    },
    get annexC() {
      return openAnnexCKey(secrets)
    },
  }
}

/** Whoever asked without a signature, nobody knows who asked: never that in live, whatever was kept. */
function protocolsFor({ environment }: AskedVerification, { protocols }: OfferSecrets): readonly DcApiProtocol[] {
  return environment === 'test' ? protocols : protocols.filter((protocol) => protocol !== 'openid4vp-v1-unsigned')
}

function openJweKey(asked: AskedVerification, { jweKey }: OfferSecrets): OpenedEncryption | null {
  if (jweKey === null) {
    // Without its key an encrypted response could only be read as one in clear: never that in live.
    if (asked.environment !== 'test') throw new Error('bug: an offer in live has lost its encryption key')
    return null
  }
  const { kid, thumbprint } = encryptionKeyOfPoint(jweKey)
  return { privateKey: openOfferKey(jweKey), kid, thumbprint }
}

function openAnnexCKey({ annexC }: OfferSecrets): AnnexCKey | null {
  return annexC === null ? null : { privateKey: openOfferKey(annexC.key), encryptionInfo: annexC.encryptionInfo }
}
