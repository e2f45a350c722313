// Stores requests of merchants to their operator.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { OperatorRequest, RequestKind, RequestState } from '../domain/going-live/operator-request.ts'

const COLUMNS = `id, tenant_id as "tenantId", environment, kind, wanted, state, made_at as "createdAt",
                 answered_at as "answeredAt", answer`

/** Newest first. */
export async function listRequests(tx: Tx, realm: Realm): Promise<OperatorRequest[]> {
  return tx.query<OperatorRequest>(
    {
      name: 'list_operator_requests',
      text: `select ${COLUMNS} from operator_requests where tenant_id = $1 and environment = $2
             order by made_at desc, id`,
    },
    [realm.tenantId, realm.environment],
  )
}

/** For the operator: lists the open requests, oldest first, or all stored requests. */
export async function listRequestsAcrossTenants(
  tx: Tx,
  filter: { readonly answeredToo: boolean; readonly most: number },
): Promise<OperatorRequest[]> {
  return tx.query<OperatorRequest>(
    {
      name: 'list_operator_requests_across_tenants',
      text: `select ${COLUMNS} from operator_requests where state = 'open' or $1 order by made_at, id limit $2`,
    },
    [filter.answeredToo, filter.most],
  )
}

/** Returns false if a request of this kind is already open. */
export async function insertRequest(tx: Tx, request: OperatorRequest): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'insert_operator_request',
      text: `insert into operator_requests (id, tenant_id, environment, kind, wanted, state, made_at)
             values ($1, $2, $3, $4, $5, 'open', $6)
             on conflict (tenant_id, environment, kind) where state = 'open' do nothing returning 1 as made`,
    },
    [
      request.id,
      request.tenantId,
      request.environment,
      request.kind,
      JSON.stringify(request.wanted),
      request.createdAt,
    ],
  )
  return rows.length === 1
}

/** Deletes an open request, so that another can replace it. */
export async function deleteOpenRequest(tx: Tx, realm: Realm, kind: RequestKind): Promise<void> {
  await tx.query(
    {
      name: 'delete_open_operator_request',
      text: `delete from operator_requests where tenant_id = $1 and environment = $2 and kind = $3 and state = 'open'`,
    },
    [realm.tenantId, realm.environment, kind],
  )
}

/** Locks the request until the transaction ends; null if no open request has this id. */
export async function lockOpenRequestAcrossTenants(tx: Tx, id: string): Promise<OperatorRequest | null> {
  const [row] = await tx.query<OperatorRequest>(
    {
      name: 'lock_open_operator_request',
      text: `select ${COLUMNS} from operator_requests where id = $1 and state = 'open' for update`,
    },
    [id],
  )
  return row ?? null
}

export async function answerRequest(
  tx: Tx,
  realm: Realm,
  answered: {
    readonly id: string
    readonly state: Exclude<RequestState, 'open'>
    readonly answer: string | null
    readonly at: Instant
  },
): Promise<void> {
  await tx.query(
    {
      name: 'answer_operator_request',
      text: `update operator_requests set state = $4, answer = $5, answered_at = $6
             where tenant_id = $1 and environment = $2 and id = $3`,
    },
    [realm.tenantId, realm.environment, answered.id, answered.state, answered.answer, answered.at],
  )
}

/** Deletes answered requests except the newest. */
export async function forgetAnswered(tx: Tx, realm: Realm, kept: number): Promise<void> {
  await tx.query(
    {
      name: 'forget_answered_operator_requests',
      text: `delete from operator_requests where tenant_id = $1 and id in (
               select id from operator_requests where tenant_id = $1 and environment = $2 and state <> 'open'
               order by answered_at desc, id offset $3)`,
    },
    [realm.tenantId, realm.environment, kept],
  )
}
