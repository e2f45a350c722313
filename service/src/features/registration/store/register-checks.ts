// Stores results of register checks, and pinned keys of registers.

import type { IdentityOwner } from '../../../core/registrations/store/identities.ts'
import { isOfServedTenant } from '../../../core/tenants/store/closed.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Environment, Instant } from '../../../platform/world.ts'
import type { RegisterCheck } from '../domain/drift.ts'

const COLUMNS = 'outcome, findings, looked_at as "checkedAt"'

export async function loadRegisterCheck(tx: Tx, owner: IdentityOwner): Promise<RegisterCheck | null> {
  const [row] = await tx.query<RegisterCheck>(
    {
      name: 'load_register_look',
      text: `select ${COLUMNS} from register_looks where tenant_id is not distinct from $1 and environment = $2`,
    },
    [owner.tenantId, owner.environment],
  )
  return row ?? null
}

export async function saveRegisterCheck(tx: Tx, owner: IdentityOwner, check: RegisterCheck): Promise<void> {
  await tx.query(
    {
      name: 'save_register_look',
      text: `insert into register_looks (tenant_id, environment, looked_at, outcome, findings) values ($1, $2, $3, $4, $5)
             on conflict on constraint register_looks_key do update
               set looked_at = excluded.looked_at, outcome = excluded.outcome, findings = excluded.findings`,
    },
    [owner.tenantId, owner.environment, check.checkedAt, check.outcome, JSON.stringify(check.findings)],
  )
}

/**
 * Finds owners with an identity that were not checked since `before`, the longest unchecked first. Live precedes test,
 * because only the operator can add identities there.
 */
export async function findDueChecksAcrossTenants(
  tx: Tx,
  { before, most }: { readonly before: Instant; readonly most: number },
): Promise<IdentityOwner[]> {
  return tx.query<{ tenantId: string | null; environment: Environment }>(
    {
      name: 'find_due_register_looks',
      text: `select i.tenant_id as "tenantId", i.environment from registered_identities i
             left join register_looks l on l.tenant_id is not distinct from i.tenant_id and l.environment = i.environment
             where (l.looked_at is null or l.looked_at <= $1) and ${isOfServedTenant('i')}
             order by i.environment = 'test', l.looked_at nulls first, i.tenant_id limit $2`,
    },
    [before, most],
  )
}

/** Lists checks with findings of all tenants, for the operator. */
export async function listChecksWithFindingsAcrossTenants(tx: Tx): Promise<(IdentityOwner & RegisterCheck)[]> {
  return tx.query<IdentityOwner & RegisterCheck>({
    name: 'list_uneasy_register_looks',
    text: `select tenant_id as "tenantId", environment, ${COLUMNS} from register_looks l where outcome <> 'same' and ${isOfServedTenant('l')}
           order by tenant_id nulls first, environment limit 1000`,
  })
}

export async function countChecksAcrossTenants(tx: Tx): Promise<{ outcome: string; looks: number }[]> {
  return tx.query<{ outcome: string; looks: number }>({
    name: 'count_register_looks',
    text: `select outcome, count(*)::int as looks from register_looks l
           where environment = 'live' and ${isOfServedTenant('l')} group by outcome`,
  })
}

export interface Register {
  readonly registryUri: string
  readonly environment: Environment
}

export async function loadPinnedKeys(tx: Tx, { registryUri, environment }: Register): Promise<string[]> {
  const rows = await tx.query<{ thumbprint: string }>(
    {
      name: 'load_register_keys',
      text: 'select thumbprint from register_keys where registry_uri = $1 and environment = $2 order by thumbprint',
    },
    [registryUri, environment],
  )
  return rows.map(({ thumbprint }) => thumbprint)
}

/** Replaces all pinned keys of the register. */
export async function replacePinnedKeys(
  tx: Tx,
  { registryUri, environment }: Register,
  pinned: { readonly thumbprints: readonly string[]; readonly at: Instant },
): Promise<void> {
  await tx.query(
    { name: 'delete_register_keys', text: 'delete from register_keys where registry_uri = $1 and environment = $2' },
    [registryUri, environment],
  )
  await tx.query(
    {
      name: 'insert_register_keys',
      text: `insert into register_keys (registry_uri, environment, thumbprint, pinned_at)
             select $1, $2, thumbprint, $4 from unnest($3::text[]) as thumbprint`,
    },
    [registryUri, environment, pinned.thumbprints, pinned.at],
  )
}
