// Creations become rows: one transaction for all that met, of whichever tenants, in which each is admitted or refused by itself.
// Quota, verification, audit entry and idempotent response stand or fall together.

import type { Deps } from '../../../../deps.ts'
import { joinEntries } from '../../../../features/audit/store/chain.ts'
import type { Transaction } from '../../../../platform/postgres/db.ts'
import { StoreUnavailable } from '../../../../platform/store-unavailable.ts'
import { type Instant, instantOf, millisecondsOf } from '../../../../platform/world.ts'
import type { AuditActor, AuditEvent } from '../../../ports/audit.ts'
import { utcDayOf } from '../../../quota/domain/quota.ts'
import type { Warning } from '../../../registrations/domain/choose.ts'
import type { Registration } from '../../../registrations/domain/registration.ts'
import type { Realm } from '../../../tenants/domain/realm.ts'
import { type ClientIdPrefix, effectiveSettings } from '../../../tenants/domain/settings.ts'
import type { FrozenTransaction } from '../../../transactions/domain/frozen.ts'
import { newEphemeralKey } from '../../domain/ephemeral-key.ts'
import { type EveryVerification, type Pending, renderVerification } from '../../domain/verification.ts'
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
import { byRealm, commitTogether, committing, type OfRealm } from '../commit-together.ts'

/** Everything of a verification that is known before the transaction gives it its time and the tenant's terms. */
export interface Draft
  extends Omit<EveryVerification, keyof Realm | keyof Terms | 'createdAt' | 'expiresAt'>,
    Pick<NewVerification, 'query' | 'outputs' | 'browserBinding' | 'browserHash'> {
  readonly ttlSeconds: number
  readonly actor: AuditActor
  /** What the trail says of the actor beside its id. */
  readonly actorDetails: { readonly actor_name?: string }
  /** The idempotency key that this creation holds, if it has one. */
  readonly held: { readonly key: string; readonly fence: string } | null
  /** What the holder is to agree to; empty: nothing. */
  readonly transaction: readonly FrozenTransaction[]
  /** What it is asked under. */
  readonly registration: Registration | null
  /** What its answer warns of. */
  readonly warnings: readonly Warning[]
}

export type Creation =
  | { readonly outcome: 'created'; readonly answer: string }
  /** `atMs`: when it was decided, on the day whose quota is spent. */
  | { readonly outcome: 'quota_exceeded'; readonly atMs: number }
  /** The lease lapsed and another request took the key: nothing was created here. */
  | { readonly outcome: 'key_lost' }
  | { readonly outcome: 'failed'; readonly error: unknown }

/** What a tenant's settings decide for all of a batch. */
type Terms = Pick<NewVerification, 'clientId' | 'responseMode'>

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'config' | 'signing' | 'metrics' | 'lanes' | 'audit'>

const RANDOM_TEXT_BYTES = 32

interface Item extends OfRealm {
  readonly draft: Draft
  readonly clientIds: ClientIds
}

const CREATIONS = committing<Needs, Item, Creation>({
  shared: createTogether,
  async own(deps, items) {
    const [first] = items
    return first === undefined ? [] : commitBatch(deps, { realm: first.realm, items })
  },
})

/** Who we are under either name is known before it meets others, whose transaction must not wait for anything else. */
export async function commitCreation(deps: Needs, realm: Realm, draft: Draft): Promise<Creation> {
  const { tenantId, environment } = realm
  const clientIds = await clientIdsFor(deps, { tenantId, environment, serviceId: serviceOf(draft) })
  const creation = await commitTogether(deps, CREATIONS, { realm: { tenantId, environment }, draft, clientIds })
  if (creation.outcome === 'created') deps.metrics.created.inc({ environment })
  return creation
}

/** Whatever goes wrong before the commit goes wrong again for its own realm alone, which is then told. */
async function createTogether(deps: Needs, items: readonly Item[]): Promise<readonly (Creation | null)[]> {
  let decided = false
  try {
    const batches = batchesOf(items)
    const created = await deps.db.transaction(async (tx) => {
      const nowMs = deps.clock.now()
      const wanted = batches.map(({ realm, items: own }) => ({ tenantId: realm.tenantId, ...wantedBy(own) }))
      const environment = items[0]?.realm.environment ?? 'test'
      const openings = await openFreeCreations(tx, { environment, day: utcDayOf(nowMs), wanted })
      const free = batches.flatMap((batch) => {
        const opening = openings.get(batch.realm.tenantId)
        return opening === undefined ? [] : [{ batch, opening }]
      })
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

function batchesOf(items: readonly Item[]): Batch[] {
  return [...byRealm(items).values()].flatMap((own) => own.slice(0, 1).map(({ realm }) => ({ realm, items: own })))
}

const serviceOf = ({ registration }: Draft) => registration?.certificate.serviceId ?? null

type ClientIds = Readonly<Record<ClientIdPrefix, string | { readonly error: unknown }>>

async function clientIdsFor(deps: Needs, asking: Realm & { readonly serviceId: string | null }): Promise<ClientIds> {
  return {
    x509_hash: await deps.signing.clientIdFor(asking, 'x509_hash'),
    x509_san_dns: await deps.signing.clientIdFor(asking, 'x509_san_dns').catch((error: unknown) => ({ error })),
  }
}

/** What cannot be done together is done one by one, so that nobody's failure is another's. */
async function commitBatch(deps: Needs, batch: Batch): Promise<readonly Creation[]> {
  // From here on only the store knows whether it was committed, and trying again could create twice.
  let decided = false
  try {
    const created = await deps.db.transaction(async (tx) => {
      const nowMs = deps.clock.now()
      const wanted = { day: utcDayOf(nowMs), now: instantOf(nowMs), ...wantedBy(batch.items) }
      const opening = await openCreation(tx, batch.realm, wanted)
      const creations = await createAll(deps, tx, { nowMs, free: [{ batch, opening }] })
      decided = true
      return creations
    })
    return batch.items.map(({ draft }) => created.get(draft) ?? bugOf('a creation that nobody decided'))
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

/** A batch whose rows are locked. */
interface Opened {
  readonly batch: Batch
  readonly opening: Opening
}

/** What became of each draft. Whatever there is to write is committed. */
async function createAll(
  deps: Needs,
  tx: Transaction,
  { nowMs, free }: { readonly nowMs: number; readonly free: readonly Opened[] },
): Promise<ReadonlyMap<Draft, Creation>> {
  const created = new Map<Draft, Creation>()
  const prepared = free.map((opened) => prepare(deps, instantOf(nowMs), opened))
  const answers = prepared.flatMap((one) => one.answers)
  const verifications = prepared.flatMap((one) => one.verifications)
  const entries = joinEntries(prepared.map((one) => one.entries))
  if (verifications.length > 0) await writeCreation(tx, { verifications, ...entries, answers })
  for (const { batch } of free)
    for (const { draft } of batch.items) created.set(draft, { outcome: 'quota_exceeded', atMs: nowMs })
  for (const { made } of prepared)
    for (const { draft, answer } of made) created.set(draft, { outcome: 'created', answer })
  return created
}

/** What is to be written for a realm, within its quota. */
function prepare(deps: Needs, now: Instant, { batch, opening }: Opened) {
  const { realm } = batch
  const admitted = admit(batch.items, opening.granted)
  const { clientIdPrefix, responseMode } = effectiveSettings(opening.settings, deps.config.haip)
  const entries = deps.audit.prepare(opening.trail, { now, events: admitted.map(({ draft }) => eventOf(draft)) })
  const made = admitted.map(({ draft, clientIds }, i) => {
    const createdAt = entries.entries[i]?.at ?? bugOf('a creation without its audit entry')
    const verification = verificationOf(realm, draft, { clientId: clientIdOf(clientIds, clientIdPrefix), createdAt })
    return { draft, verification, answer: renderVerification(verification, deps.config.baseUrl) }
  })
  return {
    made,
    entries,
    verifications: made.map((one) => rowOf(deps, one, responseMode)),
    answers: made.flatMap((one) => answerOf(realm, one)),
  }
}

function wantedBy(items: readonly Item[]): Wanted {
  const signIns = items.filter(isSignIn).length
  return { signIns, others: items.length - signIns }
}

/** Anybody may begin one. */
const isSignIn = ({ draft }: Item) => draft.actor.type === 'oidc_client'

/** The first of each kind, as many as were granted. */
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

function answerOf(realm: Realm, given: { draft: Draft; answer: string }): RecordedResponse[] {
  const { held, id, warnings } = given.draft
  if (held === null) return []
  const warned = warnings.length === 0 ? null : JSON.stringify(warnings.map(({ code, message }) => ({ code, message })))
  return [{ realm, ...held, verificationId: id, answer: given.answer, warnings: warned }]
}

/** What the merchant wrote may be erased from the trail later; that and when somebody asked stays. */
function eventOf(draft: Draft): AuditEvent {
  return {
    action: 'verification.created',
    actor: draft.actor,
    object: { type: 'verification', id: draft.id },
    ...(draft.registration === null ? {} : { registration: draft.registration.hash }),
    details: {
      template: draft.template,
      purpose: draft.purpose,
      ...draft.actorDetails,
      ...(draft.registration === null ? {} : askedUnder(draft.registration)),
      ...agreementIn(draft),
    },
  }
}

/** What it is about, and nothing of what it says. */
const agreementIn = ({ transaction }: Draft) =>
  transaction.length === 0 ? {} : { transaction: transaction.map(({ type, hash }) => ({ type, hash })) }

const askedUnder = ({ intendedUse, hash }: Registration) => ({ intended_use: intendedUse, registration: hash })

interface Made {
  readonly draft: Draft
  readonly verification: Pending
}

function verificationOf(
  realm: Realm,
  draft: Draft,
  given: { readonly clientId: string; readonly createdAt: Instant },
): Pending {
  const { clientId, createdAt } = given
  const expiresAt = instantOf(millisecondsOf(createdAt) + draft.ttlSeconds * 1000)
  const { tenantId, environment } = realm
  return { ...draft, tenantId, environment, clientId, createdAt, expiresAt, status: 'pending' }
}

function rowOf(deps: Needs, { draft, verification }: Made, responseMode: Terms['responseMode']): NewVerification {
  const { query, outputs, actor, held, browserBinding, browserHash } = draft
  return {
    ...verification,
    query,
    outputs,
    browserBinding,
    browserHash,
    actor,
    responseMode,
    registrationId: draft.registration?.id ?? null,
    transaction: draft.transaction,
    idempotencyKey: held?.key ?? null,
    nonce: randomText(deps),
    stateParameter: randomText(deps),
    ephemeralKey: newEphemeralKey(deps.random),
  }
}

const randomText = (deps: Pick<Deps, 'random'>) => Buffer.from(deps.random(RANDOM_TEXT_BYTES)).toString('base64url')
