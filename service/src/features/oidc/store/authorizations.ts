// Stores pending sign-ins and their access tokens. Secrets are stored as hashes; of two concurrent calls, one wins.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { BindingRule } from '../../../core/verifications/domain/browser-binding.ts'
import { type StoredVerification, VERIFICATION_COLUMNS } from '../../../core/verifications/store/columns.ts'
import { type DayTexts, dayOf, daysAround, inDays, inKnownDays, rangeOf } from '../../../platform/postgres/days.ts'
import type { Sealing, Tx } from '../../../platform/postgres/db.ts'
import { type Column, defineStatement, namesOf, selectOf, unnestIds } from '../../../platform/postgres/statement.ts'
import type { Environment, Instant } from '../../../platform/world.ts'
import { type AuthorizationRequest, requestBytes, requestSealContext } from '../domain/request.ts'

export interface StoredAuthorization {
  readonly id: string
  readonly tenantId: string
  readonly environment: Environment
  readonly clientId: string
  readonly verificationId: string
  /** `openRequest` decrypts it, for each caller of a batch separately. */
  readonly sealedRequest: Buffer
}

const COLUMNS = `id, tenant_id as "tenantId", environment, client_id as "clientId", verification_id as "verificationId",
  request as "sealedRequest"`

export interface NewAuthorization extends Omit<StoredAuthorization, 'sealedRequest'> {
  readonly request: AuthorizationRequest
  readonly browserHash: Uint8Array
  readonly createdAt: Instant
  readonly endsAt: Instant
  /** The keyed hash of the browser's network; null if no new verification is created. */
  readonly networkHash: Uint8Array | null
  /** Set if the sign-in is answered immediately. */
  readonly code: { readonly hash: Uint8Array; readonly expiresAt: Instant } | null
}

type SealedAuthorization = NewAuthorization & Pick<StoredAuthorization, 'sealedRequest'> & { readonly day: number }

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

const INSERT = defineStatement<readonly SealedAuthorization[]>('insert_oidc_authorizations', (parameters) => {
  const rows = parameters.rows(WRITTEN, (authorizations) => authorizations)
  const days = (authorizations: readonly SealedAuthorization[]) => rangeOf(authorizations.map(({ day }) => day))
  const [from, to] = [parameters.one((all) => days(all).from), parameters.one((all) => days(all).to)]
  return `with input as (select * from ${rows.unnest('g')}), locked as (
              select v.id from verifications v
              join input on input.verification_id = v.id and input.tenant_id is not distinct from v.tenant_id
              where v.id = any (${rows.arrayOf('verification_id')}) and ${inKnownDays('v.day', { from, to })}
              order by v.id for key share of v)
            insert into oidc_authorizations (${namesOf(WRITTEN)}) select ${selectOf(WRITTEN)} from input
            where verification_id in (select id from locked)`
})

/** Leaves out sign-ins whose verification was erased in the meantime. A concurrent erasure waits for the other ones. */
export async function insertAuthorizations(tx: Tx, authorizations: readonly NewAuthorization[]): Promise<void> {
  const sealed = authorizations.map((one) => ({
    ...one,
    sealedRequest: tx.sealer.seal(requestBytes(one.request), requestSealContext(one)),
    day: dayOf(tx.sealer, one.verificationId),
  }))
  await tx.query({ name: INSERT.name, text: INSERT.text, replanEachCall: true }, INSERT.valuesOf(sealed))
}

export function openRequest({ sealer }: Sealing, authorization: StoredAuthorization): AuthorizationRequest {
  return JSON.parse(sealer.open(authorization.sealedRequest, requestSealContext(authorization)).toString('utf8'))
}

/** A sign-in and its verification, read in one statement. */
export interface StoredSignIn {
  readonly authorization: StoredAuthorization
  readonly verification: StoredVerification
}

export type SignInRow<More> = StoredVerification &
  More & { readonly authorizationId: string; readonly oidcClientId: string; readonly sealedRequest: Buffer }

/** The columns of an authorization with this alias, for the tables of `withVerification`. */
export const signInColumns = (alias: string) =>
  `${alias}.id as "authorizationId", ${alias}.client_id as "oidcClientId", ${alias}.request as "sealedRequest", ${VERIFICATION_COLUMNS}`

/**
 * SQL that joins the verification. Ends with a `where` that keeps both rows in one realm; add conditions with `and`.
 * Sign-ins last for minutes, so `daysAround` is enough.
 */
export const withVerification = (
  alias: string,
  days: DayTexts,
) => `cross join lateral (select * from verifications where id = ${alias}.verification_id and ${inDays('day', days)} offset 0) v
  left join lateral (select * from verification_results where verification_id = v.id and ${inDays('day', days)} offset 0) r
    on r.tenant_id = v.tenant_id
  where v.tenant_id = ${alias}.tenant_id and v.environment = ${alias}.environment`

export function signInOf<More>(row: SignInRow<More>): StoredSignIn {
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
  /** The hash of the secret of the browser that began the sign-in. */
  readonly browserHash: Buffer
  /** null if an earlier release began it. */
  readonly rule: BindingRule | null
  /** The hash of the code that the wallet got; null while there is no answer. */
  readonly responseCodeHash: Buffer | null
  /** How often a confirmation code was tried. */
  readonly tries: number
  readonly returnedElsewhere: boolean
}

type OpenMembers = Omit<OpenSignIn, keyof StoredSignIn>

/** Finds sign-ins that have no code yet. */
export async function findOpenSignIns(
  tx: Tx,
  realm: Realm,
  { ids, nowMs }: { readonly ids: readonly string[]; readonly nowMs: number },
): Promise<OpenSignIn[]> {
  const { from, to } = rangeOf(daysAround(nowMs))
  const rows = await tx.query<SignInRow<OpenMembers>>(
    {
      name: 'find_open_oidc_sign_ins',
      text: `select ${signInColumns('a')}, a.browser_hash as "browserHash",
               v.browser_binding as rule, v.response_code_hash as "responseCodeHash", a.confirm_tries as tries,
               a.returned_elsewhere_at is not null as "returnedElsewhere" from ${unnestIds('$3', 'wanted')}
             cross join lateral (select * from oidc_authorizations where tenant_id = $1 and id = wanted.id offset 0) a
             ${withVerification('a', { from: '$4', to: '$5' })} and a.environment = $2 and a.code_hash is null`,
    },
    [realm.tenantId, realm.environment, [...new Set(ids)], from, to],
  )
  return rows.map(({ browserHash, rule, responseCodeHash, tries, returnedElsewhere, ...row }) => {
    return { ...signInOf(row), browserHash, rule, responseCodeHash, tries, returnedElsewhere }
  })
}

interface OpenSignIns {
  readonly ofClient: number
  readonly ofNetwork: number
  /** Whether the network has begun a sign-in, even if its browser has seen that one fail. */
  readonly isKnownNetwork: boolean
  /** When the oldest open sign-in began; null if none is open. */
  readonly oldest: Instant | null
  readonly oldestOfNetwork: Instant | null
}

/** Counts sign-ins since `since` that have no answer, and whose browser has not seen them fail. */
export async function countOpenSignIns(
  tx: Tx,
  client: Realm & { readonly id: string },
  filter: { readonly networkHash: Uint8Array; readonly since: Instant },
): Promise<OpenSignIns> {
  const [row] = await tx.query<OpenSignIns>(
    {
      name: 'count_open_oidc_sign_ins',
      text: `select count(*) filter (where revoked_at is null)::int as "ofClient",
                    min(created_at) filter (where revoked_at is null) as oldest,
                    count(*) filter (where network_hash = $4 and revoked_at is null)::int as "ofNetwork",
                    min(created_at) filter (where network_hash = $4 and revoked_at is null) as "oldestOfNetwork",
                    coalesce(bool_or(network_hash = $4), false) as "isKnownNetwork"
             from oidc_authorizations
             where client_id = $3 and created_at > $5 and code_hash is null and tenant_id = $1 and environment = $2`,
    },
    [client.tenantId, client.environment, client.id, filter.networkHash, filter.since],
  )
  if (row === undefined) throw new Error('bug: a count without a row')
  return row
}

/** Ends a failed sign-in, which then gets no code. Returns false if it has a code, or has ended already. */
export async function noteFailed(
  tx: Tx,
  realm: Realm,
  { id, at }: { readonly id: string; readonly at: Instant },
): Promise<boolean> {
  const ended = await tx.query(
    {
      name: 'note_oidc_sign_in_failed',
      text: `update oidc_authorizations set revoked_at = $4
             where id = $3 and tenant_id = $1 and environment = $2 and code_hash is null and revoked_at is null returning id`,
    },
    [realm.tenantId, realm.environment, id, at],
  )
  return ended.length === 1
}

/**
 * Deletes userinfo with its access token: a concurrent token call stores none. A sign-in without a code stays open, so
 * that its client gets an error. Locks in the order of `lockedBy` (authorization-codes.ts).
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
             from locked where a.id = locked.id and a.tenant_id = $1 and a.code_hash is not null`,
    },
    [realm.tenantId, realm.environment, id, at],
  )
}

export interface TokenAuthorization extends StoredAuthorization {
  /** null if it has to be read from the verification. */
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
      text: `delete from oidc_authorizations where (tenant_id, id) in (
               select tenant_id, id from oidc_authorizations where ends_at <= $1 order by ends_at limit $2)
             returning id`,
    },
    [now, rowsMax],
  )
  return rows.length
}
