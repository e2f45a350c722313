// The merchant's audit trail says when kiosk mode got its PIN and when it was left with it, never which. Without a connection that is
// kept in mind and told when there is one.

import type { DeviceClient } from '../../../sdk/typescript/src/device/device-client.ts'
import { RefusedError } from '../../../sdk/typescript/src/device/device-errors.ts'
import { loadPinNotes, type PinChange, savePinNotes } from './browser-storage.ts'

/** Offline for longer, the first are forgotten. */
const KEPT_MAX = 20

type Service = Pick<DeviceClient, 'notePin'>

let telling: Promise<void> | null = null

export async function notePin(service: Service, change: PinChange): Promise<void> {
  savePinNotes([...loadPinNotes(), change].slice(-KEPT_MAX))
  await tellPinNotes(service)
}

/** One after the other; one whose answer is lost is told again. */
export async function tellPinNotes(service: Service): Promise<void> {
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
      // What is refused once and for all is not asked again; everything else later.
      if (!(error instanceof RefusedError) || error.code === 'rate_limit_exceeded') return
    }
    savePinNotes(loadPinNotes().slice(1))
  }
}
