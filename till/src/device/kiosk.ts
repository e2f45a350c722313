// Kiosk mode: full screen, no going back, settings behind the PIN.

import { clearPin, pinBox, savePin } from './browser-storage.ts'
import { type Attempt, makePin, tryPin } from './pin.ts'

export const isKiosk = () => pinBox.load() !== null

export async function startKiosk(digits: string): Promise<void> {
  savePin(await makePin(digits))
  stayOnBack()
  fillScreen()
}

/** Deletes the PIN, too. */
export async function leaveKiosk(digits: string): Promise<Attempt> {
  const attempt = await tryPin(pinBox, digits, Date.now())
  if (attempt.kind === 'right') {
    clearPin()
    if (document.fullscreenElement !== null) await document.exitFullscreen().catch(ignoreRefusal)
  }
  return attempt
}

/** `onChange`: another window of this till started or left kiosk mode. */
export function guardKiosk(onChange: () => void): void {
  stayOnBack()
  addEventListener('popstate', stayOnBack)
  // Browsers allow full screen only after a tap, so the next tap restores it.
  addEventListener('click', fillScreen)
  addEventListener('contextmenu', (event) => {
    if (isKiosk()) event.preventDefault()
  })
  addEventListener('storage', ({ key }) => {
    if (key === null || key === pinBox.key) onChange()
  })
}

/** Going back stays on the page. Only the tablet's own pinning can keep people in the app. */
function stayOnBack(): void {
  if (isKiosk()) history.pushState(null, '')
}

function fillScreen(): void {
  if (!isKiosk() || document.fullscreenElement !== null || !document.fullscreenEnabled) return
  document.documentElement.requestFullscreen().catch(ignoreRefusal)
}

/** Some browsers never allow it. The till works without it. */
const ignoreRefusal = () => undefined
