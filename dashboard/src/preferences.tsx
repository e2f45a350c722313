// Language and colours: as the device says, or as chosen here. Kept in the browser, nowhere else.

import { createContext, type ReactNode, use, useEffect, useState } from 'react'
import { de } from './words/de.ts'
import { en, type Words } from './words/en.ts'

export type Language = 'en' | 'de'
export type Theme = 'system' | 'light' | 'dark'

const WORDS: Record<Language, Words> = { en, de }

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

export function PreferencesProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(firstLanguage)
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
  return <Context value={{ language, theme, words: WORDS[language], setLanguage, setTheme }}>{children}</Context>
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
