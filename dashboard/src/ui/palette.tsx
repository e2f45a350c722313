// The command palette (Ctrl-K or ⌘K): finds a page, an action or an id by a few letters.

import { type KeyboardEvent, useId, useMemo, useState } from 'react'
import { useNavigate } from 'react-router'
import { usePreferences } from '../preferences.tsx'
import { useHere } from '../session.tsx'
import { Dialog } from './dialog.tsx'
import { Icon, type IconName } from './icon.tsx'

interface Entry {
  readonly name: string
  readonly icon: IconName
  readonly group: 'page' | 'action'
  readonly run: () => void
}

interface PageEntry {
  readonly path: string
  readonly name: string
  readonly icon: IconName
}

export function Palette({ pages, onClose }: { pages: readonly PageEntry[]; onClose(): void }) {
  const { words } = usePreferences()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const id = useId()
  const entries = useEntries(pages, text.trim())
  const at = Math.min(chosen, entries.length - 1)
  const run = (entry: Entry | undefined) => {
    if (entry === undefined) return
    onClose()
    entry.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && entries.length > 0) {
      event.preventDefault()
      setChosen((at + step + entries.length) % entries.length)
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      run(entries[at])
    }
  }
  return (
    <Dialog title={words.finding.palette} onClose={onClose} bare>
      <input
        role="combobox"
        aria-label={words.finding.paletteHint}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={entries.length === 0 ? undefined : `${id}-${at}`}
        placeholder={words.finding.paletteHint}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
        className="mb-3 min-h-11 w-full rounded-lg border border-soft/60 bg-surface px-3 placeholder:text-soft"
      />
      {entries.length === 0 && <p className="px-3 pt-2 pb-4 text-soft">{words.finding.paletteNone}</p>}
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label={words.finding.palette}
        className="max-h-96 overflow-y-auto pb-3"
      >
        {(['action', 'page'] as const).map((group) => {
          const here = entries.flatMap((entry, index) => (entry.group === group ? [{ entry, index }] : []))
          if (here.length === 0) return null
          const title = group === 'page' ? words.finding.palettePages : words.finding.paletteActions
          return (
            // biome-ignore lint/a11y/useSemanticElements: a list box must not contain a fieldset
            <div key={group} role="group" aria-label={title} className="mb-2 last:mb-0">
              <p aria-hidden="true" className="px-3 pt-1 pb-0.5 text-xs text-soft">
                {title}
              </p>
              {here.map(({ entry, index }) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
                <div
                  key={entry.name}
                  id={`${id}-${index}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === at}
                  ref={(element) => {
                    if (index === at) element?.scrollIntoView({ block: 'nearest' })
                  }}
                  onMouseMove={() => setChosen(index)}
                  onClick={() => run(entry)}
                  className={`flex cursor-pointer items-center gap-3 rounded-lg px-3 py-2 ${index === at ? 'bg-accent-soft font-medium text-accent' : ''}`}
                >
                  <Icon name={entry.icon} className="size-4.5 opacity-80" />
                  <span className="min-w-0 truncate">{entry.name}</span>
                </div>
              ))}
            </div>
          )
        })}
      </div>
    </Dialog>
  )
}

/** Actions before pages. Of the matches, those that begin with the text come first. */
function useEntries(pages: readonly PageEntry[], text: string): readonly Entry[] {
  const { words, theme, setTheme } = usePreferences()
  const here = useHere()
  const navigate = useNavigate()
  const known = useMemo((): readonly Entry[] => {
    const go = (path: string) => () => void navigate(here.page(path))
    const other = here.environment === 'test' ? 'live' : 'test'
    // The theme on screen: "automatic" may be either.
    const isDark = theme === 'dark' || (theme === 'system' && document.documentElement.dataset.theme === 'dark')
    const action = (name: string, icon: IconName, run: () => void): Entry => ({ name, icon, group: 'action', run })
    const page = (name: string, icon: IconName, run: () => void): Entry => ({ name, icon, group: 'page', run })
    return [
      ...(here.mayChange
        ? [
            action(words.asking.create, 'plus', go('/verifications?new=')),
            action(words.links.create, 'links', go('/links?new=')),
          ]
        : []),
      action(
        other === 'live' ? words.finding.toLive : words.finding.toTest,
        'goingLive',
        () => void navigate(`/${here.tenant.id}/${other}`),
      ),
      action(isDark ? words.finding.light : words.finding.dark, 'theme', () => setTheme(isDark ? 'light' : 'dark')),
      ...pages.map(({ path, name, icon }) => page(name, icon, go(path))),
      page(words.account, 'account', go('/account')),
      page(words.docs, 'docs', () => void globalThis.open('/docs', '_blank', 'noreferrer')),
    ]
  }, [words, here, theme, setTheme, navigate, pages])
  const wanted = text.toLowerCase()
  if (wanted === '') return known
  const open = (name: string, path: string, state?: { find: string }): Entry => ({
    name,
    icon: 'search',
    group: 'page',
    run: () => void navigate(here.page(path), { state }),
  })
  if (/^ver_/.test(text)) return [open(words.finding.paletteOpen, `/verifications/${encodeURIComponent(text)}`)]
  const found = known.filter(({ name }) => name.toLowerCase().includes(wanted))
  const rank = ({ name, group }: Entry) =>
    (group === 'action' ? 0 : 2) + (name.toLowerCase().startsWith(wanted) ? 0 : 1)
  const search = open(words.finding.paletteSearch(text), '/verifications', { find: text })
  return [...found.toSorted((a, b) => rank(a) - rank(b)), search]
}
