// The current screen: redrawn when the language changes, aborted when another screen replaces it.

import { byId } from './dom.ts'
import type { View } from './views.ts'

/** Aborts whatever the current screen waits for. */
let leaving = new AbortController()
let draw: () => void = () => undefined
let drawBar: () => void = () => undefined
let idle = false

interface ScreenOptions {
  /** Announced by screen readers immediately. */
  readonly spoken?: () => string
  /** A reload would lose nothing. */
  readonly idle?: boolean
}

/** Sets the bar above every screen. */
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
