// Language and colours: as the device says, or as chosen here. Kept in the browser, nowhere else.

import { createContext, type ReactNode, startTransition, use, useEffect, useState } from 'react'
import type { Words } from './words/en.ts'

export type Language = 'en' | 'de'
export type Theme = 'system' | 'light' | 'dark'

const LOADERS: Record<Language, () => Promise<Words>> = {
  en: async () => (await import('./words/en.ts')).en,
  de: async () => (await import('./words/de.ts')).de,
}
const loaded = new Map<Language, Promise<Words>>()

/** A language comes with the first page, the other when somebody chooses it. */
function wordsOf(language: Language): Promise<Words> {
  const words = loaded.get(language) ?? LOADERS[language]()
  loaded.set(language, words)
  return words
}

interface Preferences {
  language: Language
  theme: Theme
  words: Words
  setLanguage(language: Language): void
  setTheme(theme: Theme): void
}

const Context = createContext<Preferences | null>(null)

export function usePreferences(): Preferences {
  const preferences = use(Context)
  if (preferences === null) throw new Error('bug: outside of PreferencesProvider')
  return preferences
}

export const useWords = (): Words => usePreferences().words

/** Words that only some pages need, and load. */
export const usePageWords = <W,>(words: Record<Language, W>): W => words[usePreferences().language]

/** Within a `Suspense`: nothing can be said before its words are there. */
export function PreferencesProvider({ children }: { children: ReactNode }) {
  const [language, chooseLanguage] = useState<Language>(firstLanguage)
  const words = use(wordsOf(language))
  // Until the other words are there, these stay.
  const setLanguage = (chosen: Language) => startTransition(() => chooseLanguage(chosen))
  const [theme, setTheme] = useState<Theme>(firstTheme)
  useEffect(() => {
    document.documentElement.lang = language
    localStorage.setItem('vidimus-language', language)
  }, [language])
  useEffect(() => {
    const device = matchMedia('(prefers-color-scheme: dark)')
    const apply = () => {
      const dark = theme === 'dark' || (theme === 'system' && device.matches)
      document.documentElement.dataset.theme = dark ? 'dark' : 'light'
    }
    apply()
    localStorage.setItem('vidimus-theme', theme)
    device.addEventListener('change', apply)
    return () => device.removeEventListener('change', apply)
  }, [theme])
  return <Context value={{ language, theme, words, setLanguage, setTheme }}>{children}</Context>
}

function firstLanguage(): Language {
  const kept = localStorage.getItem('vidimus-language')
  if (kept === 'en' || kept === 'de') return kept
  return navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en'
}

function firstTheme(): Theme {
  const kept = localStorage.getItem('vidimus-theme')
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}
