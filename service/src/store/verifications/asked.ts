// Verifications as the wallet's side needs them: found by their id, which is the capability, and ended once.

import type { SealedHead } from '../../domain/audit/head-seal.ts'
import type { Sealer } from '../../domain/seal/seal.ts'
import type { Outputs } from '../../domain/template/outputs.ts'
import { askedBy, type StoredQuestion } from '../../domain/template/question.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import type { TenantSettings } from '../../domain/tenant/settings.ts'
import { openParticulars, type Particulars } from '../../domain/verification/sealed-particulars.ts'
import type { ResponseMode } from '../../domain/verification/verification.ts'
import type { Instant } from '../../domain/world.ts'
import { ChainMissing } from '../audit/chain.ts'
import type { Tx } from '../postgres/db.ts'
import { CORE_COLUMNS, type CoreRow, toCore, toParticulars, type VerificationCore } from './verifications.ts'

/** What was asked of the wallet, and how its answer is to be judged. */
export interface AskedVerification extends VerificationCore, Pick<Particulars, 'redirectUrl' | 'webhookUrl'> {
  /** Checked when the verification was made; with the purpose in it. */
  readonly query: ReturnType<typeof askedBy>['query']
  readonly outputs: Outputs | null
  readonly nonce: string
  /** The OAuth parameter, not a state of ours. */
  readonly stateParameter: string
  readonly responseMode: ResponseMode
  /** As domain/ephemeral-key.ts keeps it; null where the response is asked for in clear, and once there is one. */
  readonly encryptionKey: Buffer | null
  readonly requestFetchedAt: Instant | null
  readonly tenantName: string
  readonly settings: Pick<TenantSettings, 'walletRejectionStatus' | 'statusPolicyTest' | 'statusPolicyLive' | 'haip'>
}

/** A row as it is; one that was written by another release may be unreadable to this one. */
export interface AskedRow extends CoreRow {
  query: StoredQuestion['query']
  outputs: Outputs | null
  nonce: string
  state: string
  response_mode: ResponseMode
  encryption_key: Buffer | null
  request_fetched_at: string | null
  tenant_name: string
  wallet_rejection_status: 200 | 400
  status_policy_test: TenantSettings['statusPolicyTest']
  status_policy_live: TenantSettings['statusPolicyLive']
  haip: boolean
}

/** Those of the ids that there are, in any order, still to be read by `toAsked`. */
export async function loadAskedAcrossTenants(tx: Tx, ids: readonly string[]): Promise<AskedRow[]> {
  return tx.query<AskedRow>(
    {
      name: 'load_asked_across_tenants',
      text: `select ${CORE_COLUMNS}, v.query, v.outputs, v.nonce, v.state, v.response_mode,
                    v.encryption_key, v.request_fetched_at, t.name as tenant_name, t.wallet_rejection_status,
                    t.status_policy_test, t.status_policy_live, t.haip
             from verifications v join tenants t on t.id = v.tenant_id where v.id = any ($1::text[])`,
    },
    [ids],
  )
}

export interface Ending {
  readonly id: string
  readonly status: 'completed' | 'failed'
  readonly sealedResult: Uint8Array
  readonly errorCode: string | null
  readonly responseCodeHash: Uint8Array | null
}

export interface Ended {
  readonly ids: readonly string[]
  /** The realm's audit chain, locked: what has ended is appended before the commit. */
  readonly head: SealedHead
}

/**
 * Ends those that are still open, with their results, and destroys their encryption keys. Gives the ids that were: of two
 * responses at once the row lock lets one through, and the other finds nothing pending. All are of one realm, whose audit
 * chain is locked in the same round trip: after the rows, as everywhere.
 */
export async function endVerifications(
  tx: Tx,
  realm: Realm,
  { endings, at }: { readonly endings: readonly Ending[]; readonly at: Instant },
): Promise<Ended> {
  const [row] = await tx.query<SealedHead & { ids: string[] | null }>(
    {
      name: 'end_verifications',
      text: `with given as (
               select * from unnest($4::text[], $5::text[], $6::bytea[], $7::text[], $8::bytea[])
                 as g (id, status, sealed, error_code, code_hash)
             ), locked as (
               -- In one order everywhere: two batches that share rows must not wait for each other.
               select v.id from verifications v join given on given.id = v.id
               where v.tenant_id = $1 and v.environment = $2 order by v.id for update of v
             ), ended as (
               update verifications v
               set status = given.status, responded_at = $3, response_code_hash = given.code_hash, encryption_key = null
               from given join locked on locked.id = given.id
               where v.id = given.id and v.status = 'pending' and v.responded_at is null and v.expires_at > $3
               returning v.id, given.sealed, given.error_code
             ), results as (
               insert into verification_results (verification_id, tenant_id, environment, sealed, error_code)
               select id, $1, $2, sealed, error_code from ended
             ), done as materialized (
               select array_agg(id) as ids from ended
             )
             -- The condition is the same for every row, so the rows above are done before the head is looked for.
             select h.seq, h.hash, h.at, h.mac, (select ids from done) as ids from audit_heads h
             where (select coalesce(cardinality(ids), 0) from done) >= 0 and h.tenant_id = $1 and h.environment = $2
             for update`,
    },
    [
      realm.tenantId,
      realm.environment,
      at,
      endings.map((ending) => ending.id),
      endings.map((ending) => ending.status),
      endings.map((ending) => ending.sealedResult),
      endings.map((ending) => ending.errorCode),
      endings.map((ending) => ending.responseCodeHash),
    ],
  )
  if (row === undefined) throw new ChainMissing('a verification whose realm has no audit chain')
  return { ids: row.ids ?? [], head: { seq: row.seq, hash: row.hash, at: row.at, mac: row.mac } }
}

/** The first time stands. A row that somebody holds is left out: this is a note, nobody waits for it or because of it. */
export async function noteRequestsFetched(
  tx: Tx,
  fetched: readonly { readonly id: string; readonly at: Instant }[],
): Promise<void> {
  await tx.query(
    {
      name: 'note_requests_fetched',
      text: `with given as (
               select * from unnest($1::text[], $2::timestamptz[]) as g (id, at)
             ), free as (
               select v.id, given.at from verifications v join given on given.id = v.id
               where v.request_fetched_at is null and v.status = 'pending'
               order by v.id for update of v skip locked
             )
             update verifications v set request_fetched_at = free.at from free where v.id = free.id`,
    },
    [fetched.map(({ id }) => id), fetched.map(({ at }) => at)],
  )
}

export function toAsked(row: AskedRow, sealer: Pick<Sealer, 'open' | 'keeps'>): AskedVerification {
  const core = toCore(row)
  const { redirectUrl, webhookUrl } = openParticulars(sealer, { ...core, ...toParticulars(row) })
  return {
    ...core,
    redirectUrl,
    webhookUrl,
    ...askedBy(row),
    nonce: row.nonce,
    stateParameter: row.state,
    responseMode: row.response_mode,
    encryptionKey: row.encryption_key,
    requestFetchedAt: row.request_fetched_at,
    tenantName: row.tenant_name,
    settings: {
      walletRejectionStatus: row.wallet_rejection_status,
      statusPolicyTest: row.status_policy_test,
      statusPolicyLive: row.status_policy_live,
      haip: row.haip,
    },
  }
}
