// Accepts a wallet's response at our response_uri. A body that cannot be decrypted or parsed ends no verification.

import { type Budget, newBudget, readResponseToOneOf } from '@vidimus/engine'
import type { Deps } from '../../../../deps.ts'
import { Refusal } from '../../../../platform/errors.ts'
import { inTurn } from '../../../../platform/event-loop/in-turn.ts'
import { ageLink } from '../../../channels/age-link/channel.ts'
import { redirect } from '../../../channels/redirect/channel.ts'
import { failedResult } from '../../domain/result.ts'
import { otherClientIds, stateUnder } from '../../domain/sent-requests.ts'
import { responseUriOf, type VerificationResult } from '../../domain/verification.ts'
import { acceptedQuery, type QueryNeeds } from '../asking/accepted-query.ts'
import { ageAskingOf } from '../asking/age-link.ts'
import { knownSentRequests } from '../asking/negotiated-request.ts'
import { openEncryption, type WalletVerification } from '../asking/wallet-verification.ts'
import { conclude, examineInTurn, judge, type ResponseNeeds, type WalletReply } from './conclude-response.ts'

type Needs = ResponseNeeds & QueryNeeds & Pick<Deps, 'fetchNotes'>

export interface WalletResponse {
  readonly verification: WalletVerification
  readonly body: Uint8Array
}

export async function acceptWalletResponse(deps: Needs, input: WalletResponse): Promise<WalletReply> {
  return examineInTurn(deps, input.verification, () => acceptInTurn(deps, input))
}

async function acceptInTurn(deps: Needs, { verification, body }: WalletResponse): Promise<WalletReply> {
  await inTurn(verification.tenantId)
  const budget = newBudget()
  const { response, answered } = readAnswer(deps, { verification, body }, budget)
  if (response.kind === 'malformed') throw new Refusal('invalid_wallet_response')
  if (response.kind === 'wallet_error') {
    const judged = { result: walletErrorResult(response.code, verification), checks: [], judgement: null }
    return conclude(deps, {
      verification,
      ...judged,
      isError: true,
      channelName: answered.channelName,
      ...underOther(verification, answered),
    })
  }
  const { clientId, ...request } = answered
  const query = request.query ?? (await acceptedQuery(deps, verification))
  const responseUri = responseUriOf(verification.movedFrom ?? deps.config.baseUrl, verification.id)
  const channel = { kind: redirect.name, clientId, responseUri } as const
  const judged = await judge(deps, { verification, channel, ...request, query, presented: response.vpToken, budget })
  return conclude(deps, {
    verification,
    ...judged,
    isError: false,
    channelName: answered.channelName,
    ...underOther(verification, answered),
  })
}

const underOther = (
  verification: WalletVerification,
  { channelName, clientId }: { readonly channelName: string; readonly clientId: string },
) => (channelName === redirect.name && clientId !== verification.clientId ? { clientId } : {})

/** Finds the answered request by its state: the age link has its own state, and so has each client id. */
function readAnswer(deps: Needs, { verification, body }: WalletResponse, budget: Budget) {
  const { clientId, stateParameter } = verification
  const encryption = openEncryption(deps, verification)
  const others = new Map(
    otherClientIds(verification, knownSentRequests(deps, verification)).map((id) => [stateUnder(verification, id), id]),
  )
  const states = { state: stateParameter, otherStates: [...others.keys()] }
  const signed = { channelName: redirect.name, clientId, query: null, encryption, ...states } as const
  const age = ageAskingOf(deps, verification)
  const byLink = age === null ? [] : [{ ...age, channelName: ageLink.name, encryption: null } as const]
  const { response, request } = readResponseToOneOf(body, [signed, ...byLink], budget)
  const otherState = response.kind === 'malformed' ? undefined : response.otherState
  const usedClientId = others.get(otherState ?? '') ?? request.clientId
  return {
    response,
    answered: {
      channelName: request.channelName,
      clientId: usedClientId,
      query: request.query,
      encryption: request.encryption,
    },
  }
}

/** Anyone could have sent this error, so its code is repeated only if the protocol defines it. */
function walletErrorResult(code: string, { sealedTransaction }: WalletVerification): VerificationResult {
  if (code === 'invalid_transaction_data' && sealedTransaction !== null) {
    return failedResult({
      code: 'wallet_refused_transaction',
      message: 'The wallet cannot show or sign what the holder was asked to agree to.',
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
