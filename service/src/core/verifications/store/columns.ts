// Lists the columns of a verification, grouped by reader. Inserts and selects are generated from these lines.

import { type Column, selectAs } from '../../../platform/postgres/statement.ts'
import type { Instant } from '../../../platform/world.ts'
import type { AnswerChannel } from '../../channels/table.ts'
import type { Outputs } from '../../templates/domain/outputs.ts'
import type { resolveQuestion } from '../../templates/domain/question.ts'
import type { Closed } from '../../tenants/domain/closed.ts'
import type { TenantSettings } from '../../tenants/domain/settings.ts'
import type { FrozenTransaction } from '../../transactions/domain/frozen.ts'
import type { BoundBy, BrowserBound } from '../domain/browser-binding.ts'
import type { EphemeralKey } from '../domain/ephemeral-key.ts'
import type { SensitiveFields, StoredSensitiveFields } from '../domain/sensitive-fields.ts'
import type { SentRequest } from '../domain/sent-requests.ts'
import type { EveryVerification, ResponseMode, StoredState } from '../domain/verification.ts'

/** A verification as stored: its result and its sensitive fields are still sealed. */
export interface StoredVerification extends Omit<EveryVerification, keyof SensitiveFields>, StoredSensitiveFields {
  /** The partition: the day that the id names, or SINGLY. */
  readonly day: number
  readonly state: StoredState
  readonly respondedAt: Instant | null
  /** What bound the answer to the browser; null: not bound, or not yet. */
  readonly boundBy: BoundBy | null
  readonly sealedResult: Buffer | null
  /** The latest time at which the content is deleted; null: with the verification. */
  readonly forgetAt: Instant | null
  readonly forgottenAt: Instant | null
  /** When the merchant's system first read the result; null: not yet, or before this was recorded. */
  readonly firstReadAt: Instant | null
  /** null: no answer yet, or an answer to an earlier release. */
  readonly answeredBy: AnswerChannel | null
}

/** Columns of the result. */
export type ResultColumns = 'sealedResult' | 'forgetAt' | 'forgottenAt' | 'firstReadAt' | 'answeredBy'

/** What the wallet was asked, and how its answer is to be examined. */
export interface WalletVerification
  extends Omit<StoredVerification, ResultColumns | keyof StoredSensitiveFields>,
    BrowserBound,
    Pick<SensitiveFields, 'redirectUrl' | 'webhookUrl' | 'origin' | 'universal'> {
  /** Checked at creation; includes the purpose. */
  readonly query: ReturnType<typeof resolveQuestion>['query']
  readonly outputs: Outputs | null
  readonly nonce: string
  /** The OAuth parameter `state`, not a state of the verification. */
  readonly stateParameter: string
  readonly responseMode: ResponseMode
  /** For `openEphemeralKey`; null after an answer. */
  readonly encryptionKey: Buffer | null
  readonly requestFetchedAt: Instant | null
  /** The hash of the first request object under the verification's own client id. */
  readonly requestSha256: Buffer | null
  /** null: none, or only requests that `requestFetchedAt` and `requestSha256` describe completely. */
  readonly requestsSent: readonly SentRequest[] | null
  /** For `openServedRequests`: requests as first served, if evidence is kept; null otherwise, and after an answer. */
  readonly sealedRequests: Buffer | null
  /** The same in plain text, before the late part of migration 86. */
  readonly requestObject: string | null
  /** Whether the wallet got the age link instead of the signed request; null before an answer. */
  readonly answeredByAgeLink: boolean | null
  /** The registration certificate of the request; null: none. */
  readonly registrationId: string | null
  /** For `openTransaction`; null: nothing to agree to, or the verification has ended. */
  readonly sealedTransaction: Buffer | null
  readonly tenantName: string
  /** The tenant's settings now. */
  readonly settings: TenantSettings
  /** The newest proven key, which the result is encrypted to; null: the merchant has none. */
  readonly resultKey: { readonly id: string; readonly sealed: Buffer } | null
  /** Whether a legal basis is recorded on which the merchant keeps evidence. */
  readonly keepsEvidence: boolean
  readonly closed: Closed
  /** The address of the installation that asked, if the tenant has moved since; null: this installation. */
  readonly movedFrom: string | null
}

/** A verification about to be written. */
export interface NewVerification
  extends EveryVerification,
    Pick<
      WalletVerification,
      'nonce' | 'stateParameter' | 'responseMode' | 'registrationId' | 'day' | keyof BrowserBound
    > {
  /** JSON texts, stored unchanged. null if a built-in template defines the query. */
  readonly query: string | null
  readonly outputs: string | null
  readonly transaction: readonly FrozenTransaction[]
  readonly ephemeralKey: EphemeralKey
  readonly actor: { readonly type: string; readonly id: string }
  readonly idempotencyKey: string | null
}

/** A new verification as its columns store it. */
export interface SealedVerification extends Omit<NewVerification, 'transaction' | 'ephemeralKey'> {
  readonly sealedSensitiveFields: Uint8Array | null
  readonly metadataIndex: Uint8Array | null
  readonly encryptionKey: Uint8Array
  readonly sealedTransaction: Uint8Array | null
}

/**
 * A column without `get` is written later, or only an earlier release wrote it. A new column needs a migration, a line
 * here, a property of `EveryVerification`, and a value in create-verification.ts.
 */
type Line = Omit<Column<SealedVerification>, 'get'> & Partial<Pick<Column<SealedVerification>, 'get'>>

/** Read by every reader of a verification. */
export const READ_BY_ALL = {
  id: { name: 'id', type: 'text', get: (one) => one.id },
  tenantId: { name: 'tenant_id', type: 'text', get: (one) => one.tenantId },
  environment: { name: 'environment', type: 'text', get: (one) => one.environment },
  day: { name: 'day', type: 'integer', get: (one) => one.day },
  createdAt: { name: 'created_at', type: 'timestamptz', get: (one) => one.createdAt },
  expiresAt: { name: 'expires_at', type: 'timestamptz', get: (one) => one.expiresAt },
  state: { name: 'status', type: 'text' },
  respondedAt: { name: 'responded_at', type: 'timestamptz' },
  boundBy: { name: 'bound_by', type: 'text' },
  template: { name: 'template', type: 'text', get: (one) => one.template },
  purpose: { name: 'purpose', type: 'text', get: (one) => one.purpose },
  clientId: { name: 'client_id', type: 'text', get: (one) => one.clientId },
  sealedSensitiveFields: { name: 'particulars', type: 'bytea', get: (one) => one.sealedSensitiveFields },
  plainRedirectUrl: { name: 'redirect_url', type: 'text' },
  plainWebhookUrl: { name: 'webhook_url', type: 'text' },
  plainMetadata: { name: 'metadata', type: 'json' },
} satisfies Record<keyof Omit<StoredVerification, ResultColumns>, Line>

/** Read in addition by the wallet routes. */
export const READ_FOR_WALLETS = {
  query: { name: 'query', type: 'json', get: (one) => one.query },
  outputs: { name: 'outputs', type: 'json', get: (one) => one.outputs },
  nonce: { name: 'nonce', type: 'text', get: (one) => one.nonce },
  stateParameter: { name: 'state', type: 'text', get: (one) => one.stateParameter },
  responseMode: { name: 'response_mode', type: 'text', get: (one) => one.responseMode },
  encryptionKey: { name: 'encryption_key', type: 'bytea', get: (one) => one.encryptionKey },
  requestFetchedAt: { name: 'request_fetched_at', type: 'timestamptz' },
  requestSha256: { name: 'request_sha256', type: 'bytea' },
  requestsSent: { name: 'requests_sent', type: 'jsonb' },
  sealedRequests: { name: 'served_requests', type: 'bytea' },
  requestObject: { name: 'request_object', type: 'text' },
  answeredByAgeLink: { name: 'answered_by_age_link', type: 'boolean' },
  registrationId: { name: 'registration_id', type: 'text', get: (one) => one.registrationId },
  browserBinding: { name: 'browser_binding', type: 'text', get: (one) => one.browserBinding },
  browserHash: { name: 'browser_hash', type: 'bytea', get: (one) => one.browserHash },
  sealedTransaction: { name: 'transaction_data', type: 'bytea', get: (one) => one.sealedTransaction },
} satisfies Record<
  Exclude<
    keyof WalletVerification,
    | keyof StoredVerification
    | keyof SensitiveFields
    | 'tenantName'
    | 'settings'
    | 'resultKey'
    | 'keepsEvidence'
    | 'closed'
    | 'movedFrom'
  >,
  Line
>

/** Used by searches: who created the verification, with which key and which metadata. */
export const SEARCHED = {
  actorType: { name: 'actor_type', type: 'text', get: (one) => one.actor.type },
  actorId: { name: 'actor_id', type: 'text', get: (one) => one.actor.id },
  metadataIndex: { name: 'metadata_index', type: 'bytea', get: (one) => one.metadataIndex },
  idempotencyKey: { name: 'idempotency_key', type: 'text', get: (one) => one.idempotencyKey },
} satisfies Record<string, Line>

/** What a creation writes. */
export const WRITTEN = [READ_BY_ALL, READ_FOR_WALLETS, SEARCHED].flatMap(writtenOf)

export function writtenOf(lines: Readonly<Record<string, Line>>): Column<SealedVerification>[] {
  return Object.values(lines).flatMap(({ name, type, get }) => (get === undefined ? [] : [{ name, type, get }]))
}

/** The columns of a `StoredVerification`, from `verifications v left join verification_results r`. */
export const VERIFICATION_COLUMNS = columnsWith('r.sealed')

export function columnsWith(sealedResult: string): string {
  return `${selectAs('v', READ_BY_ALL)}, ${sealedResult} as "sealedResult", r.forget_at as "forgetAt",
  r.forgotten_at as "forgottenAt", r.first_read_at as "firstReadAt", r.answered_by as "answeredBy"`
}
