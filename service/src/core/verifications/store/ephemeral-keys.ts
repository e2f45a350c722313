// The encryption key of a verification, as its column holds it: the public point, and the secrets sealed to it.

import type { Sealing } from '../../../platform/postgres/db.ts'
import { type EphemeralKey, ephemeralKeySealContext, type KeyOwner, POINT_BYTES } from '../domain/ephemeral-key.ts'

export function sealEphemeralKey({ sealer }: Sealing, owner: KeyOwner, { point, secrets }: EphemeralKey): Buffer {
  return Buffer.concat([point, sealer.seal(secrets, ephemeralKeySealContext(owner, point))])
}

/** Its point is proved to be the one that was stored with the secrets: nobody may put another in its place. */
export function openEphemeralKey(
  { sealer }: Sealing,
  owner: KeyOwner & { readonly encryptionKey: Buffer | null },
): EphemeralKey {
  const { encryptionKey: stored } = owner
  // Without its key an encrypted response could only be read as one in clear: never that.
  if (stored === null) throw new Error('bug: a pending verification has lost its encryption key')
  const point = stored.subarray(0, POINT_BYTES)
  return { point, secrets: sealer.open(stored.subarray(POINT_BYTES), ephemeralKeySealContext(owner, point)) }
}
