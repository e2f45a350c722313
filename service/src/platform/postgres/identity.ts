// Identifies a server by its system identifier and timeline. Every promotion raises the timeline.

import pg from 'pg'

/** True for a standby, too: a session in recovery is always read-only. */
export const READ_ONLY = `current_setting('transaction_read_only')::bool`

export interface ServerIdentity {
  /** Whether the server is a standby or is configured to take no writes. */
  readonly readOnly: boolean
  /** The same for a primary and all of its standbys; null: the role must not read it. */
  readonly systemId: string | null
  /** null: the role must not read it. */
  readonly timeline: number | null
  /** The start time of the server. Two names of one server return the same. */
  readonly startedAt: string
}

const EACH = `${READ_ONLY} as "readOnly", extract(epoch from pg_postmaster_start_time())::text as "startedAt"`
// A primary's timeline is that of its WAL, because its last checkpoint may be older than its promotion. A standby's is
// that of its last restart point or, if the role may see it, of the WAL that it receives.
const FULL = `
  select ${EACH}, (select system_identifier::text from pg_control_system()) as "systemId",
         case when pg_is_in_recovery()
              then greatest((select timeline_id from pg_control_checkpoint()), (select received_tli from pg_stat_wal_receiver))
              else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int
         end as "timeline"`
const LEAST = `select ${EACH}, null as "systemId", null as "timeline"`

// The role must not call the functions (42501), they do not exist (42883, 0A000), or are not available now (55000).
const UNREADABLE = new Set(['42501', '42883', '0A000', '55000'])

export async function readIdentity(client: pg.ClientBase): Promise<ServerIdentity> {
  const result = await client.query<ServerIdentity>(FULL).catch((error: unknown) => {
    if (error instanceof pg.DatabaseError && UNREADABLE.has(error.code ?? '')) return null
    throw error
  })
  const { rows } = result ?? (await client.query<ServerIdentity>(LEAST))
  const [identity] = rows
  if (identity === undefined) throw new Error('bug: a select without from returned no row')
  return identity
}

export const isSameServer = (a: ServerIdentity, b: ServerIdentity) =>
  a.startedAt === b.startedAt && a.systemId === b.systemId && a.timeline === b.timeline
