// Dashboard sessions: opens them after authentication, finds them by token, ends them.

import { hashSecret } from '../../../core/tenants/domain/api-key.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { newSessionId } from '../../../platform/ids.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { type Instant, instantOf } from '../../../platform/world.ts'
import {
  BROWSER_MS,
  CHALLENGE_MS,
  expiredBefore,
  isAlive,
  isSeenAgain,
  looksLikeToken,
  mintToken,
  type SignInMethod,
} from '../domain/session.ts'
import { deleteDeadAccessLinks } from '../store/access-links.ts'
import { deleteBrowsersSeenBefore } from '../store/known-browsers.ts'
import { deleteExpiredRounds } from '../store/oidc.ts'
import { lockPerson, type StoredPerson, takeFailedSignIns } from '../store/people.ts'
import {
  deleteExpiredSignIns,
  deleteOtherSessions,
  deleteSession,
  hasSession,
  insertSession,
  loadSession,
  type SessionRow,
  touchSession,
} from '../store/sessions.ts'
import { type OwnEvent, recordOnTenantsOf } from './record-sign-ins.ts'

export type FoundSession = SessionRow

export interface SignedIn {
  readonly personId: string
  readonly token: string
}

/**
 * Creates a token and ends the browser's previous session. Must be the last step of its transaction, because it locks
 * audit trails.
 */
export async function openSession(
  deps: Pick<Deps, 'clock' | 'random' | 'audit'>,
  tx: Tx,
  input: {
    readonly personId: string
    readonly method: SignInMethod
    readonly replaces: string | null
    /** When the person authenticated: `now`, or the provider's time; null: the provider does not say. */
    readonly proven: 'now' | Instant | null
    /** Also recorded, for every tenant of the person. */
    readonly events?: readonly OwnEvent[]
    /** Also recorded, only for the tenant with this id. */
    readonly ofTenant?: ReadonlyMap<string, readonly OwnEvent[]>
  },
): Promise<SignedIn> {
  const token = mintToken(deps.random)
  const now = instantOf(deps.clock.now())
  if (input.replaces !== null) await deleteSession(tx, hashSecret(input.replaces))
  await insertSession(tx, {
    id: newSessionId(deps.random),
    hash: hashSecret(token),
    personId: input.personId,
    method: input.method,
    now,
    provenAt: input.proven === 'now' ? now : input.proven,
  })
  const failures = await takeFailedSignIns(tx, input.personId)
  const details = { method: input.method, ...(failures === 0 ? {} : { failures }) }
  const events = [...(input.events ?? []), { action: 'user.signed_in', details } as const]
  await recordOnTenantsOf(deps, tx, input.personId, events, input.ofTenant)
  return { personId: input.personId, token }
}

/** Returns null if the token is missing, unknown or expired. */
export async function findSession(
  deps: Pick<Deps, 'db' | 'clock'>,
  token: string | null,
  input: { readonly tenantId: string | null; readonly isPoll: boolean },
): Promise<FoundSession | null> {
  if (token === null || !looksLikeToken(token)) return null
  const session = await loadSession(deps.db, hashSecret(token), input.tenantId)
  const nowMs = deps.clock.now()
  if (session === null || !isAlive(session, nowMs)) return null
  // Polling does not extend a session, because an open page polls without a person.
  if (!input.isPoll && isSeenAgain(session, nowMs)) {
    await touchSession(deps.db, session.id, instantOf(nowMs))
  }
  return session
}

/** The person and session that were found when the request began. */
export type SessionRef = Pick<FoundSession, 'id' | 'personId'>

/**
 * Checks the session again for a change to an account: it may have ended while the body arrived and passwords were
 * hashed. Locks the person's row, so that the session cannot end before the change.
 */
export async function requireSession(tx: Tx, session: SessionRef): Promise<StoredPerson> {
  const person = await lockPerson(tx, session.personId)
  if (person === null || !(await hasSession(tx, session))) throw new Refusal('not_signed_in')
  return person
}

export async function endSession(deps: Pick<Deps, 'db'>, token: string): Promise<void> {
  await deleteSession(deps.db, hashSecret(token))
}

/** Returns how many sessions it ended. */
export async function endOtherSessions(deps: Pick<Deps, 'db'>, session: SessionRef): Promise<number> {
  return deps.db.transaction(async (tx) => deleteOtherSessions(tx, await requireSession(tx, session), session.id))
}

/** Deletes expired rows. */
export async function forgetSignIns(deps: Pick<Deps, 'db' | 'clock'>): Promise<void> {
  const nowMs = deps.clock.now()
  const links = instantOf(nowMs - CHALLENGE_MS)
  await deleteExpiredSignIns(deps.db, { sessions: instantOf(expiredBefore(nowMs)), now: instantOf(nowMs), links })
  await deleteExpiredRounds(deps.db, instantOf(nowMs))
  await deleteDeadAccessLinks(deps.db, instantOf(nowMs))
  await deleteBrowsersSeenBefore(deps.db, instantOf(nowMs - BROWSER_MS))
}
