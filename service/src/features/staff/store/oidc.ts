// Identities of people at the OpenID provider, and pending round trips to it.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'

export interface OidcIdentity {
  readonly issuer: string
  readonly subject: string
}

interface StoredRound {
  readonly personId: string | null
  readonly startedAt: Instant
}

export async function insertRound(
  tx: Tx,
  round: StoredRound & { readonly hash: Buffer; readonly expiresAt: Instant },
): Promise<void> {
  await tx.query(
    {
      name: 'insert_oidc_round',
      text: 'insert into oidc_rounds (hash, person_id, asked_at, expires_at) values ($1, $2, $3, $4)',
    },
    [round.hash, round.personId, round.startedAt, round.expiresAt],
  )
}

/** Returns the round trip and deletes it, so that it is used once. Returns null if it is unknown or expired. */
export async function spendRound(tx: Tx, hash: Buffer, now: Instant): Promise<StoredRound | null> {
  const [row] = await tx.query<StoredRound>(
    {
      name: 'spend_oidc_round',
      text: `delete from oidc_rounds where hash = $1 and expires_at > $2
             returning person_id as "personId", asked_at as "startedAt"`,
    },
    [hash, now],
  )
  return row ?? null
}

export async function deleteExpiredRounds(tx: Tx, now: Instant): Promise<void> {
  await tx.query({ name: 'delete_dead_oidc_rounds', text: 'delete from oidc_rounds where expires_at < $1' }, [now])
}

/** Returns the person's id. */
export async function loadOidcPerson(tx: Tx, identity: OidcIdentity): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(
    {
      name: 'load_oidc_person',
      text: 'select person_id as id from oidc_identities where issuer = $1 and subject = $2',
    },
    [identity.issuer, identity.subject],
  )
  return row?.id ?? null
}

/** Returns false if the person already has an identity at this provider, or another person has this identity. */
export async function insertOidcIdentity(
  tx: Tx,
  identity: OidcIdentity & { readonly personId: string; readonly now: Instant },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'insert_oidc_identity',
      text: `insert into oidc_identities (issuer, subject, person_id, created_at) values ($1, $2, $3, $4)
             on conflict do nothing returning subject`,
    },
    [identity.issuer, identity.subject, identity.personId, identity.now],
  )
  return rows.length === 1
}

export async function hasOidcIdentity(tx: Tx, personId: string, issuer: string): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'has_oidc_identity',
      text: 'select subject from oidc_identities where person_id = $1 and issuer = $2',
    },
    [personId, issuer],
  )
  return rows.length === 1
}
