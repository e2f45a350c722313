// Taking a question back. Without a connection that is kept in mind and done when there is one: nothing stays answerable that
// somebody cancelled.

import type { DeviceClient } from '../../sdk/typescript/src/device/device-client.ts'
import { UnreachableError } from '../../sdk/typescript/src/device/device-errors.ts'
import { loadCancelled, saveCancelled } from './device/browser-storage.ts'

/** Older ones have expired by themselves. */
const KEPT_MAX = 20

/** Rejects as the client does; when it found no connection, `cancelWaiting` tries again. */
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
      // Answered, erased, or no longer this till's: there is nothing left to cancel.
    }
  }
}

const without = (id: string) => loadCancelled().filter((other) => other !== id)
