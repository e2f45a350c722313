// Verifications end: one transaction for all of a realm that met, in which each ends or finds that it has ended already.
// State, result, delivery, audit entry and receipt stand or fall together.

import type { Channel } from '@vidimus/engine'
import type { Deps } from '../../../deps.ts'
import type { AuditEvent } from '../../../domain/audit/entry.ts'
import { EVIDENCE_HELD_MS } from '../../../domain/evidence/bundle.ts'
import type { Work } from '../../../domain/lanes.ts'
import type { CredentialFacts } from '../../../domain/receipt/credential-facts.ts'
import {
  RECEIPT_SALT_BYTES,
  type ReceiptSigner,
  type RequestFacts,
  signReceipt,
} from '../../../domain/receipt/receipt.ts'
import { StoreUnavailable } from '../../../domain/store-unavailable.ts'
import { realmName } from '../../../domain/tenant/realm.ts'
import { type Keeping, keepingOf } from '../../../domain/verification/keeping.ts'
import { sealResult } from '../../../domain/verification/sealed-result.ts'
import type { VerificationResult } from '../../../domain/verification/verification.ts'
import { endingEvent } from '../../../domain/webhook/event.ts'
import { type Instant, instantOf, millisecondsOf } from '../../../domain/world.ts'
import { ChainMissing, ensureHead, type LockedChain, makeEntries } from '../../../store/audit/chain.ts'
import { insertBundles } from '../../../store/evidence/bundles.ts'
import { appendWithReceipts } from '../../../store/log/receipts.ts'
import type { Tx } from '../../../store/postgres/db.ts'
import { endVerifications } from '../../../store/verifications/asked.ts'
import type { AskedVerification } from '../../../store/verifications/columns.ts'
import { announceEnded } from '../../../store/verifications/ended-announcements.ts'
import { enqueueDeliveries } from '../../../store/webhooks/deliveries.ts'
import type { SealedBundle } from '../../evidence/seal-evidence.ts'

export interface NewEnding {
  readonly asked: AskedVerification
  readonly result: VerificationResult
  /** Of each credential of the result, in their order. */
  readonly credentials: readonly CredentialFacts[]
  readonly registration: RequestFacts['registration']
  /** null: no evidence of it is to be kept. */
  readonly bundle: SealedBundle | null
  /** Of what the wallet was sent, base64url, where that is at hand; null: as it was noted. */
  readonly sentHash: string | null
  readonly responseCodeHash: Uint8Array | null
  /** By which the answer came. */
  readonly channel: Channel['kind']
}

type Needs = Pick<
  Deps,
  'db' | 'clock' | 'random' | 'sealer' | 'lanes' | 'auditSeal' | 'receiptSigners' | 'config' | 'fetchNotes'
>

const ENDINGS: Work<Needs, NewEnding, Outcome> = { itemsMax: 64, run: commitBatch }

/** False when it had ended before, or is no longer there. */
export async function endVerification(deps: Needs, ending: NewEnding): Promise<boolean> {
  const outcome = await deps.lanes.add(ENDINGS, deps, { lane: realmName(ending.asked), item: ending })
  if ('error' in outcome) throw outcome.error
  return outcome.ended
}

type Outcome = { readonly ended: boolean } | { readonly error: unknown }

/** What cannot be done together is done one by one, so that nobody's failure is another's. */
async function commitBatch(deps: Needs, endings: readonly NewEnding[]): Promise<readonly Outcome[]> {
  // From here on only the store knows whether it was committed; a second try would find its own ending and call it another's.
  let decided = false
  try {
    return await withChain(deps, endings, () =>
      commitEndings(deps, endings, () => {
        decided = true
      }),
    )
  } catch (error) {
    if (endings.length === 1 || decided || error instanceof StoreUnavailable) return endings.map(() => ({ error }))
    const outcomes: Outcome[] = []
    for (const ending of endings) outcomes.push(...(await commitBatch(deps, [ending])))
    return outcomes
  }
}

/** Once more with a chain begun anew, where somebody removed its head: nothing of the first attempt was kept. */
async function withChain<T>(deps: Needs, [first]: readonly NewEnding[], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ChainMissing) || first === undefined) throw error
    const { tenantId, environment } = first.asked
    await ensureHead(deps.db, { tenantId, environment }, instantOf(deps.clock.now()))
    return work()
  }
}

async function commitEndings(
  deps: Needs,
  endings: readonly NewEnding[],
  onDecided: () => void,
): Promise<readonly Outcome[]> {
  const [first] = endings
  if (first === undefined) return []
  const nowMs = deps.clock.now()
  const now = instantOf(nowMs)
  const signer = await deps.receiptSigners.find(nowMs)
  // Two answers to one verification may meet in one batch: the first of them counts.
  const chosen = new Map<string, SaltedEnding>()
  for (const ending of endings) {
    if (chosen.has(ending.asked.id)) continue
    const kept = keepingOf(ending.result, ending.asked.settings, { nowMs, forwardEverywhere: deps.config.forwardOnly })
    chosen.set(ending.asked.id, { ending, kept, salt: deps.random(RECEIPT_SALT_BYTES) })
  }
  const rows = [...chosen.values()].map(({ ending: { asked, result, responseCodeHash, channel }, kept, salt }) => {
    const receiptSalt = Buffer.from(salt).toString('base64url')
    return {
      id: asked.id,
      status: result.outcome,
      sealedResult: sealResult(deps.sealer, asked, { ...kept.result, receiptSalt }),
      errorCode: result.outcome === 'failed' ? result.error.code : null,
      channel,
      responseCodeHash,
      forgetAt: kept.forgetAt,
      forgottenAt: kept.forgottenAt,
    }
  })
  const ended = await deps.db.transaction(async (tx) => {
    const { requests, head } = await endVerifications(tx, first.asked, { endings: rows, at: now })
    const done = [...chosen.values()].filter(({ ending }) => requests.has(ending.asked.id))
    const realm = { tenantId: first.asked.tenantId, environment: first.asked.environment }
    if (done.length > 0) await writeEnded(deps, tx, { now, done, chain: { realm, head }, signer, requests })
    onDecided()
    return requests
  })
  return endings.map((ending) => ({
    ended: chosen.get(ending.asked.id)?.ending === ending && ended.has(ending.asked.id),
  }))
}

interface SaltedEnding {
  readonly ending: NewEnding
  /** What is written down of its result, and so what is read of it. */
  readonly kept: Keeping
  readonly salt: Uint8Array
}

interface EndedTogether {
  readonly now: Instant
  readonly done: readonly SaltedEnding[]
  readonly chain: LockedChain
  readonly signer: ReceiptSigner
  /** By id: the hash of the request object that was served first. */
  readonly requests: ReadonlyMap<string, Uint8Array | null>
}

/** Deliveries, announcements, audit entries and receipts of what has ended; the entries' times are the deliveries'. */
async function writeEnded(deps: Needs, tx: Tx, { now, done, chain, signer, requests }: EndedTogether): Promise<void> {
  const { realm } = chain
  const entries = makeEntries(chain, { now, random: deps.random, events: done.map(({ ending }) => eventOf(ending)) })
  const recorded = done.map(({ ending, kept, salt }, i) => {
    const entry = entries[i]
    if (entry === undefined) throw new Error('bug: an ending without its audit entry')
    return { ...ending, kept, salt, entry }
  })
  const deliveries = recorded
    .filter(({ asked }) => asked.webhookUrl !== null)
    .map(({ asked, result, entry }) => ({
      verificationId: asked.id,
      type: endingEvent(result.outcome),
      createdAt: entry.at,
    }))
  await enqueueDeliveries(tx, realm, { deliveries, now, random: deps.random })
  // Streams of events exist in the test environment alone (`vidimus listen`).
  const told = recorded.map(({ asked, result }) => ({ verificationId: asked.id, type: endingEvent(result.outcome) }))
  if (realm.environment === 'test') await announceEnded(tx, realm, told)
  const last = entries.at(-1)
  if (last === undefined) throw new Error('bug: nothing has ended')
  const headMac = deps.auditSeal.follow(realm, chain.head, last)
  const issuer = deps.config.baseUrl
  const receipts = recorded.map((facts) => ({
    verificationId: facts.asked.id,
    jws: signReceipt(signer, {
      issuer,
      ...facts,
      request: { sha256: requestHash(deps, facts, requests), registration: facts.registration },
      result: facts.kept.result,
      bundleHash: facts.bundle?.sha256 ?? null,
    }),
  }))
  const bundles = recorded.flatMap(({ asked, bundle }) =>
    bundle === null ? [] : [{ verificationId: asked.id, jwe: bundle.jwe }],
  )
  const dropAt = instantOf(millisecondsOf(now) + EVIDENCE_HELD_MS)
  if (bundles.length > 0) await insertBundles(tx, realm, { bundles, dropAt })
  await appendWithReceipts(tx, { realm, entries, last, headMac, receipts })
}

/** What this process has not written yet is later than what the store has. */
function requestHash(
  { fetchNotes }: Needs,
  { asked, sentHash, channel }: NewEnding,
  requests: EndedTogether['requests'],
): string | null {
  // What was noted is what a wallet fetched from us; a browser was offered something else.
  if (sentHash !== null || channel !== 'redirect') return sentHash
  const served = requests.get(asked.id) ?? fetchNotes.unwritten(asked.id)?.sha256 ?? null
  return served === null ? null : Buffer.from(served).toString('base64url')
}

function eventOf({ asked, result }: NewEnding): AuditEvent {
  return {
    action: result.outcome === 'completed' ? 'verification.completed' : 'verification.failed',
    actor: { type: 'wallet', id: 'wallet' },
    object: { type: 'verification', id: asked.id },
  }
}
