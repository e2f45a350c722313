// Plans the changes that make an installation match a set-up file. A file with a problem has no plan.

import { SETTINGS, TENANT_SETTINGS, type TenantSettings, toWire } from '../../../core/tenants/domain/settings.ts'
import type { Tenant } from '../../../core/tenants/domain/tenant.ts'
import { changeSettings } from '../../../core/tenants/usecases/manage-settings.ts'
import { changeTenant, createTenantOnce, listTenants } from '../../../core/tenants/usecases/manage-tenants.ts'
import { ENVIRONMENTS } from '../../../platform/world.ts'
import type { Setup, SetupProblem, TenantSetup } from '../domain/setup.ts'
import { planRealm } from './plan-realm.ts'
import { planTrust } from './plan-trust.ts'
import {
  ChangeRefused,
  NOT_YET_CREATED,
  noteProblem,
  type PlannedChange,
  type Planning,
  requireTenant,
} from './planned-change.ts'
import { EMPTY_REALM, type KnownTenant, readAllTrust, readTenantSetups } from './read-installation.ts'

/** The changes of one owner, in order. */
export interface OwnerPlan {
  /** The tenant's name; null for the operator. */
  readonly name: string | null
  /** null: the plan creates the tenant, or the owner is the operator. */
  readonly tenantId: string | null
  readonly changes: readonly PlannedChange[]
}

export interface SetupPlan {
  /** Only owners with changes. */
  readonly owners: readonly OwnerPlan[]
  /** How many tenants the file names. */
  readonly tenants: number
  readonly problems: readonly SetupProblem[]
}

export async function planSetup(input: Omit<Planning, 'problems'> & { readonly setup: Setup }): Promise<SetupPlan> {
  const planning: Planning = { ...input, problems: [] }
  const { setup } = input
  const trustOf = await readAllTrust(planning.deps)
  const owners: OwnerPlan[] = []
  const own: PlannedChange[] = []
  for (const environment of ENVIRONMENTS) {
    const owner = { tenantId: null, environment }
    own.push(...(await planTrust(planning, owner, setup.service[environment], trustOf(owner))))
  }
  owners.push({ name: null, tenantId: null, changes: own })
  const matched = matchTenants(planning, setup.tenants, await listTenants(planning.deps))
  const present = matched.flatMap(({ tenant }) => (tenant === null ? [] : [tenant]))
  const known = readTenantSetups(planning.deps, present, trustOf)
  for (const { entry, tenant } of matched) {
    const found = tenant === null ? null : ((await known.next()).value as KnownTenant)
    const changes = [
      found === null ? tenantAdded(planning, entry) : tenantChanged(planning, entry, found.tenant),
      settingsChanged(planning, entry, found?.settings ?? defaultSettings()),
      ...(await planRealms(planning, entry, found)),
    ].flatMap((change) => change ?? [])
    owners.push({ name: entry.name, tenantId: tenant?.id ?? null, changes })
  }
  const busy = owners.filter(({ changes }) => changes.length > 0)
  return { owners: busy, tenants: setup.tenants.length, problems: planning.problems }
}

/** Finds tenants by id, otherwise by name. A name that several tenants have matches none of them. */
function matchTenants(planning: Planning, entries: readonly TenantSetup[], all: readonly Tenant[]) {
  const byId = new Map(all.map((tenant) => [tenant.id, tenant]))
  const byName = new Map<string, Tenant[]>()
  for (const tenant of all) byName.set(tenant.name, [...(byName.get(tenant.name) ?? []), tenant])
  const taken = new Set<string>()
  return entries.flatMap((entry) => {
    const ofName = byName.get(entry.name) ?? []
    const tenant = entry.id === null ? (ofName[0] ?? null) : (byId.get(entry.id) ?? null)
    const wrong = (message: string, member: string) => {
      noteProblem(planning, [...entry.path, member], message)
      return []
    }
    if (entry.id !== null && tenant === null) return wrong('there is no tenant of this id', 'id')
    if (entry.id === null && ofName.length > 1)
      return wrong(
        `${ofName.length} tenants have this name; say which with id: ${ofName.map(({ id }) => id).join(' or ')}`,
        'name',
      )
    if (tenant !== null && tenant.name !== entry.name && ofName.length > 0)
      return wrong('another tenant has this name', 'name')
    if (tenant !== null && taken.has(tenant.id)) return wrong('the file names this tenant twice', 'name')
    if (tenant !== null) taken.add(tenant.id)
    return [{ entry, tenant }]
  })
}

async function planRealms(
  planning: Planning,
  entry: TenantSetup,
  found: KnownTenant | null,
): Promise<readonly PlannedChange[]> {
  const changes: PlannedChange[] = []
  const tenantId = found?.tenant.id ?? NOT_YET_CREATED
  const settings = { ...(found?.settings ?? defaultSettings()), ...entry.settings }
  for (const environment of ENVIRONMENTS) {
    const known = found?.realms[environment] ?? EMPTY_REALM
    const setup = entry.realms[environment]
    const realm = { tenantId, environment, path: [...entry.path, environment], settings }
    changes.push(...(await planRealm(planning, realm, setup, known)))
    changes.push(...(await planTrust(planning, { tenantId, environment }, setup, known)))
  }
  return changes
}

function tenantAdded(planning: Planning, { name, plan, dailyQuota }: TenantSetup): PlannedChange {
  const input = { name, plan: plan ?? 'free', dailyQuota: dailyQuota ?? null } as const
  return {
    action: 'add',
    what: 'tenant',
    environment: null,
    name,
    details: `${input.plan}${input.dailyQuota === null ? '' : `, ${input.dailyQuota} a day`}`,
    async carryOut(deps) {
      const created = await createTenantOnce(deps, { ...input, actor: planning.actor })
      if (created === null)
        throw new ChangeRefused('a tenant of this name was created in the meantime: run the command again')
      return { tenantId: created.id }
    },
  }
}

function tenantChanged(planning: Planning, entry: TenantSetup, before: Tenant): PlannedChange | null {
  const { name } = entry
  const plan = entry.plan ?? before.plan
  const dailyQuota = entry.dailyQuota === undefined ? before.dailyQuota : entry.dailyQuota
  const differs = [
    ...(name === before.name ? [] : [`name: ${before.name} → ${name}`]),
    ...(plan === before.plan ? [] : [`plan: ${before.plan} → ${plan}`]),
    ...(dailyQuota === before.dailyQuota
      ? []
      : [`daily_quota: ${before.dailyQuota ?? "the plan's"} → ${dailyQuota ?? "the plan's"}`]),
  ]
  if (differs.length === 0) return null
  return {
    action: 'change',
    what: 'tenant',
    environment: null,
    name,
    details: differs.join(', '),
    async carryOut(deps, tenantId) {
      const change = { name, plan, dailyQuota }
      await changeTenant(deps, { tenantId: requireTenant(tenantId), change, actor: planning.actor })
      return {}
    },
  }
}

function settingsChanged(planning: Planning, entry: TenantSetup, before: TenantSettings): PlannedChange | null {
  const [wanted, stored] = [toWire({ ...before, ...entry.settings }), toWire(before)]
  const different = SETTINGS.filter(({ name }) => wanted[name] !== stored[name])
  if (different.length === 0) return null
  const change = Object.fromEntries(different.map(({ key }) => [key, entry.settings[key]])) as Partial<TenantSettings>
  return {
    action: 'change',
    what: 'settings',
    environment: null,
    name: entry.name,
    details: different.map(({ name }) => `${name}: ${stored[name]} → ${wanted[name]}`).join(', '),
    async carryOut(deps, tenantId) {
      await changeSettings(deps, { tenantId: requireTenant(tenantId), change, actor: planning.actor })
      return {}
    },
  }
}

/** The settings of a new tenant. */
const defaultSettings = () =>
  Object.fromEntries(SETTINGS.map(({ key }) => [key, TENANT_SETTINGS[key].fallback])) as unknown as TenantSettings
