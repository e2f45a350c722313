// Stores certificates, and the private authority of generated certificates. Private keys are sealed.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { violates } from '../../../platform/postgres/connection.ts'
import type { Sealing, Tx } from '../../../platform/postgres/db.ts'
import type { Environment, Instant } from '../../../platform/world.ts'
import { authoritySealContext, type Certificate, certificateSealContext } from '../domain/certificate.ts'

/** A notification on this channel makes replicas drop their cached certificates. */
export const CERTIFICATES_CHANNEL = 'access_keys'

/** A verification lives at most an hour. Until then its wallet may fetch a request that a replaced key must sign. */
const RETIRED_USABLE = "interval '2 hours'"

const COLUMNS = `id, tenant_id as "tenantId", environment, purpose, service_id as "serviceId", origin as provenance,
                 private_key as "sealedKey", chain, created_at as "createdAt", installed_at as "installedAt",
                 retired_at as "retiredAt"`

export interface SealedCertificate extends Certificate {
  /** `openCertificateKey` opens it. */
  readonly sealedKey: Uint8Array
}

export interface NewCertificate extends Certificate {
  /** In the form of `openStoredKey`: PKCS #8 as DER, or the reference of a key outside. */
  readonly privateKey: Uint8Array
}

/** For `openStoredKey`. Throws if the master key is wrong or the row was tampered with. */
export const openCertificateKey = ({ sealer }: Sealing, sealed: SealedCertificate): Buffer =>
  sealer.open(sealed.sealedKey, certificateSealContext(sealed))

/** Lists the keys of all certificates in use, for `openStoredKey`. Omits keys that this process cannot decrypt. */
export async function listCertificateKeyMaterial(tx: Tx): Promise<Buffer[]> {
  const current = (await listAllCertificates(tx)).filter((key) => key.installedAt !== null && key.retiredAt === null)
  return current.flatMap((sealed) => {
    try {
      return [openCertificateKey(tx, sealed)]
    } catch {
      return []
    }
  })
}

const sealKey = ({ sealer }: Sealing, key: NewCertificate) => sealer.seal(key.privateKey, certificateSealContext(key))

/** Returns certificates for all purposes, by tenant: the tenant's before the service's, and current before retired. */
export async function loadUsableCertificates(
  tx: Tx,
  tenantIds: readonly string[],
  at: { environment: Environment; now: Instant },
): Promise<SealedCertificate[][]> {
  const rows = await tx.query<SealedCertificate>(
    {
      name: 'load_usable_certificates',
      text: `select ${COLUMNS} from access_keys
             where (tenant_id = any ($1::text[]) or tenant_id is null) and environment = $2 and installed_at is not null
               and (retired_at is null or retired_at > $3::timestamptz - ${RETIRED_USABLE})
             order by retired_at desc nulls first, tenant_id is null, installed_at desc`,
    },
    [tenantIds, at.environment, at.now],
  )
  return tenantIds.map((id) => rows.filter(({ tenantId }) => tenantId === id || tenantId === null))
}

/** Lists certificates of a realm and of the operator that are not retired. */
export async function listCertificatesOf(tx: Tx, realm: Realm): Promise<SealedCertificate[]> {
  return tx.query<SealedCertificate>(
    {
      name: 'list_certificates_of',
      text: `select ${COLUMNS} from access_keys
             where environment = $2 and (tenant_id = $1 or tenant_id is null) and retired_at is null
             order by tenant_id nulls first, purpose desc, created_at, id`,
    },
    [realm.tenantId, realm.environment],
  )
}

/** Lists the certificates of all owners, for the operator. */
export async function listAllCertificates(tx: Tx): Promise<SealedCertificate[]> {
  return tx.query<SealedCertificate>({
    name: 'list_all_certificates',
    text: `select ${COLUMNS} from access_keys order by environment, tenant_id nulls first, purpose desc, created_at, id`,
  })
}

/** Returns false if another certificate became current first. */
export async function insertCurrentCertificate(tx: Tx, key: NewCertificate): Promise<boolean> {
  const { id, tenantId, environment, purpose, serviceId, provenance, chain, createdAt } = key
  const installedAt = key.installedAt ?? createdAt
  const sealed = sealKey(tx, key)
  const rows = await tx.query(
    {
      name: 'insert_current_certificate',
      text: `insert into access_keys (id, tenant_id, environment, purpose, service_id, origin, private_key, chain, created_at,
                                     installed_at, retired_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, null)
             on conflict do nothing returning pg_notify('${CERTIFICATES_CHANNEL}', '')`,
    },
    [id, tenantId, environment, purpose, serviceId, provenance, sealed, chain, createdAt, installedAt],
  )
  return rows.length === 1
}

/** `tenantId` is null for the operator. */
type Owned = Pick<NewCertificate, 'id' | 'tenantId'>

/** DER of PKCS #10. Contains only public parts. */
export type SigningRequest = Uint8Array

/** `signingRequest` is null if the certificate came with its key. */
export async function insertWaitingCertificate(
  tx: Tx,
  key: NewCertificate,
  signingRequest: SigningRequest | null,
): Promise<void> {
  const { id, tenantId, environment, purpose, serviceId, createdAt } = key
  await tx.query(
    {
      name: 'insert_waiting_certificate',
      text: `insert into access_keys
               (id, tenant_id, environment, purpose, service_id, origin, private_key, chain, created_at, signing_request)
             values ($1, $2, $3, $4, $5, 'installed', $6, '{}', $7, $8)`,
    },
    [id, tenantId, environment, purpose, serviceId, sealKey(tx, key), createdAt, signingRequest],
  )
}

/** Returns false if the certificate no longer waits. */
export async function keepSigningRequest(tx: Tx, keep: Owned & { request: SigningRequest }): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'keep_signing_request',
      text: `update access_keys set signing_request = $3
             where id = $1 and tenant_id is not distinct from $2 and installed_at is null returning id`,
    },
    [keep.id, keep.tenantId, keep.request],
  )
  return rows.length === 1
}

/** Lists the requests of the realm's own waiting keys, by id. Omits keys whose request was not stored. */
export async function listSigningRequests(tx: Tx, realm: Realm): Promise<ReadonlyMap<string, SigningRequest>> {
  const rows = await tx.query<{ id: string; signing_request: Buffer }>(
    {
      name: 'list_signing_requests',
      text: `select id, signing_request from access_keys
             where tenant_id = $1 and environment = $2 and installed_at is null and retired_at is null
               and signing_request is not null`,
    },
    [realm.tenantId, realm.environment],
  )
  return new Map(rows.map((row) => [row.id, row.signing_request]))
}

/** Returns false if no such key of the realm waits. */
export async function removeWaitingCertificate(tx: Tx, realm: Realm, id: string): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'remove_waiting_certificate',
      text: `delete from access_keys
             where id = $1 and tenant_id = $2 and environment = $3 and installed_at is null returning id`,
    },
    [id, realm.tenantId, realm.environment],
  )
  return rows.length === 1
}

/** Returns false if the certificate no longer waits. Fails the transaction if another became current first: see `isUseTaken`. */
export async function activateCertificate(
  tx: Tx,
  activate: Owned & { chain: readonly Uint8Array[]; at: Instant },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'activate_certificate',
      text: `update access_keys set chain = $3, installed_at = $4, signing_request = null
             where id = $1 and tenant_id is not distinct from $2 and installed_at is null
             returning pg_notify('${CERTIFICATES_CHANNEL}', '')`,
    },
    [activate.id, activate.tenantId, activate.chain, activate.at],
  )
  return rows.length === 1
}

/** Whether a transaction failed because another certificate is current for the same use. */
export const isUseTaken = (error: unknown) => violates(error, 'access_keys_current')

/** Returns true if the certificate was current until now. */
export async function retireCertificate(tx: Tx, retire: Owned & { at: Instant }): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'retire_certificate',
      text: `update access_keys set retired_at = $3
             where id = $1 and tenant_id is not distinct from $2 and installed_at is not null and retired_at is null
             returning pg_notify('${CERTIFICATES_CHANNEL}', '')`,
    },
    [retire.id, retire.tenantId, retire.at],
  )
  return rows.length === 1
}

interface Authority {
  readonly environment: Environment
  readonly certificate: Uint8Array
  readonly createdAt: Instant
}

interface SealedAuthority extends Authority {
  /** `openAuthorityKey` opens it. */
  readonly sealedKey: Uint8Array
}

/** PKCS #8, DER. */
export const openAuthorityKey = ({ sealer }: Sealing, { sealedKey, environment }: SealedAuthority): Buffer =>
  sealer.open(sealedKey, authoritySealContext(environment))

export async function loadAuthority(tx: Tx, environment: Environment): Promise<SealedAuthority | null> {
  const text = `select environment, certificate, private_key as "sealedKey", created_at as "createdAt"
                from access_authorities where environment = $1`
  const [authority] = await tx.query<SealedAuthority>({ name: 'load_access_authority', text }, [environment])
  return authority ?? null
}

/** Does nothing if there already is an authority. */
export async function insertAuthority(
  tx: Tx,
  authority: Authority & { readonly privateKey: Uint8Array },
): Promise<void> {
  const { environment, certificate, createdAt } = authority
  const sealedKey = tx.sealer.seal(authority.privateKey, authoritySealContext(environment))
  await tx.query(
    {
      name: 'insert_access_authority',
      text: `insert into access_authorities (environment, certificate, private_key, created_at)
             values ($1, $2, $3, $4) on conflict do nothing`,
    },
    [environment, certificate, sealedKey, createdAt],
  )
}
