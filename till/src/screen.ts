// The current screen: drawn again when the language changes; what it waits for ends when another screen comes.

import { byId } from './dom.ts'
import type { View } from './views.ts'

/** Ends whatever the screen on show is waiting for. */
let leaving = new AbortController()
let draw: () => void = () => undefined
let drawBar: () => void = () => undefined
let idle = false

interface ScreenOptions {
  /** For screen readers, at once. */
  readonly spoken?: () => string
  /** A reload of the till loses nothing. */
  readonly idle?: boolean
}

/** What stands above every screen. */
export function setBar(drawn: () => void): void {
  drawBar = drawn
}

export function show(view: () => View, { spoken = () => '', idle: isIdle = false }: ScreenOptions = {}): AbortSignal {
  leaving.abort()
  leaving = new AbortController()
  idle = isIdle
  draw = () => {
    const main = byId('view')
    const focused = main.contains(document.activeElement)
    main.replaceChildren(...view().filter((part) => part !== null))
    byId('live').textContent = spoken()
    if (focused) main.querySelector<HTMLElement>('h1')?.focus()
  }
  redraw()
  byId('view').querySelector<HTMLElement>('h1')?.focus()
  return leaving.signal
}

export function redraw(): void {
  drawBar()
  draw()
}

export const redrawBar = () => drawBar()
export const isScreenIdle = () => idle
