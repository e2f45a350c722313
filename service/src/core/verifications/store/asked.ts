// Verifications for the wallet routes: found by their id, which is the capability.

import { type Batcher, inOrder, type Work } from '../../../platform/batch.ts'
import type { Sealing, Tx } from '../../../platform/postgres/db.ts'
import {
  type Column,
  defineStatement,
  runStatement,
  selectAs,
  unnestIds,
} from '../../../platform/postgres/statement.ts'
import { askedBy, type StoredQuestion } from '../../templates/domain/question.ts'
import type { Realm } from '../../tenants/domain/realm.ts'
import { SETTINGS } from '../../tenants/domain/settings.ts'
import {
  READ_BY_ALL,
  READ_FOR_WALLETS,
  type ResultColumns,
  type StoredVerification,
  type WalletVerification,
} from './columns.ts'
import type { Note } from './gathered-notes.ts'
import { openParticulars } from './sealed-particulars.ts'

/** A row that another release wrote may be unreadable to this one, so each caller parses its own. */
export interface FoundAsked {
  readonly id: string
  readonly read: () => WalletVerification
}

const COLUMNS = `${selectAs('v', READ_BY_ALL)}, ${selectAs('v', READ_FOR_WALLETS)}, t.name as "tenantName",
  json_build_object(${SETTINGS.map(({ key, name }) => `'${key}', t.${name}`).join(', ')}) as settings,
  t.evidence_basis is not null as "keepsEvidence", k.id as "resultKeyId", k.sealed as "sealedResultKey"`

/** With the key that the result is encrypted to: the newest proven one. */
const FROM = `from ${unnestIds('$1', 'wanted')}
  cross join lateral (select * from verifications where id = wanted.id offset 0) v
  cross join lateral (select * from tenants where id = v.tenant_id offset 0) t
  left join lateral (
    select id, sealed from result_keys
    where tenant_id = v.tenant_id and environment = v.environment and proven_at is not null
    order by proven_at desc, id limit 1) k on true`

interface Readers {
  readonly db: Tx
  readonly batcher: Batcher
}

const ASKED: Work<Readers, string, FoundAsked | null> = {
  itemsMax: 64,
  run: async ({ db }, ids) => inOrder(ids, await loadAskedAcrossTenants(db, ids)),
}

/** What the wallet routes need, by the id alone; null if there is none. Concurrent reads share a statement. */
export async function readAsked(deps: Readers, id: string): Promise<WalletVerification | null> {
  const found = await deps.batcher.add(ASKED, deps, { lane: laneOf(id), item: id })
  // Each caller parses its own row, so that an unreadable row fails no other caller.
  return found === null ? null : found.read()
}

/** Two lanes, so that one slow statement does not delay every wallet. */
function laneOf(id: string): string {
  return id.charCodeAt(id.length - 1) % 2 === 0 ? 'even' : 'odd'
}

/** The existing ones of these ids, in any order. */
export async function loadAskedAcrossTenants(tx: Tx, ids: readonly string[]): Promise<FoundAsked[]> {
  const rows = await tx.query<AskedRow>(
    {
      name: 'load_asked_across_tenants',
      text: `select ${COLUMNS} ${FROM}`,
    },
    [[...new Set(ids)]],
  )
  return rows.map((row) => ({ id: row.id, read: () => toAsked(tx, row) }))
}

type AskedRow = Omit<StoredVerification, ResultColumns> &
  StoredQuestion &
  Omit<
    Pick<WalletVerification, keyof typeof READ_FOR_WALLETS | 'tenantName' | 'settings' | 'keepsEvidence'>,
    keyof StoredQuestion
  > & {
    readonly resultKeyId: string | null
    readonly sealedResultKey: Buffer | null
  }

function toAsked(tx: Sealing, row: AskedRow): WalletVerification {
  const { redirectUrl, webhookUrl, origin, universal } = openParticulars(tx, row)
  const { resultKeyId, sealedResultKey, ...stored } = row
  const resultKey =
    resultKeyId === null || sealedResultKey === null ? null : { id: resultKeyId, sealed: sealedResultKey }
  return { ...stored, redirectUrl, webhookUrl, origin, universal, ...askedBy(row), resultKey }
}

/**
 * For evidence: the answer must find what was served. A request object begins as every JWS does, an offer to a browser
 * with `{`. Only the first of each kind is kept, each in a line of its own, so that later fetches write nothing.
 */
export async function keepRequestObject(tx: Tx, realm: Realm, served: { id: string; text: string }): Promise<void> {
  await tx.query(
    {
      name: 'keep_request_object',
      text: `update verifications v set request_object = concat_ws(E'\\n', v.request_object, $4::text)
             where id = $3 and tenant_id = $1 and environment = $2 and status = 'pending' and not exists (
               select 1 from unnest(string_to_array(v.request_object, E'\\n')) as line where left(line, 1) = left($4, 1))`,
    },
    [realm.tenantId, realm.environment, served.id, served.text],
  )
}

export interface Fetched extends Note {
  /** By the link for the device that shows the page. */
  readonly sameDevice: boolean
  /** Of the signed request object. */
  readonly sha256: Uint8Array
}

/** The first one counts. Locked rows are skipped: this is only a note, and must neither wait nor block. */
export async function noteRequestsFetched(tx: Tx, fetched: readonly Fetched[]): Promise<void> {
  await runStatement(tx, NOTE_FETCHED, fetched)
}

const NOTE_FETCHED = defineStatement<readonly Fetched[]>('note_requests_fetched', (parameters) => {
  const columns: readonly Column<Fetched>[] = [
    { name: 'id', type: 'text', get: ({ id }) => id },
    { name: 'at', type: 'timestamptz', get: ({ at }) => at },
    { name: 'same_device', type: 'boolean', get: ({ sameDevice }) => sameDevice },
    { name: 'sha256', type: 'bytea', get: ({ sha256 }) => sha256 },
  ]
  return `with given as (
            select * from ${parameters.rows(columns, (fetched) => fetched).unnest('g')}
          ), free as (
            select v.id, given.at, given.same_device, given.sha256 from verifications v join given on given.id = v.id
            where v.status = 'pending' and v.request_fetched_at is null order by v.id for update of v skip locked
          )
          update verifications v
          set same_device = free.same_device, request_fetched_at = free.at, request_sha256 = free.sha256
          from free where v.id = free.id`
})
