// Stores webhook secrets: the current one of each realm, and replaced ones that still sign.

import { type Realm, realmName } from '../../../core/tenants/domain/realm.ts'
import type { Sealing, Tx } from '../../../platform/postgres/db.ts'
import type { Environment, Instant } from '../../../platform/world.ts'
import { webhookSecretSealContext } from '../domain/signature.ts'

export interface SealedSecrets {
  /** Decrypted by `openSecret`. */
  readonly sealed: Buffer
  readonly createdAt: Instant
  /** Replaced secrets, newest first; some may have stopped signing. */
  readonly old: readonly OldSecret[]
}

interface OldSecret {
  readonly sealed: Buffer
  readonly signsUntil: Instant
}

export const openSecret = ({ sealer }: Sealing, realm: Realm, { sealed }: { readonly sealed: Uint8Array }): string =>
  sealer.open(sealed, webhookSecretSealContext(realm)).toString('utf8')

const sealSecret = ({ sealer }: Sealing, realm: Realm, secret: string) =>
  sealer.seal(Buffer.from(secret, 'utf8'), webhookSecretSealContext(realm))

interface Row {
  tenant_id: string
  environment: Environment
  secret: Buffer
  created_at: string
  old: Buffer | null
  signs_until: string | null
}

/** Returns secrets by `tenant|environment`. Omits realms that never needed a secret. */
export async function loadWebhookSecretsOf(tx: Tx, realms: readonly Realm[]): Promise<Map<string, SealedSecrets>> {
  const rows = await tx.query<Row>(
    {
      name: 'load_webhook_secrets',
      text: `select s.tenant_id, s.environment, s.secret, s.created_at, o.secret as old, o.signs_until
             from (select distinct * from unnest($1::text[], $2::text[]) as g (tenant_id, environment)) g
             cross join lateral (select * from webhook_secrets s where s.tenant_id = g.tenant_id and s.environment = g.environment offset 0) s
             left join lateral (select * from webhook_old_secrets o where o.tenant_id = g.tenant_id and o.environment = g.environment offset 0) o on true
             order by o.nth desc`,
    },
    [realms.map(({ tenantId }) => tenantId), realms.map(({ environment }) => environment)],
  )
  const found = new Map<string, SealedSecrets>()
  for (const row of rows) {
    const name = realmName({ tenantId: row.tenant_id, environment: row.environment })
    const { old } = found.get(name) ?? { old: [] }
    const one = row.old === null || row.signs_until === null ? [] : [{ sealed: row.old, signsUntil: row.signs_until }]
    found.set(name, { sealed: row.secret, createdAt: row.created_at, old: [...old, ...one] })
  }
  return found
}

/** Returns true if this call inserted the secret, false if another call did so first. */
export async function insertWebhookSecret(
  tx: Tx,
  realm: Realm,
  created: { secret: string; now: Instant },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'insert_webhook_secret',
      text: `insert into webhook_secrets (tenant_id, environment, secret, created_at) values ($1, $2, $3, $4)
             on conflict do nothing returning 1 as made`,
    },
    [realm.tenantId, realm.environment, sealSecret(tx, realm, created.secret), created.now],
  )
  return rows.length === 1
}

/** Locks out concurrent rotations. Deletes expired secrets, and returns until when each replaced one signs, soonest first. */
export async function lockWebhookSecrets(tx: Tx, realm: Realm, now: Instant): Promise<Instant[]> {
  const { tenantId, environment } = realm
  await tx.query(
    {
      name: 'lock_webhook_secret',
      text: 'select from webhook_secrets where tenant_id = $1 and environment = $2 for update',
    },
    [tenantId, environment],
  )
  await tx.query(
    {
      name: 'delete_ended_webhook_secrets',
      text: 'delete from webhook_old_secrets where tenant_id = $1 and environment = $2 and signs_until <= $3',
    },
    [tenantId, environment, now],
  )
  const rows = await tx.query<{ signs_until: string }>(
    {
      name: 'list_old_webhook_secrets',
      text: `select signs_until from webhook_old_secrets where tenant_id = $1 and environment = $2 order by signs_until`,
    },
    [tenantId, environment],
  )
  return rows.map(({ signs_until }) => signs_until)
}

/** The current secret signs until `oldUntil`. If that is null, it and all older secrets stop signing now. */
export async function rotateWebhookSecret(
  tx: Tx,
  realm: Realm,
  rotation: { secret: string; now: Instant; oldUntil: Instant | null },
): Promise<void> {
  const { tenantId, environment } = realm
  if (rotation.oldUntil === null) await endOldWebhookSecrets(tx, realm)
  else {
    await tx.query(
      {
        name: 'keep_old_webhook_secret',
        text: `insert into webhook_old_secrets (tenant_id, environment, secret, signs_until)
               select tenant_id, environment, secret, $3 from webhook_secrets where tenant_id = $1 and environment = $2`,
      },
      [tenantId, environment, rotation.oldUntil],
    )
  }
  await tx.query(
    {
      name: 'rotate_webhook_secret',
      text: 'update webhook_secrets set secret = $3, created_at = $4 where tenant_id = $1 and environment = $2',
    },
    [tenantId, environment, sealSecret(tx, realm, rotation.secret), rotation.now],
  )
}

export async function endOldWebhookSecrets(tx: Tx, realm: Realm): Promise<void> {
  await tx.query(
    {
      name: 'end_old_webhook_secrets',
      text: 'delete from webhook_old_secrets where tenant_id = $1 and environment = $2',
    },
    [realm.tenantId, realm.environment],
  )
}
