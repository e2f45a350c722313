// Cancels verifications. Without a connection, cancellations are stored and sent later.

import type { DeviceClient } from '../../sdk/typescript/src/device/device-client.ts'
import { UnreachableError } from '../../sdk/typescript/src/device/device-errors.ts'
import { loadCancelled, saveCancelled } from './device/browser-storage.ts'

/** Older verifications have expired by themselves. */
const KEPT_MAX = 20

/** Rejects as the client does. If there was no connection, `cancelWaiting` retries. */
export async function cancel(client: DeviceClient, id: string): Promise<void> {
  saveCancelled([...without(id), id].slice(-KEPT_MAX))
  try {
    await client.cancelVerification(id)
  } catch (error) {
    if (!(error instanceof UnreachableError)) saveCancelled(without(id))
    throw error
  }
  saveCancelled(without(id))
}

export async function cancelWaiting(client: DeviceClient): Promise<void> {
  for (const id of loadCancelled()) {
    try {
      await cancel(client, id)
    } catch (error) {
      if (error instanceof UnreachableError) return
      // It was answered or erased, or the till was paired again: there is nothing to cancel.
    }
  }
}

const without = (id: string) => loadCancelled().filter((other) => other !== id)
