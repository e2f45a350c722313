// Accepts a wallet's response at our response_uri. Garbage from a stranger ends nothing.

import { type Budget, newBudget, readResponseToOneOf } from '@vidimus/engine'
import { Refusal } from '../../../../platform/errors.ts'
import { ageLink } from '../../../channels/age-link/channel.ts'
import { redirect } from '../../../channels/redirect/channel.ts'
import { failedResult } from '../../domain/result.ts'
import { responseUriOf, type VerificationResult } from '../../domain/verification.ts'
import { ageAskingOf } from '../asking/age-link.ts'
import { askedQuery, type QueryNeeds } from '../asking/asked-query.ts'
import { openEncryption, type WalletVerification } from '../asking/asked-verification.ts'
import { conclude, inTurn, judge, type ResponseNeeds, type WalletReply } from './conclude-response.ts'

type Needs = ResponseNeeds & QueryNeeds

export interface WalletResponse {
  readonly asked: WalletVerification
  readonly body: Uint8Array
}

export async function acceptWalletResponse(deps: Needs, input: WalletResponse): Promise<WalletReply> {
  return inTurn(deps, input.asked, () => acceptInTurn(deps, input))
}

async function acceptInTurn(deps: Needs, { asked, body }: WalletResponse): Promise<WalletReply> {
  const budget = newBudget()
  const { response, answered } = await readAnswer(deps, { asked, body }, budget)
  if (response.kind === 'malformed') throw new Refusal('invalid_wallet_response')
  if (response.kind === 'wallet_error') {
    const said = { result: walletErrorResult(response.code, asked), checks: [], judgement: null }
    return conclude(deps, { asked, ...said, isError: true, way: answered.way })
  }
  const { clientId, ...request } = answered
  const channel = { kind: redirect.name, clientId, responseUri: responseUriOf(deps.config.baseUrl, asked.id) } as const
  const judged = await judge(deps, { asked, channel, ...request, presented: response.vpToken, budget })
  return conclude(deps, { asked, ...judged, isError: false, way: answered.way })
}

/** Finds the request that it answers by its state: the age link has a state of its own. */
async function readAnswer(deps: Needs, { asked, body }: WalletResponse, budget: Budget) {
  const { clientId, stateParameter } = asked
  const encryption = openEncryption(deps, asked)
  const signed = { way: redirect.name, clientId, query: null, encryption, state: stateParameter } as const
  const age = ageAskingOf(deps, asked)
  const byLink = age === null ? [] : [{ ...age, way: ageLink.name, encryption: null } as const]
  const { response, request } = readResponseToOneOf(body, [signed, ...byLink], budget)
  const query = request.query ?? (await askedQuery(deps, asked))
  return { response, answered: { way: request.way, clientId: request.clientId, query, encryption: request.encryption } }
}

/** Anyone could have sent this error: its code is repeated only if it is one of the protocol's. */
function walletErrorResult(code: string, { sealedTransaction }: WalletVerification): VerificationResult {
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
