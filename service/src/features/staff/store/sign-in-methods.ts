// Replaces all sign-in methods of a person at once.

import type { Tx } from '../../../platform/postgres/db.ts'

/**
 * Replaces all sign-in methods by this password, or by none, and ends all sessions. The first statement locks the
 * person's row, so that later statements see what concurrent sign-ins committed.
 */
export async function replaceSignIns(tx: Tx, personId: string, password: string | null): Promise<void> {
  await tx.query({ name: 'replace_password', text: 'update people set password = $2 where id = $1' }, [
    personId,
    password,
  ])
  await tx.query({ name: 'delete_passkeys_of_person', text: 'delete from passkeys where person_id = $1' }, [personId])
  await tx.query({ name: 'delete_challenges_of_person', text: 'delete from passkey_challenges where person_id = $1' }, [
    personId,
  ])
  await tx.query({ name: 'delete_rounds_of_person', text: 'delete from oidc_rounds where person_id = $1' }, [personId])
  await tx.query({ name: 'delete_oidc_of_person', text: 'delete from oidc_identities where person_id = $1' }, [
    personId,
  ])
  // The account may have a new owner, who has never used these browsers.
  await tx.query({ name: 'delete_browsers_of_person', text: 'delete from known_browsers where person_id = $1' }, [
    personId,
  ])
  await tx.query({ name: 'delete_sessions_of_person', text: 'delete from dashboard_sessions where person_id = $1' }, [
    personId,
  ])
}
