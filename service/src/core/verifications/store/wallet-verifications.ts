// Reads verifications for the wallet routes by their id. The id is the capability.

import { type Batcher, type BatchJob, inOrder } from '../../../platform/event-loop/batch.ts'
import { inDay, inDays, keyOf, SINGLY, toDays } from '../../../platform/postgres/days.ts'
import type { Sealing, Tx } from '../../../platform/postgres/db.ts'
import type { TenantNote } from '../../../platform/postgres/gathered-notes.ts'
import { findByIds, ROUTED_ID, type RoutedId } from '../../../platform/postgres/routed.ts'
import {
  type Column,
  dayParameters,
  defineStatement,
  runStatement,
  selectAs,
  unnestIds,
} from '../../../platform/postgres/statement.ts'
import type { Instant } from '../../../platform/world.ts'
import { resolveQuestion, type StoredQuestion } from '../../templates/domain/question.ts'
import { requireServed } from '../../tenants/domain/closed.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import { SETTINGS } from '../../tenants/domain/settings.ts'
import { closedColumn } from '../../tenants/store/closed.ts'
import { isNewAmong, SENT_REQUESTS_MAX, type SentRequest } from '../domain/sent-requests.ts'
import {
  READ_BY_ALL,
  READ_FOR_WALLETS,
  type ResultColumns,
  type StoredVerification,
  type WalletVerification,
} from './columns.ts'
import { openSensitiveFields } from './sealed-sensitive-fields.ts'

/** A row that another release wrote may be unreadable to this one, so each caller parses its own. */
export interface FoundRow {
  readonly id: string
  readonly read: () => WalletVerification
}

const COLUMNS = `${selectAs('v', READ_BY_ALL)}, ${selectAs('v', READ_FOR_WALLETS)}, t.name as "tenantName",
  json_build_object(${SETTINGS.map(({ key, name }) => `'${key}', t.${name}`).join(', ')}) as settings,
  t.evidence_basis is not null as "keepsEvidence", k.id as "resultKeyId", k.sealed as "sealedResultKey",
  ${closedColumn('t')} as closed, case when v.created_at <= t.arrived_at then t.moved_from end as "movedFrom"`

/** Includes the key that the result is encrypted to: the newest proven one. */
const fromDays = (
  days: string,
) => `cross join lateral (select * from verifications where id = wanted.id and ${days} offset 0) v
  cross join lateral (select * from tenants where id = v.tenant_id offset 0) t
  left join lateral (
    select id, sealed from result_keys
    where tenant_id = v.tenant_id and environment = v.environment and proven_at is not null
    order by proven_at desc, id limit 1) k on true`

interface Readers {
  readonly db: Tx
  readonly batcher: Batcher
}

const BY_ID: BatchJob<Readers, string, FoundRow | null> = {
  itemsMax: 64,
  // So that those who wait for one do not wait behind all others of its lane.
  ownerOf: (id) => id,
  run: async ({ db }, ids) => inOrder(ids, await loadWalletVerificationsAcrossTenants(db, ids)),
}

/** Finds by id alone; null if there is none. `evenIfMoved`: also if another installation serves the tenant now. */
export async function findWalletVerification(
  deps: Readers,
  id: string,
  evenIfMoved = false,
): Promise<WalletVerification | null> {
  const found = await deps.batcher.add(BY_ID, deps, { lane: laneOf(id), item: id })
  // Each caller parses its own row, so that an unreadable row fails no other caller.
  const verification = found === null ? null : found.read()
  if (verification !== null && !(evenIfMoved && verification.closed !== '')) requireServed(verification.closed)
  return verification
}

/** Divides wallets among two lanes, so that one slow statement does not delay all of them. */
function laneOf(id: string): string {
  return id.charCodeAt(id.length - 1) % 2 === 0 ? 'even' : 'odd'
}

const LOAD = defineStatement<readonly RoutedId[]>('load_wallet_verifications', (parameters) => {
  const input = parameters.rows(ROUTED_ID, (ids) => ids)
  const days = dayParameters(parameters, (ids) => ids.map(({ day }) => day))
  return `select ${COLUMNS} from ${input.unnest('wanted')} ${fromDays(inDays('day', days))}
    where v.tenant_id = wanted.tenant_id`
})
const LOAD_ACROSS_TENANTS = {
  name: 'load_wallet_verifications_across_tenants',
  text: `select ${COLUMNS} from ${unnestIds('$1', 'wanted')} ${fromDays(`day = ${SINGLY}`)}`,
}

/** Returns those of these ids that exist, in any order. */
export async function loadWalletVerificationsAcrossTenants(tx: Tx, ids: readonly string[]): Promise<FoundRow[]> {
  const rows = await findByIds<WalletVerificationRow>(tx.sealer, ids, {
    inTenants: (routed) => runStatement(tx, LOAD, routed),
    acrossTenants: (others) => tx.query(toDays(LOAD_ACROSS_TENANTS, [SINGLY]), [others]),
  })
  return rows.map((row) => ({ id: row.id, read: () => toWalletVerification(tx, row) }))
}

type WalletVerificationRow = Omit<StoredVerification, ResultColumns> &
  StoredQuestion &
  Omit<
    Pick<
      WalletVerification,
      keyof typeof READ_FOR_WALLETS | 'tenantName' | 'settings' | 'keepsEvidence' | 'closed' | 'movedFrom'
    >,
    keyof StoredQuestion
  > & {
    readonly resultKeyId: string | null
    readonly sealedResultKey: Buffer | null
  }

function toWalletVerification(tx: Sealing, row: WalletVerificationRow): WalletVerification {
  const { redirectUrl, webhookUrl, origin, universal } = openSensitiveFields(tx, row)
  const { resultKeyId, sealedResultKey, ...stored } = row
  const resultKey =
    resultKeyId === null || sealedResultKey === null ? null : { id: resultKeyId, sealed: sealedResultKey }
  return { ...stored, redirectUrl, webhookUrl, origin, universal, ...resolveQuestion(row), resultKey }
}

export interface Fetched extends TenantNote {
  /** The partition of the verification. */
  readonly day: number
  /** Whether the wallet used the link for the device that shows the page. */
  readonly sameDevice: boolean
  /** The hash of the signed request object; null: none was sent. If another client id signed it, only `sent` has it. */
  readonly sha256: Uint8Array | null
  /** Requests that the members above do not describe completely. */
  readonly sent: readonly SentRequest[]
}

/** Joins two notes of one verification. The first request that was sent counts as fetched. */
export function joinFetches(earlier: Fetched, later: Fetched): Fetched {
  const sent = [...earlier.sent]
  for (const one of later.sent) if (isNewAmong(sent, one)) sent.push(one)
  return { ...(earlier.sha256 === null ? later : earlier), sent }
}

/** Skips locked rows: this is best effort and must neither wait nor block. */
export async function noteRequestsFetched(tx: Tx, fetched: readonly Fetched[]): Promise<void> {
  await runStatement(tx, NOTE_FETCHED, fetched)
}

/** For requests under another client id: waits for a locked row. False: no room, or no such verification. */
export async function storeRequestFetched(tx: Tx, fetched: Fetched): Promise<boolean> {
  const stored = await runStatement<{ id: string }, readonly Fetched[]>(tx, STORE_FETCHED, [fetched])
  return stored.length > 0
}

const NOTE_FETCHED = fetchedStatement('note_requests_fetched', 'skip locked', ({ sha256 }) => sha256)
const STORE_FETCHED = fetchedStatement('store_request_fetched', '', () => null)

function fetchedStatement(
  name: string,
  ifLocked: 'skip locked' | '',
  ownHash: (fetched: Fetched) => Uint8Array | null,
) {
  return defineStatement<readonly Fetched[]>(name, (parameters) => {
    const columns: readonly Column<Fetched>[] = [
      { name: 'id', type: 'text', get: ({ id }) => id },
      { name: 'tenant_id', type: 'text', get: ({ tenantId }) => tenantId },
      { name: 'at', type: 'timestamptz', get: ({ at, sha256 }) => (sha256 === null ? null : at) },
      { name: 'same_device', type: 'boolean', get: ({ sameDevice, sha256 }) => (sha256 === null ? null : sameDevice) },
      { name: 'sha256', type: 'bytea', get: ownHash },
      { name: 'sent', type: 'jsonb', get: ({ sent }) => (sent.length === 0 ? null : JSON.stringify(sent)) },
    ]
    const input = parameters.rows(columns, (fetched) => fetched)
    const days = inDays(
      'v.day',
      dayParameters(parameters, (fetched) => fetched.map(({ day }) => day)),
    )
    const ids = input.arrayOf('id')
    return `with input as (
              select * from ${input.unnest('g')}
            ), free as (
              select v.id, v.tenant_id, input.at, input.same_device, input.sha256, input.sent::jsonb as sent
              from verifications v join input on input.id = v.id and input.tenant_id is not distinct from v.tenant_id
              where v.id = any (${ids}) and ${days} and (
                v.status = 'pending' and v.request_sha256 is null and input.sha256 is not null
                -- Also for a verification that was answered in the meantime.
                or input.sent is not null and (coalesce(jsonb_array_length(v.requests_sent), 0) < ${SENT_REQUESTS_MAX}
                  or not v.requests_sent @> jsonb_build_array(
                    jsonb_build_object('clientId', input.sent::jsonb -> 0 -> 'clientId'))))
              order by v.id for update of v ${ifLocked}
            )
            update verifications v
            set same_device = coalesce(v.same_device, free.same_device),
                request_fetched_at = coalesce(v.request_fetched_at, free.at),
                request_sha256 = coalesce(v.request_sha256, free.sha256),
                requests_sent = coalesce(v.requests_sent || free.sent, v.requests_sent, free.sent)
            from free where v.id = free.id and v.tenant_id is not distinct from free.tenant_id and v.id = any (${ids}) and ${days}
            returning v.id`
  })
}

interface StoredFetches {
  readonly fetchedAt: Instant | null
  readonly sha256: Buffer | null
  readonly clientId: string
  readonly sent: readonly SentRequest[] | null
}

/** The requests that wallets got, in the order of the fetches; empty if no wallet fetched the request object. */
export async function loadSentRequests(tx: Tx, realm: Realm, id: string): Promise<readonly SentRequest[]> {
  const [row] = await tx.query<StoredFetches>(
    {
      name: 'load_sent_requests',
      text: `select request_fetched_at as "fetchedAt", request_sha256 as sha256, client_id as "clientId",
               requests_sent as sent
             from verifications where id = $3 and tenant_id = $1 and environment = $2 and ${inDay('day', '$4')}`,
      replanEachCall: true,
    },
    keyOf(tx.sealer, realm, id),
  )
  if (row === undefined) return []
  const { fetchedAt: at, clientId, sent } = row
  const sha256 = row.sha256?.toString('base64url') ?? null
  const known = sent ?? []
  if (at === null || sha256 === null || known.some((one) => one.sha256 === sha256)) return known
  const plain = { at, sha256, clientId, leftOut: [], encryptedTo: null, missing: [], declared: null }
  return [...known, plain].sort((a, b) => (a.at < b.at ? -1 : 1))
}
