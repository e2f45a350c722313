// Lists the processes on this store and the master keys of each: every session states them in its name.

import type { Tx } from '../db.ts'

interface OtherProcess {
  /** null: its release does not state it, or it has none. */
  readonly sealsWith: string | null
  readonly opens: readonly string[]
}

/** PostgreSQL truncates session names at 63 bytes. */
const NAME_BYTES_MAX = 63
/** Sessions that never seal or decrypt anything. */
const WITHOUT_KEYS = ['vidimus migrate', 'vidimus lease']

/** The sealing key comes first; `tag` distinguishes this process from others with the same keys. */
export function sessionNameFor(keyIds: readonly string[], tag: string): string {
  const name = `vidimus ${keyIds.join(' ')} #${tag}`
  if (name.length > NAME_BYTES_MAX) throw new Error('too many master keys: four that only open are the most')
  return name
}

export async function findOtherProcesses(tx: Tx): Promise<OtherProcess[]> {
  const rows = await tx.query<{ name: string }>(
    {
      name: 'find_other_processes',
      text: `select distinct application_name as name from pg_stat_activity
             where datname = current_database() and application_name like 'vidimus%' and application_name <> all ($1::text[])
               and application_name <> current_setting('application_name')`,
    },
    [WITHOUT_KEYS],
  )
  return rows.map(({ name }) => {
    const ids = name.split(' ').filter((word) => /^[0-9a-f]{8}$/.test(word))
    return { sealsWith: ids[0] ?? null, opens: ids }
  })
}
