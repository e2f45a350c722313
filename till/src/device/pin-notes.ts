// Reports to the audit trail when kiosk mode got its PIN and when it was left. The PIN itself is not sent.

import type { DeviceClient } from '../../../sdk/typescript/src/device/device-client.ts'
import { RefusedError } from '../../../sdk/typescript/src/device/device-errors.ts'
import { loadPinNotes, type PinChange, savePinNotes } from './browser-storage.ts'

/** If the till is offline for long, the oldest are dropped. */
const KEPT_MAX = 20

type Service = Pick<DeviceClient, 'notePin'>

let telling: Promise<void> | null = null

export async function notePin(service: Service, change: PinChange): Promise<void> {
  savePinNotes([...loadPinNotes(), change].slice(-KEPT_MAX))
  await sendPinNotes(service)
}

/** Sends the changes one after another. If a response is lost, sends the change again. */
export async function sendPinNotes(service: Service): Promise<void> {
  telling ??= tell(service).finally(() => {
    telling = null
  })
  await telling
}

async function tell(service: Service): Promise<void> {
  for (;;) {
    const [first] = loadPinNotes()
    if (first === undefined) return
    try {
      await service.notePin(first)
    } catch (error) {
      // A permanent refusal is not retried; everything else is.
      if (!(error instanceof RefusedError) || error.code === 'rate_limit_exceeded') return
    }
    savePinNotes(loadPinNotes().slice(1))
  }
}
