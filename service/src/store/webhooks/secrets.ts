// Webhook secrets, one row a tenant and environment. What is here is sealed; opening it is the caller's.

import type { Realm } from '../../domain/tenant/realm.ts'
import type { Instant } from '../../domain/world.ts'
import type { Tx } from '../postgres/db.ts'

export interface SealedSecrets {
  readonly secret: Buffer
  readonly createdAt: Instant
  readonly previous: Buffer | null
  readonly previousUntil: Instant | null
}

export interface SecretsRow {
  secret: Buffer
  created_at: string
  previous: Buffer | null
  previous_until: string | null
}

const COLUMNS = 'secret, created_at, previous, previous_until'

export async function loadWebhookSecrets(tx: Tx, realm: Realm): Promise<SealedSecrets | null> {
  const [row] = await tx.query<SecretsRow>(
    {
      name: 'load_webhook_secrets',
      text: `select ${COLUMNS} from webhook_secrets where tenant_id = $1 and environment = $2`,
    },
    [realm.tenantId, realm.environment],
  )
  return row === undefined ? null : toSecrets(row)
}

/** True when this call made it; another may have been faster. */
export async function insertWebhookSecret(
  tx: Tx,
  realm: Realm,
  made: { secret: Uint8Array; now: Instant },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'insert_webhook_secret',
      text: `insert into webhook_secrets (tenant_id, environment, secret, created_at) values ($1, $2, $3, $4)
             on conflict do nothing returning 1 as made`,
    },
    [realm.tenantId, realm.environment, made.secret, made.now],
  )
  return rows.length === 1
}

/** The secret of now becomes the previous one until `overlapUntil`; null ends it at once. */
export async function rotateWebhookSecret(
  tx: Tx,
  realm: Realm,
  rotation: { secret: Uint8Array; now: Instant; overlapUntil: Instant | null },
): Promise<void> {
  await tx.query(
    {
      name: 'rotate_webhook_secret',
      text: `update webhook_secrets set secret = $3, created_at = $4, previous_until = $5,
               previous = case when $5::timestamptz is null then null else secret end
             where tenant_id = $1 and environment = $2`,
    },
    [realm.tenantId, realm.environment, rotation.secret, rotation.now, rotation.overlapUntil],
  )
}

export function toSecrets(row: SecretsRow): SealedSecrets {
  return { secret: row.secret, createdAt: row.created_at, previous: row.previous, previousUntil: row.previous_until }
}
