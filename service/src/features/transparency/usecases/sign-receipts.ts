// Signs receipts of remote keys, many with one signature.

import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { NEVER_STOPPED } from '../../../platform/world.ts'
import { drawBelow } from '../domain/log/batch.ts'
import { completeReceipts, headerOf, kidOf, type ReceiptSigner } from '../domain/receipt/receipt.ts'
import { TREE_LEAVES } from '../domain/receipt/receipt-tree.ts'
import { listReceiptKeys, openReceiptKey } from '../store/receipt-keys.ts'
import { findUnsignedReceiptsAcrossTenants, signStoredReceipts } from '../store/receipts.ts'

type Needs = Pick<Deps, 'db' | 'remoteKeys' | 'random'>

/**
 * A signature has this many receipts less than a tree has leaves, on average. With a fixed number, a merchant who fills
 * a tree could count the receipts of others in it.
 */
const WITHHELD_MEAN = 32

/**
 * Signs receipts that were committed unsigned, because no transaction waits for a remote key. Until then they are
 * neither shown nor logged.
 */
export async function signReceipts(deps: Needs, stopped: AbortSignal = NEVER_STOPPED): Promise<void> {
  // The receipts of an unavailable key must not block those of other keys.
  const unavailable: string[] = []
  for (;;) {
    stopped.throwIfAborted()
    const rowsMax = drawBelow(TREE_LEAVES, { mean: WITHHELD_MEAN, min: 1 }, deps.random)
    const waiting = await findUnsignedReceiptsAcrossTenants(deps.db, {
      rowsMax,
      withoutHeaders: unavailable,
    })
    if (waiting.length === 0) return
    const signers = await openSigners(deps)
    for (const [header, receipts] of Map.groupBy(waiting, ({ jws }) => headerOf(jws))) {
      const signer = signers.get(kidOf(header))
      if (signer === undefined) throw new Error('a receipt names a key that is not in the store')
      const signed =
        signer === null ? null : await completeReceipts(receipts, signer, deps.random).catch(nullIfUnavailable)
      if (signed === null) unavailable.push(header)
      else await signStoredReceipts(deps.db, signed)
    }
    if (waiting.length < rowsMax) return
  }
}

/** Returns null if the key is unavailable: the next run retries. The key's own metrics and log report the problem. */
function nullIfUnavailable(error: unknown): null {
  if (error instanceof Refusal && error.missing === 'key') return null
  throw error
}

/** Opens the signer of each key; null: the key belongs to another installation and is only published here. */
async function openSigners({ db, remoteKeys }: Needs): Promise<ReadonlyMap<string, ReceiptSigner | null>> {
  const keys = await listReceiptKeys(db)
  return new Map(keys.map((key) => [key.kid, openReceiptKey(db, key, remoteKeys.open)]))
}
