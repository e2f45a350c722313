// The account menu: person, language, colours, account page, sign out.

import { type ReactNode, useId } from 'react'
import { useNavigate } from 'react-router'
import { type Language, type Theme, usePreferences } from '../preferences.tsx'
import type { Here } from '../session.tsx'
import { LANGUAGES } from './choices.tsx'
import { Icon, type IconName } from './icon.tsx'
import { useMenu } from './menu.ts'

const THEMES: readonly Theme[] = ['system', 'light', 'dark']

export function AccountMenu({ here, signOut }: { here: Here; signOut(): Promise<void> }) {
  const { words, language, theme, setLanguage, setTheme } = usePreferences()
  const navigate = useNavigate()
  const { id, box, buttonProps, open, setOpen, onKeyDown } = useMenu()
  const { email } = here.me
  const leave = (then: () => void) => () => {
    setOpen(false)
    then()
  }
  return (
    <div
      ref={box}
      className="relative shrink-0 border-line max-lg:order-first max-lg:mb-3 max-lg:border-b max-lg:pb-3 lg:border-t lg:pt-3"
    >
      <button
        {...buttonProps}
        id={`${id}-button`}
        className="flex min-h-11 w-full items-center gap-2.5 rounded-lg px-2 text-left hover:bg-sunken"
      >
        <span
          aria-hidden="true"
          className="grid size-8 shrink-0 place-items-center rounded-full bg-accent-soft text-sm font-semibold text-accent uppercase"
        >
          {email.slice(0, 1)}
        </span>
        <span className="min-w-0 grow">
          <span className="block truncate text-sm" title={email}>
            {email}
          </span>
          <span className="block text-xs text-soft">{words.roles[here.tenant.role]}</span>
        </span>
        <Icon name="choose" className="size-4 text-soft" />
        <span className="sr-only">{words.accountMenu}</span>
      </button>
      {open && (
        <div
          id={id}
          role="menu"
          tabIndex={-1}
          aria-labelledby={`${id}-button`}
          onKeyDown={onKeyDown}
          className="absolute inset-x-0 z-20 max-lg:top-full lg:bottom-full lg:mb-2 rounded-xl border border-line bg-surface p-1.5 shadow-lg"
        >
          <Item icon="account" onChoose={leave(() => navigate(here.page('/account')))}>
            {words.account}
          </Item>
          <Group name={words.language}>
            {(Object.keys(LANGUAGES) as Language[]).map((value) => (
              <Item key={value} checked={value === language} onChoose={() => setLanguage(value)}>
                <span lang={value}>{LANGUAGES[value]}</span>
              </Item>
            ))}
          </Group>
          <Group name={words.theme}>
            {THEMES.map((value) => (
              <Item key={value} checked={value === theme} onChoose={() => setTheme(value)}>
                {words.themes[value]}
              </Item>
            ))}
          </Group>
          <div className="mt-1.5 border-t border-line pt-1.5">
            <Item icon="signOut" onChoose={leave(() => void signOut())}>
              {words.signOut}
            </Item>
          </div>
        </div>
      )}
    </div>
  )
}

function Group({ name, children }: { name: string; children: ReactNode }) {
  const id = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is not part of a menu
    <div role="group" aria-labelledby={id} className="mt-1.5 border-t border-line pt-1.5">
      <p id={id} role="presentation" className="px-2.5 pt-1 pb-0.5 text-xs text-soft">
        {name}
      </p>
      {children}
    </div>
  )
}

/** With `checked` it is one of several options, and choosing it leaves the menu open. */
function Item(props: { icon?: IconName; checked?: boolean; onChoose(): void; children: ReactNode }) {
  const { icon, checked, onChoose, children } = props
  return (
    <button
      type="button"
      {...(checked === undefined ? { role: 'menuitem' } : { role: 'menuitemradio', 'aria-checked': checked })}
      tabIndex={-1}
      onClick={onChoose}
      className="flex min-h-9 w-full items-center gap-2.5 rounded-lg px-2.5 text-left text-sm hover:bg-sunken focus:bg-sunken"
    >
      {icon !== undefined && <Icon name={icon} className="size-4.5 text-soft" />}
      <span className="grow">{children}</span>
      {checked === true && <Icon name="check" className="size-4 text-accent" />}
    </button>
  )
}
