// Opens a link: finds it, and creates its verification for the browser of the person who presses the button.

import { secondsToMidnight } from '../../../core/quota/domain/quota.ts'
import { requireServed } from '../../../core/tenants/domain/closed.ts'
import type { Principal } from '../../../core/tenants/domain/principal.ts'
import {
  type CreationNeeds,
  createVerification,
} from '../../../core/verifications/usecases/asking/create-verification.ts'
import { readUsage } from '../../../core/verifications/usecases/reading/read-usage.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal, type RefusalCode } from '../../../platform/errors.ts'
import { hashOf, newSecret } from '../../../platform/one-time-secret.ts'
import { newVerificationId } from '../../../platform/verification-id.ts'
import { instantOf, millisecondsOf } from '../../../platform/world.ts'
import { type Link, type LinkState, stateAt } from '../domain/link.ts'
import { findLinkAcrossTenants } from '../store/links.ts'
import { findPendingOpening, giveUseBack, takeUse } from '../store/openings.ts'
import { requestNow } from './request-now.ts'

/** `unavailable`: the merchant must change something first. `busy`: it works again later. */
export type LinkStop = 'unknown' | 'unavailable' | 'busy' | Exclude<LinkState, 'open'>

export interface FoundLink {
  readonly link: Link
  readonly merchant: string
  readonly state: LinkState | 'unavailable'
}

/**
 * What this browser has begun with the link, and is pending; null if there is none. A press of the button takes its use
 * first: until the verification is written, `isWritten` is false.
 */
export const findBegun = ({ db, clock }: Pick<Deps, 'db' | 'clock'>, { link }: FoundLink, browserHashes: Buffer[]) =>
  findPendingOpening(db, link, { linkId: link.id, browserHashes, now: instantOf(clock.now()) })

/** null if no link has this secret, or if it was deleted. */
export async function findLink({ db, clock }: Pick<Deps, 'db' | 'clock'>, secret: string): Promise<FoundLink | null> {
  const hash = hashOf('link', secret)
  const found = hash === null ? null : await findLinkAcrossTenants(db, hash)
  if (found === null) return null
  requireServed(found.closed)
  const { link, tenantName } = found
  const state = stateAt(link, instantOf(clock.now()))
  return { link, merchant: tenantName, state: state === 'open' && !link.creatorIsValid ? 'unavailable' : state }
}

export type Opened =
  | { readonly outcome: 'stopped'; readonly stop: LinkStop; readonly retryAfterSeconds?: number | undefined }
  | {
      readonly outcome: 'created'
      readonly verificationId: string
      /** Only for the browser, as a cookie. */
      readonly browserSecret: string
      readonly seconds: number
    }

/** How long after the end the browser keeps its secret, so that reloading shows the outcome. */
const KEPT_AFTERWARDS_SECONDS = 600

/**
 * `found`: the link of this secret, as the caller just found it. `browserSecret`: what the browser sent as the secret of
 * the link's page. `admit` spends the budgets of the sender, the link, its key and its tenant.
 */
export async function openLink(
  deps: CreationNeeds,
  {
    secret,
    found,
    browserSecret: kept,
  }: { readonly secret: string; readonly found: FoundLink; readonly browserSecret: string },
  admit: (link: Link, principal: Principal, requestBytes: number) => Promise<void>,
): Promise<Opened> {
  if (found.state !== 'open') return { outcome: 'stopped', stop: found.state }
  const { link } = found
  const { id: linkId, creator, tenantId, environment } = link
  const principal = { ...creator, tenantId, environment, scopes: ['verifications:create'] } as const
  const id = newVerificationId(deps.derivedKeys, deps.random, { tenantId, nowMs: deps.clock.now() })
  const { text: browserSecret, hash } = browserSecretFrom(deps, kept)
  try {
    // Before any budget is spent, so that links that cannot be opened do not use up the rate of all links.
    if (await isQuotaSpent(deps, link))
      return { outcome: 'stopped', stop: 'busy', retryAfterSeconds: secondsToMidnight(deps.clock.now()) }
    await admit(link, principal, Buffer.byteLength(JSON.stringify(link.request)))
    const opening = { linkId, verificationId: id, browserHash: hash, now: instantOf(deps.clock.now()) }
    if (!(await deps.db.transaction((tx) => takeUse(tx, link, opening)))) {
      // Another person took the last use, this browser has taken one, or the link ended in the meantime.
      const state = (await findLink(deps, secret))?.state ?? 'unknown'
      return { outcome: 'stopped', stop: state === 'open' ? 'busy' : state }
    }
    const browser = { rule: 'first', hash } as const
    const created = await createOrGiveBack(deps, link, { principal, id, browser })
    const { expires_at }: { expires_at: string } = JSON.parse(created.answer)
    const seconds = Math.ceil((millisecondsOf(expires_at) - deps.clock.now()) / 1000) + KEPT_AFTERWARDS_SECONDS
    return { outcome: 'created', verificationId: id, browserSecret, seconds }
  } catch (error) {
    const stop = stopOf(error)
    if (stop === null) throw error
    return { outcome: 'stopped', stop, retryAfterSeconds: (error as Refusal).retryAfterSeconds }
  }
}

/** A text that is not a secret is ignored. */
function browserSecretFrom({ random }: Pick<Deps, 'random'>, text: string) {
  const hash = hashOf('browser', text)
  return hash === null ? newSecret(random, 'browser') : { text, hash }
}

/**
 * Strangers can open a link for several uses again and again. So such links may spend only the first half of the day's
 * quota, which leaves the rest for the merchant's own calls.
 */
async function isQuotaSpent(deps: Pick<Deps, 'db' | 'clock'>, { tenantId, uses }: Link): Promise<boolean> {
  const { remaining, daily_quota } = await readUsage(deps, tenantId)
  return uses === 1 ? remaining === 0 : 2 * remaining <= daily_quota
}

async function createOrGiveBack(
  deps: CreationNeeds,
  link: Link,
  input: Pick<Parameters<typeof createVerification>[1], 'principal' | 'browser'> & { readonly id: string },
) {
  try {
    return await createVerification(deps, { ...input, request: await requestNow(deps, link), idempotencyKey: null })
  } catch (error) {
    // A refusal means that nothing was created. A fault does not: `giveLostUsesBackAcrossTenants` checks it later.
    if (error instanceof Refusal) await giveUseBack(deps.db, link, input.id)
    throw error
  }
}

/** What to show to the person who opens the link; null after a fault, or if the store is unavailable. */
function stopOf(error: unknown): LinkStop | null {
  if (!(error instanceof Refusal)) return null
  if (error.code === 'quota_exceeded' || error.code === 'rate_limit_exceeded') return 'busy'
  return CHANGED_SINCE.has(error.code) ? 'unavailable' : null
}

/** Refusals after the merchant changed its template, registration, transaction types or allowed networks. */
const CHANGED_SINCE: ReadonlySet<RefusalCode> = new Set([
  'unknown_template',
  'invalid_request',
  'invalid_webhook_url',
  'not_registered',
  'over_asking',
  'invalid_transaction',
  'transaction_not_supported_for_credential',
])
