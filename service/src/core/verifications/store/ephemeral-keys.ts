// Seals and opens the encryption key of a verification. Its column has the public point, and the secrets sealed to that point.

import type { Sealing } from '../../../platform/postgres/db.ts'
import type { RealmRow } from '../../tenants/domain/realm.ts'
import { type EphemeralKey, ephemeralKeySealContext, POINT_BYTES } from '../domain/ephemeral-key.ts'

export function sealEphemeralKey({ sealer }: Sealing, owner: RealmRow, { point, secrets }: EphemeralKey): Buffer {
  return Buffer.concat([point, sealer.seal(secrets, ephemeralKeySealContext(owner, point))])
}

/** The seal proves that the point was stored with the secrets. A replaced point is refused. */
export function openEphemeralKey(
  { sealer }: Sealing,
  owner: RealmRow & { readonly encryptionKey: Buffer | null },
): EphemeralKey {
  const { encryptionKey: stored } = owner
  // Without its key, an encrypted response would be read as unencrypted, which must never happen.
  if (stored === null) throw new Error('bug: a pending verification has lost its encryption key')
  const point = stored.subarray(0, POINT_BYTES)
  return { point, secrets: sealer.open(stored.subarray(POINT_BYTES), ephemeralKeySealContext(owner, point)) }
}
