// A till has its codes shown on a screen that faces the guest: connects it by the code it shows, looks after it, lets it go.

import type { Deps } from '../../deps.ts'
import { DISPLAY_CODE_MS, DISPLAY_LAPSES_MS, type DisplayState, displayStateAt } from '../../domain/device/display.ts'
import { Refusal } from '../../domain/errors.ts'
import type { DevicePrincipal, Principal } from '../../domain/tenant/principal.ts'
import { instantOf } from '../../domain/world.ts'
import { connectDisplay, disconnectDisplay, loadDisplay } from '../../store/devices/displays.ts'

type Needs = Pick<Deps, 'db' | 'clock'>

export async function connectDisplayTo(deps: Needs, principal: Principal, code: string): Promise<DisplayState> {
  const till = tillOf(principal)
  const nowMs = deps.clock.now()
  const isOurs = await deps.db.transaction((tx) =>
    connectDisplay(tx, till, {
      code,
      now: instantOf(nowMs),
      codesFrom: instantOf(nowMs - DISPLAY_CODE_MS),
      screensFrom: instantOf(nowMs - DISPLAY_LAPSES_MS),
    }),
  )
  if (!isOurs) throw new Refusal('invalid_pairing_code')
  return 'waiting'
}

export async function readDisplayOf(deps: Needs, principal: Principal): Promise<DisplayState> {
  return displayStateAt(await loadDisplay(deps.db, tillOf(principal)), deps.clock.now())
}

export async function disconnectDisplayOf(deps: Needs, principal: Principal): Promise<DisplayState> {
  await disconnectDisplay(deps.db, tillOf(principal))
  return 'none'
}

function tillOf(principal: Principal): DevicePrincipal {
  if (principal.kind === 'device') return principal
  throw new Refusal('insufficient_scope', { message: 'Only a device has a customer screen.' })
}
