// Stores sessions of signed-in browsers. The store has only a hash of each token.

import type { Closed } from '../../../core/tenants/domain/closed.ts'
import { closedColumn } from '../../../core/tenants/store/closed.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'
import type { Person, Role } from '../domain/person.ts'
import type { DashboardSession, SignInMethod } from '../domain/session.ts'

export interface SessionRow extends DashboardSession {
  readonly email: string
  /** The person's role at the given tenant; null: no tenant was given, or the person is not staff there. */
  readonly role: Role | null
  /** Whether the given tenant is closed. */
  readonly closed: Closed
}

export async function insertSession(
  tx: Tx,
  session: {
    id: string
    hash: Buffer
    personId: string
    method: SignInMethod
    now: Instant
    provenAt: Instant | null
  },
): Promise<void> {
  await tx.query(
    {
      name: 'insert_dashboard_session',
      text: `insert into dashboard_sessions (id, hash, person_id, method, created_at, seen_at, proven_at)
             values ($1, $2, $3, $4, $5, $5, $6)`,
    },
    [session.id, session.hash, session.personId, session.method, session.now, session.provenAt],
  )
}

/** Loads the session with the person and the role at one tenant. Each request runs only this query. */
export async function loadSession(tx: Tx, hash: Buffer, tenantId: string | null): Promise<SessionRow | null> {
  const [row] = await tx.query<SessionRow>(
    {
      name: 'load_dashboard_session',
      text: `select s.id, s.person_id as "personId", s.created_at as "createdAt", s.seen_at as "seenAt", s.proven_at as "provenAt",
               s.method, p.email, m.role, ${closedColumn('t')} as closed
             from dashboard_sessions s join people p on p.id = s.person_id
             left join members m on m.person_id = p.id and m.tenant_id = $2
             left join tenants t on t.id = m.tenant_id where s.hash = $1`,
    },
    [hash, tenantId],
  )
  return row ?? null
}

export async function hasSession(tx: Tx, session: Pick<DashboardSession, 'id' | 'personId'>): Promise<boolean> {
  const rows = await tx.query(
    { name: 'has_dashboard_session', text: 'select id from dashboard_sessions where id = $1 and person_id = $2' },
    [session.id, session.personId],
  )
  return rows.length === 1
}

export async function touchSession(tx: Tx, id: string, at: Instant): Promise<void> {
  await tx.query(
    { name: 'touch_dashboard_session', text: 'update dashboard_sessions set seen_at = $2 where id = $1' },
    [id, at],
  )
}

export async function deleteSession(tx: Tx, hash: Buffer): Promise<void> {
  await tx.query({ name: 'delete_dashboard_session', text: 'delete from dashboard_sessions where hash = $1' }, [hash])
}

/** Deletes all other sessions of a person, and returns how many. */
export async function deleteOtherSessions(tx: Tx, person: Pick<Person, 'id'>, keptId: string): Promise<number> {
  const rows = await tx.query(
    {
      name: 'delete_other_dashboard_sessions',
      text: 'delete from dashboard_sessions where person_id = $1 and id <> $2 returning id',
    },
    [person.id, keptId],
  )
  return rows.length
}

/** Signs everyone out. */
export async function deleteSessionsAcrossTenants(tx: Tx): Promise<void> {
  await tx.query({ name: 'delete_all_dashboard_sessions', text: 'delete from dashboard_sessions' })
}

/** Deletes all expired sessions, and challenges and links that can no longer be used. */
export async function deleteExpiredSignIns(
  tx: Tx,
  bounds: { sessions: Instant; now: Instant; links: Instant },
): Promise<void> {
  await tx.query({ name: 'delete_dead_sessions', text: 'delete from dashboard_sessions where created_at < $1' }, [
    bounds.sessions,
  ])
  await tx.query({ name: 'delete_dead_challenges', text: 'delete from passkey_challenges where expires_at < $1' }, [
    bounds.now,
  ])
  await tx.query({ name: 'delete_dead_links', text: 'delete from sign_in_links where expires_at < $1' }, [bounds.links])
}
