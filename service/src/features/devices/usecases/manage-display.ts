// Connects, monitors and disconnects a till's customer screen.

import type { Principal } from '../../../core/tenants/domain/principal.ts'
import type { Realm } from '../../../core/tenants/domain/realm.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { instantOf } from '../../../platform/world.ts'
import { DISPLAY_CODE_MS, DISPLAY_LAPSES_MS, type DisplayState, displayStateAt } from '../domain/display.ts'
import { connectDisplay, disconnectDisplay, loadDisplay, loadShop, type Shop } from '../store/displays.ts'
import { deviceOf, recordOfDevice } from './record-of-device.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'audit'>

export async function connectDisplayTo(deps: Needs, principal: Principal, code: string): Promise<DisplayState> {
  const till = deviceOf(principal)
  const nowMs = deps.clock.now()
  const now = instantOf(nowMs)
  await deps.db.transaction(async (tx) => {
    const connected = await connectDisplay(tx, till, {
      code,
      now,
      codesFrom: instantOf(nowMs - DISPLAY_CODE_MS),
      screensFrom: instantOf(nowMs - DISPLAY_LAPSES_MS),
    })
    if (connected === null) throw new Refusal('invalid_pairing_code')
    for (const id of connected.released)
      await recordOfDevice(deps, tx, till, { action: 'device.display_disconnected', now, deviceId: id })
    await recordOfDevice(deps, tx, till, { action: 'device.display_connected', now })
  })
  return 'waiting'
}

export async function readDisplayOf(deps: Pick<Deps, 'db' | 'clock'>, principal: Principal): Promise<DisplayState> {
  return displayStateAt(await loadDisplay(deps.db, deviceOf(principal)), deps.clock.now())
}

/** Loads the merchant's name and look, for a till. */
export async function readShop(
  deps: Pick<Deps, 'db'>,
  principal: Principal,
): Promise<Shop & { readonly realm: Realm }> {
  const realm = deviceOf(principal)
  return { ...(await loadShop(deps.db, realm)), realm }
}

export async function disconnectDisplayOf(deps: Needs, principal: Principal): Promise<DisplayState> {
  const till = deviceOf(principal)
  await deps.db.transaction(async (tx) => {
    if (!(await disconnectDisplay(tx, till))) return
    await recordOfDevice(deps, tx, till, { action: 'device.display_disconnected', now: instantOf(deps.clock.now()) })
  })
  return 'none'
}
