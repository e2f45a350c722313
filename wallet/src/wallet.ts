// Plays a wallet: opens a link, reads the request, chooses, presents and answers. A scenario decides its faults.

import type { Choice, Picks } from './choose.ts'
import { answersTo, chooseCredentials, valuesOf } from './choose.ts'
import type { HeldCredential } from './credential.ts'
import type { DcqlQuery } from './dcql.ts'
import type { Json, JsonObject } from './encoding/json.ts'
import type { IssuerState } from './issuer.ts'
import { issueAll } from './issuer.ts'
import type { PrivateJwk } from './keys.ts'
import { generateKey } from './keys.ts'
import type { Agreement, Binding, ClaimPath } from './present.ts'
import { allPaths, presentCredential } from './present.ts'
import { NoMatchingCredential } from './refusal.ts'
import type { RegistrationView } from './registration/assess.ts'
import { assessFor, isRefusedFor, type RegistrationPolicy } from './registration/policy.ts'
import type { FetchOptions, VerifierRequest } from './request.ts'
import { fetchRequest } from './request.ts'
import type { Answer } from './respond.ts'
import { sendResponse } from './respond.ts'
import type { Scenario, ScenarioName } from './scenarios.ts'
import { SCENARIOS } from './scenarios.ts'
import { shareOut } from './transaction.ts'
import type { TransactionMisbehaviourName } from './transaction-misbehaviours.ts'
import { TRANSACTION_MISBEHAVIOURS } from './transaction-misbehaviours.ts'

export interface WalletOptions extends FetchOptions {
  readonly issuer: IssuerState
  readonly scenario?: ScenarioName
  /** The wallet's misbehaviour with transaction data. */
  readonly transaction?: TransactionMisbehaviourName
  readonly deviceAuth?: 'signature' | 'mac'
  readonly holderKey?: PrivateJwk
  /** Presents only these formats. Default: both. */
  readonly formats?: readonly HeldCredential['format'][]
  /** The options that the holder chose. */
  readonly picks?: Picks
  /** How the wallet checks the verifier's registration. Default: not at all. */
  readonly registration?: RegistrationPolicy
  /** Fetches status lists of registrations. Default: like requests to the verifier. */
  readonly fetchStatus?: typeof globalThis.fetch
}

export interface Presented extends Answer {
  readonly request: VerifierRequest
  /** What the holder saw: query id, type and claim paths. */
  readonly disclosed: readonly {
    readonly queryId: string
    readonly type: string
    readonly format: HeldCredential['format']
    readonly paths: readonly ClaimPath[]
    /** The disclosed values, one for each path. */
    readonly values: readonly Json[]
  }[]
  /** The verifier's registration as the holder saw it; null if the wallet does not check it. */
  readonly registration: RegistrationView | null
}

/** Opens a link, and answers the request. Throws RequestRefused if the request breaks a rule. */
export async function presentFromLink(walletUri: string, options: WalletOptions): Promise<Presented> {
  return answerRequest(await fetchRequest(walletUri, options), options)
}

/** Answers a request that was already fetched, for a wallet that has asked its holder in between. */
export async function answerRequest(request: VerifierRequest, options: WalletOptions): Promise<Presented> {
  const registration = await assessRequest(request, options)
  const answer = isRefusedFor(registration, options.registration)
    ? await decline(request, options)
    : await answerAsked(request, options)
  return { ...answer, request, registration }
}

/** The part of a request that an answer needs. It does not identify the verifier. */
export type AskedRequest = Omit<VerifierRequest, 'verifier' | 'certificate' | 'verifierInfo'>
export type Answered = Answer & Pick<Presented, 'disclosed'>

/** Answers like the scenario, without checking the verifier. */
export async function answerAsked(request: AskedRequest, options: WalletOptions): Promise<Answered> {
  const scenario = SCENARIOS[options.scenario ?? 'good']
  if (scenario.declines) return decline(request, options)
  try {
    const choices = choose(request, options, scenario)
    const answer = await sendResponse(request, { vpToken: buildVpToken(request, choices, options) }, options.fetch)
    return { ...answer, disclosed: choices.map(shownChoice) }
  } catch (error) {
    if (error instanceof NoMatchingCredential) return decline(request, options)
    throw error
  }
}

export function shownChoice(choice: Choice): Presented['disclosed'][number] {
  const { queryId, credential, paths } = choice
  return { queryId, type: credential.type, format: credential.format, paths, values: valuesOf(choice) }
}

/** The possible answers of the wallet, for the holder to choose from. */
export function offerAnswers(
  query: DcqlQuery,
  { issuer, now }: Pick<WalletOptions, 'issuer' | 'now'>,
): readonly {
  readonly required: boolean
  readonly options: readonly { readonly at: number; readonly documents: Presented['disclosed'] }[]
}[] {
  const available = issueAll(issuer, { holderKey: generateKey(), now })
  return answersTo(query, available).map(({ required, options }) => ({
    required,
    options: options.map(({ at, choices }) => ({ at, documents: choices.map(shownChoice) })),
  }))
}

/** What a wallet that checks registrations shows before its holder consents. */
export async function assessRequest(
  request: VerifierRequest,
  options: Pick<WalletOptions, 'registration' | 'fetch' | 'fetchStatus' | 'now'>,
): Promise<RegistrationView | null> {
  const carried = { kind: 'verifier_info', value: request.verifierInfo } as const
  return assessFor({ ...request, carried }, { ...options, fetch: options.fetchStatus ?? options.fetch })
}

/** OpenID4VP 8.5: refusing and having no matching credential look the same from outside. */
async function decline(request: AskedRequest, options: WalletOptions): Promise<Answered> {
  return { ...(await sendResponse(request, { error: 'access_denied' }, options.fetch)), disclosed: [] }
}

function choose(request: AskedRequest, options: WalletOptions, scenario: Scenario): readonly Choice[] {
  const holderKey = options.holderKey ?? generateKey()
  const available = scenario.credentials({ issuer: options.issuer, holderKey, now: options.now })
  const { formats } = options
  const offered = formats === undefined ? available : available.filter(({ format }) => formats.includes(format))
  const choices = chooseCredentials(request.query, offered, options.picks)
  if (scenario.disclosure === 'everything')
    return choices.map((choice) => ({ ...choice, paths: allPaths(choice.credential) }))
  if (scenario.disclosure === 'one_too_few')
    return choices.map((choice) => ({ ...choice, paths: choice.paths.slice(1) }))
  return choices
}

function buildVpToken(request: AskedRequest, choices: readonly Choice[], options: WalletOptions): JsonObject {
  const scenario = SCENARIOS[options.scenario ?? 'good']
  const binding: Binding = {
    clientId: request.clientId,
    nonce: request.nonce,
    responseUri: request.responseUri,
    encryptionKey: request.encryption?.key ?? null,
    now: options.now,
    deviceAuth: options.deviceAuth ?? 'signature',
  }
  const agreements = agreementsFor(request, choices, options)
  return Object.fromEntries(
    choices.map(({ queryId, credential, paths }) => {
      const agreement = agreements.get(queryId)
      const bound = { ...binding, ...(agreement === undefined ? {} : { agreement }) }
      const presented = presentCredential(credential, paths, scenario.binding(bound))
      return [queryId, [scenario.spoil(presented, credential.format)]]
    }),
  )
}

/** The transaction data that each credential signs, by query. */
export function agreementsFor(
  { transaction, responseMode }: Pick<VerifierRequest, 'transaction'> & { readonly responseMode: string },
  choices: readonly Choice[],
  options: Pick<WalletOptions, 'transaction'>,
): ReadonlyMap<string, Agreement> {
  const shares = shareOut(
    transaction,
    choices.map(({ queryId }) => queryId),
  )
  const wrong = options.transaction === undefined ? null : TRANSACTION_MISBEHAVIOURS[options.transaction]
  return new Map(
    [...shares].map(([queryId, items]) => {
      const signing = { items, responseMode }
      return [queryId, wrong === null ? { signing } : { signing, change: wrong.change }]
    }),
  )
}
