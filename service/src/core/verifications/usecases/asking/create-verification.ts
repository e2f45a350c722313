// Creates a verification: resolves the question, validates the request, checks permission, and commits it in a batch.

import { type DcqlQuery, InvalidQuery, parseQuery } from '@vidimus/engine'
import { TTL_SECONDS } from '../../../../../../wire/values/verifications.ts'
import type { Deps } from '../../../../deps.ts'
import type { CanonicalValue } from '../../../../platform/canonical-json.ts'
import { Refusal } from '../../../../platform/errors.ts'
import { inTurn } from '../../../../platform/event-loop/in-turn.ts'
import { nearestOf } from '../../../../platform/nearest.ts'
import { newVerificationId } from '../../../../platform/verification-id.ts'
import { secondsToMidnight } from '../../../quota/domain/quota.ts'
import type { Warning } from '../../../registrations/domain/choose.ts'
import { chooseFor } from '../../../registrations/usecases/choose-registration.ts'
import { BUILT_IN_TEMPLATES } from '../../../templates/domain/built-in/built-in.ts'
import { hasTooManySources, type Outputs, TOO_MANY_SOURCES } from '../../../templates/domain/outputs.ts'
import { builtInTemplate } from '../../../templates/domain/question.ts'
import { isTemplateKey, withPurpose } from '../../../templates/domain/template.ts'
import { listTitles } from '../../../templates/store/templates.ts'
import { actorDetails, actorOf, type Principal, requireAskable } from '../../../tenants/domain/principal.ts'
import type { Realm } from '../../../tenants/domain/realm.ts'
import { isProvenOrigin } from '../../../tenants/store/origins.ts'
import { readTransactionInputs, type TransactionInput } from '../../../transactions/domain/form.ts'
import type { TemplateTransaction } from '../../../transactions/domain/template-transaction.ts'
import { freezeTransaction } from '../../../transactions/usecases/freeze-transaction.ts'
import { readTransactionData } from '../../../transactions/usecases/read-transaction-data.ts'
import type { BindingRule } from '../../domain/browser-binding.ts'
import { fingerprintOf } from '../../domain/idempotency.ts'
import {
  checkMetadata,
  checkRedirectUrl,
  type Question,
  questionOf,
  type VerificationRequest,
} from '../../domain/request.ts'
import { withDomesticPids } from './domestic-pids.ts'
import type { Draft } from './draft.ts'
import { answerOnce, type Created, type OnceNeeds } from './lease-idempotency-key.ts'

export type CreationNeeds = OnceNeeds &
  Pick<Deps, 'checkWebhookUrl' | 'config' | 'creations' | 'registrations' | 'templates' | 'anchors' | 'derivedKeys'> &
  Pick<Deps, 'requireActiveDevice'>

interface CreationInput {
  readonly principal: Principal
  readonly request: VerificationRequest
  /** null: the request cannot be a repetition. */
  readonly idempotencyKey: string | null
  /** Absent: a new id. */
  readonly id?: string
  /** The browser that started the verification, and the binding rule. Absent: the request's `browser_binding`, or the tenant's setting. */
  readonly browser?: { readonly rule: BindingRule; readonly hash: Buffer }
  /** Absent: the webhook sends the service's own events. */
  readonly universal?: Draft['universal']
  /** What the holder is asked to agree to, as the caller encoded it. Absent: `transaction` of the request. */
  readonly transactionData?: readonly string[] | undefined
}

export async function createVerification(deps: CreationNeeds, input: CreationInput): Promise<Created> {
  const { principal, idempotencyKey: key } = input
  const read = await readInTurn(input)
  if (key === null) return create(deps, input, { ...read, keyLease: null })
  const fingerprint = fingerprintOf(principal, bodyOf(input))
  return answerOnce(deps, principal, { key, fingerprint }, (keyLease) => create(deps, input, { ...read, keyLease }))
}

/** Refuses what `createVerification` would refuse, apart from the quota. Returns the warnings. */
export async function checkVerificationRequest(
  deps: CreationNeeds,
  input: Pick<CreationInput, 'principal' | 'request'>,
): Promise<readonly Warning[]> {
  return (await resolveRequest(deps, input, await readInTurn(input))).warnings
}

interface ReadRequest {
  readonly question: Question
  readonly query: DcqlQuery | null
  readonly transactionInputs: readonly TransactionInput[]
}

async function readInTurn(input: Omit<CreationInput, 'idempotencyKey'>): Promise<ReadRequest> {
  if (input.request.query !== undefined) await inTurn(input.principal.tenantId)
  return readRequest(input)
}

/** Checks everything that does not need the store. */
function readRequest({ principal, request, transactionData }: Omit<CreationInput, 'idempotencyKey'>): ReadRequest {
  const question = questionOf(request)
  requireAskable(principal, { template: request.template ?? null })
  const query = 'query' in question ? parsed(question.query) : null
  if (request.redirect_url !== undefined) checkRedirectUrl(request.redirect_url)
  if (request.metadata !== undefined) checkMetadata(request.metadata)
  // Runs before the fingerprint, because it refuses JSON that has no canonical form.
  const transactionInputs =
    transactionData === undefined
      ? readTransactionInputs(request.transaction ?? [])
      : readTransactionData(transactionData)
  return { question, query, transactionInputs }
}

/** The request as JSON that the schema has checked. Includes the members that only the Universal OID4VP API has. */
const bodyOf = ({ request, universal, transactionData }: CreationInput) =>
  ({
    ...request,
    ...(universal?.statuses === undefined ? {} : { callback_status: universal.statuses }),
    ...(transactionData === undefined ? {} : { transaction_data: transactionData }),
  }) as CanonicalValue

async function create(
  deps: CreationNeeds,
  input: CreationInput,
  { keyLease, ...read }: ReadRequest & Pick<Draft, 'keyLease'>,
): Promise<Created> {
  const { principal } = input
  const resolved = await resolveRequest(deps, input, read)
  const { warnings } = resolved
  const creation = await deps.creations.commit(principal, draftOf(deps, input, { ...resolved, keyLease }))
  switch (creation.outcome) {
    case 'created':
      if (principal.kind === 'device') await deps.requireActiveDevice(principal)
      return { answer: creation.answer, replayed: false, warnings }
    case 'quota_exceeded':
      throw new Refusal('quota_exceeded', { retryAfterSeconds: secondsToMidnight(creation.atMs) })
    case 'key_lost':
      throw new Refusal('idempotency_key_in_flight', { retryAfterSeconds: 1 })
    case 'failed':
      throw creation.error
  }
}

type Resolved = { readonly resolvedQuestion: ResolvedQuestion } & Pick<
  Draft,
  'transaction' | 'registration' | 'warnings'
>

/** Finds what the request names, and checks whether the merchant may ask for it. */
async function resolveRequest(
  deps: CreationNeeds,
  { principal, request }: Pick<CreationInput, 'principal' | 'request'>,
  { question, query, transactionInputs }: ReadRequest,
): Promise<Resolved> {
  const resolvedQuestion =
    'template' in question
      ? await findTemplate(deps, principal, question.template)
      : { key: null, query, outputs: null, intendedUse: null, transaction: null }
  if (request.origin !== undefined && !(await isProvenOrigin(deps.db, principal, request.origin)))
    throw new Refusal('origin_not_allowed')
  if (request.webhook_url !== undefined) await deps.checkWebhookUrl(principal, request.webhook_url)
  const transaction = await freezeTransaction(deps, principal, {
    inputs: transactionInputs,
    template: resolvedQuestion.transaction,
    query: queryOf(resolvedQuestion),
  })
  const { registration, warnings } = await chooseFor(deps, principal, {
    query: queryOf(resolvedQuestion),
    intendedUse: request.intended_use ?? resolvedQuestion.intendedUse,
  })
  const template =
    resolvedQuestion.query === null && resolvedQuestion.key !== null ? builtInTemplate(resolvedQuestion.key) : null
  const named = template === null ? null : await withDomesticPids(deps, principal, template.query, registration)
  const stored =
    template === null || named === null
      ? resolvedQuestion
      : { ...resolvedQuestion, query: named, outputs: template.outputs }
  return { resolvedQuestion: stored, transaction, registration, warnings }
}

function parsed(query: unknown): DcqlQuery {
  try {
    return parseQuery(query)
  } catch (error) {
    if (!(error instanceof InvalidQuery)) throw error
    throw new Refusal('invalid_request', { message: `body.query.${error.message}` })
  }
}

/** The stored part of a question. For a built-in template the key is enough if the query names no domestic PIDs. */
interface ResolvedQuestion {
  readonly key: string | null
  readonly query: DcqlQuery | null
  readonly outputs: Outputs | null
  readonly intendedUse: string | null
  readonly transaction: TemplateTransaction | null
}

function queryOf({ key, query }: ResolvedQuestion): DcqlQuery {
  const found = query ?? (key === null ? null : builtInTemplate(key)?.query) ?? null
  if (found === null) throw new Error('bug: a question without a query')
  return found
}

async function findTemplate(
  deps: Pick<Deps, 'db' | 'clock' | 'templates'>,
  realm: Realm,
  key: string,
): Promise<ResolvedQuestion> {
  if (builtInTemplate(key) !== null) return { key, query: null, outputs: null, intendedUse: null, transaction: null }
  const own = isTemplateKey(key) ? await deps.templates.find(realm, key, deps.clock.now()) : null
  if (own === null) throw new Refusal('unknown_template', { message: await unknownTemplate(deps, realm, key) })
  // The template may be older than this limit.
  if (own.outputs !== null && hasTooManySources(own.outputs))
    throw new Refusal('invalid_request', { message: `body.template: ${TOO_MANY_SOURCES}` })
  return own
}

async function unknownTemplate(deps: Pick<Deps, 'db'>, realm: Realm, key: string): Promise<string> {
  const known = [...BUILT_IN_TEMPLATES, ...(await listTitles(deps.db, realm, null))].map((template) => template.key)
  const nearest = nearestOf(key, known)
  const meant = nearest === null ? '' : ` Did you mean '${nearest}'?`
  return `There is no template with this key.${meant} The dashboard lists them under Templates, as does \`vidimus template list\`.`
}

function draftOf(
  deps: Pick<Deps, 'random' | 'creations' | 'derivedKeys'>,
  input: CreationInput,
  resolved: Resolved & Pick<Draft, 'keyLease'>,
): Draft {
  const { principal, request } = input
  const { resolvedQuestion, transaction, keyLease, registration, warnings } = resolved
  const { tenantId } = principal
  const nowMs = deps.creations.timeOfId(tenantId)
  const purpose = request.purpose ?? null
  return {
    id: input.id ?? newVerificationId(deps.derivedKeys, deps.random, { tenantId, nowMs }),
    ttlSeconds: request.ttl_seconds ?? TTL_SECONDS.standard,
    template: resolvedQuestion.key,
    query: resolvedQuestion.query === null ? null : JSON.stringify(withPurpose(resolvedQuestion.query, purpose)),
    outputs: resolvedQuestion.outputs === null ? null : JSON.stringify(resolvedQuestion.outputs),
    metadata: request.metadata ?? null,
    purpose,
    redirectUrl: request.redirect_url ?? null,
    webhookUrl: request.webhook_url ?? null,
    origin: request.origin ?? null,
    transaction,
    universal: input.universal ?? null,
    browserBinding: input.browser?.rule ?? request.browser_binding ?? null,
    browserHash: input.browser?.hash ?? null,
    registration,
    warnings,
    actor: actorOf(principal),
    actorDetails: actorDetails(principal),
    keyLease,
  }
}
