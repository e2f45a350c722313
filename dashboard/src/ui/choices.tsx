// Two small menus for language and colours, for pages without the account menu.

import { useRef } from 'react'
import { type Language, type Theme, usePreferences } from '../preferences.tsx'
import { Icon, type IconName } from './icon.tsx'
import { useMenu, usePlaced } from './menu.ts'

export const LANGUAGES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }

export function Choices() {
  const { language, theme, words, setLanguage, setTheme } = usePreferences()
  return (
    <div className="flex flex-wrap justify-center gap-1">
      <MenuChoice<Language>
        icon="globe"
        label={words.language}
        value={language}
        options={LANGUAGES}
        onChoose={setLanguage}
      />
      <MenuChoice<Theme> icon="theme" label={words.theme} value={theme} options={words.themes} onChoose={setTheme} />
    </div>
  )
}

interface MenuChoiceProps<T extends string> {
  icon: IconName
  label: string
  value: T
  options: Readonly<Record<T, string>>
  onChoose(value: T): void
}

function MenuChoice<T extends string>({ icon, label, value, options, onChoose }: MenuChoiceProps<T>) {
  const { id, box, button, buttonProps, open, setOpen, onKeyDown } = useMenu()
  const list = useRef<HTMLDivElement>(null)
  usePlaced(open, { shown: list, from: button })
  const choose = (chosen: T) => {
    setOpen(false)
    button.current?.focus()
    onChoose(chosen)
  }
  return (
    <div ref={box}>
      <button
        {...buttonProps}
        className="flex min-h-10 items-center gap-2 rounded-lg px-3 text-sm text-soft hover:bg-sunken hover:text-ink"
      >
        <Icon name={icon} />
        <span>
          <span className="sr-only">{label}: </span>
          {options[value]}
        </span>
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
          className="fixed m-0 min-w-36 rounded-xl border border-line bg-surface p-1.5 text-ink shadow-lg"
        >
          {(Object.keys(options) as T[]).map((one) => (
            <button
              key={one}
              type="button"
              role="menuitemradio"
              aria-checked={one === value}
              tabIndex={-1}
              onClick={() => choose(one)}
              className="flex min-h-9 w-full items-center justify-between gap-2.5 rounded-lg px-2.5 text-left text-sm hover:bg-sunken focus:bg-sunken"
            >
              {options[one]}
              {one === value && <Icon name="check" className="size-4 text-accent" />}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
