// Kiosk mode: the till fills the screen, the way back leads nowhere, and settings are behind the PIN. A page cannot do more: the
// tablet's own pinning keeps people in the app.

import { clearPin, pinBox, savePin } from './browser-storage.ts'
import { type Attempt, makePin, tryPin } from './pin.ts'

export const isKiosk = () => pinBox.load() !== null

export async function startKiosk(digits: string): Promise<void> {
  savePin(await makePin(digits))
  stayOnBack()
  fillScreen()
}

/** The PIN that ends it is forgotten with it. */
export async function leaveKiosk(digits: string): Promise<Attempt> {
  const attempt = await tryPin(pinBox, digits, Date.now())
  if (attempt.kind === 'right') {
    clearPin()
    if (document.fullscreenElement !== null) await document.exitFullscreen().catch(ignoreRefusal)
  }
  return attempt
}

/** `onChange`: another window of this till started or left it. */
export function guardKiosk(onChange: () => void): void {
  stayOnBack()
  addEventListener('popstate', stayOnBack)
  // Browsers allow full screen only after a tap: after leaving it, the next tap restores it.
  addEventListener('click', fillScreen)
  addEventListener('contextmenu', (event) => {
    if (isKiosk()) event.preventDefault()
  })
  addEventListener('storage', ({ key }) => {
    if (key === null || key === pinBox.key) onChange()
  })
}

/** The way back leads to where one is. */
function stayOnBack(): void {
  if (isKiosk()) history.pushState(null, '')
}

function fillScreen(): void {
  if (!isKiosk() || document.fullscreenElement !== null || !document.fullscreenEnabled) return
  document.documentElement.requestFullscreen().catch(ignoreRefusal)
}

/** Some browsers never allow it, and the till works as well without. */
const ignoreRefusal = () => undefined
