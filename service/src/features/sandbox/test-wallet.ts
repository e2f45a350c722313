// The test wallet: inspects a link and presents by a scenario. The caller provides the exchange with the verifier.

import { isCredentialFormat, queriedFormatOf } from '@vidimus/engine/formats'
import {
  answerAgeLink,
  answerDcApi,
  assessRequest,
  fetchRequest,
  type IssuerState,
  isAgeLink,
  isScenarioName,
  NoMatchingCredential,
  offerAnswers,
  type Presented,
  parseAgeLink,
  presentFromLink,
  type RegistrationPolicy,
  type RequestFault,
  RequestRefused,
  type ScenarioName,
  TRANSACTION_MISBEHAVIOUR_NAMES,
  type TransactionMisbehaviourName,
  type VerifierRequest,
} from '@vidimus/wallet'
import { describeCredentials, type QueryCredential } from '../../core/templates/domain/describe-query.ts'
import { inTurn } from '../../platform/event-loop/in-turn.ts'
import type {
  BrowserRequest,
  ClaimPath,
  Exchange,
  Inspection,
  Presentation,
  PresentOptions,
  Refused,
  RefusedFor,
  SharedDocument,
} from '../trust/index.ts'
import { pathText } from '../trust/index.ts'
import type { OpenedRegistrar } from './registrar.ts'

/** The wallet's credentials and trust anchors. */
export interface Holder {
  readonly issuer: IssuerState
  readonly registrar: Pick<OpenedRegistrar, 'provider' | 'documentAt'>
}

export async function inspectLink(
  holder: Holder,
  walletUri: string,
  { exchange, nowMs }: { readonly exchange: Exchange; readonly nowMs: number },
): Promise<Inspection> {
  try {
    const now = Math.floor(nowMs / 1000)
    if (isAgeLink(walletUri)) {
      const request = parseAgeLink(walletUri)
      const unsigned = { verifier: request.responseUri, signed: false, registration: null }
      return { outcome: 'understood', ...describe(request, holder, now), ...unsigned }
    }
    const request = await fetchRequest(walletUri, { fetch: toFetch(exchange), now })
    const registration = await assessRequest(request, { ...registrationTerms(holder, { nowMs }), now })
    const verifier = commonNameOf(request.verifier.subject)
    // Issuing the credentials that could answer takes milliseconds.
    await inTurn('test wallet')
    return { outcome: 'understood', ...describe(request, holder, now), verifier, signed: true, registration }
  } catch (error) {
    return refused(error)
  }
}

export async function presentLink(holder: Holder, walletUri: string, options: PresentOptions): Promise<Presentation> {
  const { scenario, format, picks } = options
  if (!isScenarioName(scenario)) return { outcome: 'refused', about: 'choice', reason: 'there is no such scenario' }
  const wrong = TRANSACTION_MISBEHAVIOUR_NAMES.find((name) => name === options.transaction)
  if (options.transaction !== undefined && wrong === undefined)
    return {
      outcome: 'refused',
      about: 'choice',
      reason: `--transaction is one of ${TRANSACTION_MISBEHAVIOUR_NAMES.join(', ')}`,
    }
  if (options.browserRequest !== undefined)
    return presentToBrowser(holder, options.browserRequest, { ...options, scenario, wrong })
  try {
    const { registration: policy, fetch: fetchStatus } = registrationTerms(holder, options)
    const terms = {
      issuer: holder.issuer,
      scenario,
      fetch: toFetch(options.exchange),
      now: Math.floor(options.nowMs / 1000),
      ...(format === undefined ? {} : { formats: [format] }),
      ...(picks === undefined ? {} : { picks }),
    }
    const presented = isAgeLink(walletUri)
      ? { ...(await answerAgeLink(walletUri, terms)), registration: null }
      : await presentFromLink(walletUri, {
          ...terms,
          registration: policy,
          fetchStatus,
          ...(wrong === undefined ? {} : { transaction: wrong }),
        })
    const { status, redirectUri, registration } = presented
    return { outcome: 'answered', status, redirectUri, disclosed: presented.disclosed.map(shownDocument), registration }
  } catch (error) {
    return refused(error)
  }
}

/** Acts as wallet, platform and page: fetches the offer, answers for the page's origin, and posts as the page does. */
async function presentToBrowser(
  holder: Holder,
  { offerUrl, origin, protocol }: BrowserRequest,
  options: PresentOptions & {
    readonly scenario: ScenarioName
    readonly wrong: TransactionMisbehaviourName | undefined
  },
): Promise<Presentation> {
  const { exchange, scenario, format, wrong, picks } = options
  const offer = await exchange({ method: 'GET', url: offerUrl, headers: { origin }, body: null })
  if (offer.status !== 200)
    return { outcome: 'refused', about: 'fetch', reason: `there is no offer: the verifier answered ${offer.status}` }
  try {
    const answer = await answerDcApi(JSON.parse(offer.body), {
      origin,
      issuer: holder.issuer,
      ...registrationTerms(holder, options),
      scenario,
      now: Math.floor(options.nowMs / 1000),
      protocols: [protocol],
      ...(format === undefined ? {} : { formats: [format] }),
      ...(wrong === undefined ? {} : { transaction: wrong }),
      ...(picks === undefined ? {} : { picks }),
    })
    const { status, body } = await exchange({
      method: 'POST',
      url: offerUrl,
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ protocol: answer.protocol, data: answer.data }),
    })
    const { redirect_uri: redirectUri } = JSON.parse(body) as { redirect_uri?: string }
    return {
      outcome: 'answered',
      status,
      redirectUri: redirectUri ?? null,
      disclosed: answer.disclosed.map(shownDocument),
      registration: answer.registration,
    }
  } catch (error) {
    return refused(error)
  }
}

/** Trusts only the sandbox registrar, whose status list is available locally. */
function registrationTerms(
  { registrar }: Holder,
  { nowMs, declinesOnWarning }: Pick<PresentOptions, 'nowMs' | 'declinesOnWarning'>,
): { readonly registration: RegistrationPolicy; readonly fetch: typeof globalThis.fetch } {
  return {
    registration: {
      trustedProviders: [registrar.provider],
      onWarning: declinesOnWarning === true ? 'decline' : 'present',
    },
    fetch: async (uri) => {
      const document = await registrar.documentAt(String(uri), nowMs)
      return document === null
        ? new Response(null, { status: 404 })
        : new Response(Buffer.from(document.bytes), { headers: { 'content-type': document.contentType } })
    },
  }
}

function describe(
  request: Pick<VerifierRequest, 'query' | 'transaction'>,
  { issuer }: Holder,
  now: number,
): Pick<
  Extract<Inspection, { outcome: 'understood' }>,
  'purposes' | 'documents' | 'question' | 'answers' | 'transaction'
> {
  const sets = request.query.sets ?? []
  const purposes = sets.flatMap(({ purpose }) => (purpose === null ? [] : [purpose]))
  return {
    purposes: [...new Set(purposes)],
    documents: request.query.credentials.map(({ types, format, claims }) => ({
      types,
      format,
      paths: claims.map(({ path }) => path),
    })),
    question: describeCredentials(request.query.credentials.map(readCredential), request.query.sets),
    answers: offerAnswers(request.query, { issuer, now }).map(({ required, options }) => ({
      required,
      options: options.map(({ at, documents }) => ({ at, documents: documents.map(shownDocument) })),
    })),
    transaction: request.transaction.map(({ type, text }) => ({ type, text })),
  }
}

/** Reads a query as the wallet shows it. A claim of an unsupported format is named by its path. */
function readCredential(query: VerifierRequest['query']['credentials'][number]): QueryCredential {
  const { id, format, types, multiple, authorityKeyIds, claims, claimSets } = query
  const namesOf = (path: ClaimPath) =>
    isCredentialFormat(format) ? queriedFormatOf(format).claimNames(path) : [pathText(path)]
  return {
    id,
    format,
    types,
    multiple,
    someIssuers: authorityKeyIds !== null,
    claims: claims.map((claim) => ({ ...claim, names: namesOf(claim.path) })),
    claimSets,
  }
}

/** `subject` has one attribute per line (X509Certificate). */
function commonNameOf(subject: string): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ')
}

const shownDocument = ({ type, format, paths, values }: Presented['disclosed'][number]): SharedDocument => ({
  types: [type],
  format,
  paths,
  values,
})

function refused(error: unknown): Refused {
  if (error instanceof RequestRefused)
    return { outcome: 'refused', about: ABOUT[error.fault] ?? 'request', reason: error.message }
  // Over the browser API, some cases have no error code.
  if (error instanceof NoMatchingCredential)
    return { outcome: 'refused', about: 'nothing_held', reason: 'the wallet has no matching credential, or declines' }
  throw error
}

/** Faults that are not listed are about the request itself. */
const ABOUT: Readonly<Partial<Record<RequestFault, RefusedFor>>> = {
  wallet_uri_invalid: 'link',
  client_id_missing: 'link',
  request_uri_missing: 'link',
  request_uri_insecure: 'link',
  request_uri_method_invalid: 'link',
  outer_parameter_unexpected: 'link',
  parameter_repeated: 'link',
  request_unavailable: 'fetch',
  request_content_type_invalid: 'fetch',
  request_expired: 'fetch',
}

/** The part of the fetch interface that the wallet uses. */
function toFetch(exchange: Exchange): typeof globalThis.fetch {
  return async (url, init) => {
    const { status, contentType, body } = await exchange({
      method: init?.method === 'POST' ? 'POST' : 'GET',
      url: String(url),
      headers: (init?.headers ?? {}) as Record<string, string>,
      body: typeof init?.body === 'string' ? init.body : null,
    })
    return new Response(body, { status, headers: { 'content-type': contentType } })
  }
}
