// Commits creations in batches across tenants. One transaction admits or refuses each creation on its own.

import type { Deps } from '../../../../deps.ts'
import { type Cache, createCache } from '../../../../platform/cache.ts'
import { addShared, createSharedBatchJob } from '../../../../platform/event-loop/batch.ts'
import { DAY_MS, DAYS_KEPT_MAX, dayForTenant, SINGLY } from '../../../../platform/postgres/days.ts'
import type { Transaction } from '../../../../platform/postgres/db.ts'
import { KeyedRows } from '../../../../platform/postgres/fragments.ts'
import { StoreUnavailable } from '../../../../platform/store-unavailable.ts'
import { type Instant, instantOf, millisecondsOf } from '../../../../platform/world.ts'
import { utcDayOf } from '../../../quota/domain/quota.ts'
import { type Realm, realmName, TRAIL_BATCHES } from '../../../tenants/domain/realm.ts'
import { type ClientIdPrefix, effectiveSettings } from '../../../tenants/domain/settings.ts'
import { newEphemeralKey } from '../../domain/ephemeral-key.ts'
import { type Pending, renderVerification } from '../../domain/verification.ts'
import type { NewVerification } from '../../store/columns.ts'
import {
  KeyLost,
  type Opening,
  openCreation,
  openFreeCreations,
  type RecordedResponse,
  type Wanted,
  writeCreation,
} from '../../store/creation.ts'
import { createAtOnce } from '../../store/creation-at-once.ts'
import type { LockedRow } from '../../store/tenant-lock.ts'
import { type AdmittedDrafts, type ComposedCreations, CREATED_AT } from './contributions.ts'
import type { Creation, Creations, Draft } from './draft.ts'

type World = Pick<Deps, 'db' | 'clock' | 'random' | 'config' | 'signing' | 'metrics' | 'batcher' | 'log'> &
  Pick<Deps, 'derivedKeys'> & {
    readonly composed: ComposedCreations
  }

type Needs = World & {
  /** Settings of tenants whose last batch was admitted as a whole. */
  readonly remembered: Cache<Opening['settings']>
  /** Settings as last read, including those of tenants whose quota is spent. */
  readonly read: Cache<Opening['settings']>
}

/** The statement compares the settings with the store, so older settings would only fail more often. */
const REMEMBERED = { bytesMax: 4 * 1024 * 1024, bytesOf: () => 100, ttlMs: 600_000 }

export function createCreations(world: World): Creations {
  const createSettings = () => createCache<Opening['settings']>(REMEMBERED)
  const needs = { ...world, remembered: createSettings(), read: createSettings() }
  return {
    timeOfId: (tenantId) => (isKnownForLong(needs, tenantId) ? SINGLY * DAY_MS : world.clock.now()),
    commit: (realm, draft) => commitCreation(needs, realm, draft),
  }
}

const RANDOM_TEXT_BYTES = 32

interface Item {
  readonly realm: Realm
  readonly draft: Draft
  readonly clientIds: ClientIds
}

const CREATIONS = createSharedBatchJob<Needs, Item, Creation>({
  ...TRAIL_BATCHES,
  bytes: ({ draft: { query, outputs, transaction } }) =>
    transaction.reduce((sum, { text }) => sum + text.length, (query?.length ?? 0) + (outputs?.length ?? 0)),
  shared: createShared,
  async own(deps, items) {
    const [first] = items
    return first === undefined ? [] : commitBatch(deps, { realm: first.realm, items })
  },
})

/** Resolves both client ids first, because the batch's transaction must not wait for anything else. */
async function commitCreation(deps: Needs, realm: Realm, draft: Draft): Promise<Creation> {
  const { tenantId, environment } = realm
  const clientIds = await clientIdsFor(deps, { tenantId, environment, serviceId: serviceOf(draft) })
  const creation = await addShared(deps, CREATIONS, { realm: { tenantId, environment }, draft, clientIds })
  if (creation.outcome === 'created') deps.metrics.created.inc({ environment })
  return creation
}

/** One batch per kind of partition. A batch with both kinds would lock in another order than the retention job. */
async function createShared(deps: Needs, items: readonly Item[]): Promise<readonly (Creation | null)[]> {
  const kinds = [...Map.groupBy(items, ({ realm }) => isKnownForLong(deps, realm.tenantId)).values()]
  const created = await Promise.all(kinds.map((own) => createTogether(deps, own)))
  const byItem = new Map(kinds.flatMap((own, kind) => own.map((item, i) => [item, created[kind]?.[i] ?? null])))
  return items.map((item) => byItem.get(item) ?? null)
}

/** Items that fail before the commit are retried per realm, so that only the realm at fault gets the error. */
async function createTogether(deps: Needs, items: readonly Item[]): Promise<readonly (Creation | null)[]> {
  const batches = batchesOf(items)
  const known = await createRemembered(deps, batches)
  if (known !== null) return items.map(({ draft }) => known.get(draft) ?? bugOf('a creation without a decision'))
  let decided = false
  try {
    const created = await deps.db.transaction(async (tx) => {
      const nowMs = deps.clock.now()
      const wanted = batches.map(({ realm, items: own }) => ({ tenantId: realm.tenantId, ...wantedBy(own) }))
      const environment = items[0]?.realm.environment ?? 'test'
      const openings = await openFreeCreations(tx, deps.composed.statements, {
        environment,
        day: utcDayOf(nowMs),
        wanted,
      })
      const free = batches.flatMap((batch) => {
        const opening = openings.get(batch.realm.tenantId)
        return opening === undefined ? [] : [{ batch, opening }]
      })
      requireOneKind(deps, free, nowMs)
      const creations = await createAll(deps, tx, { nowMs, free })
      decided = true
      return creations
    })
    return items.map(({ draft }) => created.get(draft) ?? null)
  } catch (error) {
    if (decided || error instanceof StoreUnavailable) return items.map(() => ({ outcome: 'failed', error }))
    return items.map(() => null)
  }
}

/** Throws if the batch has tenants with both kinds of partitions. Their settings are known from then on, so the retry succeeds. */
function requireOneKind({ read }: Needs, free: readonly Opened[], nowMs: number): void {
  for (const { batch, opening } of free) read.set(batch.realm.tenantId, opening.settings, nowMs)
  if (new Set(free.map(({ opening }) => isKeptForLong(opening.settings))).size > 1)
    throw new Error('creations for both kinds of partitions in one batch')
}

/**
 * Creates in one statement. null, and nothing is written, if this process does not remember enough or the store has
 * changed. The next attempt reads, which corrects the memory.
 */
async function createRemembered(deps: Needs, batches: readonly Batch[]): Promise<ReadonlyMap<Draft, Creation> | null> {
  const { composed, remembered } = deps
  const { locks } = composed.statements
  const realms = batches.map(({ realm }) => realm)
  const statement = composed.atOnce?.[realms[0]?.environment ?? 'test']
  if (statement === undefined || batches.some(({ items }) => items.some(isSignIn))) return null
  const admitted: Admitted[] = []
  for (const { realm, items } of batches) {
    const settings = remembered.get(realm.tenantId, deps.clock.now())
    if (settings === undefined) return null
    admitted.push({
      realm,
      items,
      settings,
      drafts: items.map(({ draft }) => draft),
      dayOf: daysUnder(deps, realm, settings),
    })
  }
  const keyedRows = new KeyedRows()
  if (!locks.every(({ memory }) => memory?.recall(realms, keyedRows) === true)) return null
  const tenants = admitted.map((one) => ({ ...one.realm, others: one.items.length, settings: one.settings }))
  let created: ReturnType<typeof prepareAll>['prepared'] | null
  try {
    // An error because of one tenant's wrong memory must not fail the rest of the batch. The memory is forgotten.
    created = await deps.db.transaction(async (tx) => {
      const nowMs = deps.clock.now()
      for (const contribution of composed.all) contribution.collect(admitted, { now: instantOf(nowMs), keyedRows })
      const { prepared, ...written } = prepareAll(deps, admitted, keyedRows)
      const batch = { ...written, keyedRows, day: utcDayOf(nowMs), tenants }
      return (await createAtOnce(tx, statement, batch)) ? prepared : null
    })
  } catch (error) {
    for (const { tenantId } of realms) remembered.delete(tenantId)
    for (const { memory } of locks) memory?.forget(realms)
    const drafts = admitted.flatMap((one) => one.drafts)
    if (error instanceof StoreUnavailable) return new Map(drafts.map((draft) => [draft, { outcome: 'failed', error }]))
    if (error instanceof KeyLost) return null
    deps.metrics.batchRetries.inc({ batch: 'creations', reason: 'failed' })
    deps.log.fault('creations were not written from memory', error)
    return null
  }
  if (created === null) deps.metrics.batchRetries.inc({ batch: 'creations', reason: 'stale' })
  else for (const { memory } of locks) memory?.remember(keyedRows)
  return created && new Map(created.map(({ draft, answer }) => [draft, { outcome: 'created', answer }]))
}

/** The batches of the realms, in the order of each realm's first item. */
function batchesOf(items: readonly Item[]): Batch[] {
  const byRealm = Map.groupBy(items, ({ realm }) => realmName(realm))
  return [...byRealm.values()].flatMap((own) => own.slice(0, 1).map(({ realm }) => ({ realm, items: own })))
}

const serviceOf = ({ registration }: Draft) => registration?.certificate.serviceId ?? null

type ClientIds = Readonly<Record<ClientIdPrefix, string | { readonly error: unknown }>>

async function clientIdsFor(deps: Needs, asking: Realm & { readonly serviceId: string | null }): Promise<ClientIds> {
  return {
    x509_hash: await deps.signing.clientIdFor(asking, 'x509_hash'),
    x509_san_dns: await deps.signing.clientIdFor(asking, 'x509_san_dns').catch((error: unknown) => ({ error })),
  }
}

/** If a batch fails, each item is retried alone, so that one failure does not affect the others. */
async function commitBatch(deps: Needs, batch: Batch): Promise<readonly Creation[]> {
  // After an error that follows the decision, only the store knows whether the transaction was committed. A retry could create twice.
  let decided = false
  try {
    const created = await deps.db.transaction(async (tx) => {
      const nowMs = deps.clock.now()
      const wanted = { day: utcDayOf(nowMs), now: instantOf(nowMs), ...wantedBy(batch.items) }
      const { statements } = deps.composed
      const opening = await openCreation(tx, batch.realm, { ...wanted, statements })
      const creations = await createAll(deps, tx, { nowMs, free: [{ batch, opening }] })
      decided = true
      return creations
    })
    return batch.items.map(({ draft }) => created.get(draft) ?? bugOf('a creation without a decision'))
  } catch (error) {
    const alone = batch.items.length === 1
    if (alone && error instanceof KeyLost) return [{ outcome: 'key_lost' }]
    if (alone || decided || error instanceof StoreUnavailable)
      return batch.items.map(() => ({ outcome: 'failed', error }))
    const creations: Creation[] = []
    for (const item of batch.items) creations.push(...(await commitBatch(deps, { ...batch, items: [item] })))
    return creations
  }
}

function bugOf(what: string): never {
  throw new Error(`bug: ${what}`)
}

interface Batch {
  readonly realm: Realm
  readonly items: readonly Item[]
}

/** A batch whose rows this transaction has locked. */
interface Opened {
  readonly batch: Batch
  readonly opening: Opening
}

/** Creations of a realm, within its quota and under its settings. */
interface Admitted extends AdmittedDrafts {
  readonly items: readonly Item[]
  readonly settings: Opening['settings']
}

/** Returns the outcome of each draft, after committing everything that is written. */
async function createAll(
  deps: Needs,
  tx: Transaction,
  { nowMs, free }: { readonly nowMs: number; readonly free: readonly Opened[] },
): Promise<ReadonlyMap<Draft, Creation>> {
  const created = new Map<Draft, Creation>()
  const admitted = free.map(({ batch, opening }) => {
    const items = admit(batch.items, opening.granted)
    const { row, settings } = opening
    const isWhole = items.length === batch.items.length
    const dayOf = daysUnder(deps, batch.realm, settings)
    return { realm: batch.realm, row, settings, items, isWhole, drafts: items.map(({ draft }) => draft), dayOf }
  })
  const { statements } = deps.composed
  const keyedRows = collectCreations(deps.composed, admitted, instantOf(nowMs))
  const { prepared, ...written } = prepareAll(deps, admitted, keyedRows)
  if (written.verifications.length > 0) {
    await writeCreation(tx, statements.write, { ...written, keyedRows })
    for (const { memory } of statements.locks) memory?.remember(keyedRows)
  }
  for (const { realm, settings, isWhole } of admitted) {
    if (isWhole) deps.remembered.set(realm.tenantId, settings, nowMs)
    else deps.remembered.delete(realm.tenantId)
  }
  for (const { batch } of free)
    for (const { draft } of batch.items) created.set(draft, { outcome: 'quota_exceeded', atMs: nowMs })
  for (const { draft, answer } of prepared) created.set(draft, { outcome: 'created', answer })
  return created
}

function prepareAll(deps: Needs, admitted: readonly Admitted[], keyedRows: KeyedRows) {
  const realms = admitted.map((one) => prepare(deps, one, keyedRows.get(CREATED_AT)))
  return {
    prepared: realms.flatMap((one) => one.prepared),
    verifications: realms.flatMap((one) => one.verifications),
    answers: realms.flatMap((one) => one.answers),
  }
}

/** Collects the rows that all contributions write with these drafts. */
export function collectCreations(
  { all, statements }: ComposedCreations,
  admitted: readonly (AdmittedDrafts & Pick<LockedRow, 'row'>)[],
  now: Instant,
): KeyedRows {
  const keyedRows = new KeyedRows()
  for (const lock of statements.locks) lock.read(admitted, keyedRows)
  for (const contribution of all) contribution.collect(admitted, { now, keyedRows })
  return keyedRows
}

/** Prepares the rows of a realm, within its quota. */
function prepare(deps: Needs, { realm, settings, items, dayOf }: Admitted, times: ReadonlyMap<Draft, Instant>) {
  const { clientIdPrefix, responseMode } = effectiveSettings(settings, deps.config.haip)
  const prepared = items.map(({ draft, clientIds }) => {
    const createdAt = times.get(draft) ?? bugOf('a creation without its time')
    const verification = verificationOf(realm, draft, { clientId: clientIdOf(clientIds, clientIdPrefix), createdAt })
    return { draft, verification, answer: renderVerification(verification, deps.config.baseUrl) }
  })
  return {
    prepared,
    verifications: prepared.map((one) => rowOf(deps, one, { responseMode, day: dayOf(one.draft) })),
    answers: prepared.flatMap((one) => answerOf(realm, one)),
  }
}

/** Rows with a long retention do not go to the partition of their day, because they would keep it for as long. */
const isKeptForLong = (settings?: Opening['settings']) => (settings?.retentionDays ?? 0) > DAYS_KEPT_MAX

function isKnownForLong({ remembered, read, clock }: Needs, tenantId: string): boolean {
  const now = clock.now()
  return isKeptForLong(remembered.get(tenantId, now) ?? read.get(tenantId, now))
}

const daysUnder =
  ({ derivedKeys }: Needs, { tenantId }: Realm, settings: Opening['settings']): AdmittedDrafts['dayOf'] =>
  ({ id }) =>
    isKeptForLong(settings) ? SINGLY : dayForTenant(derivedKeys, tenantId, id)

function wantedBy(items: readonly Item[]): Wanted {
  const signIns = items.filter(isSignIn).length
  return { signIns, others: items.length - signIns }
}

/** Sign-ins are granted separately, because strangers can start them. */
const isSignIn = ({ draft }: Item) => draft.actor.type === 'oidc_client'

/** The first items of each kind, as many as were granted. */
function admit(items: readonly Item[], granted: Wanted): readonly Item[] {
  const left = { ...granted }
  return items.filter((item) => {
    const kind = isSignIn(item) ? 'signIns' : 'others'
    left[kind] -= 1
    return left[kind] >= 0
  })
}

function clientIdOf(clientIds: ClientIds, prefix: ClientIdPrefix): string {
  const clientId = clientIds[prefix]
  if (typeof clientId !== 'string') throw clientId.error
  return clientId
}

function answerOf(realm: Realm, created: { draft: Draft; answer: string }): RecordedResponse[] {
  const { keyLease, id, warnings } = created.draft
  if (keyLease === null) return []
  const warned = warnings.length === 0 ? null : JSON.stringify(warnings.map(({ code, message }) => ({ code, message })))
  return [{ realm, ...keyLease, verificationId: id, answer: created.answer, warnings: warned }]
}

interface Prepared {
  readonly draft: Draft
  readonly verification: Pending
}

function verificationOf(
  realm: Realm,
  draft: Draft,
  terms: { readonly clientId: string; readonly createdAt: Instant },
): Pending {
  const { clientId, createdAt } = terms
  const expiresAt = instantOf(millisecondsOf(createdAt) + draft.ttlSeconds * 1000)
  const { tenantId, environment } = realm
  return { ...draft, tenantId, environment, clientId, createdAt, expiresAt, status: 'pending' }
}

function rowOf(
  deps: Needs,
  { draft, verification }: Prepared,
  placed: Pick<NewVerification, 'responseMode' | 'day'>,
): NewVerification {
  const { query, outputs, actor, keyLease, browserBinding, browserHash } = draft
  return {
    ...verification,
    query,
    outputs,
    browserBinding,
    browserHash,
    actor,
    ...placed,
    registrationId: draft.registration?.id ?? null,
    transaction: draft.transaction,
    idempotencyKey: keyLease?.key ?? null,
    nonce: randomText(deps),
    stateParameter: randomText(deps),
    ephemeralKey: newEphemeralKey(deps.random),
  }
}

const randomText = (deps: Pick<Deps, 'random'>) => Buffer.from(deps.random(RANDOM_TEXT_BYTES)).toString('base64url')
