// Replaces all sign-in methods of a person at once.

import type { Tx } from '../../../platform/postgres/db.ts'

/**
 * Replaces all sign-in methods by this password, or by none, and ends all sessions. The first statement locks the
 * person's row, so that later statements see what concurrent sign-ins committed.
 */
export async function replaceSignIns(tx: Tx, personId: string, password: string | null): Promise<void> {
  const text = 'update people set password = $2 where id = $1'
  await tx.query({ name: 'replace_password', text }, [personId, password])
  await tx.query(
    {
      name: 'delete_sign_ins_of_person',
      // The account may have a new owner, who has never used these browsers.
      text: `with passkey as (delete from passkeys where person_id = $1),
               challenge as (delete from passkey_challenges where person_id = $1),
               round as (delete from oidc_rounds where person_id = $1),
               identity as (delete from oidc_identities where person_id = $1),
               browser as (delete from known_browsers where person_id = $1)
             delete from dashboard_sessions where person_id = $1`,
    },
    [personId],
  )
}
