// Stores OpenID clients of tenants, and the hashes of their secrets.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { ClientTerms, OidcClient } from '../domain/client.ts'

/** Notifies other processes that a client or one of its secrets changed. */
export const CLIENT_CHANNEL = 'oidc_clients'

const COLUMNS = `id, tenant_id as "tenantId", environment, name, auth_method as "authMethod", jwks,
  redirect_uris as "redirectUris", templates, default_template as "defaultTemplate", subject_mode as "subjectMode",
  subject_claims as "subjectClaims", subject_per_type as "subjectPerType", require_true as "requireTrue", vp_data as "vpData",
  verified_claims as "verifiedClaims", claims_in_id_token as "claimsInIdToken", id_token_alg as "idTokenAlg", remember_minutes as "rememberMinutes", cross_device as "crossDevice",
  request_uris as "requestUris", profile,   created_at as "createdAt"`

export async function loadClient(tx: Tx, realm: Realm, id: string): Promise<OidcClient | null> {
  const [client] = await tx.query<OidcClient>(
    {
      name: 'load_oidc_client',
      text: `select ${COLUMNS} from oidc_clients where tenant_id = $1 and environment = $2 and id = $3`,
    },
    [realm.tenantId, realm.environment, id],
  )
  return client ?? null
}

export async function listClients(tx: Tx, realm: Realm): Promise<OidcClient[]> {
  return tx.query<OidcClient>(
    {
      name: 'list_oidc_clients',
      text: `select ${COLUMNS} from oidc_clients where tenant_id = $1 and environment = $2 order by created_at, id`,
    },
    [realm.tenantId, realm.environment],
  )
}

export async function hasClients(tx: Tx, realm: Realm): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'has_oidc_clients',
      text: 'select 1 from oidc_clients where tenant_id = $1 and environment = $2 limit 1',
    },
    [realm.tenantId, realm.environment],
  )
  return rows.length === 1
}

const WRITTEN = [
  ['name', (client: ClientTerms) => client.name],
  ['jwks', (client: ClientTerms) => client.jwks],
  ['redirect_uris', (client: ClientTerms) => client.redirectUris],
  ['templates', (client: ClientTerms) => client.templates],
  ['default_template', (client: ClientTerms) => client.defaultTemplate],
  ['subject_mode', (client: ClientTerms) => client.subjectMode],
  ['subject_claims', (client: ClientTerms) => client.subjectClaims],
  ['require_true', (client: ClientTerms) => client.requireTrue],
  ['vp_data', (client: ClientTerms) => client.vpData],
  ['verified_claims', (client: ClientTerms) => client.verifiedClaims],
  ['claims_in_id_token', (client: ClientTerms) => client.claimsInIdToken],
  ['id_token_alg', (client: ClientTerms) => client.idTokenAlg],
  ['remember_minutes', (client: ClientTerms) => client.rememberMinutes],
  ['profile', (client: ClientTerms) => client.profile],
  ['request_uris', (client: ClientTerms) => client.requestUris],
  ['cross_device', (client: ClientTerms) => client.crossDevice],
] as const

const NAMES = WRITTEN.map(([name]) => name)
const valuesOf = (client: ClientTerms) => WRITTEN.map(([, get]) => get(client))

/**
 * The caller has locked the tenant's row, so that concurrent calls cannot exceed the limit. The store says whether
 * subjects depend on the type, because processes of the release before compute them without it.
 */
export async function insertClient(tx: Tx, client: Omit<OidcClient, 'subjectPerType'>): Promise<OidcClient> {
  const rows = await tx.query<Pick<OidcClient, 'subjectPerType'>>(
    {
      name: 'insert_oidc_client',
      text: `insert into oidc_clients (id, tenant_id, environment, auth_method, created_at, ${NAMES.join(', ')})
             values ($1, $2, $3, $4, $5, ${NAMES.map((_, at) => `$${at + 6}`).join(', ')})
             returning subject_per_type as "subjectPerType"`,
    },
    [client.id, client.tenantId, client.environment, client.authMethod, client.createdAt, ...valuesOf(client)],
  )
  return { ...client, subjectPerType: rows[0]?.subjectPerType === true }
}

/** False if the client does not exist. */
export async function updateClient(tx: Tx, client: OidcClient): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'update_oidc_client',
      text: `update oidc_clients set subject_per_type = $4, ${NAMES.map((name, at) => `${name} = $${at + 5}`).join(', ')}
             where tenant_id = $1 and environment = $2 and id = $3 returning pg_notify('${CLIENT_CHANNEL}', '')`,
    },
    [client.tenantId, client.environment, client.id, client.subjectPerType, ...valuesOf(client)],
  )
  return rows.length === 1
}

/** Also deletes its secrets and pending sign-ins. Returns its name; null if it does not exist. */
export async function deleteClient(tx: Tx, realm: Realm, id: string): Promise<string | null> {
  const [row] = await tx.query<{ name: string }>(
    {
      name: 'delete_oidc_client',
      text: `delete from oidc_clients where tenant_id = $1 and environment = $2 and id = $3
             returning name, pg_notify('${CLIENT_CHANNEL}', '')`,
    },
    [realm.tenantId, realm.environment, id],
  )
  return row?.name ?? null
}

interface NewClientSecret {
  readonly clientId: string
  readonly hash: Uint8Array
  readonly at: Instant
  /** Until when the previous secret is valid. Older secrets become invalid now. */
  readonly previousUntil: Instant
}

export async function replaceClientSecret(tx: Tx, realm: Realm, secret: NewClientSecret): Promise<void> {
  await tx.query(
    {
      name: 'end_old_oidc_client_secrets',
      text: `delete from oidc_client_secrets
             where tenant_id = $1 and environment = $2 and client_id = $3 and expires_at is not null`,
    },
    [realm.tenantId, realm.environment, secret.clientId],
  )
  await tx.query(
    {
      name: 'limit_oidc_client_secret',
      text: `update oidc_client_secrets set expires_at = $4
             where tenant_id = $1 and environment = $2 and client_id = $3`,
    },
    [realm.tenantId, realm.environment, secret.clientId, secret.previousUntil],
  )
  await tx.query(
    {
      name: 'insert_oidc_client_secret',
      text: `insert into oidc_client_secrets (hash, client_id, tenant_id, environment, created_at)
             values ($4, $3, $1, $2, $5) returning pg_notify('${CLIENT_CHANNEL}', '')`,
    },
    [realm.tenantId, realm.environment, secret.clientId, secret.hash, secret.at],
  )
}

export interface ClientSecret {
  readonly hash: Buffer
  /** null for the newest secret. */
  readonly expiresAt: Instant | null
}

export async function listClientSecrets(tx: Tx, realm: Realm, clientId: string): Promise<ClientSecret[]> {
  return tx.query<ClientSecret>(
    {
      name: 'list_oidc_client_secrets',
      text: `select hash, expires_at as "expiresAt" from oidc_client_secrets
             where tenant_id = $1 and environment = $2 and client_id = $3`,
    },
    [realm.tenantId, realm.environment, clientId],
  )
}

/** Returns false if the assertion was used before. */
export async function insertAssertion(
  tx: Tx,
  realm: Realm,
  assertion: { readonly clientId: string; readonly hash: Uint8Array; readonly expiresAt: Instant },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'insert_oidc_assertion',
      text: `insert into oidc_assertions (client_id, hash, tenant_id, environment, expires_at)
             select id, $4, tenant_id, environment, $5 from oidc_clients
             where tenant_id = $1 and environment = $2 and id = $3 for key share
             on conflict do nothing returning client_id`,
    },
    [realm.tenantId, realm.environment, assertion.clientId, assertion.hash, assertion.expiresAt],
  )
  return rows.length === 1
}

export async function forgetAssertionsAcrossTenants(tx: Tx, now: Instant, rowsMax: number): Promise<number> {
  const rows = await tx.query(
    {
      name: 'forget_oidc_assertions',
      text: `delete from oidc_assertions where (tenant_id, client_id, hash) in (
               select tenant_id, client_id, hash from oidc_assertions where expires_at <= $1 order by expires_at limit $2)
             returning client_id`,
    },
    [now, rowsMax],
  )
  return rows.length
}

export async function forgetClientSecretsAcrossTenants(tx: Tx, now: Instant): Promise<void> {
  await tx.query(
    { name: 'forget_oidc_client_secrets', text: 'delete from oidc_client_secrets where expires_at <= $1' },
    [now],
  )
}
