// A page posts what its browser got from a wallet, as it got it. What the wallet could not do ends nothing: the holder may try
// again, with this wallet or another.

import {
  type DcApiOffer,
  type DcApiProtocol,
  encryptionKeyOfPoint,
  newBudget,
  readDcApiResponse,
} from '@vidimus/engine'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import { openEphemeralKey } from '../../domain/verification/ephemeral-key.ts'
import { askingOrigin } from '../../domain/verification/verification.ts'
import { loadOffer, type StoredOffer } from '../../store/verifications/dc-api-offers.ts'
import type { AskedVerification, OpenedEncryption } from './asked-verification.ts'
import { conclude, inTurn, judge, type ResponseNeeds, type WalletReply } from './conclude-response.ts'

export interface DcApiAnswer {
  readonly asked: AskedVerification
  /** `{ "protocol", "data" }`, JSON. */
  readonly body: Uint8Array
}

export async function acceptDcApiAnswer(deps: ResponseNeeds, answer: DcApiAnswer): Promise<WalletReply> {
  return inTurn(deps, answer.asked, () => acceptInTurn(deps, answer))
}

async function acceptInTurn(deps: ResponseNeeds, { asked, body }: DcApiAnswer): Promise<WalletReply> {
  const stored = await loadOffer(deps.db, asked)
  // Nothing was offered, so nothing can have been answered.
  if (stored === null) throw new Refusal('invalid_wallet_response')
  const encryption = openJweKey(deps, asked, stored)
  const budget = newBudget()
  const response = readDcApiResponse(body, offerOf(deps, { asked, stored, encryption }), budget)
  if (response.kind === 'malformed') throw new Refusal('invalid_wallet_response')
  if (response.kind === 'wallet_error') return { redirectUri: null }
  const { channel, presented } = response
  const result = await judge(deps, { asked, channel, encryption, presented, budget })
  return conclude(deps, { asked, result, isError: false, channel: channel.kind })
}

function offerOf(
  deps: Pick<Deps, 'sealer' | 'config'>,
  known: { asked: AskedVerification; stored: StoredOffer; encryption: OpenedEncryption | null },
): DcApiOffer {
  const { asked, stored, encryption } = known
  return {
    protocols: protocolsOf(stored),
    origins: [askingOrigin(asked, deps.config.baseUrl)],
    encryption,
    annexC: openAnnexCKey(deps, asked, stored),
  }
}

/** Written by us and nobody else. */
function protocolsOf({ requests }: StoredOffer): readonly DcApiProtocol[] {
  const offered: { requests: { protocol: DcApiProtocol }[] } = JSON.parse(requests)
  return offered.requests.map(({ protocol }) => protocol)
}

function openJweKey(
  { sealer }: Pick<Deps, 'sealer'>,
  asked: AskedVerification,
  { jweKey }: StoredOffer,
): OpenedEncryption | null {
  if (jweKey === null) {
    // Without its key an encrypted response could only be read as one in clear: never that in live.
    if (asked.environment !== 'test') throw new Error('bug: an offer in live has lost its encryption key')
    return null
  }
  const { point, privateKey } = openEphemeralKey(sealer, jweKey, { ...asked, column: 'dc_api_offers.jwe_key' })
  const { kid, thumbprint } = encryptionKeyOfPoint(point)
  return { privateKey, kid, thumbprint }
}

function openAnnexCKey(
  { sealer }: Pick<Deps, 'sealer'>,
  asked: AskedVerification,
  { annexC }: StoredOffer,
): DcApiOffer['annexC'] {
  if (annexC === null) return null
  const { privateKey } = openEphemeralKey(sealer, annexC.hpkeKey, { ...asked, column: 'dc_api_offers.hpke_key' })
  return { privateKey, encryptionInfo: annexC.encryptionInfo }
}
