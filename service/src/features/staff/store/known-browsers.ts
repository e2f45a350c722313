// Browsers in which a person has signed in before. The store has only a hash of each browser's token.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'

/** How many browsers are remembered per person: the newest. An older one counts as new again. */
const KEPT = 20

/** Records a sign-in. Returns true if it is the person's first one in this browser. */
export async function noteKnownBrowser(
  tx: Tx,
  seen: { readonly personId: string; readonly hash: Buffer; readonly now: Instant },
): Promise<boolean> {
  const [row] = await tx.query<{ isNew: boolean }>(
    {
      name: 'note_known_browser',
      text: `insert into known_browsers (person_id, hash, seen_at) values ($1, $2, $3)
             on conflict (person_id, hash) do update set seen_at = excluded.seen_at returning xmax = 0 as "isNew"`,
    },
    [seen.personId, seen.hash, seen.now],
  )
  await tx.query(
    {
      name: 'delete_surplus_browsers',
      text: `delete from known_browsers where person_id = $1 and hash <> all (array(
               select hash from known_browsers where person_id = $1 order by seen_at desc, hash limit $2))`,
    },
    [seen.personId, KEPT],
  )
  return row?.isNew === true
}

export async function deleteBrowsersSeenBefore(tx: Tx, before: Instant): Promise<void> {
  await tx.query({ name: 'delete_old_browsers', text: 'delete from known_browsers where seen_at < $1' }, [before])
}
