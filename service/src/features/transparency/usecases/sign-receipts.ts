// The job: signs receipts whose key is outside of this process. They were committed without a signature, because no
// transaction waits for such a key; while it is away they stay so, and are neither shown nor put into the log.

import type { Deps } from '../../../deps.ts'
import { NEVER_STOPPED } from '../../../platform/world.ts'
import { completeReceipt, kidOf, type ReceiptSigner } from '../domain/receipt/receipt.ts'
import { listReceiptKeys, openReceiptKey } from '../store/receipt-keys.ts'
import { findUnsignedReceiptsAcrossTenants, signStoredReceipts } from '../store/receipts.ts'

/** Signed at the same time at most: the key has a queue of its own. */
const STEP_ROWS = 64

export async function signReceipts(
  deps: Pick<Deps, 'db' | 'remoteKeys'>,
  stopped: AbortSignal = NEVER_STOPPED,
): Promise<void> {
  const signers = new Map<string, ReceiptSigner>()
  for (;;) {
    stopped.throwIfAborted()
    const waiting = await findUnsignedReceiptsAcrossTenants(deps.db, STEP_ROWS)
    if (waiting.length === 0) return
    if (signers.size === 0) await openSigners(deps, signers)
    const settled = await Promise.allSettled(
      waiting.map(async ({ verificationId, jws }) => {
        const signer = signers.get(kidOf(jws))
        if (signer === undefined) throw new Error('a receipt names a key that is not in the store')
        return { verificationId, jws: await completeReceipt(jws, signer) }
      }),
    )
    await signStoredReceipts(
      deps.db,
      settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    )
    // The next run tries again; the key's own metrics and log say what is wrong.
    if (settled.some(({ status }) => status === 'rejected')) return
  }
}

async function openSigners({ db, remoteKeys }: Pick<Deps, 'db' | 'remoteKeys'>, into: Map<string, ReceiptSigner>) {
  for (const key of await listReceiptKeys(db)) into.set(key.kid, openReceiptKey(db, key, remoteKeys.open))
}
