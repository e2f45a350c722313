// Customer screens. Each till has at most one, stored in the till's row.

import type { Realm } from '../../../core/tenants/domain/realm.ts'
import { daysAround, inDays, rangeOf } from '../../../platform/postgres/days.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { type Environment, type Instant, millisecondsOf } from '../../../platform/world.ts'
import type { BrandLook } from '../../pages/index.ts'
import type { Display } from '../domain/display.ts'

interface Till extends Realm {
  readonly deviceId: string
}

interface DisplayRow {
  is_connected: boolean
  seen_at: Instant
}

const toDisplay = (row: DisplayRow): Display => ({
  isConnected: row.is_connected,
  seenAtMs: millisecondsOf(row.seen_at),
})

/**
 * Connects a screen by its code. Takes the code from other tills of the same realm (`released`), and from tills that
 * let it expire. null if a till of another realm has it. Call it in a transaction.
 */
export async function connectDisplay(
  tx: Tx,
  till: Till,
  input: { readonly code: string; readonly now: Instant; readonly codesFrom: Instant; readonly screensFrom: Instant },
): Promise<{ readonly released: readonly string[] } | null> {
  await lockDisplay(tx, till, input.code)
  const released = await tx.query<{ id: string; is_ours: boolean }>(
    {
      name: 'release_display',
      text: `update devices set display_code = null, display_token_hash = null, display_seen_at = null
             where display_code = $4 and id <> $3
               and ((tenant_id = $1 and environment = $2)
                    or display_seen_at <= case when display_token_hash is null then $5::timestamptz else $6::timestamptz end)
             returning id, tenant_id = $1 and environment = $2 as is_ours`,
    },
    [till.tenantId, till.environment, till.deviceId, input.code, input.codesFrom, input.screensFrom],
  )
  const connected = await tx.query(
    {
      name: 'connect_display',
      text: `update devices set display_code = $4, display_token_hash = null, display_seen_at = $5
             where tenant_id = $1 and environment = $2 and id = $3 and status = 'active'
               and not exists (select from devices other where other.display_code = $4 and other.id <> $3)
             returning id`,
    },
    [till.tenantId, till.environment, till.deviceId, input.code, input.now],
  )
  if (connected.length === 0) return null
  return { released: released.filter(({ is_ours }) => is_ours).map(({ id }) => id) }
}

/**
 * Serializes connections of this code. Locks tills in one order, so that two tills that exchange their screens cannot
 * deadlock.
 */
async function lockDisplay(tx: Tx, till: Till, code: string): Promise<void> {
  const text = `select pg_advisory_xact_lock(hashtextextended('devices.display_code|' || $1, 0))`
  await tx.query({ name: 'lock_display_code', text }, [code])
  await tx.query(
    {
      name: 'lock_display_tills',
      text: `select from devices
             where (tenant_id = $1 and environment = $2 and id = $3) or display_code = $4
             order by id for update`,
    },
    [till.tenantId, till.environment, till.deviceId, code],
  )
}

/** Returns whether there was one. */
export async function disconnectDisplay(tx: Tx, till: Till): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'disconnect_display',
      text: `update devices set display_code = null, display_token_hash = null, display_seen_at = null
             where tenant_id = $1 and environment = $2 and id = $3 and display_code is not null
             returning id`,
    },
    [till.tenantId, till.environment, till.deviceId],
  )
  return rows.length === 1
}

export async function loadDisplay(tx: Tx, till: Till): Promise<Display | null> {
  const [row] = await tx.query<DisplayRow>(
    {
      name: 'load_display',
      text: `select display_token_hash is not null as is_connected, display_seen_at as seen_at from devices
             where tenant_id = $1 and environment = $2 and id = $3 and display_code is not null`,
    },
    [till.tenantId, till.environment, till.deviceId],
  )
  return row === undefined ? null : toDisplay(row)
}

/** What a screen sends. The token gives access, so no realm is named. */
export interface Screen {
  readonly code: string
  readonly tokenHash: Uint8Array
}

export interface ShownTill extends Till {
  readonly tokenHash: Uint8Array
  readonly display: Display
  /** The till's newest verification, in any state; null if there is none. */
  readonly verificationId: string | null
  readonly shop: Shop
}

/** The merchant's name, and the look of its hosted page. */
export interface Shop {
  readonly name: string
  readonly look: BrandLook
}

/** SQL columns of a shop, for tenants `t` and their branding `b`. */
const SHOP_COLUMNS = `coalesce(b.shown_name, t.name) as shop, b.colour, b.background, b.radius, b.font,
                    b.logo_hash as logo, b.logo_dark_hash as "logoDark"`

type ShopRow = BrandLook & { readonly shop: string }

function toShop({ shop, colour, background, radius, font, logo, logoDark }: ShopRow): Shop {
  return { name: shop, look: { colour, background, radius, font, logo, logoDark } }
}

export async function loadShop(tx: Tx, realm: Realm): Promise<Shop> {
  const [row] = await tx.query<ShopRow>(
    {
      name: 'load_shop',
      text: `select ${SHOP_COLUMNS} from tenants t
             left join tenant_branding b on b.tenant_id = t.id and b.environment = $2 where t.id = $1`,
    },
    [realm.tenantId, realm.environment],
  )
  if (row === undefined) throw new Error('bug: a device without a tenant')
  return toShop(row)
}

/** Finds only active tills, and only for the first screen that used the code. */
export async function loadShownTillsAcrossTenants(
  tx: Tx,
  screens: readonly Screen[],
  nowMs: number,
): Promise<readonly ShownTill[]> {
  const { from, to } = rangeOf(daysAround(nowMs))
  const rows = await tx.query<
    DisplayRow &
      ShopRow & {
        id: string
        tenant_id: string
        environment: Environment
        token_hash: Uint8Array
        verification_id: string | null
      }
  >(
    {
      name: 'load_shown_tills',
      text: `select d.id, d.tenant_id, d.environment, s.token_hash,
                    d.display_token_hash is not null as is_connected, d.display_seen_at as seen_at,
                    (select v.id from verifications v
                     where v.tenant_id = d.tenant_id and v.environment = d.environment
                       and v.actor_type = 'device' and v.actor_id = d.id::text and ${inDays('v.day', { from: '$3', to: '$4' })}
                     order by v.created_at desc limit 1) as verification_id,
                    ${SHOP_COLUMNS}
             from unnest($1::text[], $2::bytea[]) as s (code, token_hash)
             join devices d on d.display_code = s.code
             join tenants t on t.id = d.tenant_id
             left join tenant_branding b on b.tenant_id = d.tenant_id and b.environment = d.environment
             where d.status = 'active' and coalesce(d.display_token_hash = s.token_hash, true)`,
    },
    [screens.map(({ code }) => code), screens.map(({ tokenHash }) => tokenHash), from, to],
  )
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    environment: row.environment,
    deviceId: row.id,
    tokenHash: row.token_hash,
    display: toDisplay(row),
    verificationId: row.verification_id,
    shop: toShop(row),
  }))
}

/** Returns false if another screen was first, or if this one was disconnected in the meantime. */
export async function noteDisplay(tx: Tx, till: Till, screen: Screen, now: Instant): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'note_display',
      text: `update devices set display_token_hash = $5, display_seen_at = $6
             where tenant_id = $1 and environment = $2 and id = $3 and display_code = $4 and status = 'active'
               and coalesce(display_token_hash = $5, true)
             returning id`,
    },
    [till.tenantId, till.environment, till.deviceId, screen.code, screen.tokenHash, now],
  )
  return rows.length === 1
}
