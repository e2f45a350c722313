// The till's settings: sound, kiosk mode, customer screen, unpairing. In kiosk mode they need the PIN.

import { RefusedError } from '../../sdk/typescript/src/device/device-errors.ts'
import { isSoundOn, type PinChange, setSound } from './device/browser-storage.ts'
import { isKiosk, leaveKiosk, startKiosk } from './device/kiosk.ts'
import { canHash, isPin } from './device/pin.ts'
import type { DisplayLink } from './display/display-link.ts'
import { problemText } from './problems.ts'
import { redraw, show } from './screen.ts'
import { pinView, settingsView } from './settings-views.ts'
import { words } from './state.ts'
import { startingView } from './views.ts'
import { durationText } from './words/words.ts'

interface SettingsWorld {
  readonly display: DisplayLink
  readonly back: () => void
  readonly unpair: () => Promise<void>
  readonly onPin: (change: PinChange) => void
}

type Notice = (() => string) | null

export function openSettings(world: SettingsWorld): void {
  if (isKiosk()) askPin(world)
  else showSettings(world)
}

function showSettings(world: SettingsWorld, notice: Notice = null): void {
  const { display, back, unpair } = world
  const shown = () => ({
    sound: isSoundOn(),
    canLock: canHash(),
    display: display.state(),
    notice: notice?.() ?? null,
  })
  show(() =>
    settingsView(words(), shown(), {
      back,
      setSound,
      lock: () => choosePin(world),
      openDisplay: () => void window.open('/till#display', 'vidimus-display', 'popup'),
      connectDisplay: (code) => void connect(world, code),
      disconnectDisplay: () => void disconnect(world),
      unpair: () => void unpair(),
    }),
  )
}

async function connect(world: SettingsWorld, code: string): Promise<void> {
  await whileWaiting(world, async () => ((await world.display.connect(code)) ? null : () => words().displayAbsent))
}

async function disconnect(world: SettingsWorld): Promise<void> {
  await whileWaiting(world, async () => {
    await world.display.disconnect()
    return null
  })
}

async function whileWaiting(world: SettingsWorld, work: () => Promise<Notice>): Promise<void> {
  const signal = show(() => startingView(words(), words().display))
  const notice = await work().catch((error): Notice => {
    const isTaken = error instanceof RefusedError && error.code === 'invalid_pairing_code'
    return () => (isTaken ? words().displayAbsent : problemText(words(), error))
  })
  if (!signal.aborted) showSettings(world, notice)
}

function choosePin(world: SettingsWorld, notice: Notice = null): void {
  const back = () => showSettings(world)
  show(() =>
    pinView(
      words(),
      { title: words().pinChoose, notice: notice?.() ?? null, hint: null, busy: false },
      {
        enter: (digits) => isPin(digits) && repeatPin(world, digits),
        back,
      },
    ),
  )
}

function repeatPin(world: SettingsWorld, chosen: string): void {
  const enter = async (digits: string) => {
    if (digits !== chosen) return choosePin(world, () => words().pinDiffers)
    await startKiosk(chosen)
    world.onPin('set')
    world.back()
  }
  show(() =>
    pinView(
      words(),
      { title: words().pinRepeat, notice: null, hint: null, busy: false },
      {
        enter: (digits) => void enter(digits),
        back: () => choosePin(world),
      },
    ),
  )
}

function askPin(world: SettingsWorld, notice: Notice = null, busy = false): AbortSignal {
  const enter = async (digits: string) => {
    const signal = askPin(world, null, true)
    const attempt = await leaveKiosk(digits)
    if (attempt.kind === 'right') world.onPin('removed')
    // If the till has shown another screen in the meantime, it stays there.
    if (signal.aborted) redraw()
    else if (attempt.kind === 'right') showSettings(world)
    else if (attempt.kind === 'wrong') askPin(world, () => words().pinWrong(attempt.left))
    else askPin(world, () => words().pinWait(durationText(attempt.seconds)))
  }
  return show(() =>
    pinView(
      words(),
      { title: words().pinAsk, notice: notice?.() ?? null, hint: words().pinForgotten, busy },
      {
        enter: (digits) => void enter(digits),
        back: world.back,
      },
    ),
  )
}
