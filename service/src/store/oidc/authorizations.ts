// Sign-ins under way: of their secrets only hashes. Each step is one conditional statement, so that of two at once one counts.

import type { Realm } from '../../domain/tenant/realm.ts'
import type { Environment, Instant } from '../../domain/world.ts'
import type { Tx } from '../postgres/db.ts'

export interface StoredAuthorization {
  readonly id: string
  readonly tenantId: string
  readonly environment: Environment
  readonly clientId: string
  readonly verificationId: string
  readonly sealedRequest: Buffer
}

const COLUMNS = `id, tenant_id as "tenantId", environment, client_id as "clientId", verification_id as "verificationId",
  request as "sealedRequest"`

export interface NewAuthorization extends StoredAuthorization {
  readonly browserHash: Uint8Array
  readonly createdAt: Instant
  readonly endsAt: Instant
  /** Where it is answered at once. */
  readonly code: { readonly hash: Uint8Array; readonly expiresAt: Instant } | null
}

export async function insertAuthorization(tx: Tx, made: NewAuthorization): Promise<void> {
  await tx.query(
    {
      name: 'insert_oidc_authorization',
      text: `insert into oidc_authorizations (id, tenant_id, environment, client_id, verification_id, request,
               browser_hash, created_at, ends_at, code_hash, code_expires_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    },
    [
      made.id,
      made.tenantId,
      made.environment,
      made.clientId,
      made.verificationId,
      made.sealedRequest,
      made.browserHash,
      made.createdAt,
      made.endsAt,
      made.code?.hash ?? null,
      made.code?.expiresAt ?? null,
    ],
  )
}

/** Of the browser that began it alone, and only until it got its code. */
export async function findOpenAuthorization(
  tx: Tx,
  realm: Realm,
  look: { readonly id: string; readonly browserHash: Uint8Array },
): Promise<StoredAuthorization | null> {
  const [row] = await tx.query<StoredAuthorization>(
    {
      name: 'find_open_oidc_authorization',
      text: `select ${COLUMNS} from oidc_authorizations
             where tenant_id = $1 and environment = $2 and id = $3 and browser_hash = $4 and code_hash is null`,
    },
    [realm.tenantId, realm.environment, look.id, look.browserHash],
  )
  return row ?? null
}

/** False where it has one. */
export async function setCode(
  tx: Tx,
  realm: Realm,
  code: { readonly id: string; readonly hash: Uint8Array; readonly expiresAt: Instant },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'set_oidc_code',
      text: `update oidc_authorizations set code_hash = $4, code_expires_at = $5, ends_at = greatest(ends_at, $5)
             where tenant_id = $1 and environment = $2 and id = $3 and code_hash is null returning id`,
    },
    [realm.tenantId, realm.environment, code.id, code.hash, code.expiresAt],
  )
  return rows.length === 1
}

interface UsedCode {
  readonly clientId: string
  readonly hash: Uint8Array
  readonly now: Instant
}

/** The first use of a code by its own client; null for any other. */
export async function useCode(
  tx: Tx,
  realm: Realm,
  used: UsedCode,
): Promise<(StoredAuthorization & { readonly codeExpiresAt: Instant }) | null> {
  const [row] = await tx.query<StoredAuthorization & { codeExpiresAt: Instant }>(
    {
      name: 'use_oidc_code',
      text: `update oidc_authorizations set code_used_at = $5
             where tenant_id = $1 and environment = $2 and client_id = $3 and code_hash = $4 and code_used_at is null
             returning ${COLUMNS}, code_expires_at as "codeExpiresAt"`,
    },
    [realm.tenantId, realm.environment, used.clientId, used.hash, used.now],
  )
  return row ?? null
}

/** RFC 6749 §4.1.2: a code that comes again takes its token with it. Another's code is nobody's here. */
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

/** False where its code came a second time meanwhile. */
export async function setToken(
  tx: Tx,
  realm: Realm,
  token: { readonly id: string; readonly hash: Uint8Array; readonly expiresAt: Instant; readonly userinfo: Uint8Array },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'set_oidc_token',
      text: `update oidc_authorizations
             set token_hash = $4, token_expires_at = $5, userinfo = $6, ends_at = greatest(ends_at, $5)
             where tenant_id = $1 and environment = $2 and id = $3 and revoked_at is null and token_hash is null
             returning id`,
    },
    [realm.tenantId, realm.environment, token.id, token.hash, token.expiresAt, token.userinfo],
  )
  return rows.length === 1
}

export interface FoundUserinfo {
  readonly id: string
  readonly clientId: string
  readonly userinfo: Buffer
}

export async function findUserinfo(
  tx: Tx,
  realm: Realm,
  look: { readonly tokenHash: Uint8Array; readonly now: Instant },
): Promise<FoundUserinfo | null> {
  const [row] = await tx.query<FoundUserinfo>(
    {
      name: 'find_oidc_userinfo',
      text: `select id, client_id as "clientId", userinfo from oidc_authorizations
             where tenant_id = $1 and environment = $2 and token_hash = $3 and token_expires_at > $4
               and revoked_at is null and userinfo is not null`,
    },
    [realm.tenantId, realm.environment, look.tokenHash, look.now],
  )
  return row ?? null
}

/** How many, `rowsMax` at most. */
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
