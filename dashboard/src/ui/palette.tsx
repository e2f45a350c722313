// The palette: a page, an action or an id, by a few letters. Ctrl-K or ⌘K, anywhere.

import { type KeyboardEvent, useId, useMemo, useState } from 'react'
import { useNavigate } from 'react-router'
import { usePreferences } from '../preferences.tsx'
import { useHere } from '../session.tsx'
import { Dialog } from './dialog.tsx'

interface Entry {
  readonly name: string
  readonly run: () => void
}

export function Palette({ pages, onClose }: { pages: readonly (readonly [string, string])[]; onClose(): void }) {
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
    <Dialog title={words.finding.palette} onClose={onClose}>
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
      {entries.length === 0 && <p className="px-3 py-2 text-soft">{words.finding.paletteNone}</p>}
      <div id={`${id}-list`} role="listbox" aria-label={words.finding.palette} className="max-h-80 overflow-y-auto">
        {entries.map((entry, index) => (
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
            className={`cursor-pointer truncate rounded-lg px-3 py-2 ${index === at ? 'bg-accent-soft font-medium text-accent' : ''}`}
          >
            {entry.name}
          </div>
        ))}
      </div>
    </Dialog>
  )
}

/** Those that begin with what is written first; then those that have it somewhere. */
function useEntries(pages: readonly (readonly [string, string])[], text: string): readonly Entry[] {
  const { words, theme, setTheme } = usePreferences()
  const here = useHere()
  const navigate = useNavigate()
  const known = useMemo(() => {
    const go = (path: string) => () => void navigate(here.page(path))
    const other = here.environment === 'test' ? 'live' : 'test'
    const isDark = theme === 'dark'
    return [
      ...pages.map(([path, name]) => ({ name, run: go(path) })),
      { name: words.account, run: go('/account') },
      { name: words.docs, run: () => void globalThis.open('/docs', '_blank', 'noreferrer') },
      ...(here.mayChange
        ? [
            { name: words.asking.create, run: go('/verifications?new=') },
            { name: words.links.create, run: go('/links?new=') },
          ]
        : []),
      {
        name: other === 'live' ? words.finding.toLive : words.finding.toTest,
        run: () => void navigate(`/${here.tenant.id}/${other}`),
      },
      {
        name: isDark ? words.finding.light : words.finding.dark,
        run: () => setTheme(isDark ? 'light' : 'dark'),
      },
    ]
  }, [words, here, theme, setTheme, navigate, pages])
  const wanted = text.toLowerCase()
  if (wanted === '') return known
  const open = {
    name: words.finding.paletteOpen,
    run: () => void navigate(here.page(`/verifications/${encodeURIComponent(text)}`)),
  }
  if (/^ver_/.test(text)) return [open]
  const search = {
    name: words.finding.paletteSearch(text),
    run: () => void navigate(here.page(`/verifications?${new URLSearchParams({ text })}`)),
  }
  const found = known.filter(({ name }) => name.toLowerCase().includes(wanted))
  const begins = ({ name }: Entry) => (name.toLowerCase().startsWith(wanted) ? 0 : 1)
  return [...found.sort((a, b) => begins(a) - begins(b)), search]
}
