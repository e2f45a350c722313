// Passkeys and their challenges.

import type { Tx } from '../../../platform/postgres/db.ts'
import type { Instant } from '../../../platform/world.ts'

export interface Passkey {
  readonly id: string
  readonly personId: string
  readonly publicKey: Buffer
  readonly counter: number
  readonly transports: readonly string[]
  readonly name: string
  readonly createdAt: Instant
  readonly lastUsedAt: Instant | null
}

const COLUMNS = `id, person_id as "personId", public_key as "publicKey", counter, transports, name, created_at as "createdAt",
  last_used_at as "lastUsedAt"`

export async function insertChallenge(
  tx: Tx,
  challenge: { readonly challenge: string; readonly personId: string | null; readonly expiresAt: Instant },
): Promise<void> {
  await tx.query(
    {
      name: 'insert_passkey_challenge',
      text: 'insert into passkey_challenges (challenge, person_id, expires_at) values ($1, $2, $3)',
    },
    [challenge.challenge, challenge.personId, challenge.expiresAt],
  )
}

/** Returns true only once, only for the person that the challenge was issued to, and not after it expired. */
export async function spendChallenge(
  tx: Tx,
  answered: { readonly challenge: string; readonly personId: string | null; readonly now: Instant },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'spend_passkey_challenge',
      text: `delete from passkey_challenges
             where challenge = $1 and person_id is not distinct from $2 and expires_at > $3 returning challenge`,
    },
    [answered.challenge, answered.personId, answered.now],
  )
  return rows.length === 1
}

export async function insertPasskey(tx: Tx, passkey: Omit<Passkey, 'lastUsedAt'>): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'insert_passkey',
      text: `insert into passkeys (id, person_id, public_key, counter, transports, name, created_at)
             values ($1, $2, $3, $4, $5, $6, $7) on conflict (id) do nothing returning id`,
    },
    [
      passkey.id,
      passkey.personId,
      passkey.publicKey,
      passkey.counter,
      passkey.transports,
      passkey.name,
      passkey.createdAt,
    ],
  )
  return rows.length === 1
}

export async function loadPasskey(tx: Tx, id: string): Promise<Passkey | null> {
  const [row] = await tx.query<Passkey>(
    { name: 'load_passkey', text: `select ${COLUMNS} from passkeys where id = $1` },
    [id],
  )
  return row ?? null
}

export async function listPasskeys(tx: Tx, personId: string): Promise<Passkey[]> {
  return tx.query<Passkey>(
    { name: 'list_passkeys', text: `select ${COLUMNS} from passkeys where person_id = $1 order by created_at` },
    [personId],
  )
}

/** Returns false if the passkey was used in the meantime. A counter that does not increase indicates a copied passkey. */
export async function notePasskeyUse(
  tx: Tx,
  used: { readonly id: string; readonly counter: number; readonly before: number; readonly now: Instant },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'note_passkey_use',
      text: 'update passkeys set counter = $2, last_used_at = $4 where id = $1 and counter = $3 returning id',
    },
    [used.id, used.counter, used.before, used.now],
  )
  return rows.length === 1
}

export async function deletePasskey(tx: Tx, personId: string, id: string): Promise<boolean> {
  const rows = await tx.query(
    { name: 'delete_passkey', text: 'delete from passkeys where person_id = $1 and id = $2 returning id' },
    [personId, id],
  )
  return rows.length === 1
}
