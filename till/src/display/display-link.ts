// The till's end of the customer screen: remembers which one, has it shown what there is to scan, and knows whether it is there. A
// screen is a window of this browser, which the till tells itself, or a device of its own, which hears it from the service.

import type { Language } from '../../../labels/catalogue.ts'
import type { DeviceClient } from '../../../sdk/typescript/src/device/device-client.ts'
import { clearDisplay, loadDisplay, saveDisplay } from '../device/browser-storage.ts'
import type { Look } from '../look.ts'
import { readCode } from './display-code.ts'
import { openChannel, readDisplaySays, type Scene, type TillSays } from './display-messages.ts'

/** Two windows of one browser: what does not answer by then is not there. */
const ANSWER_WITHIN_MS = 2_000
/** A screen asks the service every two seconds. */
const LOOKS_MAX = 8
const LOOK_EVERY_MS = 1_000
/** In place of a code: it is on a device of its own. */
const ELSEWHERE = 'service'

type DisplayService = Pick<DeviceClient, 'connectDisplay' | 'readDisplay' | 'disconnectDisplay'>

export interface DisplayLink {
  /** 'away': one is connected, and does not answer. */
  state(): 'none' | 'here' | 'away'
  /** Whether a screen with this code answered. Refusals and "no connection" are thrown. */
  connect(typed: string): Promise<boolean>
  disconnect(): Promise<void>
  show(scene: Scene): void
  /** Tells it again what it shows: the language or the environment is another. */
  refresh(): void
  /** Whether a screen on a device of its own is still there. */
  look(): Promise<void>
}

interface DisplayWorld {
  readonly service: DisplayService
  readonly language: () => Language
  readonly shop: () => string | null
  readonly look: () => Look
  readonly isTest: () => boolean
  readonly onChange: () => void
}

export function openDisplayLink({
  service,
  language,
  shop,
  look: shopLook,
  isTest,
  onChange,
}: DisplayWorld): DisplayLink {
  let channel: BroadcastChannel | null = null
  let isElsewhere = false
  let isHere = false
  let answered: () => void = () => undefined
  let scene: Scene = { kind: 'welcome' }

  function tell(): void {
    const said: TillSays = { from: 'till', shop: shop(), look: shopLook(), language: language(), test: isTest(), scene }
    channel?.postMessage(said)
  }

  function setHere(next: boolean): void {
    const changed = isHere !== next
    isHere = next
    if (changed) onChange()
  }

  function listen(code: string): void {
    channel?.close()
    isHere = false
    channel = openChannel(code)
    channel.addEventListener('message', ({ data }) => {
      const said = readDisplaySays(data)
      if (said === null) return
      if (said.kind === 'hello') tell()
      answered()
      setHere(said.kind !== 'gone')
    })
    tell()
  }

  function leave(): void {
    scene = { kind: 'welcome' }
    tell()
    channel?.close()
    channel = null
    isElsewhere = false
    isHere = false
    clearDisplay()
  }

  async function connectHere(code: string): Promise<boolean> {
    const answer = new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), ANSWER_WITHIN_MS)
      answered = () => {
        clearTimeout(timer)
        resolve(true)
      }
    })
    listen(code)
    return answer
  }

  async function connectElsewhere(code: string): Promise<boolean> {
    let { state } = await service.connectDisplay(code)
    for (let looks = 0; state === 'waiting' && looks < LOOKS_MAX; looks += 1) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
      state = (await service.readDisplay()).state
    }
    if (state !== 'here') await service.disconnectDisplay()
    return state === 'here'
  }

  async function look(): Promise<void> {
    if (!isElsewhere) return
    const { state } = await service.readDisplay()
    if (state !== 'none') return setHere(state === 'here')
    leave()
    onChange()
  }

  const kept = loadDisplay()
  const code = readCode(kept ?? '')
  if (kept === ELSEWHERE) isElsewhere = true
  else if (code !== null) listen(code)
  // A till that goes away leaves no code behind that nobody watches.
  addEventListener('pagehide', () => {
    scene = { kind: 'welcome' }
    tell()
  })

  return {
    state: () => (channel === null && !isElsewhere ? 'none' : isHere ? 'here' : 'away'),
    async connect(typed) {
      const code = readCode(typed)
      if (code === null) return false
      if (await connectHere(code)) {
        saveDisplay(code)
        return true
      }
      leave()
      if (!(await connectElsewhere(code))) return false
      isElsewhere = true
      saveDisplay(ELSEWHERE)
      setHere(true)
      return true
    },
    async disconnect() {
      const wasElsewhere = isElsewhere
      leave()
      if (wasElsewhere) await service.disconnectDisplay()
    },
    show(next) {
      scene = next
      tell()
    },
    refresh: tell,
    look,
  }
}
