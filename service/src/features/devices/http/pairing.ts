// Serves DELETE /till/pairing: a till ends its own pairing, and its tokens stop working.

import { principalOf } from '../../../core/http/principal.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../platform/http/app.ts'
import { unpairDevice } from '../usecases/unpair-device.ts'
import { TILL_BODY_BYTES_MAX, withTillChange } from './till-change.ts'

/** Not published: only our own till uses this route. */
export function addPairingRoute(app: App, deps: Deps): void {
  const options = { ...withTillChange(deps), schema: { hide: true }, bodyLimit: TILL_BODY_BYTES_MAX }
  app.delete('/till/pairing', options, async (request) => {
    await unpairDevice(deps, principalOf(request))
    return { unpaired: true }
  })
}
