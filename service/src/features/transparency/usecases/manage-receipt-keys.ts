// Receipt keys: the first is created with the installation, the next ones by the operator.

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

/** Two processes that start at once may create one each: the later one signs, both are published. */
export async function keepReceiptKey(deps: Needs): Promise<void> {
  if ((await listReceiptKeys(deps.db)).length === 0) {
    await insertReceiptKey(deps.db, newReceiptKey(deps.clock.now(), 0))
  }
}

/**
 * Published at once; signs later, or at once in an installation without receipts. `reference`: a key outside of this
 * process, created there if it does not exist. Throws a KeyFailure if it cannot be used.
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

/** RFC 7517; every key that ever existed. */
export async function readReceiptKeys(deps: Pick<Deps, 'db'>): Promise<{ keys: ReceiptJwk[] }> {
  const keys = await listReceiptKeys(deps.db)
  return { keys: keys.map(({ publicJwk }) => publicJwk) }
}
