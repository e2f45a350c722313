// Creates, reads and deletes verifications through the Universal OID4VP API.

import { createHmac } from 'node:crypto'
import { actorOf, onlyCreatedBy, type Principal, type Reader } from '../../../core/tenants/domain/principal.ts'
import { realmName } from '../../../core/tenants/domain/realm.ts'
import { universalStatus } from '../../../core/verifications/domain/universal-status.ts'
import type { UniversalCallback, UniversalStatus } from '../../../core/verifications/domain/verification.ts'
import { readStored } from '../../../core/verifications/store/verifications.ts'
import { createVerification } from '../../../core/verifications/usecases/asking/create-verification.ts'
import { eraseVerification } from '../../../core/verifications/usecases/forgetting/erase-verification.ts'
import { decryptVerification, turnFor } from '../../../core/verifications/usecases/reading/read-verification.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import { instantOf } from '../../../platform/world.ts'
import { correlationKeyOf } from '../domain/correlation.ts'
import { findCorrelated, insertCorrelation, isNameTaken } from '../store/correlations.ts'

type CreationNeeds = Parameters<typeof createVerification>[0] & Pick<Deps, 'derivedKeys' | 'reportStep'>

export interface UniversalRequest {
  readonly query_id: string
  readonly correlation_id?: string
  readonly direct_post_response_redirect_uri?: string
  /** The callback at these statuses works like a webhook: same egress rules, same signature. */
  readonly callback?: { readonly url: string; readonly status?: readonly UniversalStatus[] }
  /** OpenID4VP 5.1: base64url of JSON objects. */
  readonly transaction_data?: readonly string[]
}

/** `correlation_id` names one verification and is its idempotency key. Without it, the verification's id is used. */
export async function createUniversalRequest(
  deps: CreationNeeds,
  input: { readonly principal: Principal; readonly request: UniversalRequest },
): Promise<{
  readonly correlation_id: string
  readonly query_id: string
  readonly request_uri: string
  readonly status_uri: string
}> {
  const { principal, request } = input
  const name = request.correlation_id ?? null
  // Without a name, the verification's id is used: such a name would hide another request.
  if (name !== null && isVerificationId(name))
    throw new Refusal('invalid_request', { message: 'body.correlation_id: must not be the id of a verification.' })
  const { direct_post_response_redirect_uri: redirect, callback } = request
  const universal = callbackOf(callback, name)
  const named = name === null ? null : await freeNameOf(deps, principal, name)
  const { answer } = await createVerification(deps, {
    principal,
    request: {
      template: request.query_id,
      ...(redirect === undefined ? {} : { redirect_url: redirect }),
      ...(callback === undefined ? {} : { webhook_url: callback.url }),
    },
    universal,
    transactionData: request.transaction_data,
    idempotencyKey: named?.key ?? null,
  })
  const { id, wallet_uri: walletUri }: { id: string; wallet_uri: string } = JSON.parse(answer)
  if (named !== null)
    await insertCorrelation(deps.db, principal, { correlation: named.correlation, verificationId: id })
  await deps.reportStep(principal, { verificationId: id, universal, step: 'authorization_request_created' })
  const correlationId = name ?? id
  const statusUri = `${deps.config.baseUrl}/oid4vp/backend/auth/requests/${encodeURIComponent(correlationId)}`
  return { correlation_id: correlationId, query_id: request.query_id, request_uri: walletUri, status_uri: statusUri }
}

/** A creation must begin so long before its idempotency key expires. Otherwise the key could expire under it. */
const REPEATED_BEFORE_MS = 60_000

/** Refuses a name of another verification: GET and DELETE would no longer reach the earlier one. */
async function freeNameOf(
  deps: Pick<CreationNeeds, 'db' | 'clock' | 'derivedKeys'>,
  principal: Principal,
  name: string,
) {
  const correlation = correlationOf(deps, principal, name)
  const key = `oid4vp:${correlation.toString('hex')}`
  const until = instantOf(deps.clock.now() + REPEATED_BEFORE_MS)
  if (await isNameTaken(deps.db, principal, { correlation, key, until }))
    throw new Refusal('idempotency_key_reused', { message: NAME_TAKEN })
  return { correlation, key }
}

const NAME_TAKEN =
  'An earlier request has this correlation_id. Delete that request first, or use another correlation_id.'

function callbackOf(callback: UniversalRequest['callback'], correlationId: string | null): UniversalCallback | null {
  if (callback === undefined) return null
  return { correlationId, ...(callback.status === undefined ? {} : { statuses: callback.status }) }
}

type Needs = Pick<Deps, 'db' | 'batcher' | 'derivedKeys' | 'clock' | 'config'>

export async function readUniversalRequest(
  deps: Needs,
  input: Reader & { readonly correlationId: string },
): Promise<object> {
  const { principal, pay, correlationId } = input
  const { stored, requestFetched } = await find(deps, principal, correlationId, pay)
  await turnFor(stored)
  return universalStatus(decryptVerification(deps, stored), { correlationId, isFetched: requestFetched })
}

export async function removeUniversalRequest(
  deps: Needs & Parameters<typeof eraseVerification>[0],
  input: { readonly principal: Principal; readonly correlationId: string },
): Promise<void> {
  const { principal, correlationId } = input
  const { stored } = await find(deps, principal, correlationId)
  await eraseVerification(deps, { realm: principal, id: stored.id, actor: actorOf(principal) })
}

/** Finds no verifications of other tenants or devices, and no erased ones. */
async function find(deps: Needs, principal: Principal, correlationId: string, pay?: Reader['pay']) {
  const correlation = correlationOf(deps, principal, correlationId)
  const found = await findCorrelated(deps.db, principal, { correlation, id: correlationId })
  const stored =
    found === null ? null : await readStored(deps, principal, { id: found.id, deviceId: onlyCreatedBy(principal) }, pay)
  if (found === null || stored === null) throw new Refusal('session_not_found')
  return { stored, requestFetched: found.requestFetched }
}

/** The merchant's text may identify a person, so only its digest is stored. */
function correlationOf({ derivedKeys }: Pick<Deps, 'derivedKeys'>, principal: Principal, name: string): Buffer {
  return createHmac('sha256', correlationKeyOf(derivedKeys, principal.tenantId))
    .update(`${realmName(principal)}\0${name}`)
    .digest()
}
