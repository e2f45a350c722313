// Venue devices. Every statement that changes a device's status names the expected status.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Environment, Instant } from '../../../platform/world.ts'
import type { Device, DeviceStatus, RevokedReason } from '../domain/device.ts'

const NAMES = [
  'id',
  'tenant_id',
  'environment',
  'name',
  'status',
  'allowed_templates',
  'created_at',
  'pairing_expires_at',
  'enrolled_at',
  'last_seen_at',
  'revoked_at',
  'revoked_reason',
] as const

/** Returns the columns of a device, for the table with this alias. */
export const deviceColumns = (alias: string) => NAMES.map((name) => `${alias}.${name}`).join(', ')

export interface DeviceRow {
  id: string
  tenant_id: string
  environment: Environment
  name: string
  status: DeviceStatus
  allowed_templates: string[]
  created_at: string
  pairing_expires_at: string
  enrolled_at: string | null
  last_seen_at: string | null
  revoked_at: string | null
  revoked_reason: RevokedReason | null
}

/** Returns false if another device has this pairing code: then create another one. */
export async function insertDevice(tx: Tx, device: Device, pairingCodeHash: Uint8Array): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'insert_device',
      text: `insert into devices (id, tenant_id, environment, name, allowed_templates, status, created_at,
                                  pairing_code_hash, pairing_expires_at)
             select $1, $2, $3, $4, $5, 'pending', $6, $7, $8
             where not exists (select from devices other where other.pairing_code_hash = $7)
             on conflict do nothing returning id`,
    },
    [
      device.id,
      device.tenantId,
      device.environment,
      device.name,
      device.allowedTemplates,
      device.createdAt,
      pairingCodeHash,
      device.pairingExpiresAt,
    ],
  )
  return rows.length === 1
}

/** Counts the devices of a realm, including revoked ones. */
export async function countDevices(tx: Tx, realm: Realm): Promise<number> {
  const [row] = await tx.query<{ found: number }>(
    {
      name: 'count_devices',
      text: 'select count(*) as found from devices where tenant_id = $1 and environment = $2',
    },
    [realm.tenantId, realm.environment],
  )
  return row?.found ?? 0
}

/** Makes room if one more device would exceed `devicesMax`: deletes the devices that were revoked longest ago. */
export async function makeRoomForDevice(tx: Tx, realm: Realm, devicesMax: number): Promise<void> {
  await tx.query(
    {
      name: 'make_room_for_device',
      text: `with gone as (
               select id from devices where tenant_id = $1 and environment = $2 and status = 'revoked'
               order by revoked_at
               limit greatest(0, 1 - $3 + (select count(*) from devices where tenant_id = $1 and environment = $2))
               for update skip locked
             ), tokens as (
               delete from device_token_pairs where device_id in (select id from gone) and tenant_id = $1
             )
             delete from devices where id in (select id from gone) and tenant_id = $1`,
    },
    [realm.tenantId, realm.environment, devicesMax],
  )
}

/**
 * Deletes devices that were not paired in time. Expired codes are never accepted, so none of them can become active.
 */
export async function forgetLapsedDevicesAcrossTenants(tx: Tx, lapsedBefore: Instant): Promise<number> {
  const rows = await tx.query(
    {
      name: 'forget_lapsed_devices',
      text: `delete from devices where status = 'pending' and pairing_expires_at < $1 returning 1 as gone`,
    },
    [lapsedBefore],
  )
  return rows.length
}

export async function listDevices(tx: Tx, realm: Realm): Promise<Device[]> {
  const rows = await tx.query<DeviceRow>(
    {
      name: 'list_devices',
      text: `select ${deviceColumns('d')} from devices d where d.tenant_id = $1 and d.environment = $2
             order by d.created_at desc`,
    },
    [realm.tenantId, realm.environment],
  )
  return rows.map(toDevice)
}

/** Names by id. Deleted devices have none. */
export async function loadDeviceNames(
  tx: Tx,
  realm: Realm,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.query<{ id: string; name: string }>(
    {
      name: 'load_device_names',
      text: 'select id, name from devices where id = any ($3::uuid[]) and tenant_id = $1 and environment = $2',
    },
    [realm.tenantId, realm.environment, ids],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export async function loadDevice(tx: Tx, realm: Realm, id: string): Promise<Device | null> {
  const [row] = await tx.query<DeviceRow>(
    {
      name: 'load_device',
      text: `select ${deviceColumns('d')} from devices d where d.tenant_id = $1 and d.environment = $2 and d.id = $3`,
    },
    [realm.tenantId, realm.environment, id],
  )
  return row === undefined ? null : toDevice(row)
}

/** null if the device does not exist or is revoked. */
export async function changeDevice(
  tx: Tx,
  realm: Realm,
  change: { id: string; name: string; allowedTemplates: readonly string[] },
): Promise<Device | null> {
  const [row] = await tx.query<DeviceRow>(
    {
      name: 'change_device',
      text: `update devices d set name = $4, allowed_templates = $5
             where d.tenant_id = $1 and d.environment = $2 and d.id = $3 and d.status <> 'revoked'
             returning ${deviceColumns('d')}`,
    },
    [realm.tenantId, realm.environment, change.id, change.name, change.allowedTemplates],
  )
  return row === undefined ? null : toDevice(row)
}

/** Also deletes the pairing code. Returns the device's new state; null if there was none to revoke. */
export async function revokeDevice(
  tx: Tx,
  realm: Realm,
  revoke: { id: string; at: Instant; reason: RevokedReason },
): Promise<Device | null> {
  const [row] = await tx.query<DeviceRow>(
    {
      name: 'revoke_device',
      text: `update devices d set status = 'revoked', revoked_at = $4, revoked_reason = $5, pairing_code_hash = null
             where d.tenant_id = $1 and d.environment = $2 and d.id = $3 and d.status <> 'revoked'
             returning ${deviceColumns('d')}`,
    },
    [realm.tenantId, realm.environment, revoke.id, revoke.at, revoke.reason],
  )
  return row === undefined ? null : toDevice(row)
}

/** Returns the device with its new code; null if it is not waiting to be paired, or if another device has this code. */
export async function replacePairingCode(
  tx: Tx,
  realm: Realm,
  renewed: { id: string; hash: Uint8Array; expiresAt: Instant },
): Promise<Device | null> {
  const [row] = await tx.query<DeviceRow>(
    {
      name: 'replace_pairing_code',
      text: `update devices d set pairing_code_hash = $4, pairing_expires_at = $5
             where d.tenant_id = $1 and d.environment = $2 and d.id = $3 and d.status = 'pending'
               and not exists (select from devices other where other.pairing_code_hash = $4)
             returning ${deviceColumns('d')}`,
    },
    [realm.tenantId, realm.environment, renewed.id, renewed.hash, renewed.expiresAt],
  )
  return row === undefined ? null : toDevice(row)
}

/** Writes at most once a minute, however many requests and replicas call it. */
export async function touchDevice(tx: Tx, realm: Realm, touch: { id: string; at: Instant }): Promise<void> {
  await tx.query(
    {
      name: 'touch_device',
      text: `update devices set last_seen_at = $4
             where tenant_id = $1 and environment = $2 and id = $3
               and (last_seen_at is null or last_seen_at <= $4::timestamptz - interval '60 seconds')`,
    },
    [realm.tenantId, realm.environment, touch.id, touch.at],
  )
}

export function toDevice(row: DeviceRow): Device {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    environment: row.environment,
    name: row.name,
    status: row.status,
    allowedTemplates: row.allowed_templates,
    createdAt: row.created_at,
    pairingExpiresAt: row.pairing_expires_at,
    enrolledAt: row.enrolled_at,
    lastSeenAt: row.last_seen_at,
    revokedAt: row.revoked_at,
    revokedReason: row.revoked_reason,
  }
}

/** When the last open pairing code expires; null if none is open. */
export async function findOpenPairingCodesAcrossTenants(tx: Tx, now: Instant): Promise<Instant | null> {
  const [row] = await tx.query<{ until: string | null }>(
    {
      name: 'find_open_pairing_codes',
      text: `select max(pairing_expires_at) as until from devices where status = 'pending' and pairing_expires_at > $1`,
    },
    [now],
  )
  return row?.until ?? null
}
