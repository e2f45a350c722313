// A wallet answers to our response_uri. Noise from anyone ends nothing.

import { newBudget, readResponse } from '@vidimus/engine'
import { Refusal } from '../../../domain/errors.ts'
import { failedResult } from '../../../domain/verification/result.ts'
import { responseUriOf, type VerificationResult } from '../../../domain/verification/verification.ts'
import { type AskedVerification, openEncryption } from '../asking/asked-verification.ts'
import { conclude, inTurn, judge, type ResponseNeeds, type WalletReply } from './conclude-response.ts'

export interface WalletResponse {
  readonly asked: AskedVerification
  readonly body: Uint8Array
}

export async function acceptWalletResponse(deps: ResponseNeeds, input: WalletResponse): Promise<WalletReply> {
  return inTurn(deps, input.asked, () => acceptInTurn(deps, input))
}

async function acceptInTurn(deps: ResponseNeeds, { asked, body }: WalletResponse): Promise<WalletReply> {
  const encryption = openEncryption(deps, asked)
  const budget = newBudget()
  const response = readResponse(body, { encryption, state: asked.stateParameter }, budget)
  if (response.kind === 'malformed') throw new Refusal('invalid_wallet_response')
  if (response.kind === 'wallet_error') {
    const said = { result: walletErrorResult(response.code, asked), credentials: [], bundle: null }
    return conclude(deps, { asked, ...said, isError: true, channel: 'redirect' })
  }
  const { clientId, id } = asked
  const channel = { kind: 'redirect', clientId, responseUri: responseUriOf(deps.config.baseUrl, id) } as const
  const presented = response.vpToken
  const judged = await judge(deps, { asked, channel, encryption, presented, budget })
  return conclude(deps, { asked, ...judged, isError: false, channel: channel.kind })
}

/** The wallet's words are anybody's: its code is repeated only where it is one of the protocol's. */
function walletErrorResult(code: string, { sealedTransaction }: AskedVerification): VerificationResult {
  if (code === 'invalid_transaction_data' && sealedTransaction !== null) {
    return failedResult({
      code: 'wallet_refused_transaction',
      message: 'The wallet cannot show or sign what the holder was to agree to.',
    })
  }
  if (code === 'access_denied') {
    return failedResult({
      code: 'wallet_declined',
      message: 'The holder declined, or had nothing that answers the query.',
    })
  }
  const known = WALLET_ERRORS.has(code) ? `: ${code}` : ''
  return failedResult({ code: 'wallet_error', message: `The wallet answered with an error${known}.` })
}

/** OpenID4VP §8.5 and RFC 6749 §4.1.2.1. */
const WALLET_ERRORS: ReadonlySet<string> = new Set([
  'invalid_scope',
  'invalid_request',
  'invalid_client',
  'vp_formats_not_supported',
  'invalid_request_uri_method',
  'invalid_transaction_data',
  'wallet_unavailable',
  'unauthorized_client',
  'unsupported_response_type',
  'server_error',
  'temporarily_unavailable',
])
