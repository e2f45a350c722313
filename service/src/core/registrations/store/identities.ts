// Stores registered identities: a tenant's in each environment, and the operator's own, which belongs to no tenant.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Environment } from '../../../platform/world.ts'
import type { RegisteredIdentity } from '../domain/identity.ts'
import { REGISTRATION_CHANNEL } from './registrations.ts'

/** null: the operator's own identity. */
export interface IdentityOwner {
  readonly tenantId: string | null
  readonly environment: Environment
}

const COLUMNS = `identifier, trade_name as "tradeName", registry_uri as "registryUri", is_intermediary as "isIntermediary",
                 changed_at as "changedAt"`

export async function loadIdentity(tx: Tx, owner: IdentityOwner): Promise<RegisteredIdentity | null> {
  const [row] = await tx.query<RegisteredIdentity>(
    {
      name: 'load_registered_identity',
      text: `select ${COLUMNS} from registered_identities
             where tenant_id is not distinct from $1 and environment = $2`,
    },
    [owner.tenantId, owner.environment],
  )
  return row ?? null
}

export async function saveIdentity(tx: Tx, owner: IdentityOwner, identity: RegisteredIdentity): Promise<void> {
  await tx.query(
    {
      name: 'save_registered_identity',
      text: `insert into registered_identities
               (tenant_id, environment, identifier, trade_name, registry_uri, is_intermediary, changed_at)
             values ($1, $2, $3, $4, $5, $6, $7)
             on conflict on constraint registered_identities_key do update
               set identifier = excluded.identifier, trade_name = excluded.trade_name,
                   registry_uri = excluded.registry_uri, is_intermediary = excluded.is_intermediary,
                   changed_at = excluded.changed_at
             returning pg_notify('${REGISTRATION_CHANNEL}', '')`,
    },
    [
      owner.tenantId,
      owner.environment,
      identity.identifier,
      identity.tradeName,
      identity.registryUri,
      identity.isIntermediary,
      identity.changedAt,
    ],
  )
}
