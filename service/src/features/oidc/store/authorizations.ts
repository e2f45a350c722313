// Pending sign-ins; their secrets are stored as hashes. Each step is one conditional statement, so that one of two
// concurrent calls wins.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { BindingRule, BoundBy } from '../../../core/verifications/domain/browser-binding.ts'
import { type StoredVerification, VERIFICATION_COLUMNS } from '../../../core/verifications/store/columns.ts'
import type { Sealing, Tx } from '../../../platform/postgres/db.ts'
import {
  type Column,
  defineStatement,
  namesOf,
  type ParameterList,
  runStatement,
  selectOf,
  unnestIds,
} from '../../../platform/postgres/statement.ts'
import type { Environment, Instant } from '../../../platform/world.ts'
import { type AuthorizationRequest, requestBytes, requestSealContext } from '../domain/request.ts'

export interface StoredAuthorization {
  readonly id: string
  readonly tenantId: string
  readonly environment: Environment
  readonly clientId: string
  readonly verificationId: string
  /** For `openRequest`: each caller of a batch opens its own. */
  readonly sealedRequest: Buffer
}

const COLUMNS = `id, tenant_id as "tenantId", environment, client_id as "clientId", verification_id as "verificationId",
  request as "sealedRequest"`

export interface NewAuthorization extends Omit<StoredAuthorization, 'sealedRequest'> {
  readonly request: AuthorizationRequest
  readonly browserHash: Uint8Array
  readonly createdAt: Instant
  readonly endsAt: Instant
  /** Keyed hash of the network that began it; null if no new verification is created. */
  readonly networkHash: Uint8Array | null
  /** Set if the sign-in is answered at once. */
  readonly code: { readonly hash: Uint8Array; readonly expiresAt: Instant } | null
}

type SealedAuthorization = NewAuthorization & Pick<StoredAuthorization, 'sealedRequest'>

const WRITTEN: readonly Column<SealedAuthorization>[] = [
  { name: 'id', type: 'text', get: (one) => one.id },
  { name: 'tenant_id', type: 'text', get: (one) => one.tenantId },
  { name: 'environment', type: 'text', get: (one) => one.environment },
  { name: 'client_id', type: 'text', get: (one) => one.clientId },
  { name: 'verification_id', type: 'text', get: (one) => one.verificationId },
  { name: 'request', type: 'bytea', get: (one) => one.sealedRequest },
  { name: 'browser_hash', type: 'bytea', get: (one) => one.browserHash },
  { name: 'created_at', type: 'timestamptz', get: (one) => one.createdAt },
  { name: 'ends_at', type: 'timestamptz', get: (one) => one.endsAt },
  { name: 'network_hash', type: 'bytea', get: (one) => one.networkHash },
  { name: 'code_hash', type: 'bytea', get: (one) => one.code?.hash ?? null },
  { name: 'code_expires_at', type: 'timestamptz', get: (one) => one.code?.expiresAt ?? null },
]

const INSERT = defineStatement<readonly SealedAuthorization[]>(
  'insert_oidc_authorizations',
  (parameters) =>
    `insert into oidc_authorizations (${namesOf(WRITTEN)}) select ${selectOf(WRITTEN)} from ${parameters
      .rows(WRITTEN, (authorizations) => authorizations)
      .unnest('g')}`,
)

export async function insertAuthorizations(tx: Tx, authorizations: readonly NewAuthorization[]): Promise<void> {
  const sealed = authorizations.map((one) => ({
    ...one,
    sealedRequest: tx.sealer.seal(requestBytes(one.request), requestSealContext(one)),
  }))
  await runStatement(tx, INSERT, sealed)
}

export function openRequest({ sealer }: Sealing, authorization: StoredAuthorization): AuthorizationRequest {
  return JSON.parse(sealer.open(authorization.sealedRequest, requestSealContext(authorization)).toString('utf8'))
}

/** A sign-in and its verification, read in one statement. */
export interface StoredSignIn {
  readonly authorization: StoredAuthorization
  readonly verification: StoredVerification
}

type SignInRow<More> = StoredVerification &
  More & { readonly authorizationId: string; readonly oidcClientId: string; readonly sealedRequest: Buffer }

/** Columns of an authorization under that alias, from the tables of `withVerification`. */
const signInColumns = (alias: string) =>
  `${alias}.id as "authorizationId", ${alias}.client_id as "oidcClientId", ${alias}.request as "sealedRequest", ${VERIFICATION_COLUMNS}`

/** Ends in a `where` that keeps both in one realm; add further conditions with `and`. */
const withVerification = (
  alias: string,
) => `cross join lateral (select * from verifications where id = ${alias}.verification_id offset 0) v
  left join lateral (select * from verification_results where verification_id = v.id offset 0) r
    on r.tenant_id = v.tenant_id
  where v.tenant_id = ${alias}.tenant_id and v.environment = ${alias}.environment`

function signInOf<More>(row: SignInRow<More>): StoredSignIn {
  const { authorizationId, oidcClientId, sealedRequest, ...verification } = row
  const { tenantId, environment, id: verificationId } = verification
  return {
    authorization: {
      id: authorizationId,
      tenantId,
      environment,
      clientId: oidcClientId,
      verificationId,
      sealedRequest,
    },
    verification,
  }
}

export interface OpenSignIn extends StoredSignIn {
  /** Hash of the secret of the browser that began it. */
  readonly browserHash: Buffer
  /** null: an earlier release began it. */
  readonly rule: BindingRule | null
  /** Hash of the code that the wallet received; null while there is no answer. */
  readonly responseCodeHash: Buffer | null
  /** Tries of the confirmation code. */
  readonly tries: number
  readonly returnedElsewhere: boolean
}

type OpenMembers = Omit<OpenSignIn, keyof StoredSignIn>

/** Sign-ins that have no code yet. */
export async function findOpenSignIns(tx: Tx, realm: Realm, ids: readonly string[]): Promise<OpenSignIn[]> {
  const rows = await tx.query<SignInRow<OpenMembers>>(
    {
      name: 'find_open_oidc_sign_ins',
      text: `select ${signInColumns('a')}, a.browser_hash as "browserHash",
               v.browser_binding as rule, v.response_code_hash as "responseCodeHash", a.confirm_tries as tries,
               a.returned_elsewhere_at is not null as "returnedElsewhere" from ${unnestIds('$3', 'wanted')}
             cross join lateral (select * from oidc_authorizations where id = wanted.id offset 0) a
             ${withVerification('a')} and a.tenant_id = $1 and a.environment = $2 and a.code_hash is null`,
    },
    [realm.tenantId, realm.environment, [...new Set(ids)]],
  )
  return rows.map(({ browserHash, rule, responseCodeHash, tries, returnedElsewhere, ...row }) => {
    return { ...signInOf(row), browserHash, rule, responseCodeHash, tries, returnedElsewhere }
  })
}

interface OpenSignIns {
  readonly ofClient: number
  readonly ofNetwork: number
  /** When the oldest began; null if none is open. */
  readonly oldest: Instant | null
  readonly oldestOfNetwork: Instant | null
}

/** Counts sign-ins without an answer that began since then and did not fail before the eyes of their browser. */
export async function countOpenSignIns(
  tx: Tx,
  client: Realm & { readonly id: string },
  filter: { readonly networkHash: Uint8Array; readonly since: Instant },
): Promise<OpenSignIns> {
  const [row] = await tx.query<OpenSignIns>(
    {
      name: 'count_open_oidc_sign_ins',
      text: `select count(*)::int as "ofClient", min(created_at) as oldest,
                    count(*) filter (where network_hash = $4)::int as "ofNetwork",
                    min(created_at) filter (where network_hash = $4) as "oldestOfNetwork"
             from oidc_authorizations
             where client_id = $3 and created_at > $5 and code_hash is null and revoked_at is null and tenant_id = $1
               and environment = $2`,
    },
    [client.tenantId, client.environment, client.id, filter.networkHash, filter.since],
  )
  if (row === undefined) throw new Error('bug: a count without a row')
  return row
}

/** It is no longer open, so it will get no code. */
export async function noteFailed(
  tx: Tx,
  realm: Realm,
  { id, at }: { readonly id: string; readonly at: Instant },
): Promise<void> {
  await tx.query(
    {
      name: 'note_oidc_sign_in_failed',
      text: `update oidc_authorizations set revoked_at = $4
             where id = $3 and tenant_id = $1 and environment = $2 and code_hash is null and revoked_at is null`,
    },
    [realm.tenantId, realm.environment, id, at],
  )
}

export interface GivenCode {
  readonly id: string
  readonly hash: Uint8Array
  /** What bound the wallet's answer to the browser that gets it. */
  readonly boundBy: BoundBy
  readonly expiresAt: Instant
}

interface OfRealm<Item> {
  readonly realm: Realm
  readonly items: readonly Item[]
}

const SET_CODES = defineStatement<OfRealm<GivenCode>>('set_oidc_codes', (parameters) => {
  const columns: readonly Column<GivenCode>[] = [
    { name: 'id', type: 'text', get: ({ id }) => id },
    { name: 'hash', type: 'bytea', get: ({ hash }) => hash },
    { name: 'expires_at', type: 'timestamptz', get: ({ expiresAt }) => expiresAt },
    { name: 'bound_by', type: 'text', get: ({ boundBy }) => boundBy },
  ]
  const owner = ofRealm(parameters)
  return `with given as (select * from ${parameters.rows(columns, ({ items }) => items).unnest('g')}),
            locked as (
              select l.id from oidc_authorizations l
              join verifications v on v.id = l.verification_id and v.tenant_id = l.tenant_id
              where l.id in (select given.id from given) and l.tenant_id = ${owner.tenant}
                and l.environment = ${owner.environment} order by v.id for no key update of v),
            coded as (
              update oidc_authorizations a
              set code_hash = given.hash, code_expires_at = given.expires_at,
                ends_at = greatest(a.ends_at, given.expires_at)
              from given join locked on locked.id = given.id where a.id = given.id and a.code_hash is null
                and a.tenant_id = ${owner.tenant}
              returning a.code_hash, a.verification_id, given.bound_by),
            bound as (
              update verifications v set bound_by = coded.bound_by
              from coded where v.id = coded.verification_id and v.tenant_id = ${owner.tenant} and v.bound_by is null)
          select code_hash as hash from coded`
})

/** Returns the hashes of the codes that were set: one per sign-in. Locks the verification's row first, as an erasure does. */
export async function setCodes(tx: Tx, realm: Realm, items: readonly GivenCode[]): Promise<Buffer[]> {
  const rows = await runStatement<{ hash: Buffer }, OfRealm<GivenCode>>(tx, SET_CODES, { realm, items })
  return rows.map(({ hash }) => hash)
}

export interface UsedCode {
  readonly clientId: string
  readonly hash: Uint8Array
  readonly now: Instant
  /** Hash of the access token that is issued for it. */
  readonly tokenHash: Uint8Array
  readonly tokenExpiresAt: Instant
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
  ]
  const owner = ofRealm(parameters)
  return `with given as (select * from ${parameters.rows(columns, ({ items }) => items).unnest('g')}),
            locked as (${lockedBy('code_hash', 'given.hash', owner)}),
            used as (
              update oidc_authorizations a
              set code_used_at = given.used_at, token_hash = given.token_hash, token_expires_at = given.token_expires_at,
                ends_at = greatest(a.ends_at, given.token_expires_at)
              from given, locked
              where a.id = locked.id and a.tenant_id = ${owner.tenant} and a.code_hash = given.hash and a.client_id = given.client_id
                and a.code_used_at is null
              returning a.*),
            returned as (
              update usage_days u set live_sign_ins = greatest(0, u.live_sign_ins - finished.count)
              from (select share_day, count(*)::int as count from used where environment = 'live' group by share_day) finished
              where u.tenant_id = ${owner.tenant} and u.day = finished.share_day)
          select ${signInColumns('used')}, used.code_hash as "codeHash", used.code_expires_at as "codeExpiresAt"
          from used ${withVerification('used')}`
})

/**
 * Marks codes as used by their own clients, once. Sign-ins that the previous release began return what they reserved of
 * their daily quota.
 */
export async function useCodes(tx: Tx, realm: Realm, items: readonly UsedCode[]): Promise<SpentSignIn[]> {
  type Row = SignInRow<Pick<SpentSignIn, 'codeHash' | 'codeExpiresAt'>>
  const rows = await runStatement<Row, OfRealm<UsedCode>>(tx, USE_CODES, { realm, items })
  return rows.map(({ codeHash, codeExpiresAt, ...row }) => ({ ...signInOf(row), codeHash, codeExpiresAt }))
}

/** The sign-in of a code that its client can still use; the code is not used by this. */
export async function findByCode(
  tx: Tx,
  realm: Realm,
  { clientId, hash, now }: Pick<UsedCode, 'clientId' | 'hash' | 'now'>,
): Promise<StoredSignIn | null> {
  const [row] = await tx.query<SignInRow<unknown>>(
    {
      name: 'find_oidc_sign_in_by_code',
      text: `select ${signInColumns('a')} from oidc_authorizations a ${withVerification('a')}
               and a.tenant_id = $1 and a.environment = $2 and a.client_id = $3 and a.code_hash = $4
               and a.code_used_at is null and a.code_expires_at > $5`,
    },
    [realm.tenantId, realm.environment, clientId, hash, now],
  )
  return row === undefined ? null : signInOf(row)
}

/** RFC 6749 §4.1.2: a code that is used again revokes its token. Another client's code is not found here. */
export async function revokeByCode(tx: Tx, realm: Realm, used: UsedCode): Promise<void> {
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

/**
 * Deletes userinfo with its access token. A token call that is under way then stores none: it finds itself revoked.
 * Locks in the order of `lockedBy`.
 */
export async function revokeOfVerification(
  tx: Tx,
  realm: Realm,
  { id, at }: { readonly id: string; readonly at: Instant },
): Promise<void> {
  await tx.query(
    {
      name: 'revoke_oidc_verification',
      text: `with locked as (
               select l.id from oidc_authorizations l
               where l.verification_id = $3 and l.tenant_id = $1 and l.environment = $2 order by l.id for update of l)
             update oidc_authorizations a
             set revoked_at = coalesce(a.revoked_at, $4), token_hash = null, token_expires_at = null, userinfo = null
             from locked where a.id = locked.id and a.tenant_id = $1`,
    },
    [realm.tenantId, realm.environment, id, at],
  )
}

/** Stores userinfo if the content itself is not kept; false if the code was used a second time in the meantime. */
export async function keepUserinfo(
  tx: Tx,
  realm: Realm,
  { id, userinfo }: { readonly id: string; readonly userinfo: Uint8Array },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'keep_oidc_userinfo',
      text: `update oidc_authorizations set userinfo = $4
             where tenant_id = $1 and environment = $2 and id = $3 and token_hash is not null and revoked_at is null
             returning id`,
    },
    [realm.tenantId, realm.environment, id, userinfo],
  )
  return rows.length > 0
}

export interface TokenAuthorization extends StoredAuthorization {
  /** null: read it from the verification. */
  readonly userinfo: Buffer | null
}

export async function findByToken(
  tx: Tx,
  realm: Realm,
  filter: { readonly tokenHash: Uint8Array; readonly now: Instant },
): Promise<TokenAuthorization | null> {
  const [row] = await tx.query<TokenAuthorization>(
    {
      name: 'find_oidc_authorization_by_token',
      text: `select ${COLUMNS}, userinfo from oidc_authorizations
             where tenant_id = $1 and environment = $2 and token_hash = $3 and token_expires_at > $4
               and revoked_at is null`,
    },
    [realm.tenantId, realm.environment, filter.tokenHash, filter.now],
  )
  return row ?? null
}

/** Returns how many it deleted, at most `rowsMax`. */
export async function forgetAuthorizationsAcrossTenants(tx: Tx, now: Instant, rowsMax: number): Promise<number> {
  const rows = await tx.query(
    {
      name: 'forget_oidc_authorizations',
      text: `delete from oidc_authorizations where id = any (array(
               select id from oidc_authorizations where ends_at <= $1 order by ends_at limit $2))
             returning id`,
    },
    [now, rowsMax],
  )
  return rows.length
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

/** One lock order everywhere: two batches that share rows must not deadlock. */
function lockedBy(
  column: string,
  text: string,
  { tenant, environment }: { readonly tenant: string; readonly environment: string },
): string {
  return `select l.id from oidc_authorizations l where l.${column} in (select ${text} from given)
     and l.tenant_id = ${tenant} and l.environment = ${environment} order by l.id for update of l`
}
