// A menu by the menu button pattern of WAI-ARIA: arrow keys, Home and End move, Escape closes and gives the focus back.

import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'

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
