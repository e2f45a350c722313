// The till's connection to its customer screen: a window of this browser, or another device through the service.

import type { Language } from '../../../labels/catalogue.ts'
import type { DeviceClient } from '../../../sdk/typescript/src/device/device-client.ts'
import { clearDisplay, loadDisplay, saveDisplay } from '../device/browser-storage.ts'
import type { Look } from '../look.ts'
import { readCode } from './display-code.ts'
import { openChannel, readDisplaySays, type Scene, type TillSays } from './display-messages.ts'

/** A window of this browser that does not answer within this time is closed. */
const ANSWER_WITHIN_MS = 2_000
/** A screen polls the service every two seconds. */
const LOOKS_MAX = 8
const LOOK_EVERY_MS = 1_000
/** Stored instead of a code: the screen is another device. */
const ELSEWHERE = 'service'

type DisplayService = Pick<DeviceClient, 'connectDisplay' | 'readDisplay' | 'disconnectDisplay'>

export interface DisplayLink {
  /** 'away': a screen is connected and does not answer. */
  state(): 'none' | 'here' | 'away'
  /** Whether a screen with this code answered. Throws refusals and connection errors. */
  connect(typed: string): Promise<boolean>
  disconnect(): Promise<void>
  show(scene: Scene): void
  /** Sends the current content again, because language or environment has changed. */
  refresh(): void
  /** Checks whether a screen on another device is still connected. */
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
    const message: TillSays = {
      from: 'till',
      shop: shop(),
      look: shopLook(),
      language: language(),
      test: isTest(),
      scene,
    }
    channel?.postMessage(message)
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
      const message = readDisplaySays(data)
      if (message === null) return
      if (message.kind === 'hello') tell()
      answered()
      setHere(message.kind !== 'gone')
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
  // When the till is closed, its code must not stay on the screen.
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
