// Creates a batch in one statement, for tenants whose settings and rows this process remembers.

import type { Transaction } from '../../../platform/postgres/db.ts'
import { type KeyedRows, onlyIf, scoped } from '../../../platform/postgres/fragments.ts'
import { type Column, type DefinedStatement, defineForOneOrMany } from '../../../platform/postgres/statement.ts'
import { ENVIRONMENTS, type Environment } from '../../../platform/world.ts'
import type { TenantSettings } from '../../tenants/domain/settings.ts'
import { PLANS } from '../../tenants/domain/tenant.ts'
import { WRITTEN } from './columns.ts'
import { type CreationBatch, type CreationParts, type SealedBatch, writeCreation, writingCreation } from './creation.ts'
import { AS_REMEMBERED, joinLocks, lockCtes, rememberedCte, selectRemembered } from './tenant-lock.ts'

/** The facts that decide a tenant's creations, as this process last read them. */
export interface RememberedTenant {
  readonly tenantId: string
  /** How many verifications the batch creates for the tenant. Sign-ins are never created here. */
  readonly others: number
  readonly settings: Pick<TenantSettings, 'haip' | 'clientIdPrefix' | 'responseMode' | 'retentionDays'>
}

interface TenantsOfDay {
  readonly day: string
  /** At most one entry per tenant, because a tenant's environments share its day. */
  readonly tenants: readonly RememberedTenant[]
}

type SealedAtOnce = SealedBatch & TenantsOfDay

export type AtOnceStatements = Readonly<Record<Environment, DefinedStatement<SealedAtOnce>>>

/** Also commits. False if the store has changed or a quota is too small: then nothing is written. Throws KeyLost. */
export async function createAtOnce(
  tx: Transaction,
  statement: DefinedStatement<SealedAtOnce>,
  batch: CreationBatch & TenantsOfDay,
): Promise<boolean> {
  return (await writeCreation(tx, statement, batch)) === 1
}

export function defineCreationsAtOnce(parts: CreationParts): AtOnceStatements | null {
  if (parts.locks.some(({ memory }) => memory === undefined)) return null
  const [test, live] = ENVIRONMENTS.map((environment) => defineAtOnce(environment, parts))
  return test === undefined || live === undefined ? null : { test, live }
}

const TENANT: readonly Column<RememberedTenant>[] = [
  { name: 'tenant_id', type: 'text', get: (one) => one.tenantId },
  { name: 'others', type: 'integer', get: (one) => one.others },
  { name: 'haip', type: 'boolean', get: ({ settings }) => settings.haip },
  { name: 'client_id_prefix', type: 'text', get: ({ settings }) => settings.clientIdPrefix },
  { name: 'response_mode', type: 'text', get: ({ settings }) => settings.responseMode },
  { name: 'retention_days', type: 'integer', get: ({ settings }) => settings.retentionDays },
]

/** Locks in the order of creation.ts. Never waits: a row that another transaction has locked counts as changed. */
function defineAtOnce(environment: Environment, { locks, parts }: CreationParts) {
  return defineForOneOrMany<SealedAtOnce>(`create_at_once_${environment}`, (parameters) => {
    const tenants = parameters.rows(TENANT, (batch) => batch.tenants)
    const many = parameters.one((batch) => batch.tenants.length)
    const day = parameters.one((batch) => batch.day)
    const plans = parameters.one(() => JSON.stringify(PLANS))
    const locking = {
      tenants: 'select tenant_id from before',
      environment: `'${environment}'`,
      ifLocked: 'skip locked',
    } as const
    const { ctes, check } = writingCreation(onlyIf(AS_REMEMBERED, parameters), WRITTEN, parts)
    const ofKeyedRows = scoped(parameters, ({ keyedRows }: { readonly keyedRows: KeyedRows }) => keyedRows)
    const remembered = rememberedCte(locks, `(select count(*) from affordable) = ${many}::int`, ofKeyedRows)
    return `with remembered_tenants as (
              select * from ${tenants.unnest('g')}
            ), terms as (
              select t.id, r.others, coalesce(t.daily_quota, (${plans}::json ->> t.plan)::int) as quota
              from remembered_tenants r join tenants t on t.id = r.tenant_id
              where t.haip = r.haip and t.client_id_prefix = r.client_id_prefix and t.response_mode = r.response_mode
                and t.retention_days = r.retention_days
            ), before as (
              select u.tenant_id, u.created from usage_days u join remembered_tenants r on r.tenant_id = u.tenant_id
              where u.day = ${day} order by u.tenant_id for update of u skip locked
            )${lockCtes(locks, locking)}, affordable as (
              select before.tenant_id, before.created + terms.others as created
              from before ${joinLocks(locks, 'before')} join terms on terms.id = before.tenant_id
              where before.created + terms.others <= terms.quota
            ), ${remembered}, spent as (
              update usage_days u set created = affordable.created from affordable
              where u.tenant_id = affordable.tenant_id and u.day = ${day} and ${AS_REMEMBERED}
              returning u.tenant_id
            ), ${ctes}
            ${selectRemembered('spent', many, [check])}`
  })
}
