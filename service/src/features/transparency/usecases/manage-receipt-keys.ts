// Creates receipt keys: the first with the installation, more when the operator rotates.

import type { Deps } from '../../../deps.ts'
import {
  newReceiptKey,
  PUBLISHED_BEFORE_MS,
  pinnedReceiptKey,
  type ReceiptJwk,
  type ReceiptKey,
} from '../domain/receipt/receipt-key.ts'
import { insertReceiptKey, listReceiptKeys } from '../store/receipt-keys.ts'
import { hasReceipts } from '../store/receipts.ts'

type Needs = Pick<Deps, 'db' | 'clock'>

/** Creates the first key. Two processes that start together may each create one: both are published, and the later one signs. */
export async function keepReceiptKey(deps: Needs): Promise<void> {
  if ((await listReceiptKeys(deps.db)).length === 0) {
    await insertReceiptKey(deps.db, newReceiptKey(deps.clock.now(), 0))
  }
}

/**
 * Publishes a new key now. It signs an hour later, or now if there is no receipt yet. `reference` names a key in an HSM
 * or key service, which is created if missing. Throws a KeyFailure if the key is unusable.
 */
export async function rotateReceiptKey(
  deps: Needs & Pick<Deps, 'remoteKeys'>,
  reference: string | null,
): Promise<ReceiptKey> {
  const publishedBeforeMs = (await hasReceipts(deps.db)) ? PUBLISHED_BEFORE_MS : 0
  const nowMs = deps.clock.now()
  const key =
    reference === null
      ? newReceiptKey(nowMs, publishedBeforeMs)
      : pinnedReceiptKey(await deps.remoteKeys.findOrCreate(reference, 'ES256'), nowMs, publishedBeforeMs)
  await insertReceiptKey(deps.db, key)
  return key
}

/** All keys that ever existed, as a JWK Set (RFC 7517). */
export async function readReceiptKeys(deps: Pick<Deps, 'db'>): Promise<{ keys: ReceiptJwk[] }> {
  const keys = await listReceiptKeys(deps.db)
  return { keys: keys.map(({ publicJwk }) => publicJwk) }
}
