// Serves POST /till/kiosk: a till reports that its kiosk PIN was set or used. The PIN itself is never sent.

import { PinChange } from '../../../../../wire/devices.ts'
import { principalOf } from '../../../core/http/principal.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { notePin } from '../usecases/note-pin.ts'
import { TILL_BODY_BYTES_MAX, withTillChange } from './till-change.ts'

/** Not published: only our own till uses this route. */
export function addKioskRoute(app: App, deps: Deps): void {
  app.post(
    '/till/kiosk',
    { ...withTillChange(deps), schema: { hide: true, body: PinChange }, bodyLimit: TILL_BODY_BYTES_MAX },
    async (request) => {
      await notePin(deps, principalOf(request), request.body.pin)
      return { noted: true }
    },
  )
}
