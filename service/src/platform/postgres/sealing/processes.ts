// Lists the processes on this store with their master keys and release, which the name of every session states.

import type { Queries } from '../db.ts'

interface OtherProcess {
  /** null: the process has no key, or its release does not state the key. */
  readonly sealsWith: string | null
  readonly opens: readonly string[]
}

/** PostgreSQL truncates session names at 63 bytes. */
const NAME_BYTES_MAX = 63
/** Sessions that never seal or decrypt anything. */
const WITHOUT_KEYS = ['vidimus migrate', 'vidimus lease']
/** Enough to distinguish processes with the same keys. Written as four characters. */
export const TAG_BYTES = 3

export interface Session {
  /** The sealing key comes first. */
  readonly keyIds: readonly string[]
  /** Distinguishes this process from others with the same keys. */
  readonly tag: Uint8Array
  /** The number of the newest migration that the release knows. */
  readonly release: number
}

export function sessionNameFor({ keyIds, tag, release }: Session): string {
  const stated = `#${Buffer.from(tag).toString('base64url')}~${String(release).padStart(4, '0')}`
  const name = `vidimus ${keyIds.join(' ')} ${stated}`
  if (name.length > NAME_BYTES_MAX) throw new Error('too many master keys: at most four may be readable in addition')
  return name
}

export async function findOtherProcesses(tx: Queries): Promise<OtherProcess[]> {
  return (await listProcesses(tx))
    .filter(({ isOwn }) => !isOwn)
    .map(({ name }) => {
      const ids = name.split(' ').filter((word) => /^[0-9a-f]{8}$/.test(word))
      return { sealsWith: ids[0] ?? null, opens: ids }
    })
}

/** Counts processes that do not know this migration, including those whose session names state no release. */
export async function countOlderProcesses(tx: Queries, migration: number): Promise<number> {
  const stated = (await listProcesses(tx)).map(({ name }) => /~(\d{4,})$/.exec(name)?.[1])
  return stated.filter((release) => release === undefined || Number(release) < migration).length
}

function listProcesses(tx: Queries): Promise<{ readonly name: string; readonly isOwn: boolean }[]> {
  return tx.query(
    {
      name: 'list_processes',
      text: `select distinct application_name as name, application_name = current_setting('application_name') as "isOwn"
             from pg_stat_activity
             where datname = current_database() and application_name like 'vidimus%' and application_name <> all ($1::text[])`,
    },
    [WITHOUT_KEYS],
  )
}
