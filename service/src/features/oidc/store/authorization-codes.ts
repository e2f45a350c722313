// Stores the codes of sign-ins as hashes. Each is set once and used once; of two concurrent calls, one wins.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { BoundBy } from '../../../core/verifications/domain/browser-binding.ts'
import { daysAround, inDays, rangeOf } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import {
  type Column,
  dayParameters,
  defineStatement,
  type ParameterList,
  runStatement,
} from '../../../platform/postgres/statement.ts'
import { type Instant, millisecondsOf } from '../../../platform/world.ts'
import { CONFIRM_TRIES } from '../domain/confirmation.ts'
import { type SignInRow, type StoredSignIn, signInColumns, signInOf, withVerification } from './authorizations.ts'

export interface NewCode {
  readonly id: string
  /** The partition of its verification. */
  readonly day: number
  readonly hash: Uint8Array
  /** What bound the wallet's answer to the browser that gets the code. */
  readonly boundBy: BoundBy
  readonly expiresAt: Instant
}

interface OfRealm<Item> {
  readonly realm: Realm
  readonly items: readonly Item[]
}

const SET_CODES = defineStatement<OfRealm<NewCode>>('set_oidc_codes', (parameters) => {
  const columns: readonly Column<NewCode>[] = [
    { name: 'id', type: 'text', get: ({ id }) => id },
    { name: 'hash', type: 'bytea', get: ({ hash }) => hash },
    { name: 'expires_at', type: 'timestamptz', get: ({ expiresAt }) => expiresAt },
    { name: 'bound_by', type: 'text', get: ({ boundBy }) => boundBy },
  ]
  const owner = ofRealm(parameters)
  const days = dayParameters(parameters, ({ items }) => items.map(({ day }) => day))
  return `with input as (select * from ${parameters.rows(columns, ({ items }) => items).unnest('g')}),
            locked as (
              select l.id, v.bound_by from oidc_authorizations l
              join verifications v on v.id = l.verification_id and v.tenant_id = l.tenant_id and ${inDays('v.day', days)}
              where l.id in (select input.id from input) and l.tenant_id = ${owner.tenant}
                and l.environment = ${owner.environment} order by v.id for no key update of v),
            coded as (
              update oidc_authorizations a
              set code_hash = input.hash, code_expires_at = input.expires_at,
                ends_at = greatest(a.ends_at, input.expires_at)
              from input join locked on locked.id = input.id where a.id = input.id and a.code_hash is null and a.revoked_at is null
                and (locked.bound_by is not null or a.confirm_tries < ${CONFIRM_TRIES})
                and a.tenant_id = ${owner.tenant}
              returning a.code_hash, a.verification_id, input.bound_by),
            bound as (
              update verifications v set bound_by = coded.bound_by
              from coded where v.id = coded.verification_id and v.tenant_id = ${owner.tenant} and ${inDays('v.day', days)}
                and v.bound_by is null)
          select code_hash as hash from coded`
})

/**
 * Returns the hashes of the codes that were set, one per sign-in; none if it failed or the person gave up in the
 * meantime. Locks the verification's row first, as an erasure does.
 */
export async function setCodes(tx: Tx, realm: Realm, items: readonly NewCode[]): Promise<Buffer[]> {
  const rows = await runStatement<{ hash: Buffer }, OfRealm<NewCode>>(tx, SET_CODES, { realm, items })
  return rows.map(({ hash }) => hash)
}

interface CodeOfClient {
  readonly clientId: string
  readonly hash: Uint8Array
  readonly now: Instant
}

export interface UsedCode extends CodeOfClient {
  /** The hash of the access token that is issued for the code. */
  readonly tokenHash: Uint8Array
  readonly tokenExpiresAt: Instant
  /** What is kept for userinfo, encrypted to the token; null: nothing, it is read from the verification. */
  readonly userinfo: Uint8Array | null
  /** Leaves the code unused if the content is forwarded: then userinfo has to be stored with its use. */
  readonly leavesForwarded: boolean
}

export interface SpentSignIn extends StoredSignIn {
  readonly codeHash: Buffer
  readonly codeExpiresAt: Instant
}

const USE_CODES = defineStatement<OfRealm<UsedCode>>('use_oidc_codes', (parameters) => {
  const columns: readonly Column<UsedCode>[] = [
    { name: 'client_id', type: 'text', get: ({ clientId }) => clientId },
    { name: 'hash', type: 'bytea', get: ({ hash }) => hash },
    { name: 'used_at', type: 'timestamptz', get: ({ now }) => now },
    { name: 'token_hash', type: 'bytea', get: ({ tokenHash }) => tokenHash },
    { name: 'token_expires_at', type: 'timestamptz', get: ({ tokenExpiresAt }) => tokenExpiresAt },
    { name: 'userinfo', type: 'bytea', get: ({ userinfo }) => userinfo },
    { name: 'leaves_forwarded', type: 'boolean', get: ({ leavesForwarded }) => leavesForwarded },
  ]
  const owner = ofRealm(parameters)
  const days = dayParameters(parameters, ({ items }) => items.flatMap(({ now }) => daysAround(millisecondsOf(now))))
  return `with input as (select * from ${parameters.rows(columns, ({ items }) => items).unnest('g')}),
            locked as (${lockedBy('code_hash', 'input.hash', owner)}),
            used as (
              update oidc_authorizations a
              set code_used_at = input.used_at, token_hash = input.token_hash, token_expires_at = input.token_expires_at,
                ends_at = greatest(a.ends_at, input.token_expires_at), userinfo = case when a.revoked_at is null then input.userinfo end
              from input, locked
              where a.id = locked.id and a.tenant_id = ${owner.tenant} and a.code_hash = input.hash and a.client_id = input.client_id
                and a.code_used_at is null and (not input.leaves_forwarded or not exists (
                  select from verification_results r where r.verification_id = a.verification_id and r.tenant_id = a.tenant_id
                    and r.forget_at is not null and ${inDays('r.day', days)}))
              returning a.*),
            returned as (
              update usage_days u set live_sign_ins = greatest(0, u.live_sign_ins - finished.count)
              from (select share_day, count(*)::int as count from used where environment = 'live' group by share_day) finished
              where u.tenant_id = ${owner.tenant} and u.day = finished.share_day)
          select ${signInColumns('used')}, used.code_hash as "codeHash", used.code_expires_at as "codeExpiresAt"
          from used ${withVerification('used', days)}`
})

/**
 * Marks codes as used by their own clients, once. Sign-ins from the previous release give back what they reserved of
 * the daily quota.
 */
export async function useCodes(tx: Tx, realm: Realm, items: readonly UsedCode[]): Promise<SpentSignIn[]> {
  type Row = SignInRow<Pick<SpentSignIn, 'codeHash' | 'codeExpiresAt'>>
  const rows = await runStatement<Row, OfRealm<UsedCode>>(tx, USE_CODES, { realm, items })
  return rows.map(({ codeHash, codeExpiresAt, ...row }) => ({ ...signInOf(row), codeHash, codeExpiresAt }))
}

/** Finds the sign-in of a code that its client can still use. Does not use the code. */
export async function findByCode(
  tx: Tx,
  realm: Realm,
  { clientId, hash, now }: CodeOfClient,
): Promise<StoredSignIn | null> {
  const { from, to } = rangeOf(daysAround(millisecondsOf(now)))
  const [row] = await tx.query<SignInRow<unknown>>(
    {
      name: 'find_oidc_sign_in_by_code',
      text: `select ${signInColumns('a')} from oidc_authorizations a ${withVerification('a', { from: '$6', to: '$7' })}
               and a.tenant_id = $1 and a.environment = $2 and a.client_id = $3 and a.code_hash = $4
               and a.code_used_at is null and a.code_expires_at > $5`,
    },
    [realm.tenantId, realm.environment, clientId, hash, now, from, to],
  )
  return row === undefined ? null : signInOf(row)
}

/** RFC 6749 §4.1.2: a code that is used again revokes its token. Does not find codes of other clients. */
export async function revokeByCode(tx: Tx, realm: Realm, used: CodeOfClient): Promise<void> {
  await tx.query(
    {
      name: 'revoke_oidc_code',
      text: `update oidc_authorizations
             set revoked_at = coalesce(revoked_at, $5), token_hash = null, token_expires_at = null, userinfo = null
             where tenant_id = $1 and environment = $2 and client_id = $3 and code_hash = $4 and code_used_at is not null`,
    },
    [realm.tenantId, realm.environment, used.clientId, used.hash, used.now],
  )
}

function ofRealm<Item>(parameters: ParameterList<OfRealm<Item>>): {
  readonly tenant: string
  readonly environment: string
} {
  return {
    tenant: parameters.one(({ realm }) => realm.tenantId),
    environment: parameters.one(({ realm }) => realm.environment),
  }
}

/** One lock order everywhere, so that two batches with the same rows cannot deadlock. */
function lockedBy(
  column: string,
  text: string,
  { tenant, environment }: { readonly tenant: string; readonly environment: string },
): string {
  return `select l.id from oidc_authorizations l where l.${column} in (select ${text} from input)
     and l.tenant_id = ${tenant} and l.environment = ${environment} order by l.id for update of l`
}
