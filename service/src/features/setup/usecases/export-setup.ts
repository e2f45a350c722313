// Exports an installation as a set-up file without secrets. The file can be applied to an empty installation.

import { KEY_LIFETIMES_DAYS, SCOPES } from '../../../../../wire/values/keys.ts'
import type { OwnTemplate } from '../../../core/templates/domain/template.ts'
import type { ApiKey } from '../../../core/tenants/domain/api-key.ts'
import { SETTINGS, toWire } from '../../../core/tenants/domain/settings.ts'
import type { Tenant } from '../../../core/tenants/domain/tenant.ts'
import { listTenants } from '../../../core/tenants/usecases/manage-tenants.ts'
import { isSameSoleType } from '../../../core/verifications/domain/provable.ts'
import type { Deps } from '../../../deps.ts'
import { ENVIRONMENTS, millisecondsOf } from '../../../platform/world.ts'
import {
  type AnchorView,
  listAllAnchors,
  listContradictedMarks,
  listUnreadLists,
  needsProviders,
  type Owner,
  renderSoleType,
  type SoleType,
  type TrustList,
  toPem,
} from '../../trust/index.ts'
import type { Endpoint } from '../../webhooks/index.ts'
import { anchorIdentity, trustListIdentity } from '../domain/read-trust.ts'
import { SETUP_VERSION } from '../domain/setup.ts'
import { isForDocuments, soleOf, typesOf } from './plan-trust.ts'
import { isSignedAlike } from './plan-trust-lists.ts'
import { type KnownRealm, type KnownTrust, readAllTrust, readTenantSetups } from './read-installation.ts'

interface ExportedSetup {
  readonly vidimus: typeof SETUP_VERSION
  readonly service?: object
  readonly tenants: readonly object[]
}

/** `withIds` is needed if several tenants have one name, or the file could not be applied. `leftOut`: in words. */
export async function exportSetup(
  deps: Pick<Deps, 'db' | 'clock'>,
  input: { readonly withIds: boolean },
): Promise<{ readonly setup: ExportedSetup; readonly leftOut: readonly string[] } | { readonly ambiguous: string }> {
  const tenants = await listTenants(deps)
  // Sorted, so that the same installation always gives the same file.
  tenants.sort((one, other) => compare(one.name, other.name) || compare(one.id, other.id))
  const ambiguous = input.withIds ? null : findDuplicateName(tenants)
  if (ambiguous !== null) return { ambiguous }
  const trustOf = await readTrustToExport(deps)
  const trusts: KnownTrust[] = ENVIRONMENTS.map((environment) => trustOf({ tenantId: null, environment }))
  const [test, live] = trusts.map(renderTrust)
  const rendered: object[] = []
  for await (const { tenant, settings, realms } of readTenantSetups(deps, tenants, trustOf)) {
    const wire = toWire(settings)
    trusts.push(realms.test, realms.live)
    const changeable = SETTINGS.filter(({ setting }) => setting.kind !== 'text').map(({ name }) => [name, wire[name]])
    rendered.push({
      ...(input.withIds ? { id: tenant.id } : {}),
      name: tenant.name,
      plan: tenant.plan,
      daily_quota: tenant.dailyQuota,
      settings: Object.fromEntries(changeable),
      ...unlessEmpty('test', renderRealm(realms.test)),
      ...unlessEmpty('live', renderRealm(realms.live)),
    })
  }
  const service = { ...unlessEmpty('test', test ?? {}), ...unlessEmpty('live', live ?? {}) }
  const setup: ExportedSetup = { vidimus: SETUP_VERSION, ...unlessEmpty('service', service), tenants: rendered }
  return { setup, leftOut: trusts.flatMap(({ trustLists }) => leftOutOf(trustLists)) }
}

/**
 * Leaves out marks that a list or another anchor contradicts. Where the file is applied, earlier issues, lists from
 * files, and owners' lists and anchors are unknown. Leaves out all marks while the keys of a list are unknown.
 */
async function readTrustToExport(deps: Pick<Deps, 'db'>): Promise<(owner: Owner) => KnownTrust> {
  const trustOf = await readAllTrust(deps)
  const marks = await listContradictedMarks(deps.db)
  const otherwise = markedOtherwise(await listAllAnchors(deps.db)).map(({ id, listId }) => ({ id, list_id: listId }))
  const contradicted = new Set([...marks, ...otherwise].flatMap(({ id, list_id }) => [id, list_id]))
  const allAreVoid = (await listUnreadLists(deps.db)).length > 0
  const isVoid = ({ id }: { readonly id: string }) => allAreVoid || contradicted.has(id)
  return (owner) => {
    const { anchors, trustLists, certificates } = trustOf(owner)
    return {
      anchors: anchors.map((one) => (isVoid(one) ? withoutMark(one) : one)),
      trustLists: trustLists.map((one) => (isVoid(one) ? withoutMark(one) : one)),
      certificates,
    }
  }
}

/** Finds marked anchors whose key another anchor has with a different mark or without one. Anchors of expired lists count too. */
function markedOtherwise(anchors: readonly AnchorView[]): AnchorView[] {
  const keyOf = ({ environment, keySha256 }: AnchorView) => `${environment} ${keySha256}`
  const documents = Map.groupBy(anchors.filter(isForDocuments), keyOf)
  return anchors.filter((one) =>
    documents.get(keyOf(one))?.some(({ tenantId, sole }) => {
      const overlap = tenantId === null || one.tenantId === null || tenantId === one.tenantId
      return overlap && one.sole !== undefined && !isSameSoleType(one.sole, sole ?? null)
    }),
  )
}

const withoutMark = <Marked extends { readonly sole?: SoleType }>({ sole: _, ...one }: Marked) => one

function findDuplicateName(tenants: readonly Tenant[]): string | null {
  const seen = new Set<string>()
  for (const { name } of tenants) {
    if (seen.has(name)) return name
    seen.add(name)
  }
  return null
}

function renderRealm(known: KnownRealm): object {
  return {
    ...unlessEmpty('keys', renderKeys(known.keys)),
    ...unlessEmpty(
      'templates',
      Object.fromEntries(sortedBy(known.templates, ({ key }) => key).map((one) => [one.key, renderDocument(one)])),
    ),
    ...unlessEmpty('endpoints', sortedBy(known.endpoints, ({ name, url }) => `${name} ${url}`).map(renderEndpoint)),
    ...renderTrust(known),
  }
}

function renderTrust({ anchors, trustLists, certificates }: KnownTrust): object {
  const chains = certificates.map(({ purpose, serviceId, chain }) => ({
    purpose,
    ...(serviceId === null ? {} : { service: serviceId }),
    chain: chain.map((der) => toPem('CERTIFICATE', der)).join(''),
  }))
  const byUse = sortedBy(chains, useOf)
  return {
    ...unlessEmpty('anchors', renderAnchors(anchors)),
    ...unlessEmpty('trust_lists', renderTrustLists(trustLists)),
    ...unlessEmpty('certificates', byUse),
  }
}

const useOf = ({ purpose, service = '' }: { readonly purpose: string; readonly service?: string }) =>
  `${purpose} ${service}`

/** Writes one entry per certificate and kind, with all types of that kind. */
function renderAnchors(anchors: readonly AnchorView[]): object[] {
  const names = [...new Set(anchors.map(anchorIdentity))].sort()
  return names.flatMap((name) => {
    const alike = anchors.filter((one) => anchorIdentity(one) === name)
    const [first] = alike
    if (first === undefined) return []
    const { kind, profile, certificate } = first
    const types = { types: typesOf(alike), ...renderSole(soleOf(alike)) }
    return [{ kind, profile, ...types, certificate: toPem('CERTIFICATE', certificate) }]
  })
}

const vouching = (all: readonly TrustList[]) => all.filter(({ types }) => types.length > 0)

/** The import of each list that is written: the latest that is of the list's kind, or else the latest. */
function writtenLists(all: readonly TrustList[]): ReadonlyMap<string, TrustList> {
  const latest = vouching(all).toSorted((one, other) => Number(needsProviders(other)) - Number(needsProviders(one)))
  return new Map(latest.map((list) => [trustListIdentity(list), list]))
}

/** Names the imports whose types are not written, because they are for providers of another kind. */
function leftOutOf(all: readonly TrustList[]): string[] {
  const written = writtenLists(all)
  return vouching(all)
    .filter((one) => written.get(trustListIdentity(one))?.providers !== one.providers)
    .map(({ id, source, providers }) => `${id}, ${source} as ${providers ?? 'unknown'}: the file has another kind`)
}

/**
 * Writes one entry per list, with the types of all its imports for the same kind of providers: a type that is granted to
 * one kind is not granted to another. If the signers differ, the later one is written. Lists without a type are left out.
 */
function renderTrustLists(all: readonly TrustList[]): object[] {
  return sortedBy([...writtenLists(all)], ([identity]) => identity).map(
    ([identity, { kind, providers, source, signer, signerAuthority }]) => {
      const chain = [signer, signerAuthority].map((der) => (der === null ? '' : toPem('CERTIFICATE', der))).join('')
      const alike = vouching(all)
        .filter((one) => trustListIdentity(one) === identity && one.providers === providers)
        .filter((one) => isSignedAlike(one, { signer, signerAuthority }))
      const known = providers === null ? {} : { providers }
      return { kind, ...known, source, types: typesOf(alike), ...renderSole(soleOf(alike)), signer: chain }
    },
  )
}

const renderSole = (sole: SoleType | null) => (sole === null ? {} : { sole_type: renderSoleType(sole) })

const DAY_MS = 86_400_000

/** A key was rolled if its lifetime is not one of the offered ones. Its successor is exported instead. */
function renderKeys(keys: readonly ApiKey[]): object[] {
  const rendered = keys.flatMap(({ name, scopes, createdAt, expiresAt }) => {
    const ordered = SCOPES.filter((scope) => scopes.includes(scope))
    if (expiresAt === null) return [{ name, scopes: ordered }]
    const days = (millisecondsOf(expiresAt) - millisecondsOf(createdAt)) / DAY_MS
    return KEY_LIFETIMES_DAYS.some((lifetime) => lifetime === days)
      ? [{ name, scopes: ordered, expires_in_days: days }]
      : []
  })
  // Rolled keys have the same name and scopes, so only the newest is exported.
  const distinct = new Map(rendered.map((entry) => [`${entry.name} ${entry.scopes.join(' ')}`, entry]))
  return sortedBy([...distinct], ([identity]) => identity).map(([, entry]) => entry)
}

function renderDocument({ title, description, query, outputs, intendedUse, transaction }: OwnTemplate): object {
  return {
    title,
    ...(description === '' ? {} : { description }),
    query,
    ...(outputs === null ? {} : { outputs }),
    ...(intendedUse === null ? {} : { intended_use: intendedUse }),
    ...(transaction === null ? {} : { transaction }),
  }
}

const renderEndpoint = ({ name, url, isDefault }: Endpoint): object => ({
  name,
  url,
  ...(isDefault ? { default: true } : {}),
})

function unlessEmpty(name: string, value: object): object {
  return Object.keys(value).length === 0 ? {} : { [name]: value }
}

const compare = (one: string, other: string) => (one < other ? -1 : Number(one > other))

const sortedBy = <T>(entries: readonly T[], textOf: (entry: T) => string): T[] =>
  entries.toSorted((one, other) => compare(textOf(one), textOf(other)))
