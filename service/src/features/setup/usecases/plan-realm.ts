// Compares keys, templates and endpoints of one realm with a set-up file.

import type { OwnTemplate } from '../../../core/templates/domain/template.ts'
import { findRefusedInLive, removeTemplate, saveTemplate } from '../../../core/templates/usecases/manage-templates.ts'
import { ACTIVE_KEYS_MAX, type ApiKey } from '../../../core/tenants/domain/api-key.ts'
import type { TenantSettings } from '../../../core/tenants/domain/settings.ts'
import { createKey, revokeKey } from '../../../core/tenants/usecases/manage-keys.ts'
import { type CanonicalValue, canonicalJson } from '../../../platform/canonical-json.ts'
import { Refusal } from '../../../platform/errors.ts'
import type { Environment } from '../../../platform/world.ts'
import {
  checkWebhookTarget,
  ENDPOINTS_MAX,
  type Endpoint,
  isLiveInClear,
  removeEndpoint,
  saveEndpoint,
} from '../../webhooks/index.ts'
import type { EndpointEntry, KeyEntry, RealmSetup, SetupPath } from '../domain/setup.ts'
import {
  ChangeRefused,
  NOT_YET_CREATED,
  noteProblem,
  type PlannedChange,
  type Planning,
  requireTenant,
} from './planned-change.ts'
import type { KnownRealm } from './read-installation.ts'

interface RealmOfSetup {
  /** NOT_YET_CREATED if the plan creates the tenant. */
  readonly tenantId: string
  readonly environment: Environment
  readonly path: SetupPath
  /** The settings after the plan is applied. */
  readonly settings: Pick<TenantSettings, 'liveWebhooksHttpsOnly'>
}

export async function planRealm(
  planning: Planning,
  realm: RealmOfSetup,
  setup: RealmSetup,
  known: KnownRealm,
): Promise<PlannedChange[]> {
  return [
    ...planKeys(planning, realm, setup.keys, known.keys),
    ...(await planTemplates(planning, realm, setup.templates, known.templates)),
    ...(await planEndpoints(planning, realm, setup.endpoints, known.endpoints)),
  ]
}

/**
 * A key is identified by its name and scopes, which never change. So narrower scopes in the file mean another key. The
 * plan reports the old key, which would otherwise stay valid unnoticed.
 */
function planKeys(
  planning: Planning,
  realm: RealmOfSetup,
  entries: readonly KeyEntry[] | null,
  known: readonly ApiKey[],
): PlannedChange[] {
  if (entries === null) return []
  const { environment } = realm
  const isSame = (key: ApiKey, entry: KeyEntry) =>
    key.name === entry.name && sorted(key.scopes) === sorted(entry.scopes)
  const added = entries.filter((entry) => !known.some((key) => isSame(key, entry)))
  for (const entry of planning.prune ? [] : added) {
    const other = known.find((key) => key.name === entry.name && !entries.some((one) => isSame(key, one)))
    if (other === undefined) continue
    const message = `the key of this name has other scopes (${other.scopes.join(', ')}), and they never change: give another name, or --prune revokes it`
    noteProblem(planning, [...entry.path, 'scopes'], message)
  }
  checkRoom(planning, [...realm.path, 'keys'], known.length + added.length, ACTIVE_KEYS_MAX)
  const removed = planning.prune ? known.filter((key) => !entries.some((entry) => isSame(key, entry))) : []
  return [
    ...added.map(
      ({ name, scopes, expiresInDays }): PlannedChange => ({
        action: 'add',
        what: 'key',
        environment,
        name,
        details: `${scopes.join(', ')}${expiresInDays === null ? '' : `; ${expiresInDays} days`}`,
        async carryOut(deps, tenantId) {
          const input = { tenantId: requireTenant(tenantId), environment, name, scopes, expiresInDays }
          const created = await createKey(deps, { ...input, actor: planning.actor })
          if (created === null) throw new ChangeRefused('there is no such tenant')
          return { newKey: { tenantId: input.tenantId, environment, id: created.apiKey.id, name, key: created.key } }
        },
      }),
    ),
    ...removed.map(
      ({ id, name, scopes }): PlannedChange => ({
        action: 'remove',
        what: 'key',
        environment,
        name,
        details: `${id}: ${scopes.join(', ')}`,
        async carryOut(deps, tenantId) {
          const input = { tenantId: requireTenant(tenantId), environment, keyId: id, actor: planning.actor }
          await revokeKey(deps, input)
          return {}
        },
      }),
    ),
  ]
}

const sorted = (scopes: readonly string[]) => [...scopes].sort().join(' ')

async function planTemplates(
  planning: Planning,
  realm: RealmOfSetup,
  entries: RealmSetup['templates'],
  known: readonly OwnTemplate[],
): Promise<PlannedChange[]> {
  if (entries === null) return []
  const { environment } = realm
  const before = new Map(known.map((template) => [template.key, template]))
  const changed = entries.filter(({ template }) => !isSameTemplate(template, before.get(template.key)))
  if (environment === 'live') {
    const inStore = realm.tenantId === NOT_YET_CREATED ? null : realm
    const refused = await findRefusedInLive(
      planning.deps,
      inStore,
      changed.map(({ template }) => template),
    )
    for (const { template, concern } of refused)
      noteProblem(planning, [...realm.path, 'templates', template.key], concern.message)
  }
  const isNew = changed.filter(({ template }) => !before.has(template.key)).length
  checkRoom(planning, [...realm.path, 'templates'], known.length + isNew, planning.deps.config.templatesMax)
  const named = new Set(entries.map(({ template }) => template.key))
  const removed = planning.prune ? known.filter(({ key }) => !named.has(key)) : []
  return [
    ...changed.map(
      ({ template: { key, title }, document }): PlannedChange => ({
        action: before.has(key) ? 'change' : 'add',
        what: 'template',
        environment,
        name: key,
        details: title,
        async carryOut(deps, tenantId) {
          const input = {
            realm: { tenantId: requireTenant(tenantId), environment },
            key,
            document,
            actor: planning.actor,
          }
          const saved = await saveTemplate(deps, input)
          if (saved.outcome === 'invalid') throw new ChangeRefused(saved.problem)
          if (saved.outcome === 'no_tenant') throw new ChangeRefused('there is no such tenant')
          return {}
        },
      }),
    ),
    ...removed.map(
      ({ key, title }): PlannedChange => ({
        action: 'remove',
        what: 'template',
        environment,
        name: key,
        details: title,
        async carryOut(deps, tenantId) {
          const input = { realm: { tenantId: requireTenant(tenantId), environment }, key, actor: planning.actor }
          await removeTemplate(deps, input)
          return {}
        },
      }),
    ),
  ]
}

const isSameTemplate = (one: OwnTemplate, other: OwnTemplate | undefined) =>
  other !== undefined && canonicalOf(one) === canonicalOf(other)

/** The store does not keep the order of members, so it is ignored. */
const canonicalOf = (template: OwnTemplate) => canonicalJson(JSON.parse(JSON.stringify(template)) as CanonicalValue)

/** Names may repeat: the first entry with a name matches the first endpoint with that name, and so on. */
async function planEndpoints(
  planning: Planning,
  realm: RealmOfSetup,
  entries: readonly EndpointEntry[] | null,
  known: readonly Endpoint[],
): Promise<PlannedChange[]> {
  if (entries === null) return []
  const { environment } = realm
  const left = [...known]
  const changes: PlannedChange[] = []
  for (const entry of entries) {
    const at = left.findIndex(({ name }) => name === entry.name)
    const [before] = at < 0 ? [] : left.splice(at, 1)
    const { name, url } = entry
    const isDefault = entry.isDefault ?? before?.isDefault ?? false
    if (before !== undefined && before.url === url && before.isDefault === isDefault) continue
    await judgeAddress(planning, realm, entry)
    const differs = [
      ...(before?.url === url ? [] : ['address']),
      ...((before?.isDefault ?? false) === isDefault ? [] : [isDefault ? 'is the default' : 'is not the default']),
    ]
    changes.push({
      action: before === undefined ? 'add' : 'change',
      what: 'endpoint',
      environment,
      name,
      details: differs.join(', '),
      async carryOut(deps, tenantId) {
        const input = { realm: { tenantId: requireTenant(tenantId), environment }, draft: { name, url, isDefault } }
        const saved = await saveEndpoint(deps, { ...input, id: before?.id ?? null, actor: planning.actor })
        if (saved === null) throw new ChangeRefused('the endpoint no longer exists')
        return {}
      },
    })
  }
  const added = changes.filter(({ action }) => action === 'add').length
  checkRoom(planning, [...realm.path, 'endpoints'], known.length + added, ENDPOINTS_MAX)
  const removed = (planning.prune ? left : []).map(
    ({ id, name }): PlannedChange => ({
      action: 'remove',
      what: 'endpoint',
      environment,
      name,
      details: id,
      async carryOut(deps, tenantId) {
        const input = { realm: { tenantId: requireTenant(tenantId), environment }, id, actor: planning.actor }
        await removeEndpoint(deps, input)
        return {}
      },
    }),
  )
  return [...changes, ...removed]
}

async function judgeAddress(planning: Planning, realm: RealmOfSetup, { path, url }: EndpointEntry): Promise<void> {
  const { environment, settings } = realm
  try {
    await checkWebhookTarget(planning.deps, environment, url)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    noteProblem(planning, [...path, 'url'], error.publicMessage ?? 'must be a public http or https address')
    return
  }
  if (isLiveInClear(environment, url) && settings.liveWebhooksHttpsOnly)
    noteProblem(planning, [...path, 'url'], 'must be https: live_webhooks_https_only is on')
}

/** Additions come before removals, so entries that will be removed count too. */
function checkRoom(planning: Planning, path: SetupPath, count: number, most: number): void {
  if (count > most) noteProblem(planning, path, `there would be ${count}; the limit is ${most}`)
}
