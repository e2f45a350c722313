// Verifications as the wallet's side needs them: found by their id, which is the capability, and ended once.

import type { SealedHead } from '../../domain/audit/head-seal.ts'
import type { Sealer } from '../../domain/seal/seal.ts'
import { askedBy, type StoredQuestion } from '../../domain/template/question.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { wireNameOf } from '../../domain/tenant/setting.ts'
import { openParticulars } from '../../domain/verification/sealed-particulars.ts'
import type { Instant } from '../../domain/world.ts'
import { ChainMissing } from '../audit/chain.ts'
import type { Tx } from '../postgres/db.ts'
import { type Column, defineStatement, runStatement, selectAs } from '../postgres/statement.ts'
import {
  type AskedVerification,
  READ_BY_ALL,
  READ_FOR_WALLETS,
  READ_OF_TENANTS,
  type ResultColumns,
  type StoredVerification,
} from './columns.ts'
import type { Note } from './gathered-notes.ts'

/** A row that another release wrote may be unreadable to this one: so each is read by whoever wants it, for itself. */
export interface FoundAsked {
  readonly id: string
  readonly read: (sealer: Pick<Sealer, 'open' | 'keeps'>) => AskedVerification
}

const COLUMNS = `${selectAs('v', READ_BY_ALL)}, ${selectAs('v', READ_FOR_WALLETS)}, t.name as "tenantName",
  ${READ_OF_TENANTS.map((name) => `t.${wireNameOf(name)} as "${name}"`).join(', ')},
  t.evidence_basis is not null as "keepsEvidence", k.id as "resultKeyId", k.sealed as "sealedResultKey"`

/** With the key that the result is encrypted to: the newest that is proven. */
const FROM = `from verifications v join tenants t on t.id = v.tenant_id left join lateral (
    select id, sealed from result_keys
    where tenant_id = v.tenant_id and environment = v.environment and proven_at is not null
    order by proven_at desc, id limit 1) k on true`

/** Those of the ids that there are, in any order. */
export async function loadAskedAcrossTenants(tx: Tx, ids: readonly string[]): Promise<FoundAsked[]> {
  const rows = await tx.query<AskedRow>(
    {
      name: 'load_asked_across_tenants',
      text: `select ${COLUMNS} ${FROM} where v.id = any ($1::text[])`,
    },
    [ids],
  )
  return rows.map((row) => ({ id: row.id, read: (sealer) => toAsked(row, sealer) }))
}

type AskedRow = Omit<StoredVerification, ResultColumns> &
  StoredQuestion &
  Omit<Pick<AskedVerification, keyof typeof READ_FOR_WALLETS | 'tenantName' | 'keepsEvidence'>, keyof StoredQuestion> &
  AskedVerification['settings'] & {
    readonly resultKeyId: string | null
    readonly sealedResultKey: Buffer | null
  }

function toAsked(row: AskedRow, sealer: Pick<Sealer, 'open' | 'keeps'>): AskedVerification {
  const { redirectUrl, webhookUrl, origin } = openParticulars(sealer, row)
  const { resultKeyId, sealedResultKey, ...columns } = row
  const { walletRejectionStatus, statusPolicyTest, statusPolicyLive, haip, ...others } = columns
  const { dcApiUnsignedInTest, dcApiClearInTest, ageLink, content, holdSeconds, forwardOnly, ...stored } = others
  const settings = {
    walletRejectionStatus,
    statusPolicyTest,
    statusPolicyLive,
    haip,
    dcApiUnsignedInTest,
    dcApiClearInTest,
    ageLink,
    content,
    holdSeconds,
    forwardOnly,
  }
  const resultKey =
    resultKeyId === null || sealedResultKey === null ? null : { id: resultKeyId, sealed: sealedResultKey }
  return { ...stored, redirectUrl, webhookUrl, origin, ...askedBy(row), settings, resultKey }
}

export interface Ending {
  readonly id: string
  readonly status: 'completed' | 'failed'
  readonly sealedResult: Uint8Array
  readonly errorCode: string | null
  /** How the answer came. */
  readonly way: 'redirect' | 'age_link' | 'dc_api' | 'annex_c'
  readonly responseCodeHash: Uint8Array | null
  /** When its content goes at the latest; null: with the verification. */
  readonly forgetAt: Instant | null
  /** Its content was not even kept. */
  readonly forgottenAt: Instant | null
}

export interface Ended {
  /** By id: the hash of the request object that was served first; null where it was not noted. */
  readonly requests: ReadonlyMap<string, Buffer | null>
  /** The realm's audit chain, locked: what has ended is appended before the commit. */
  readonly head: SealedHead
}

/**
 * Ends those that are still open, with their results, and destroys their encryption keys; what they were to agree to is in the
 * result from now on. Gives those that were: of two
 * responses at once the row lock lets one through, and the other finds nothing pending. All are of one realm, whose audit
 * chain is locked in the same round trip: after the rows, as everywhere.
 */
export async function endVerifications(
  tx: Tx,
  realm: Realm,
  { endings, at }: { readonly endings: readonly Ending[]; readonly at: Instant },
): Promise<Ended> {
  const [row] = await runStatement<SealedHead & EndedArrays, Endings>(tx, END, { realm, endings, at })
  if (row === undefined) throw new ChainMissing('a verification whose realm has no audit chain')
  const requests = new Map((row.ids ?? []).map((id, i) => [id, row.hashes?.[i] ?? null]))
  return { requests, head: { seq: row.seq, hash: row.hash, at: row.at, mac: row.mac } }
}

/** null: none ended. */
interface EndedArrays {
  readonly ids: readonly string[] | null
  readonly hashes: readonly (Buffer | null)[] | null
}

interface Endings {
  readonly realm: Realm
  readonly endings: readonly Ending[]
  readonly at: Instant
}

const ENDING: readonly Column<Ending>[] = [
  { name: 'id', type: 'text', get: (one) => one.id },
  { name: 'status', type: 'text', get: (one) => one.status },
  { name: 'sealed', type: 'bytea', get: (one) => one.sealedResult },
  { name: 'error_code', type: 'text', get: (one) => one.errorCode },
  { name: 'way', type: 'text', get: (one) => one.way },
  { name: 'code_hash', type: 'bytea', get: (one) => one.responseCodeHash },
  { name: 'forget_at', type: 'timestamptz', get: (one) => one.forgetAt },
  { name: 'forgotten_at', type: 'timestamptz', get: (one) => one.forgottenAt },
]

/** As `CHANNELS` (domain/verification/counts.ts) has them: a sign-in is one, whichever way its answer came. */
const CHANNEL_NAME = `case when v.actor_type = 'oidc_client' then 'openid' when given.way in ('dc_api', 'annex_c') then 'dc_api'
  when v.same_device or given.way = 'age_link' then 'same_device' else 'qr' end`

const END = defineStatement<Endings>('end_verifications', (parameters) => {
  const tenant = parameters.one(({ realm }) => realm.tenantId)
  const environment = parameters.one(({ realm }) => realm.environment)
  const at = parameters.one((given) => given.at)
  const given = parameters.rows(ENDING, ({ endings }) => endings)
  return `with given as (
            select * from ${given.unnest('g')}
          ), locked as (
            -- In one order everywhere: two batches that share rows must not wait for each other.
            select v.id from verifications v join given on given.id = v.id
            where v.tenant_id = ${tenant} and v.environment = ${environment} order by v.id for update of v
          ), ended as (
            update verifications v
            set status = given.status, responded_at = ${at}, response_code_hash = given.code_hash,
                encryption_key = null, request_object = null, transaction_data = null,
                answered_by_age_link = given.way = 'age_link'
            from given join locked on locked.id = given.id
            where v.id = given.id and v.status = 'pending' and v.responded_at is null and v.expires_at > ${at}
            returning v.id, v.request_sha256, v.created_at, v.template, v.actor_type, v.actor_id, given.status, given.sealed, given.error_code,
              ${CHANNEL_NAME} as channel, given.forget_at, given.forgotten_at
          ), results as (
            insert into verification_results (verification_id, tenant_id, environment, sealed, error_code, channel, forget_at, forgotten_at)
            select id, ${tenant}, ${environment}, sealed, error_code, channel, forget_at, forgotten_at from ended
          ), uncounted as (
            insert into uncounted_endings (tenant_id, environment, created_at, ended_at, outcome, template, actor_type, actor_id, channel,
              error_code)
            select ${tenant}, ${environment}, created_at, ${at}::timestamptz, status, template, actor_type, actor_id, channel, error_code
            from ended
          ), done as materialized (
            select array_agg(id) as ids, array_agg(request_sha256) as hashes from ended
          )
          -- The condition is the same for every row, so the rows above are done before the head is looked for.
          select h.seq, h.hash, h.at, h.mac, (select ids from done) as ids, (select hashes from done) as hashes
          from audit_heads h
          where (select coalesce(cardinality(ids), 0) from done) >= 0
            and h.tenant_id = ${tenant} and h.environment = ${environment}
          for update`
})

/**
 * For evidence: who answers must find what was served. A request object begins as every JWS does, an offer to a browser with `{`, and
 * the first of either stands, each in a line of its own: whoever else fetches them makes nobody write again.
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

/** The first stands. A row that somebody holds is left out: this is a note, nobody waits for it or because of it. */
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
