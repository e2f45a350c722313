// Creations become rows: one transaction for all that met, in which each is admitted or refused by itself. Quota,
// verification, audit entry and idempotent answer stand or fall together.

import type { Deps } from '../../../deps.ts'
import type { AuditActor, AuditEvent } from '../../../domain/audit/entry.ts'
import type { Work } from '../../../domain/lanes.ts'
import type { Concern } from '../../../domain/registration/choose.ts'
import type { Registration } from '../../../domain/registration/registration.ts'
import { StoreUnavailable } from '../../../domain/store-unavailable.ts'
import { utcDayOf } from '../../../domain/tenant/quota.ts'
import { type Realm, realmName } from '../../../domain/tenant/realm.ts'
import { type ClientIdPrefix, effectiveSettings } from '../../../domain/tenant/settings.ts'
import { type FrozenTransaction, sealTransaction } from '../../../domain/transaction/frozen.ts'
import { newEphemeralKey } from '../../../domain/verification/ephemeral-key.ts'
import { answerSealContext } from '../../../domain/verification/idempotency.ts'
import { indexMetadata, sealParticulars } from '../../../domain/verification/sealed-particulars.ts'
import { type EveryVerification, type Pending, renderVerification } from '../../../domain/verification/verification.ts'
import { type Instant, instantOf, millisecondsOf } from '../../../domain/world.ts'
import { makeEntries } from '../../../store/audit/chain.ts'
import type { Tx } from '../../../store/postgres/db.ts'
import type { NewVerification } from '../../../store/verifications/columns.ts'
import { openCreation, type RecordedAnswer, type Wanted, writeCreation } from '../../../store/verifications/creation.ts'
import { clientIdFor } from '../../trust/certificate-in-use.ts'

/** Everything of a verification that is known before the transaction gives it its time and the tenant's terms. */
export interface Draft
  extends Omit<EveryVerification, keyof Realm | keyof Terms | 'createdAt' | 'expiresAt'>,
    Pick<NewVerification, 'query' | 'outputs'> {
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
  readonly warnings: readonly Concern[]
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

type Needs = Pick<
  Deps,
  'db' | 'clock' | 'random' | 'sealer' | 'config' | 'certificates' | 'metrics' | 'lanes' | 'auditSeal'
>

const RANDOM_TEXT_BYTES = 32

const CREATIONS: Work<Needs, { realm: Realm; draft: Draft }, Creation> = {
  // A transaction of this many rows still ends within a few milliseconds.
  itemsMax: 64,
  async run(deps, items) {
    const realm = items[0]?.realm
    if (realm === undefined) return []
    return commitCreations(
      deps,
      realm,
      items.map(({ draft }) => draft),
    )
  },
}

export function commitCreation(deps: Needs, realm: Realm, draft: Draft): Promise<Creation> {
  return deps.lanes.add(CREATIONS, deps, { lane: realmName(realm), item: { realm, draft } })
}

/** Who we are under either name is known before the transaction, which must not wait for anything else. */
async function commitCreations(deps: Needs, realm: Realm, drafts: readonly Draft[]): Promise<readonly Creation[]> {
  const clientIds = new Map<string | null, ClientIds>()
  for (const serviceId of new Set(drafts.map(serviceOf)))
    clientIds.set(serviceId, await clientIdsFor(deps, { ...realm, serviceId }))
  return commitBatch(deps, { realm, drafts, clientIds })
}

const serviceOf = ({ registration }: Draft) => registration?.certificate.serviceId ?? null

type ClientIds = Readonly<Record<ClientIdPrefix, string | { readonly error: unknown }>>

async function clientIdsFor(deps: Needs, asking: Realm & { readonly serviceId: string | null }): Promise<ClientIds> {
  return {
    x509_hash: await clientIdFor(deps, { ...asking, prefix: 'x509_hash' }),
    x509_san_dns: await clientIdFor(deps, { ...asking, prefix: 'x509_san_dns' }).catch((error: unknown) => ({ error })),
  }
}

/** What cannot be done together is done one by one, so that nobody's failure is another's. */
async function commitBatch(deps: Needs, batch: Batch): Promise<readonly Creation[]> {
  // From here on only the store knows whether it was committed, and trying again could create twice.
  let decided = false
  try {
    return await deps.db.transaction(async (tx) => {
      const creations = await createAll(deps, tx, batch)
      decided = true
      return creations
    })
  } catch (error) {
    const alone = batch.drafts.length === 1
    if (alone && error instanceof KeyLost) return [{ outcome: 'key_lost' }]
    if (alone || decided || error instanceof StoreUnavailable)
      return batch.drafts.map(() => ({ outcome: 'failed', error }))
    const creations: Creation[] = []
    for (const draft of batch.drafts) creations.push(...(await commitBatch(deps, { ...batch, drafts: [draft] })))
    return creations
  }
}

class KeyLost extends Error {
  override readonly name = 'KeyLost'
}

interface Batch {
  readonly realm: Realm
  readonly drafts: readonly Draft[]
  /** By the service that is asked for. */
  readonly clientIds: ReadonlyMap<string | null, ClientIds>
}

async function createAll(deps: Needs, tx: Tx, batch: Batch): Promise<Creation[]> {
  const { realm, drafts } = batch
  const nowMs = deps.clock.now()
  const now = instantOf(nowMs)
  const signIns = drafts.filter(isSignIn).length
  const wanted = { signIns, others: drafts.length - signIns }
  const opening = await openCreation(tx, realm, { day: utcDayOf(nowMs), ...wanted, now })
  const admitted = admit(drafts, opening.granted)
  if (admitted.length === 0) return drafts.map(() => ({ outcome: 'quota_exceeded', atMs: nowMs }))
  const { clientIdPrefix, responseMode } = effectiveSettings(opening.settings, deps.config.haip)
  const entries = makeEntries(opening.chain, { now, random: deps.random, events: admitted.map(eventOf) })
  const made = entries.flatMap(({ at }, i) => {
    const draft = admitted[i]
    return draft === undefined
      ? []
      : [
          {
            draft,
            verification: verificationOf(realm, draft, {
              clientId: clientIdOf(batch, draft, clientIdPrefix),
              createdAt: at,
            }),
          },
        ]
  })
  const rendered = made.map(({ verification }) => renderVerification(verification, deps.config.baseUrl))
  const answers = made.flatMap(({ draft }, i) => answerOf(deps, realm, { draft, answer: rendered[i] ?? '' }))
  const verifications = made.map((one) => rowOf(deps, one, responseMode))
  const last = entries.at(-1)
  const headMac = last === undefined ? null : deps.auditSeal.follow(realm, opening.chain.head, last)
  const recorded = await writeCreation(tx, realm, { verifications, entries, headMac, answers })
  if (recorded < answers.length) throw new KeyLost('another request took the key')
  return drafts.map((draft) => {
    const answer = rendered[admitted.indexOf(draft)]
    return answer === undefined ? { outcome: 'quota_exceeded', atMs: nowMs } : { outcome: 'created', answer }
  })
}

/** Anybody may begin one. */
const isSignIn = ({ actor }: Draft) => actor.type === 'oidc_client'

/** The first of each kind, as many as were granted. */
function admit(drafts: readonly Draft[], granted: Wanted): readonly Draft[] {
  const left = { ...granted }
  return drafts.filter((draft) => {
    const kind = isSignIn(draft) ? 'signIns' : 'others'
    left[kind] -= 1
    return left[kind] >= 0
  })
}

function clientIdOf({ clientIds }: Batch, draft: Draft, prefix: ClientIdPrefix): string {
  const clientId = clientIds.get(serviceOf(draft))?.[prefix]
  if (clientId === undefined) throw new Error('bug: a creation whose client_id nobody looked up')
  if (typeof clientId !== 'string') throw clientId.error
  return clientId
}

function answerOf(deps: Needs, realm: Realm, given: { draft: Draft; answer: string }): RecordedAnswer[] {
  const { held, id, warnings } = given.draft
  if (held === null) return []
  const answer = deps.sealer.seal(Buffer.from(given.answer, 'utf8'), answerSealContext(realm, held.key))
  const warned = warnings.length === 0 ? null : JSON.stringify(warnings.map(({ code, message }) => ({ code, message })))
  return [{ ...held, verificationId: id, answer, warnings: warned }]
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
  const { query, outputs, actor, held } = draft
  return {
    ...verification,
    query,
    outputs,
    actor,
    responseMode,
    registrationId: draft.registration?.id ?? null,
    sealedTransaction: sealTransaction(deps.sealer, verification, draft.transaction),
    sealedParticulars: sealParticulars(deps.sealer, verification, verification),
    metadataIndex: indexMetadata(deps.sealer, verification, verification.metadata),
    idempotencyKey: held?.key ?? null,
    nonce: randomText(deps),
    stateParameter: randomText(deps),
    encryptionKey: newEphemeralKey(deps, verification),
  }
}

const randomText = (deps: Pick<Deps, 'random'>) => Buffer.from(deps.random(RANDOM_TEXT_BYTES)).toString('base64url')
