// The till's end of the customer screen: remembers which one, tells it what to show, and knows whether its window is open.

import type { Language } from '../../../labels/catalogue.ts'
import { clearDisplay, loadDisplay, saveDisplay } from '../device/browser-storage.ts'
import { isDisplayCode, openChannel, readDisplaySays, type Scene, type TillSays } from './display-messages.ts'

/** Two windows of one browser: what does not answer by then is not there. */
const ANSWER_WITHIN_MS = 2_000

export interface DisplayLink {
  /** 'away': one is connected, and its window is closed. */
  state(): 'none' | 'here' | 'away'
  /** Whether a screen with this code answered. */
  connect(code: string): Promise<boolean>
  disconnect(): void
  show(scene: Scene): void
  /** Tells it again what it shows: the language or the environment is another. */
  refresh(): void
}

export interface DisplayWorld {
  readonly language: () => Language
  readonly isTest: () => boolean
  readonly onChange: () => void
}

export function openDisplayLink({ language, isTest, onChange }: DisplayWorld): DisplayLink {
  let channel: BroadcastChannel | null = null
  let isHere = false
  let answered: () => void = () => undefined
  let scene: Scene = { kind: 'welcome' }

  function tell(): void {
    const said: TillSays = { from: 'till', language: language(), test: isTest(), scene }
    channel?.postMessage(said)
  }

  function listen(code: string): void {
    channel?.close()
    isHere = false
    channel = openChannel(code)
    channel.addEventListener('message', ({ data }) => {
      const said = readDisplaySays(data)
      if (said === null) return
      if (said.kind === 'hello') tell()
      const changed = isHere !== (said.kind !== 'gone')
      isHere = said.kind !== 'gone'
      answered()
      if (changed) onChange()
    })
    tell()
  }

  function disconnect(): void {
    scene = { kind: 'welcome' }
    tell()
    channel?.close()
    channel = null
    isHere = false
    clearDisplay()
  }

  const kept = loadDisplay()
  if (kept !== null && isDisplayCode(kept)) listen(kept)
  // A till that goes away leaves no code behind that nobody watches.
  addEventListener('pagehide', () => {
    scene = { kind: 'welcome' }
    tell()
  })

  return {
    state: () => (channel === null ? 'none' : isHere ? 'here' : 'away'),
    async connect(code) {
      if (!isDisplayCode(code)) return false
      const answer = new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), ANSWER_WITHIN_MS)
        answered = () => {
          clearTimeout(timer)
          resolve(true)
        }
      })
      listen(code)
      if (await answer) saveDisplay(code)
      else disconnect()
      return isHere
    },
    disconnect,
    show(next) {
      scene = next
      tell()
    },
    refresh: tell,
  }
}
