// Accepts the answer that a page got from its browser. After an error of the wallet, the holder may try again.

import { type AnnexCKey, type DcApiOffer, newBudget, readDcApiResponse } from '@vidimus/engine'
import type { Deps } from '../../../../deps.ts'
import { Refusal } from '../../../../platform/errors.ts'
import { inTurn } from '../../../../platform/event-loop/in-turn.ts'
import { channelOf } from '../../../channels/table.ts'
import { annexCKeyOf } from '../../domain/ephemeral-key.ts'
import { askingOrigin } from '../../domain/verification.ts'
import { acceptedQuery, type QueryNeeds } from '../asking/accepted-query.ts'
import { answerableProtocols, testRelaxations } from '../asking/dc-api-protocols.ts'
import {
  annexCOf,
  type OfferedAnnexC,
  type OpenedEncryption,
  openOfferedEncryption,
  type WalletVerification,
} from '../asking/wallet-verification.ts'
import { conclude, examineInTurn, judge, type ResponseNeeds, type WalletReply } from './conclude-response.ts'

type Needs = ResponseNeeds & QueryNeeds & Pick<Deps, 'signing'>

export interface DcApiAnswer {
  readonly verification: WalletVerification
  /** `{ "protocol", "data" }`, JSON. */
  readonly body: Uint8Array
}

export async function acceptDcApiAnswer(deps: Needs, answer: DcApiAnswer): Promise<WalletReply> {
  return examineInTurn(deps, answer.verification, () => acceptInTurn(deps, answer))
}

async function acceptInTurn(deps: Needs, { verification, body }: DcApiAnswer): Promise<WalletReply> {
  const offer = await offerOf(deps, verification)
  await inTurn(verification.tenantId)
  const budget = newBudget()
  const response = readDcApiResponse(body, offer, budget)
  if (response.kind === 'malformed') throw new Refusal('invalid_wallet_response')
  if (response.kind === 'wallet_error') return { redirectUri: null }
  const { channel, presented } = response
  const encryption = channelOf(channel.kind).usesResponseKey ? offer.encryption : null
  const judged = await judge(deps, {
    verification,
    channelName: channel.kind,
    channel,
    query: channelOf(channel.kind).mayAskProofs ? await acceptedQuery(deps, verification) : verification.query,
    encryption,
    presented,
    budget,
  })
  return conclude(deps, { verification, ...judged, isError: false, channelName: channel.kind })
}

/** Decrypts a key only when it is needed: each protocol has its own key, and an answer uses only one protocol. */
async function offerOf(
  deps: Needs,
  verification: WalletVerification,
): Promise<DcApiOffer & { readonly encryption: OpenedEncryption | null }> {
  const { clear } = testRelaxations(deps, verification)
  let encryption: OpenedEncryption | null | undefined
  return {
    protocols: await answerableProtocols(deps, verification),
    origins: [askingOrigin(verification, deps.config.baseUrl)],
    get encryption() {
      encryption ??= clear ? null : openOfferedEncryption(deps, verification)
      return encryption
    },
    get annexC() {
      const annexC = annexCOf(deps, verification)
      return annexC === null ? null : annexCKeyOfOffer(annexC)
    },
  }
}

function annexCKeyOfOffer({ secrets, encryptionInfo }: OfferedAnnexC): AnnexCKey {
  return { privateKey: annexCKeyOf(secrets), point: secrets.point, encryptionInfo }
}
