// A menu with further actions of a row or card, behind a button with three dots.

import { useRef } from 'react'
import { Icon, type IconName } from './icon.tsx'
import { useMenu, usePlaced } from './menu.ts'

export interface RowAction {
  readonly label: string
  readonly icon: IconName
  /** It deletes something. */
  readonly isDanger?: boolean
  onChoose(): void
}

interface RowMenuProps {
  /** Includes the name of the row. */
  readonly label: string
  readonly actions: readonly RowAction[]
  /** With a frame, next to other buttons. */
  readonly isFramed?: boolean
}

export function RowMenu({ label, actions, isFramed = false }: RowMenuProps) {
  const { id, box, button, buttonProps, open, setOpen, onKeyDown } = useMenu()
  const list = useRef<HTMLDivElement>(null)
  usePlaced(open, { shown: list, from: button })
  if (actions.length === 0) return null
  return (
    <div ref={box} className="inline-block">
      <button
        {...buttonProps}
        aria-label={label}
        className={`grid size-10 place-items-center rounded-lg hover:bg-sunken hover:text-ink ${isFramed ? 'border border-line bg-surface text-ink' : 'text-soft sm:size-8'}`}
      >
        <Icon name="more" className="size-5 [&>path]:stroke-[2.4]" />
      </button>
      {open && (
        <div
          ref={list}
          id={id}
          role="menu"
          popover="manual"
          tabIndex={-1}
          aria-label={label}
          onKeyDown={onKeyDown}
          className="fixed m-0 min-w-48 rounded-xl border border-line bg-surface p-1.5 text-ink shadow-lg"
        >
          {actions.map(({ label: name, icon, isDanger = false, onChoose }) => (
            <button
              key={name}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                setOpen(false)
                button.current?.focus()
                onChoose()
              }}
              className={`flex min-h-9 w-full items-center gap-2.5 rounded-lg px-2.5 text-left text-sm hover:bg-sunken focus:bg-sunken ${isDanger ? 'text-bad' : ''}`}
            >
              <Icon name={icon} className={`size-4.5 ${isDanger ? '' : 'text-soft'}`} />
              {name}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
