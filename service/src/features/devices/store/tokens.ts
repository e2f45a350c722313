// Token pairs of venue devices. Lookups by a secret's hash are across tenants; other statements name the tenant.

import type { Closed } from '../../../core/tenants/domain/closed.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { closedColumn } from '../../../core/tenants/store/closed.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Device } from '../domain/device.ts'
import { PAIRING_SECONDS, type PairRecord } from '../domain/token.ts'
import { type DeviceRow, deviceColumns, toDevice } from './devices.ts'

interface IssuedPair {
  readonly device: Device
  readonly refreshExpiresAt: Instant
}

/** The device of an access token. Tokens of a revoked device count as unknown. */
interface KnownAccessToken {
  readonly device: Device
  readonly expiresAt: Instant
  /** Whether the refresh token of the same pair has been exchanged. */
  readonly refreshSpent: boolean
  /** Set if the device's tenant is not served here. */
  readonly closed: Closed
}

type PairRow = DeviceRow & { refresh_expires_at: string }

/** A hash that occurs in two rows does not identify a device. */
const isUnique = (column: 'refresh_hash' | 'access_hash', hash: string) =>
  `1 = (select count(*) from device_token_pairs o where o.${column} = ${hash})`

/** Activates the device, consumes the code and issues tokens in one statement. A second call finds no code. */
export async function consumePairingCode(
  tx: Tx,
  input: { codeHashes: readonly Uint8Array[]; pair: PairRecord },
): Promise<IssuedPair | null> {
  const { pair } = input
  const [row] = await tx.query<PairRow>(
    {
      name: 'consume_pairing_code',
      text: `with consumed as (
               update devices d
               set status = 'active', pairing_code_hash = null, enrolled_at = $4, last_seen_at = $4
               where d.pairing_code_hash = any ($1::bytea[]) and d.status = 'pending' and d.pairing_expires_at > $4
                 and 1 = (select count(*) from devices o where o.pairing_code_hash = any ($1::bytea[]))
               returning ${deviceColumns('d')}
             ), issued as (
               insert into device_token_pairs
                 (tenant_id, environment, refresh_hash, access_hash, device_id, issued_at, access_expires_at, refresh_expires_at)
               select tenant_id, environment, $2, $3, id, $4, $5, $6 from consumed
               returning refresh_expires_at
             )
             select ${deviceColumns('c')}, i.refresh_expires_at from consumed c cross join issued i`,
    },
    [input.codeHashes, pair.refreshHash, pair.accessHash, pair.issuedAt, pair.accessExpiresAt, pair.refreshExpiresAt],
  )
  return row === undefined ? null : toIssued(row)
}

/**
 * Spends the refresh token and issues its successor in one statement. A concurrent call waits for the row and then
 * finds it spent. Locks the device before the token, so that no refresh succeeds after a revocation.
 */
export async function rotatePair(
  tx: Tx,
  rotate: { refreshHash: Uint8Array; pair: PairRecord },
): Promise<IssuedPair | null> {
  const { pair } = rotate
  const [row] = await tx.query<PairRow>(
    {
      name: 'rotate_device_tokens',
      text: `with device as (
               select ${deviceColumns('d')} from devices d
               join device_token_pairs t on t.tenant_id = d.tenant_id and t.device_id = d.id
               where t.refresh_hash = $1 and d.status = 'active' and ${isUnique('refresh_hash', '$1')}
               for share of d
             ), spent as (
               update device_token_pairs t set spent_at = $4 from device
               where t.refresh_hash = $1 and t.tenant_id = device.tenant_id and t.device_id = device.id
                 and t.spent_at is null and t.refresh_expires_at > $4
               returning t.device_id
             ), issued as (
               insert into device_token_pairs
                 (tenant_id, environment, refresh_hash, access_hash, device_id, issued_at, access_expires_at, refresh_expires_at)
               select device.tenant_id, device.environment, $2, $3, device.id, $4, $5, least($6, device.enrolled_at + make_interval(secs => $7))
               from device join spent on spent.device_id = device.id
               returning device_id, refresh_expires_at
             )
             select ${deviceColumns('device')}, issued.refresh_expires_at
             from device join issued on issued.device_id = device.id`,
    },
    [
      rotate.refreshHash,
      pair.refreshHash,
      pair.accessHash,
      pair.issuedAt,
      pair.accessExpiresAt,
      pair.refreshExpiresAt,
      PAIRING_SECONDS,
    ],
  )
  return row === undefined ? null : toIssued(row)
}

/**
 * Returns the device of a spent refresh token; null if the token is unknown or unspent, or the device is not active.
 */
export async function findDeviceOfSpentToken(tx: Tx, refreshHash: Uint8Array): Promise<Device | null> {
  const [row] = await tx.query<DeviceRow>(
    {
      name: 'find_device_of_spent_token',
      text: `select ${deviceColumns('d')} from device_token_pairs t
             join devices d on d.tenant_id = t.tenant_id and d.id = t.device_id
             where t.refresh_hash = $1 and t.spent_at is not null and d.status = 'active' and ${isUnique('refresh_hash', '$1')}`,
    },
    [refreshHash],
  )
  return row === undefined ? null : toDevice(row)
}

/**
 * One indexed query per request and no cache, so that a revocation takes effect with the next request on every replica.
 */
export async function findAccessToken(tx: Tx, accessHash: Uint8Array): Promise<KnownAccessToken | null> {
  const [row] = await tx.query<DeviceRow & { access_expires_at: string; refresh_spent: boolean; closed: Closed }>(
    {
      name: 'find_device_access',
      text: `select ${deviceColumns('d')}, t.access_expires_at, t.spent_at is not null as refresh_spent,
               ${closedColumn('n')} as closed
             from device_token_pairs t join devices d on d.tenant_id = t.tenant_id and d.id = t.device_id
             join tenants n on n.id = d.tenant_id
             where t.access_hash = $1 and d.status = 'active' and ${isUnique('access_hash', '$1')}`,
    },
    [accessHash],
  )
  return row === undefined
    ? null
    : {
        device: toDevice(row),
        expiresAt: row.access_expires_at,
        refreshSpent: row.refresh_spent,
        closed: row.closed,
      }
}

/**
 * Whether the tenant of a refresh token is served here. Call it first: a token that is spent at the wrong installation
 * would revoke its device.
 */
export async function findClosedOfToken(tx: Tx, refreshHash: Uint8Array): Promise<Closed> {
  const [row] = await tx.query<{ closed: Closed }>(
    {
      name: 'find_closed_of_device_token',
      text: `select ${closedColumn('n')} as closed
             from device_token_pairs t join tenants n on n.id = t.tenant_id where t.refresh_hash = $1`,
    },
    [refreshHash],
  )
  return row?.closed ?? null
}

/**
 * Makes paired devices wait for another code, with one that does not exist, and deletes their tokens. Two statements, so
 * that the second sees tokens that were issued in the meantime. Returns their ids, of those paired `before`.
 */
export async function endPairings(
  tx: Tx,
  { tenantId, environment }: Realm,
  { before, now }: { readonly before: Instant; readonly now: Instant },
): Promise<string[]> {
  const devices = await tx.query<{ id: string }>(
    {
      name: 'end_device_pairings',
      text: `update devices set status = 'pending', enrolled_at = null, pairing_expires_at = $4,
               pairing_code_hash = sha256(uuid_send(gen_random_uuid()))
             where tenant_id = $1 and environment = $2 and status = 'active' and enrolled_at < $3 returning id`,
    },
    [tenantId, environment, before, now],
  )
  const ids = devices.map(({ id }) => id)
  const text = 'delete from device_token_pairs where tenant_id = $1 and device_id = any ($2::uuid[])'
  await tx.query({ name: 'end_device_tokens', text }, [tenantId, ids])
  return ids
}

/** Returns how many pairs it deleted. */
export async function deleteTokenPairsExpiredBefore(tx: Tx, before: Instant, batch: number): Promise<number> {
  const rows = await tx.query(
    {
      name: 'delete_device_tokens',
      text: `delete from device_token_pairs where (tenant_id, refresh_hash) in
               (select tenant_id, refresh_hash from device_token_pairs where refresh_expires_at < $1
                order by refresh_expires_at limit $2)
             returning device_id`,
    },
    [before, batch],
  )
  return rows.length
}

function toIssued(row: PairRow): IssuedPair {
  return { device: toDevice(row), refreshExpiresAt: row.refresh_expires_at }
}
