// What verifications were offered as to browsers: written once, gone with their end.

import type { Realm } from '../../domain/tenant/realm.ts'
import type { SealedOffer } from '../../domain/verification/sealed-offer.ts'
import type { Instant } from '../../domain/world.ts'
import type { Tx } from '../postgres/db.ts'
import { type Column, defineStatement, runStatement } from '../postgres/statement.ts'

export interface NewOffer extends SealedOffer, Realm {
  /** The verification's. */
  readonly id: string
}

const OFFER: readonly Column<NewOffer>[] = [
  { name: 'id', type: 'text', get: ({ id }) => id },
  { name: 'tenant_id', type: 'text', get: ({ tenantId }) => tenantId },
  { name: 'environment', type: 'text', get: ({ environment }) => environment },
  { name: 'requests', type: 'text', get: ({ requests }) => requests },
  { name: 'sealed', type: 'bytea', get: ({ sealed }) => sealed },
]

interface NewOffers {
  readonly offers: readonly NewOffer[]
  readonly now: Instant
}

/**
 * Gives the ids of those that were written: not where there is one already, nor where the verification has ended: whoever ends it
 * waits, or is waited for. No two are of one verification.
 */
export async function insertOffersAcrossTenants(tx: Tx, input: NewOffers): Promise<readonly string[]> {
  const rows = await runStatement<{ id: string }, NewOffers>(tx, INSERT, input)
  return rows.map(({ id }) => id)
}

const INSERT = defineStatement<NewOffers>('insert_dc_api_offers', (parameters) => {
  const given = parameters.rows(OFFER, ({ offers }) => offers)
  const now = parameters.one((input) => input.now)
  return `with given as (
            select * from ${given.unnest('g')}
          ), open as (
            -- In one order everywhere: two batches that share rows must not wait for each other.
            select v.id, v.tenant_id, v.environment, given.requests, given.sealed
            from verifications v
            join given on given.id = v.id and given.tenant_id = v.tenant_id and given.environment = v.environment
            where v.status = 'pending' and v.expires_at > ${now} order by v.id for share of v
          )
          insert into dc_api_offers (verification_id, tenant_id, environment, requests, sealed, made_at)
          select id, tenant_id, environment, requests, sealed, ${now} from open
          on conflict (verification_id) do nothing
          returning verification_id as id`
})

/**
 * Of verifications that have ended, in the transaction that ended them and after their rows were locked: a statement that waited for
 * the lock does not see what was written while it waited.
 */
export async function destroyOffers(tx: Tx, realm: Realm, ids: readonly string[]): Promise<void> {
  await tx.query(
    {
      name: 'destroy_dc_api_offers',
      text: `delete from dc_api_offers
             where verification_id = any ($3::text[]) and tenant_id = $1 and environment = $2`,
    },
    [realm.tenantId, realm.environment, ids],
  )
}

/** Of verifications that nobody can answer any more, however they ended. */
export async function destroyOffersOfExpiredAcrossTenants(tx: Tx, before: Instant, rowsMax: number): Promise<number> {
  const rows = await tx.query(
    {
      name: 'destroy_offers_of_expired',
      text: `delete from dc_api_offers where verification_id = any (array(
               select o.verification_id from dc_api_offers o join verifications v on v.id = o.verification_id
               where v.expires_at <= $1 limit $2 for update of o skip locked))
             returning verification_id`,
    },
    [before, rowsMax],
  )
  return rows.length
}
