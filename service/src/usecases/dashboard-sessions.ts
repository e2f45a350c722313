// Signed-in browsers: opened by whoever proved who they are, found again by their token, ended.

import type { Deps } from '../deps.ts'
import { hashSecret } from '../domain/api-key.ts'
import {
  CHALLENGE_MS,
  deadBefore,
  isAlive,
  isSeenAgain,
  looksLikeToken,
  mintToken,
  type SignInMethod,
} from '../domain/dashboard-session.ts'
import { newSessionId } from '../domain/ids.ts'
import { type Instant, instantOf } from '../domain/world.ts'
import {
  deleteDeadSignIns,
  deleteOtherSessions,
  deleteSession,
  insertSession,
  loadSession,
  type SessionRow,
  touchSession,
} from '../store/dashboard-sessions.ts'
import type { Tx } from '../store/db.ts'
import { deleteDeadRounds } from '../store/oidc.ts'

export type FoundSession = SessionRow

export interface SignedIn {
  readonly personId: string
  readonly token: string
}

/** A new token for each sign-in; the browser's former one ends with it. */
export async function openSession(
  deps: Pick<Deps, 'clock' | 'random'>,
  tx: Tx,
  input: {
    readonly personId: string
    readonly method: SignInMethod
    readonly replaces: string | null
    /** `now` unless another says when the person proved who they are; null where it does not. */
    readonly proven: 'now' | Instant | null
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
  return { personId: input.personId, token }
}

/** null: no token, one that nobody knows, or one whose time is over. */
export async function findSession(
  deps: Pick<Deps, 'db' | 'clock'>,
  token: string | null,
  look: { readonly tenantId: string | null; readonly isPoll: boolean },
): Promise<FoundSession | null> {
  if (token === null || !looksLikeToken(token)) return null
  const session = await loadSession(deps.db, hashSecret(token), look.tenantId)
  const nowMs = deps.clock.now()
  if (session === null || !isAlive(session, nowMs)) return null
  // A page that reads itself anew is nobody: left open, it must not keep the sign-in alive.
  if (!look.isPoll && isSeenAgain(session, nowMs)) {
    await touchSession(deps.db, session.id, instantOf(nowMs))
  }
  return session
}

export async function endSession(deps: Pick<Deps, 'db'>, token: string): Promise<void> {
  await deleteSession(deps.db, hashSecret(token))
}

/** Gives how many there were. */
export async function endOtherSessions(
  deps: Pick<Deps, 'db'>,
  session: Pick<FoundSession, 'id' | 'personId'>,
): Promise<number> {
  return deleteOtherSessions(deps.db, { id: session.personId }, session.id)
}

/** Rows that open nothing any more. */
export async function forgetSignIns(deps: Pick<Deps, 'db' | 'clock'>): Promise<void> {
  const nowMs = deps.clock.now()
  const links = instantOf(nowMs - CHALLENGE_MS)
  await deleteDeadSignIns(deps.db, { sessions: instantOf(deadBefore(nowMs)), now: instantOf(nowMs), links })
  await deleteDeadRounds(deps.db, instantOf(nowMs))
}
