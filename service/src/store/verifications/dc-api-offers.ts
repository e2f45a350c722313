// What verifications were offered as to browsers: written once, gone with their end.

import type { Realm } from '../../domain/tenant/realm.ts'
import type { Instant } from '../../domain/world.ts'
import type { Tx } from '../postgres/db.ts'

export interface StoredOffer {
  /** The answer to the page, to the byte. */
  readonly requests: string
  /** As domain/verification/ephemeral-key.ts keeps them. null: the response is asked for in clear. */
  readonly jweKey: Buffer | null
  /** null: Annex C is not offered. */
  readonly annexC: { readonly hpkeKey: Buffer; readonly encryptionInfo: string } | null
}

type Verification = Realm & { readonly id: string }

export async function loadOffer(tx: Tx, verification: Verification): Promise<StoredOffer | null> {
  const [row] = await tx.query<{
    requests: string
    jweKey: Buffer | null
    hpkeKey: Buffer | null
    encryptionInfo: string | null
  }>(
    {
      name: 'load_dc_api_offer',
      text: `select requests, jwe_key as "jweKey", hpke_key as "hpkeKey", encryption_info as "encryptionInfo"
             from dc_api_offers where verification_id = $3 and tenant_id = $1 and environment = $2`,
    },
    [verification.tenantId, verification.environment, verification.id],
  )
  if (row === undefined) return null
  const { requests, jweKey, hpkeKey, encryptionInfo } = row
  return { requests, jweKey, annexC: hpkeKey === null || encryptionInfo === null ? null : { hpkeKey, encryptionInfo } }
}

/** False where there is one already, or where the verification has ended: whoever ends it waits, or is waited for. */
export async function insertOffer(
  tx: Tx,
  verification: Verification,
  { offer, now }: { readonly offer: StoredOffer; readonly now: Instant },
): Promise<boolean> {
  const rows = await tx.query(
    {
      name: 'insert_dc_api_offer',
      text: `insert into dc_api_offers (verification_id, tenant_id, environment, requests, jwe_key, hpke_key, encryption_info, made_at)
             select v.id, v.tenant_id, v.environment, $4, $5, $6, $7, $8 from verifications v
             where v.id = $3 and v.tenant_id = $1 and v.environment = $2 and v.status = 'pending' and v.expires_at > $8
             for share
             on conflict (verification_id) do nothing
             returning verification_id`,
    },
    [
      verification.tenantId,
      verification.environment,
      verification.id,
      offer.requests,
      offer.jweKey,
      offer.annexC?.hpkeKey ?? null,
      offer.annexC?.encryptionInfo ?? null,
      now,
    ],
  )
  return rows.length === 1
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
