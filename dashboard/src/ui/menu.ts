// A menu by WAI-ARIA's menu button pattern: arrows, Home and End move; Escape closes and returns the focus.

import { type KeyboardEvent, type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'

export function useMenu() {
  const id = useId()
  const [open, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const items = () => [...(box.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])]
  // biome-ignore lint/correctness/useExhaustiveDependencies: items reads what is shown
  useEffect(() => {
    if (!open) return
    items()[0]?.focus()
    const onPointer = (event: PointerEvent) => {
      if (event.target instanceof Node && box.current?.contains(event.target) === false) setOpen(false)
    }
    addEventListener('pointerdown', onPointer)
    return () => removeEventListener('pointerdown', onPointer)
  }, [open])
  const onKeyDown = (event: KeyboardEvent) => {
    const all = items()
    const at = all.findIndex((one) => one.matches(':focus'))
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key]
    if (to !== undefined) {
      event.preventDefault()
      all.at(to % all.length)?.focus()
    }
    if (event.key === 'Escape') {
      event.preventDefault()
      setOpen(false)
      button.current?.focus()
    }
    if (event.key === 'Tab') setOpen(false)
  }
  const buttonProps = {
    ref: button,
    type: 'button',
    'aria-haspopup': 'menu',
    'aria-expanded': open,
    'aria-controls': open ? id : undefined,
    onClick: () => setOpen(!open),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
      event.preventDefault()
      setOpen(true)
    },
  } as const
  return { id, box, button, buttonProps, open, setOpen, onKeyDown }
}

interface Placed {
  readonly shown: RefObject<HTMLElement | null>
  readonly from: RefObject<HTMLElement | null>
}

/**
 * Shows it below its button, or above if there is more room. In the top layer, so that scrolling boxes do not clip it;
 * it follows its button when they scroll.
 */
export function usePlaced(open: boolean, { shown, from }: Placed): void {
  useLayoutEffect(() => {
    const [box, button] = [shown.current, from.current]
    if (!open || box === null || button === null) return
    box.showPopover()
    const place = () => {
      const { bottom, top, right } = button.getBoundingClientRect()
      const fits = bottom + box.offsetHeight + 8 <= innerHeight
      box.style.top = `${fits ? bottom + 4 : Math.max(8, top - box.offsetHeight - 4)}px`
      box.style.left = `${Math.max(8, right - box.offsetWidth)}px`
    }
    place()
    addEventListener('scroll', place, { capture: true, passive: true })
    addEventListener('resize', place)
    return () => {
      removeEventListener('scroll', place, { capture: true })
      removeEventListener('resize', place)
    }
  }, [open, shown, from])
}
