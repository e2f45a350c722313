// Creates a merchant's request to the operator. Only one request of a kind can be open; an identity request can be corrected.

import type { REQUESTABLE_KINDS } from '../../../../../../wire/values/going-live.ts'
import type { AuditActor } from '../../../../core/ports/audit.ts'
import { identityFault, type RegisteredIdentity } from '../../../../core/registrations/domain/identity.ts'
import {
  type RegistrationRefusal,
  refuseRegistration,
  registrationProblem,
} from '../../../../core/registrations/domain/problem.ts'
import type { Realm } from '../../../../core/tenants/domain/realm.ts'
import { lockTenantSettings } from '../../../../core/tenants/store/settings.ts'
import type { Deps } from '../../../../deps.ts'
import { newOperatorRequestId } from '../../../../platform/ids.ts'
import { type Instant, instantOf } from '../../../../platform/world.ts'
import { type MandateKind, mandateFault, type NewMandate } from '../../domain/going-live/mandate.ts'
import type { OperatorRequest, RequestKind, Wanted } from '../../domain/going-live/operator-request.ts'
import { saveMandate } from '../../store/mandates.ts'
import { deleteOpenRequest, insertRequest } from '../../store/operator-requests.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'audit'>

export type RequestOutcome = { readonly outcome: 'asked'; readonly request: OperatorRequest } | RegistrationRefusal

export async function askOperator(
  deps: Needs,
  input: {
    readonly realm: Realm
    readonly kind: (typeof REQUESTABLE_KINDS)[number]
    /** The merchant's claimed identity, only for the kind `identity`. */
    readonly identity: Pick<RegisteredIdentity, 'identifier' | 'tradeName' | 'registryUri'> | null
    readonly actor: AuditActor
  },
): Promise<RequestOutcome> {
  const { realm, kind, identity, actor } = input
  if ((kind === 'identity') !== (identity !== null))
    return refused('identity_beside', 'identity fields belong only to the request for an identity')
  const problem = identity === null ? null : identityFault(identity)
  if (problem !== null) return refuseRegistration(problem)
  const wanted: Wanted =
    identity === null
      ? {}
      : { identifier: identity.identifier, trade_name: identity.tradeName, registry_uri: identity.registryUri }
  const request = requestOf(deps, realm, { kind, wanted })
  return deps.db.transaction(async (tx): Promise<RequestOutcome> => {
    if ((await lockTenantSettings(tx, realm.tenantId)) === null) return refused('no_tenant', 'there is no such tenant')
    if (identity !== null) await deleteOpenRequest(tx, realm, 'identity')
    if (!(await insertRequest(tx, request)))
      return refused('asked_already', 'there is already an open request of this kind')
    const details = { kind: request.kind, wanted: { ...request.wanted } }
    const object = { type: 'operator_request', id: request.id }
    await deps.audit.record(tx, request, { now: request.createdAt, actor, action: 'request.made', object, details })
    return { outcome: 'asked', request }
  })
}

/** Records a mandate, which replaces an earlier one. The operator has to check it. */
export async function recordMandate(
  deps: Needs,
  input: { readonly realm: Realm; readonly mandate: NewMandate & { kind: MandateKind }; readonly actor: AuditActor },
): Promise<RequestOutcome> {
  const { realm, mandate, actor } = input
  const problem = mandateFault(mandate, deps.clock.now())
  if (problem !== null) return refuseRegistration(problem)
  const { kind, sha256, dated } = mandate
  const request = requestOf(deps, realm, { kind: 'mandate', wanted: { sha256, dated } })
  const now: Instant = request.createdAt
  return deps.db.transaction(async (tx): Promise<RequestOutcome> => {
    if ((await lockTenantSettings(tx, realm.tenantId)) === null) return refused('no_tenant', 'there is no such tenant')
    await saveMandate(tx, realm, { kind, sha256, dated, at: now })
    await deleteOpenRequest(tx, realm, 'mandate')
    if (!(await insertRequest(tx, request))) throw new Error('bug: a request that was deleted is still there')
    const object = { type: 'tenant', id: realm.tenantId }
    const events = [{ action: 'mandate.recorded', actor, object, details: { kind, sha256, dated } }] as const
    await deps.audit.recordAll(tx, realm, { now, events })
    return { outcome: 'asked', request }
  })
}

function requestOf(
  deps: Pick<Deps, 'clock' | 'random'>,
  { tenantId, environment }: Realm,
  request: { readonly kind: RequestKind; readonly wanted: Wanted },
): OperatorRequest {
  return {
    id: newOperatorRequestId(deps.random),
    tenantId,
    environment,
    ...request,
    state: 'open',
    createdAt: instantOf(deps.clock.now()),
    answeredAt: null,
    answer: null,
  }
}

const refused = (...about: Parameters<typeof registrationProblem>) => refuseRegistration(registrationProblem(...about))
