// Reads the state of an installation, many tenants per statement, for comparison with a set-up file.

import type { OwnTemplate } from '../../../core/templates/domain/template.ts'
import { listTemplatesAcrossTenants } from '../../../core/templates/store/templates.ts'
import type { ApiKey } from '../../../core/tenants/domain/api-key.ts'
import { realmName } from '../../../core/tenants/domain/realm.ts'
import type { TenantSettings } from '../../../core/tenants/domain/settings.ts'
import type { Tenant } from '../../../core/tenants/domain/tenant.ts'
import { listActiveKeysAcrossTenants } from '../../../core/tenants/store/api-keys.ts'
import { loadSettingsAcrossTenants } from '../../../core/tenants/store/settings.ts'
import type { Deps } from '../../../deps.ts'
import { type Environment, instantOf } from '../../../platform/world.ts'
import {
  type AnchorView,
  type Certificate,
  isAddress,
  listAllAnchors,
  listAllCertificates,
  listTrustLists,
  type Owner,
  type TrustList,
} from '../../trust/index.ts'
import { type Endpoint, readEndpointsAcrossTenants } from '../../webhooks/index.ts'

export interface KnownTrust {
  /** Anchors that were added by hand. Anchors of lists are not included. */
  readonly anchors: readonly AnchorView[]
  /** Lists that the operator imported from an address. A list from a file cannot be imported again. */
  readonly trustLists: readonly TrustList[]
  /** Installed certificates in use. Certificates that the service generated are not included. */
  readonly certificates: readonly Certificate[]
}

export interface KnownRealm extends KnownTrust {
  readonly keys: readonly ApiKey[]
  readonly templates: readonly OwnTemplate[]
  readonly endpoints: readonly Endpoint[]
}

export interface KnownTenant {
  readonly tenant: Tenant
  readonly settings: TenantSettings
  readonly realms: Readonly<Record<Environment, KnownRealm>>
}

export const EMPTY_REALM: KnownRealm = {
  anchors: [],
  trustLists: [],
  certificates: [],
  keys: [],
  templates: [],
  endpoints: [],
}

/** Reads the trust of all owners at once, because it is small. */
export async function readAllTrust(deps: Pick<Deps, 'db'>): Promise<(owner: Owner) => KnownTrust> {
  const anchors = (await listAllAnchors(deps.db)).filter(({ listId }) => listId === null)
  const trustLists = (await listTrustLists(deps.db)).filter((list) => !list.byOwner && isAddress(list.source))
  const certificates = (await listAllCertificates(deps.db)).filter(
    ({ provenance, installedAt, retiredAt }) =>
      provenance === 'installed' && installedAt !== null && retiredAt === null,
  )
  const anchorsOf = grouped(anchors, ownerName)
  const trustListsOf = grouped(trustLists, ownerName)
  const certificatesOf = grouped(certificates, ownerName)
  return (owner) => ({
    anchors: anchorsOf.get(ownerName(owner)) ?? [],
    trustLists: trustListsOf.get(ownerName(owner)) ?? [],
    certificates: certificatesOf.get(ownerName(owner)) ?? [],
  })
}

const TENANTS_AT_ONCE = 200

/** Reads tenants in batches, and yields them in the order of `tenants`. */
export async function* readTenantSetups(
  deps: Pick<Deps, 'db' | 'clock'>,
  tenants: readonly Tenant[],
  trustOf: (owner: Owner) => KnownTrust,
): AsyncGenerator<KnownTenant> {
  for (let at = 0; at < tenants.length; at += TENANTS_AT_ONCE) {
    const some = tenants.slice(at, at + TENANTS_AT_ONCE)
    const ids = some.map(({ id }) => id)
    const settings = new Map(
      (await loadSettingsAcrossTenants(deps.db, ids)).map(({ tenantId, ...rest }) => [tenantId, rest]),
    )
    const keys = grouped(await listActiveKeysAcrossTenants(deps.db, ids, instantOf(deps.clock.now())), realmName)
    const templates = grouped(await listTemplatesAcrossTenants(deps.db, ids), realmName)
    const endpoints = grouped(await readEndpointsAcrossTenants(deps, ids), realmName)
    const realmOf = (tenantId: string, environment: Environment): KnownRealm => {
      const realm = { tenantId, environment }
      const name = realmName(realm)
      return {
        ...trustOf(realm),
        keys: keys.get(name) ?? [],
        templates: (templates.get(name) ?? []).map(({ template }) => template),
        endpoints: (endpoints.get(name) ?? []).map(({ endpoint }) => endpoint),
      }
    }
    for (const tenant of some) {
      const found = settings.get(tenant.id)
      // A tenant is never removed, so it must have settings.
      if (found === undefined) throw new Error('bug: a tenant has no row')
      yield {
        tenant,
        settings: found,
        realms: { test: realmOf(tenant.id, 'test'), live: realmOf(tenant.id, 'live') },
      }
    }
  }
}

const ownerName = ({ tenantId, environment }: Owner) => `${tenantId ?? ''}|${environment}`

function grouped<T>(all: readonly T[], nameOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    const group = groups.get(nameOf(one))
    if (group === undefined) groups.set(nameOf(one), [one])
    else group.push(one)
  }
  return groups
}
