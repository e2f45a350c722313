// Verifications end: one transaction for all that met, of whichever tenants, in which each ends or finds that it has ended already.
// State, result, delivery, audit entry and receipt stand or fall together.

import type { Deps } from '../../../../deps.ts'
import { joinEntries, type LockedTrail, TrailMissing } from '../../../../features/audit/store/chain.ts'
import { EVIDENCE_HELD_MS } from '../../../../features/evidence/domain/bundle.ts'
import { insertBundles } from '../../../../features/evidence/store/bundles.ts'
import type { SealedBundle } from '../../../../features/evidence/usecases/seal-evidence.ts'
import type { CredentialFacts } from '../../../../features/transparency/domain/receipt/credential-facts.ts'
import {
  RECEIPT_SALT_BYTES,
  type ReceiptSigner,
  type RequestFacts,
  signReceipt,
} from '../../../../features/transparency/domain/receipt/receipt.ts'
import { appendWithReceipts } from '../../../../features/transparency/store/receipts.ts'
import { endingEvent } from '../../../../features/webhooks/domain/event.ts'
import { enqueueDeliveries } from '../../../../features/webhooks/store/deliveries.ts'
import type { Transaction } from '../../../../platform/postgres/db.ts'
import { StoreUnavailable } from '../../../../platform/store-unavailable.ts'
import { type Instant, instantOf, millisecondsOf } from '../../../../platform/world.ts'
import { type AnswerChannel, channelOf, isInBrowser } from '../../../channels/table.ts'
import type { AuditEvent } from '../../../ports/audit.ts'
import { utcDayOf } from '../../../quota/domain/quota.ts'
import { chargeAnsweredSignIn } from '../../../quota/store/usage.ts'
import { realmName } from '../../../tenants/domain/realm.ts'
import { type ReceiptBinding, receiptBinding } from '../../domain/browser-binding.ts'
import type { CredentialChecks } from '../../domain/checks.ts'
import { type Keeping, keepingOf } from '../../domain/keeping.ts'
import type { VerificationResult } from '../../domain/verification.ts'
import type { AskedVerification } from '../../store/columns.ts'
import { endFreeVerifications, endVerifications } from '../../store/endings.ts'
import { commitTogether, committing, type OfRealm } from '../commit-together.ts'

export interface NewEnding {
  readonly asked: AskedVerification
  readonly result: VerificationResult
  /** Of each credential of the result, in their order. */
  readonly credentials: readonly CredentialFacts[]
  readonly checks: readonly CredentialChecks[]
  readonly registration: RequestFacts['registration']
  /** null: no evidence of it is to be kept. */
  readonly bundle: SealedBundle | null
  /** Of what the wallet was sent, base64url, where that is at hand; null: as it was noted. */
  readonly sentHash: string | null
  readonly responseCodeHash: Uint8Array | null
  /** By which the answer came. */
  readonly way: AnswerChannel
}

type Needs = Pick<
  Deps,
  'db' | 'clock' | 'random' | 'lanes' | 'audit' | 'receiptSigners' | 'config' | 'fetchNotes' | 'log'
>

interface Item extends OfRealm {
  readonly ending: NewEnding
}

const ENDINGS = committing<Needs, Item, Outcome>({
  shared: (deps, items) => endTogether(deps, items),
  own: (deps, items) => commitBatch(deps, items),
})

/** False when it had ended before, or is no longer there. */
export async function endVerification(deps: Needs, ending: NewEnding): Promise<boolean> {
  const { tenantId, environment } = ending.asked
  const outcome = await commitTogether(deps, ENDINGS, { realm: { tenantId, environment }, ending })
  if ('error' in outcome) throw outcome.error
  if (outcome.ended && outcome.isSignIn && ending.result.outcome === 'completed') await chargeSignIn(deps, ending.asked)
  return outcome.ended
}

/**
 * Sign-ins are begun by strangers, and count against the tenant's day when they were answered. After the commit: the row of the day is
 * locked before the audit trail everywhere else. A process that is killed in between has given one away.
 */
async function chargeSignIn(deps: Needs, asked: AskedVerification): Promise<void> {
  try {
    await chargeAnsweredSignIn(deps.db, asked, utcDayOf(deps.clock.now()))
  } catch (error) {
    // The answer counts all the same: the holder has given it.
    deps.log.fault('an answered sign-in was not counted', error)
  }
}

type Outcome = { readonly ended: boolean; readonly isSignIn: boolean } | { readonly error: unknown }

/** Whatever goes wrong before the commit goes wrong again for its own realm alone, which is then told. */
async function endTogether(deps: Needs, items: readonly Item[]): Promise<readonly (Outcome | null)[]> {
  let decided = false
  try {
    return await commitEndings(deps, items, {
      end: endFreeVerifications,
      onDecided: () => {
        decided = true
      },
    })
  } catch (error) {
    return items.map(() => (decided || error instanceof StoreUnavailable ? { error } : null))
  }
}

/** What cannot be done together is done one by one, so that nobody's failure is another's. */
async function commitBatch(deps: Needs, items: readonly Item[]): Promise<readonly Outcome[]> {
  // From here on only the store knows whether it was committed; a second try would find its own ending and call it another's.
  let decided = false
  const onDecided = () => {
    decided = true
  }
  try {
    const outcomes = await withTrail(deps, items, () =>
      commitEndings(deps, items, { end: endVerifications, onDecided }),
    )
    // Whoever is there no more was not ended.
    return outcomes.map((outcome) => outcome ?? { ended: false, isSignIn: false })
  } catch (error) {
    if (items.length === 1 || decided || error instanceof StoreUnavailable) return items.map(() => ({ error }))
    const outcomes: Outcome[] = []
    for (const item of items) outcomes.push(...(await commitBatch(deps, [item])))
    return outcomes
  }
}

/** Once more where the audit trail was missing: nothing of the first attempt was kept. */
const withTrail = <T>({ audit }: Needs, [first]: readonly Item[], work: () => Promise<T>): Promise<T> =>
  first === undefined ? work() : audit.withTrail(first.realm, work)

/** In the order of the items; null: its row was not among those that were there and free. */
async function commitEndings(
  deps: Needs,
  items: readonly Item[],
  { end, onDecided }: { readonly end: typeof endVerifications; readonly onDecided: () => void },
): Promise<readonly (Outcome | null)[]> {
  const [first] = items
  if (first === undefined) return []
  const { environment } = first.realm
  const nowMs = deps.clock.now()
  const now = instantOf(nowMs)
  const signer = await deps.receiptSigners.find(nowMs)
  // Two answers to one verification may meet in one batch: the first of them counts.
  const chosen = new Map<string, SaltedEnding>()
  for (const { ending } of items) {
    if (chosen.has(ending.asked.id)) continue
    const kept = keepingOf(ending.result, ending.asked.settings, { nowMs, forwardEverywhere: deps.config.forwardOnly })
    chosen.set(ending.asked.id, { ending, kept, salt: deps.random(RECEIPT_SALT_BYTES) })
  }
  const endings = [...chosen.values()].map(({ ending, kept, salt }) => {
    const { asked, result, checks, responseCodeHash, way } = ending
    const receiptSalt = Buffer.from(salt).toString('base64url')
    const withChecks = kept.forgottenAt === null ? { ...kept.result, checks } : kept.result
    return {
      tenantId: asked.tenantId,
      id: asked.id,
      status: result.outcome,
      result: { ...withChecks, receiptSalt },
      errorCode: result.outcome === 'failed' ? result.error.code : null,
      way,
      responseCodeHash,
      boundBy: BOUND_AT_END.has(bindingOf(ending)) ? ('browser_api' as const) : null,
      forgetAt: kept.forgetAt,
      forgottenAt: kept.forgottenAt,
    }
  })
  const found = await deps.db.transaction(async (tx) => {
    const rows = await end(tx, { environment, endings, at: now })
    const done = [...chosen.values()].flatMap((salted) => {
      const row = rows.get(salted.ending.asked.id)
      if (row !== undefined && row.trail === null)
        throw new TrailMissing('a verification whose realm has no audit trail')
      return row?.ended === true && row.trail !== null
        ? [{ ...salted, trail: row.trail, requestHash: row.requestHash }]
        : []
    })
    if (done.length > 0) await writeEnded(deps, tx, { now, done, signer })
    onDecided()
    return rows
  })
  return items.map(({ ending }) => {
    const row = found.get(ending.asked.id)
    if (row === undefined) return null
    return { ended: row.ended && chosen.get(ending.asked.id)?.ending === ending, isSignIn: row.isSignIn }
  })
}

interface SaltedEnding {
  readonly ending: NewEnding
  /** What is written down of its result, and so what is read of it. */
  readonly kept: Keeping
  readonly salt: Uint8Array
}

interface Ended extends SaltedEnding {
  readonly trail: LockedTrail
  /** Of the request object that was served first. */
  readonly requestHash: Uint8Array | null
}

/** Deliveries, announcements, audit entries and receipts of what has ended, and commits; the entries' times are the deliveries'. */
async function writeEnded(
  deps: Needs,
  tx: Transaction,
  { now, done, signer }: { readonly now: Instant; readonly done: readonly Ended[]; readonly signer: ReceiptSigner },
): Promise<void> {
  const trails = Map.groupBy(done, ({ trail }) => realmName(trail.realm))
  const appended = [...trails.values()].map((ended) => appendedTo(deps, now, ended))
  const recorded = appended.flatMap((one) => one.recorded)
  const deliveries = recorded
    .filter(({ asked }) => asked.webhookUrl !== null)
    .map(({ realm, asked, result, entry }) => ({
      realm,
      verificationId: asked.id,
      type: endingEvent(result.outcome),
      createdAt: entry.at,
    }))
  await enqueueDeliveries(tx, { deliveries, now, random: deps.random })
  // Streams of events exist in the test environment alone (`vidimus listen`).
  const announced = recorded
    .filter(({ realm }) => realm.environment === 'test')
    .map(({ realm, asked, result }) => ({ realm, verificationId: asked.id, type: endingEvent(result.outcome) }))
  const issuer = deps.config.baseUrl
  const receipts = recorded.map((facts) => ({
    realm: facts.realm,
    verificationId: facts.asked.id,
    jws: signReceipt(signer, {
      issuer,
      ...facts,
      request: { sha256: requestHash(deps, facts), registration: facts.registration },
      result: facts.kept.result,
      binding: bindingOf(facts),
      bundleHash: facts.bundle?.sha256 ?? null,
    }),
  }))
  const dropAt = instantOf(millisecondsOf(now) + EVIDENCE_HELD_MS)
  const bundles = recorded.flatMap(({ realm, asked, bundle }) =>
    bundle === null ? [] : [{ realm, verificationId: asked.id, jwe: bundle.jwe }],
  )
  if (bundles.length > 0) await insertBundles(tx, { bundles, dropAt })
  await appendWithReceipts(tx, { ...joinEntries(appended.map(({ entries }) => entries)), receipts, announced })
}

/** Those that hold once the answer is there; the others hold when it comes back to the browser. */
const BOUND_AT_END: ReadonlySet<ReceiptBinding> = new Set(['browser_api', 'first_browser'])

function bindingOf({ asked, way }: Pick<NewEnding, 'asked' | 'way'>): ReceiptBinding {
  const { browserBinding, origin, settings } = asked
  return receiptBinding(
    { browserBinding, hasOwnOrigin: origin !== null, setting: settings.browserBinding },
    isInBrowser(way),
  )
}

/** Those of one realm, each with its audit entry. */
function appendedTo(deps: Needs, now: Instant, ended: readonly Ended[]) {
  const trail = ended[0]?.trail
  if (trail === undefined) throw new Error('bug: nothing has ended')
  const entries = deps.audit.prepare(trail, { now, events: ended.map(({ ending }) => eventOf(ending)) })
  const recorded = ended.map(({ ending, kept, salt, requestHash: served }, i) => {
    const entry = entries.entries[i]
    if (entry === undefined) throw new Error('bug: an ending without its audit entry')
    return { ...ending, realm: trail.realm, kept, salt, served, entry }
  })
  return { entries, recorded }
}

/** What this process has not written yet is later than what the store has. */
function requestHash(
  { fetchNotes }: Needs,
  { asked, sentHash, way, served }: NewEnding & { readonly served: Uint8Array | null },
): string | null {
  // What was noted is what a wallet fetched from us; a browser was offered something else.
  if (sentHash !== null || channelOf(way).asks !== 'request_object') return sentHash
  const first = served ?? fetchNotes.unwritten(asked.id)?.sha256 ?? null
  return first === null ? null : Buffer.from(first).toString('base64url')
}

function eventOf({ asked, result }: NewEnding): AuditEvent {
  return {
    action: result.outcome === 'completed' ? 'verification.completed' : 'verification.failed',
    actor: { type: 'wallet', id: 'wallet' },
    object: { type: 'verification', id: asked.id },
  }
}
